//! Who names whose definitions, and which definitions matter for it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

use crate::tool::{CallContext, ToolError};
use crate::tools::code::grammar::Family;
use crate::tools::code::kind::{ReferenceKind, is_type};
use crate::tools::code::rank::{Reach, is_aside, is_test, reach};
use crate::tools::code::tags::{Definition, FileTags};

/// The share of rank that follows references; the rest is spread evenly.
const DAMPING: f64 = 0.85;
/// Rounds of the rank. The ranks of repositories settle to three digits in about twenty.
const ROUNDS: usize = 24;
/// A name that more files define than this (`new`, `fmt`, `main`) says nothing about any of them.
/// It also keeps the graph sparse.
const DEFINERS_MAX: usize = 16;

/// A parsed file.
pub struct MapFile {
    /// The path relative to the root.
    pub path: Arc<str>,
    /// The languages that share its names.
    pub family: Family,
    /// Its tags.
    pub tags: Arc<FileTags>,
}

/// A definition and how much it matters.
pub struct Ranked<'a> {
    /// Index of the file.
    pub file: usize,
    /// The definition.
    pub definition: &'a Definition,
    /// Its part of the rank that goes round in the graph.
    pub rank: f64,
}

/// The edge that one name makes from a file that uses it to a file that defines it.
struct Use<'a> {
    name: &'a str,
    weight: f64,
}

type References<'a> = DiGraph<(), Use<'a>>;
type Definers<'a> = HashMap<(Family, &'a str), Vec<Definer>>;

/// All definitions that belong on a map, those that matter most first.
///
/// Files are ranked by who refers to them (as in PageRank), then each file's rank flows along its
/// references once more, to the definitions. petgraph's own `page_rank` was not taken: it knows no
/// weights and takes time quadratic in the number of files.
///
/// # Errors
/// Cancellation.
pub fn rank<'a>(files: &'a [MapFile], cx: &CallContext) -> Result<Vec<Ranked<'a>>, ToolError> {
    let graph = graph(files, cx)?;
    let flow = Flow::new(&graph);
    let ranks = flow.settle(cx)?;
    let mut shares: HashMap<(usize, &str), f64> = HashMap::new();
    for edge in graph.edge_references() {
        let share = flow.along(edge.source(), edge.weight(), &ranks);
        *shares.entry((edge.target().index(), edge.weight().name)).or_default() += share;
    }
    let mut ranked: Vec<_> =
        files.iter().enumerate().flat_map(|(at, file)| definitions(at, file, &shares)).collect();
    ranked.sort_by(|a, b| {
        let place = |each: &Ranked<'_>| (each.file, each.definition.line, each.definition.column);
        b.rank.total_cmp(&a.rank).then_with(|| place(a).cmp(&place(b)))
    });
    Ok(ranked)
}

/// Whether a definition may be on a map at all.
pub fn is_mapped(definition: &Definition) -> bool {
    // `type Item = T;` in a trait or an implementation of one.
    let is_associated = definition.container.is_some() && definition.signature.starts_with("type ");
    // A prototype is shown where it is defined; the methods of an interface are what it is.
    let is_prototype = definition.is_declaration && definition.kind != "method";
    let is_hidden = is_prototype || definition.is_local() || is_test(definition) || is_associated;
    !is_hidden && !matches!(definition.kind, "field" | "variant" | "module")
}

/// C: whether this is the second name in `typedef struct ring { .. } ring;`.
fn is_double(definition: &Definition, tags: &FileTags) -> bool {
    let inner = |other: &Definition| {
        other.kind == "struct" && other.start > definition.start && other.end < definition.end
    };
    definition.signature.starts_with("typedef ")
        && tags.definitions.iter().any(|other| other.name == definition.name && inner(other))
}

/// Whether other files may mean this definition. A Rust item that is not `pub` is known to its
/// own module; a macro has another way to be exported.
fn is_shared(family: Family, definition: &Definition) -> bool {
    let is_private =
        family == Family::Rust && reach(definition) == Reach::Unsaid && definition.kind != "macro";
    is_mapped(definition) && !is_private
}

