//! The trees that are ticked, in words that all engines have.

/// A tree.
pub enum Shape {
    Sequence(Vec<Shape>),
    Fallback(Vec<Shape>),
    ReactiveSequence(Vec<Shape>),
    /// Success at once.
    Succ,
    /// Failure at once.
    Fail,
    /// A condition that holds.
    Cond,
    /// A condition that holds as long as the integer key `k{n}` is positive, and says that it reads it.
    Positive(usize),
    /// Always running.
    Run,
    /// Reads one integer key `k{n}` and writes one more to another.
    Inc(usize, usize),
    /// Passes the text of the key `s{n}` on to the next.
    CopyText(usize),
    /// Passes the JSON value of the key `j{n}` on to the next.
    CopyJson(usize),
    /// A script.
    Script(&'static str),
    /// A condition that is a script.
    ScriptCondition(&'static str),
}

/// How many leaves a chain that passes on a large value has.
const HOPS: usize = 100;

fn repeat(count: usize, leaf: impl FnMut(usize) -> Shape) -> Vec<Shape> {
    (0..count).map(leaf).collect()
}

pub fn successes(count: usize) -> Shape {
    Shape::Sequence(repeat(count, |_| Shape::Succ))
}

/// Sequences and fallbacks in turn, so made that every node is visited once: the last of ten
/// children decides.
pub fn ten_ary(levels: usize, wanted: bool) -> Shape {
    if levels == 0 {
        return if wanted { Shape::Succ } else { Shape::Fail };
    }
    let is_sequence = levels.is_multiple_of(2);
    let children = repeat(10, |place| ten_ary(levels - 1, if place < 9 { is_sequence } else { wanted }));
    if is_sequence { Shape::Sequence(children) } else { Shape::Fallback(children) }
}

pub fn ten_ary_size(levels: usize) -> usize {
    (0..=levels).map(|level| 10_usize.pow(level as u32)).sum()
}

/// Conditions and a leaf that runs as long as they hold.
pub fn conditions(count: usize) -> Shape {
    let mut children = repeat(count - 1, |_| Shape::Cond);
    children.push(Shape::Run);
    Shape::ReactiveSequence(children)
}

/// The same with conditions that say what they read.
pub fn declared_conditions(count: usize) -> Shape {
    let mut children = repeat(count - 1, Shape::Positive);
    children.push(Shape::Run);
    Shape::ReactiveSequence(children)
}

pub fn integer_chain(count: usize) -> Shape {
    Shape::Sequence(repeat(count, |n| Shape::Inc(n, n + 1)))
}

pub fn text_chain() -> Shape {
    Shape::Sequence(repeat(HOPS, Shape::CopyText))
}

pub fn json_chain() -> Shape {
    Shape::Sequence(repeat(HOPS, Shape::CopyJson))
}

pub fn scripts(count: usize) -> Shape {
    Shape::Sequence(repeat(count, |_| Shape::Script("a := a + 1")))
}

pub fn script_conditions(count: usize) -> Shape {
    Shape::Sequence(repeat(count, |_| Shape::ScriptCondition("a > 5 && b < 3")))
}
