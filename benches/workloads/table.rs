//! What was measured, next to what was wanted.

use std::io::{self, Write};

use serde_json::{Value as Json, json};

/// One row. All figures are in `unit`.
pub struct Row {
    pub id: &'static str,
    pub what: &'static str,
    pub unit: &'static str,
    pub helve: f64,
    pub lite: Option<f64>,
    pub bonsai: Option<f64>,
    /// BehaviorTree.CPP as it would be on this machine.
    pub cpp: Option<f64>,
    pub goal: Goal,
}

/// What is wanted.
#[derive(Clone, Copy)]
pub enum Goal {
    /// So many times less than BehaviorTree.CPP takes, and farther out.
    Gain(f64, Option<f64>),
    /// At most what bonsai-bt takes, which asks its timers in a circle.
    Polled,
    /// At most so much.
    AtMost(f64),
}

/// What became of a goal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Missed,
    Reached,
    Beyond,
}

impl Row {
    fn gain(&self) -> Option<f64> {
        Some(self.cpp? / self.helve)
    }

    fn verdict(&self) -> Verdict {
        let reached = |is_reached| if is_reached { Verdict::Reached } else { Verdict::Missed };
        match (self.goal, self.gain()) {
            (Goal::Gain(_, Some(stretch)), Some(gain)) if gain >= stretch => Verdict::Beyond,
            (Goal::Gain(goal, _), gain) => reached(gain.is_some_and(|gain| gain >= goal)),
            (Goal::Polled, _) => reached(self.bonsai.is_some_and(|polled| self.helve <= polled)),
            (Goal::AtMost(most), _) => reached(self.helve <= most),
        }
    }

    fn json(&self) -> Json {
        json!({
            "id": self.id, "what": self.what, "unit": self.unit, "helve": self.helve,
            "behavior_tree_lite": self.lite, "bonsai_bt": self.bonsai, "bt_cpp_implied": self.cpp,
            "gain": self.gain(), "goal": self.goal.to_string(), "verdict": self.verdict().as_str(),
        })
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let ratio = |peer: Option<f64>| peer.map_or("-".into(), |peer| format!("{:.2}", self.helve / peer));
        writeln!(
            out,
            "{:8} {:52} {:>9.1} {:5} {:>7} {:>8} {:>9} {:>14}  {}",
            self.id,
            self.what,
            self.helve,
            self.unit,
            ratio(self.lite),
            ratio(self.bonsai),
            self.gain().map_or("-".into(), |gain| format!("1/{gain:.1}")),
            self.goal.to_string(),
            self.verdict().as_str(),
        )
    }
}

impl std::fmt::Display for Goal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Gain(goal, Some(stretch)) => write!(f, "1/{goal} (1/{stretch})"),
            Self::Gain(goal, None) => write!(f, "1/{goal}"),
            Self::Polled => f.write_str("polled"),
            Self::AtMost(most) => write!(f, "{most}"),
        }
    }
}

impl Verdict {
    fn as_str(self) -> &'static str {
        match self {
            Self::Missed => "missed",
            Self::Reached => "reached",
            Self::Beyond => "beyond",
        }
    }
}

/// Where rows go as soon as they are measured: a table for people, or a line of JSON each.
pub struct Table<W> {
    out: W,
    is_json: bool,
}

impl<W: Write> Table<W> {
    pub fn begin(mut out: W, is_json: bool) -> io::Result<Self> {
        if !is_json {
            let peers = format!("{:>7} {:>8} {:>9} {:>14}", "x lite", "x bonsai", "x BT.CPP", "goal");
            writeln!(out, "{:8} {:52} {:>9} {:5} {peers}", "", "", "helve", "")?;
        }
        Ok(Self { out, is_json })
    }

    pub fn add(&mut self, row: &Row) -> io::Result<()> {
        if self.is_json { writeln!(self.out, "{}", row.json()) } else { row.print(&mut self.out) }
    }
}