/// The definitions of a file with their ranks. Namesakes in one file share what their name got; a
/// method gains from its type, because calls of `get` or `path` seldom tell whose they are.
fn definitions<'a>(
    at: usize,
    file: &'a MapFile,
    shares: &HashMap<(usize, &str), f64>,
) -> impl Iterator<Item = Ranked<'a>> {
    let mapped = || {
        file.tags
            .definitions
            .iter()
            .filter(|definition| is_mapped(definition) && !is_double(definition, &file.tags))
    };
    let shared = || mapped().filter(|definition| is_shared(file.family, definition));
    let mut namesakes: HashMap<&str, f64> = HashMap::new();
    shared().for_each(|definition| *namesakes.entry(&definition.name).or_default() += 1.0);
    let aside = if is_aside(&file.path) { 0.1 } else { 1.0 };
    let of_name = |name: &str| {
        let share = shares.get(&(at, name)).copied().unwrap_or_default();
        share / namesakes.get(name).copied().unwrap_or(1.0)
    };
    let ranked = mapped().map(|definition| {
        let is_shared = is_shared(file.family, definition);
        let own = if is_shared { of_name(&definition.name) * merit(definition) } else { 0.0 };
        let of_owner = definition.owner().map_or(0.0, of_name) * member_merit(file.family, definition);
        Ranked { file: at, definition, rank: (own + of_owner + 1e-9 * merit(definition)) * aside }
    });
    ranked.collect::<Vec<_>>().into_iter()
}

/// How much a definition tells about a repository, by what it is.
fn merit(definition: &Definition) -> f64 {
    let kind = match definition.kind {
        kind if is_type(kind) => 2.0,
        "function" | "macro" => 1.0,
        "method" => 0.25,
        _ => 0.4,
    };
    let reach = match reach(definition) {
        Reach::Everyone => 2.0,
        Reach::Part => 1.0,
        Reach::Unsaid => 0.7,
    };
    kind * reach
}

/// The part of its type's rank that a method gets for belonging to it.
fn member_merit(family: Family, definition: &Definition) -> f64 {
    let is_interface = definition.kind == "method" && is_shared(family, definition);
    if is_interface { 0.05 } else { 0.0 }
}

fn graph<'a>(files: &'a [MapFile], cx: &CallContext) -> Result<References<'a>, ToolError> {
    let definers = definers(files);
    let mut graph = References::new();
    let nodes: Vec<_> = files.iter().map(|_| graph.add_node(())).collect();
    for (at, file) in files.iter().enumerate() {
        cx.check()?;
        for (name, uses) in uses(&file.tags) {
            let Some(targets) = definers.get(&(file.family, name)) else { continue };
            // A file that defines the name itself means its own.
            if targets.len() > DEFINERS_MAX || targets.iter().any(|target| target.file == at) {
                continue;
            }
            let aside = if is_aside(&file.path) { 0.2 } else { 1.0 };
            for target in targets {
                let count = uses.meaning(target);
                if count > 0.0 {
                    let near = nearness(file, &files[target.file], uses.imports > 0.0);
                    let weight = weight(name, count, targets.len()) * near * aside;
                    graph.add_edge(nodes[at], nodes[target.file], Use { name, weight });
                }
            }
        }
    }
    Ok(graph)
}

/// A file that defines a name, and as what.
struct Definer {
    file: usize,
    is_type: bool,
    is_callable: bool,
}

/// The files that define each name, without repetition.
fn definers(files: &[MapFile]) -> Definers<'_> {
    let mut definers = Definers::new();
    for (at, file) in files.iter().enumerate() {
        for definition in file.tags.definitions.iter().filter(|definition| is_shared(file.family, definition))
        {
            let known = definers.entry((file.family, &*definition.name)).or_default();
            if known.last().is_none_or(|last| last.file != at) {
                known.push(Definer { file: at, is_type: false, is_callable: false });
            }
            if let Some(last) = known.last_mut() {
                last.is_type |= is_type(definition.kind);
                last.is_callable |= matches!(definition.kind, "function" | "method" | "macro");
            }
        }
    }
    definers
}

