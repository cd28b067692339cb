//! The trees, in words that all engines have.

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
    /// Always running.
    Run,
    /// Reads the integer key `k{n}` and writes one more to the next.
    Inc(usize),
}

/// A tree to be ticked.
pub struct Workload {
    pub name: &'static str,
    /// What the time of a tick is divided by.
    pub units: usize,
    pub shape: Shape,
}

/// The workloads with `leaves` leaves each, or about so many.
pub fn workloads(leaves: usize) -> [Workload; 4] {
    let repeat = |leaf: fn() -> Shape, count| (0..count).map(|_| leaf()).collect::<Vec<_>>();
    let chain = (0..leaves).map(Shape::Inc).collect();
    let mut conditions = repeat(|| Shape::Cond, leaves - 1);
    conditions.push(Shape::Run);
    let levels = if leaves < 1_000 { 2 } else { 4 };
    [
        Workload {
            name: "W1 sequence of leaves, a leaf",
            units: leaves,
            shape: Shape::Sequence(repeat(|| Shape::Succ, leaves)),
        },
        Workload {
            name: "W2 ten children a node, a node",
            units: ten_ary_size(levels),
            shape: ten_ary(levels, true),
        },
        Workload {
            name: "W3 conditions checked again, a condition",
            units: leaves,
            shape: Shape::ReactiveSequence(conditions),
        },
        Workload {
            name: "W4 integer keys read and written, a leaf",
            units: leaves,
            shape: Shape::Sequence(chain),
        },
    ]
}

/// Sequences and fallbacks in turn, so made that every node is visited once: the last of ten
/// children decides.
fn ten_ary(levels: usize, wanted: bool) -> Shape {
    if levels == 0 {
        return if wanted { Shape::Succ } else { Shape::Fail };
    }
    let is_sequence = levels.is_multiple_of(2);
    let children =
        (0..10).map(|place| ten_ary(levels - 1, if place < 9 { is_sequence } else { wanted })).collect();
    if is_sequence { Shape::Sequence(children) } else { Shape::Fallback(children) }
}

fn ten_ary_size(levels: usize) -> usize {
    (0..=levels).map(|level| 10_usize.pow(level as u32)).sum()
}
