//! What is measured, what is known of others, what is wanted.

use std::path::Path;

use crate::shape::{self, Shape};
use crate::{Tick, engine, xml};

/// One row of the table.
pub struct Workload {
    pub id: &'static str,
    pub what: &'static str,
    /// What the time of one run is divided by.
    pub units: usize,
    pub subject: Subject,
    pub known: Known,
}

/// What one run of a workload does.
pub enum Subject {
    /// Ticks the tree.
    Tick(Shape),
    /// Writes one key and ticks the tree.
    TickAfterWrite(Shape),
    /// Parses, checks, compiles and drops a tree of so many nodes.
    Load(usize),
}

/// Figures of one machine, nanoseconds a unit, and the goal that they led to.
pub struct Known {
    /// BehaviorTree.CPP 4.10.
    pub cpp: f64,
    /// behavior-tree-lite 0.3, which stands for that machine when another one is compared with it.
    pub lite: Option<f64>,
    /// How many times faster than BehaviorTree.CPP this engine is to be.
    pub goal: f64,
    /// The same, farther out.
    pub stretch: Option<f64>,
}

/// How large the trees are.
#[derive(Clone, Copy)]
pub struct Sizes {
    pub leaves: usize,
    pub levels: usize,
    pub loads: [usize; 3],
}

impl Sizes {
    pub const FULL: Self = Self { leaves: 1_000, levels: 4, loads: [1_000, 10_000, 100_000] };
    pub const SMALL: Self = Self { leaves: 10, levels: 2, loads: [10, 20, 30] };
}

/// Everything that is timed by running it again and again.
pub fn all(sizes: Sizes) -> Vec<Workload> {
    let Sizes { leaves, levels, loads } = sizes;
    let mut rows = vec![
        Workload {
            id: "W1",
            what: "sequence of successes, a leaf",
            units: leaves,
            subject: Subject::Tick(shape::successes(leaves)),
            known: Known { cpp: 175.0, lite: Some(15.0), goal: 8.0, stretch: Some(12.0) },
        },
        Workload {
            id: "W2",
            what: "ten children a node, a node",
            units: shape::ten_ary_size(levels),
            subject: Subject::Tick(shape::ten_ary(levels, true)),
            known: Known { cpp: 234.0, lite: Some(17.0), goal: 9.0, stretch: Some(14.0) },
        },
        Workload {
            id: "W3",
            what: "conditions ticked again, a condition",
            units: leaves,
            subject: Subject::Tick(shape::conditions(leaves)),
            known: Known { cpp: 175.0, lite: Some(13.0), goal: 8.0, stretch: Some(15.0) },
        },
    ];
    rows.extend(declared(leaves));
    rows.extend(chains(leaves));
    rows.extend(loads.into_iter().zip(["W7-1k", "W7-10k", "W7-100k"]).map(load));
    rows
}

/// Conditions that say what they read: a tick is to cost what changed. So what is wanted of a
/// thousand of them is wanted of any number.
fn declared(leaves: usize) -> [Workload; 4] {
    let row = |id, what, subject, goal| Workload {
        id,
        what,
        units: 1,
        subject,
        known: Known { cpp: 168_000.0, lite: None, goal, stretch: None },
    };
    let unchanged = |leaves| Subject::Tick(shape::declared_conditions(leaves));
    let changed = Subject::TickAfterWrite(shape::declared_conditions(leaves));
    [
        row("W3n-10", "10 declared conditions, nothing changed, a tick", unchanged(10), 500.0),
        row("W3n", "1,000 declared conditions, nothing changed, a tick", unchanged(leaves), 500.0),
        row("W3n-10k", "10,000 declared conditions, nothing changed, a tick", unchanged(10 * leaves), 500.0),
        row("W3w", "1,000 declared conditions, one key changed, a tick", changed, 200.0),
    ]
}

/// What goes over the board.
fn chains(leaves: usize) -> [Workload; 5] {
    let row =
        |id, what, units, shape, known| Workload { id, what, units, subject: Subject::Tick(shape), known };
    [
        row(
            "W4",
            "integer read, the next one written, a leaf",
            leaves,
            shape::integer_chain(leaves),
            Known { cpp: 376.0, lite: Some(144.0), goal: 8.0, stretch: Some(15.0) },
        ),
        row(
            "W5s",
            "10 kB of text passed on, a leaf",
            100,
            shape::text_chain(),
            Known { cpp: 1_258.0, lite: Some(110.0), goal: 25.0, stretch: None },
        ),
        row(
            "W5j",
            "10 kB of JSON passed on, a leaf",
            100,
            shape::json_chain(),
            Known { cpp: 287_000.0, lite: None, goal: 5_000.0, stretch: None },
        ),
        row(
            "W6a",
            "a := a + 1, a script",
            leaves,
            shape::scripts(leaves),
            Known { cpp: 538.0, lite: None, goal: 10.0, stretch: Some(18.0) },
        ),
        row(
            "W6b",
            "a > 5 && b < 3, a script",
            leaves,
            shape::script_conditions(leaves),
            Known { cpp: 518.0, lite: None, goal: 10.0, stretch: None },
        ),
    ]
}

fn load((nodes, id): (usize, &'static str)) -> Workload {
    Workload {
        id,
        what: "parse, check, compile, drop, a node",
        units: nodes + 1,
        subject: Subject::Load(nodes),
        known: Known { cpp: 3_500.0, lite: Some(1_900.0), goal: 4.0, stretch: Some(7.0) },
    }
}

impl Workload {
    /// The file of the dialect: from a folder of such files, or as written here.
    pub fn xml(&self, trees: Option<&Path>) -> std::io::Result<String> {
        match trees {
            Some(folder) => std::fs::read_to_string(folder.join(self.file_name())),
            None => Ok(xml::file(&match &self.subject {
                Subject::Tick(shape) | Subject::TickAfterWrite(shape) => xml::elements(shape),
                Subject::Load(nodes) => xml::groups(*nodes),
            })),
        }
    }

    pub fn file_name(&self) -> String {
        format!("{}.xml", self.id.to_lowercase().replace('-', "_"))
    }

    /// What runs the workload once in this engine.
    pub fn tick(&self, xml: String) -> Tick {
        match &self.subject {
            Subject::Tick(_) => engine::tick(&xml),
            Subject::TickAfterWrite(_) => engine::tick_after_write(&xml),
            Subject::Load(_) => {
                let catalog = engine::catalog();
                Box::new(move || drop(engine::load(&xml, &catalog)))
            }
        }
    }
}