/// How a file uses a name.
#[derive(Default)]
struct Uses {
    calls: f64,
    types: f64,
    imports: f64,
    names: f64,
}

impl Uses {
    /// How many of the uses can mean that definer: a variable `path` is no use of a method `path`.
    fn meaning(&self, definer: &Definer) -> f64 {
        match (definer.is_type, definer.is_callable) {
            (true, _) => self.calls + self.types + self.imports + self.names,
            (false, true) => self.calls,
            (false, false) => self.names + self.types,
        }
    }
}

/// The uses of each name in a file, in the order of the names.
fn uses(tags: &FileTags) -> BTreeMap<&str, Uses> {
    let mut uses: BTreeMap<&str, Uses> = BTreeMap::new();
    for place in &tags.occurrences {
        let Some(name) = tags.names.get(place.name as usize) else { continue };
        let uses = uses.entry(name).or_default();
        match place.kind {
            ReferenceKind::Call => uses.calls += 1.0,
            ReferenceKind::Type | ReferenceKind::Implementation => uses.types += 1.0,
            ReferenceKind::Import => uses.imports += 1.0,
            ReferenceKind::Name => uses.names += 1.0,
            ReferenceKind::Definition | ReferenceKind::Field => {}
        }
    }
    uses
}

/// How likely a name in one file means its namesake in another. Where files import what they use
/// by name, what was not imported is more often something of the language's own library.
fn nearness(user: &MapFile, definer: &MapFile, is_imported: bool) -> f64 {
    let folder = |file: &MapFile| file.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let imports_by_name = matches!(user.family, Family::Rust | Family::Python | Family::Script);
    if !imports_by_name || is_imported || folder(user) == folder(definer) { 1.0 } else { 0.1 }
}

/// What a reference is worth. The hundredth use in one file says little more than the tenth, a
/// name with several definers says less of each, and a short or private one may mean anything.
fn weight(name: &str, count: f64, definers: usize) -> f64 {
    let definers = u32::try_from(definers).map_or(1.0, f64::from);
    let telling = match name.len() {
        0..=3 => 0.2,
        4..=7 => 1.0,
        _ => 1.5,
    };
    let private = if name.starts_with('_') { 0.2 } else { 1.0 };
    count.sqrt() * telling * private / (definers * definers)
}

/// The rank that goes round in a graph.
struct Flow<'g, 'a> {
    graph: &'g References<'a>,
    /// The sum of the weights of the edges out of each node.
    out: Vec<f64>,
}

impl<'g, 'a> Flow<'g, 'a> {
    fn new(graph: &'g References<'a>) -> Self {
        let mut out = vec![0.0; graph.node_count()];
        for edge in graph.edge_references() {
            out[edge.source().index()] += edge.weight().weight;
        }
        Self { graph, out }
    }

    /// What goes along one edge when the files have these ranks.
    fn along(&self, source: NodeIndex, edge: &Use<'_>, ranks: &[f64]) -> f64 {
        ranks[source.index()] * edge.weight / self.out[source.index()]
    }

    /// The ranks after [`ROUNDS`] rounds. What reaches a file without references goes to all.
    fn settle(&self, cx: &CallContext) -> Result<Vec<f64>, ToolError> {
        let count = self.graph.node_count();
        let nodes = u32::try_from(count).map_or(1.0, f64::from);
        let mut ranks = vec![1.0 / nodes; count];
        for _ in 0..ROUNDS {
            cx.check()?;
            let lost: f64 =
                ranks.iter().zip(&self.out).filter(|&(_, &out)| out == 0.0).map(|(rank, _)| rank).sum();
            let mut next = vec![(1.0 - DAMPING + DAMPING * lost) / nodes; count];
            for edge in self.graph.edge_references() {
                next[edge.target().index()] += DAMPING * self.along(edge.source(), edge.weight(), &ranks);
            }
            ranks = next;
        }
        Ok(ranks)
    }
}
