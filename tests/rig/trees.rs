//! Random trees: the one generator. Who uses it brings the words.

use std::collections::BTreeMap;

use proptest::prelude::*;

/// What random trees are made of.
pub struct Words {
    /// Whole elements, ending in `/>`.
    pub leaves: &'static [&'static str],
    /// Names with their ports, and how many children they take at least and at most.
    pub controls: &'static [(&'static str, usize, usize)],
    /// Names with their ports.
    pub decorators: &'static [&'static str],
    /// Guards with their conditions and scripts.
    pub guards: &'static [(&'static str, &'static str)],
    /// Of how many nodes one has guards.
    pub guarded: f64,
    /// How many guards a node has at most.
    pub guards_max: usize,
    /// How subtrees are used. A key that a tree names leads somewhere in each of these.
    pub uses: &'static [&'static str],
    /// What a control gets that lacks children.
    pub filler: &'static str,
}

/// Levels of the trees that are used as subtrees.
const SUBTREE_DEPTH: u32 = 2;

/// A whole file: a main tree that uses `A` and `B`, and `A` that uses `B`.
pub fn any_file(words: &'static Words, depth: u32) -> impl Strategy<Value = String> {
    let trees = (
        tree_over(words, &["A", "B"], depth),
        tree_over(words, &["B"], SUBTREE_DEPTH),
        tree_over(words, &[], SUBTREE_DEPTH),
    );
    trees.prop_map(|(main, a, b)| {
        let tree = |id: &str, inside: String| format!("<BehaviorTree ID=\"{id}\">{inside}</BehaviorTree>\n");
        let trees = [("Main", main), ("A", a), ("B", b)].map(|(id, inside)| tree(id, inside)).concat();
        format!("<root BTCPP_format=\"4\" main_tree_to_execute=\"Main\">\n{trees}</root>\n")
    })
}

fn tree_over(
    words: &'static Words,
    subtrees: &'static [&'static str],
    depth: u32,
) -> impl Strategy<Value = String> {
    let guards = move || any_guards(words);
    let leaf = (any_leaf(words, subtrees), guards())
        .prop_map(|(leaf, guards)| leaf.replacen("/>", &format!("{guards}/>"), 1));
    leaf.prop_recursive(depth, 40, 4, move |inner| {
        let control = prop::sample::select(words.controls);
        let decorator = prop::sample::select(words.decorators);
        prop_oneof![
            3 => (control, prop::collection::vec(inner.clone(), 1..=4), guards()).prop_map(
                move |((head, least, most), mut children, guards)| {
                    children.truncate(most);
                    children.resize(children.len().max(least), words.filler.to_owned());
                    element(head, &guards, &children.concat())
                }
            ),
            1 => (decorator, inner, guards())
                .prop_map(|(head, child, guards)| element(head, &guards, &child)),
        ]
    })
}

fn any_leaf(words: &'static Words, subtrees: &'static [&'static str]) -> BoxedStrategy<String> {
    let leaf = prop::sample::select(words.leaves).prop_map(str::to_owned);
    if subtrees.is_empty() {
        return leaf.boxed();
    }
    let used = (prop::sample::select(subtrees), prop::sample::select(words.uses));
    let subtree = used.prop_map(|(id, keys)| format!("<SubTree ID=\"{id}\" {keys}/>"));
    prop_oneof![6 => leaf, 1 => subtree].boxed()
}

/// Guards of different names, each with a blank before it.
fn any_guards(words: &'static Words) -> impl Strategy<Value = String> {
    let guards = prop::collection::vec(prop::sample::select(words.guards), 1..=words.guards_max);
    prop::option::weighted(words.guarded, guards).prop_map(|guards| {
        let guards: BTreeMap<_, _> = guards.unwrap_or_default().into_iter().collect();
        guards.iter().map(|(name, text)| format!(" {name}=\"{text}\"")).collect()
    })
}

fn element(head: &str, guards: &str, inside: &str) -> String {
    let name = head.split(' ').next().unwrap_or(head);
    format!("<{head}{guards}>{inside}</{name}>")
}
