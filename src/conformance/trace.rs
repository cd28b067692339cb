//! What an engine did, tick by tick.

use std::collections::BTreeMap;
use std::fmt::{self, Debug};

use serde::Deserialize;
use serde_json::Value as Json;

/// What an engine did with a case.
#[derive(Debug)]
pub enum Trace {
    /// The tree did not load.
    LoadError(String),
    /// It ran.
    Ticks(Vec<Tick>),
}

/// One tick.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Tick {
    /// Its number, from 1.
    pub tick: u64,
    /// The root's answer, or `ERROR`.
    pub root: String,
    /// Why the tick could not be finished.
    pub error: Option<String>,
    /// Every node's status after the tick.
    pub nodes: BTreeMap<String, String>,
    /// The leaves that were called, in order, `halt:` before those that were halted.
    pub ticked: Vec<String>,
    /// Every visit that ended, in order.
    pub results: Vec<(String, String)>,
    /// The keys of the main tree.
    pub blackboard: Keys,
    /// The keys of every subtree instance, by its path.
    pub subtree_blackboards: BTreeMap<String, Keys>,
}

/// The keys that have a value, as JSON.
pub type Keys = BTreeMap<String, Json>;

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// 0 for loading.
    pub tick: u64,
    /// The field of the trace.
    pub field: &'static str,
    /// What was expected, and what came.
    pub text: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tick {}, {}: {}", self.tick, self.field, self.text)
    }
}

impl Trace {
    /// A trace of one JSON object a line.
    ///
    /// # Errors
    /// Which line does not read, and why.
    pub fn read(lines: &str) -> Result<Self, String> {
        let mut ticks = Vec::new();
        let lines = lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        for (at, line) in lines {
            let mut tick: Tick =
                serde_json::from_str(line).map_err(|why| format!("line {}: {why}", at + 1))?;
            if tick.tick == 0 {
                return Ok(Self::LoadError(tick.error.ok_or("a line is a tick or an error")?));
            }
            tick.drop_empty();
            ticks.push(tick);
        }
        Ok(Self::Ticks(ticks))
    }

    /// Where `got` differs.
    pub fn compare(&self, got: &Self) -> Vec<Mismatch> {
        let at_load = |text: String| vec![Mismatch { tick: 0, field: "error", text }];
        match (self, got) {
            (Self::LoadError(_), Self::LoadError(_)) => Vec::new(),
            (Self::LoadError(why), Self::Ticks(_)) => {
                at_load(format!("expected an error ({why}), got a tree"))
            }
            (Self::Ticks(_), Self::LoadError(why)) => {
                at_load(format!("expected a tree, got an error: {why}"))
            }
            (Self::Ticks(expected), Self::Ticks(got)) => compare(expected, got),
        }
    }
}

fn compare(expected: &[Tick], got: &[Tick]) -> Vec<Mismatch> {
    let mut mismatches: Vec<_> =
        expected.iter().zip(got).flat_map(|(expected, got)| expected.compare(got)).collect();
    if expected.len() != got.len() {
        let tick = expected.len().min(got.len()) as u64 + 1;
        let text = format!("expected {} ticks, got {}", expected.len(), got.len());
        mismatches.push(Mismatch { tick, field: "tick", text });
    }
    mismatches
}

impl Tick {
    /// A key that was declared and never written is as good as absent, and so is a scope without
    /// keys.
    fn drop_empty(&mut self) {
        for keys in self.subtree_blackboards.values_mut().chain([&mut self.blackboard]) {
            keys.retain(|_, value| !value.is_null());
        }
        self.subtree_blackboards.retain(|_, keys| !keys.is_empty());
    }

    fn compare(&self, got: &Self) -> Vec<Mismatch> {
        let fields = [
            ("tick", differ(&self.tick, &got.tick)),
            ("root", differ(&self.root, &got.root)),
            // Its words are the engine's own.
            ("error", differ(&self.error.is_some(), &got.error.is_some())),
            ("nodes", differ(&self.nodes, &got.nodes)),
            ("ticked", differ(&self.ticked, &got.ticked)),
            ("results", differ(&self.results, &got.results)),
            ("blackboard", differ(&self.blackboard, &got.blackboard)),
            ("subtree_blackboards", differ(&self.subtree_blackboards, &got.subtree_blackboards)),
        ];
        let differing = fields.into_iter().filter_map(|(field, text)| Some((field, text?)));
        differing.map(|(field, text)| Mismatch { tick: self.tick, field, text }).collect()
    }
}

fn differ<T: PartialEq + Debug>(expected: &T, got: &T) -> Option<String> {
    (expected != got).then(|| format!("expected {expected:?}, got {got:?}"))
}
