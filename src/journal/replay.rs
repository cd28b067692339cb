//! The recorded inputs, fed to a fresh engine.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::call::Call;
use crate::catalog::Catalog;
use crate::engine::{Engine, Input, Verdict};
use crate::event::EventKind;
use crate::id::CallId;
use crate::journal::error::{JournalError, Kind};
use crate::journal::format::{self, EndingShape, InputShape, VerdictShape};
use crate::journal::referred::{MissingArtifact, Referred};
use crate::journal::{Head, Journal, json};
use crate::limits::DIFFERENCE_SHOWN_CHARS_MAX;
use crate::node;
use crate::text::count_of;
use crate::tree::Tree;

/// What a replay came to.
#[derive(Clone, Debug)]
pub struct Replay {
    /// How many inputs were fed to the engine.
    pub inputs: u64,
    /// How many events were the same to the byte.
    pub events: u64,
    /// The first difference; the replay ends there.
    pub difference: Option<Difference>,
    /// What the replayed run came to; `None` when its inputs end before.
    pub verdict: Option<Verdict>,
    /// How the recording ended.
    pub ending: Ending,
    /// The artifact that the next input needs and that is not found; the replay ends before it.
    pub missing: Option<MissingArtifact>,
    /// The calls that were about to start when the recording ended and whose outcome it does not
    /// hold: nobody knows how much of their effects took place.
    pub in_doubt: Vec<Arc<Call>>,
}

/// The first place where the replayed events are not the recorded ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The number of the event. The verdict counts as the event after the last.
    pub seq: u64,
    /// The recorded line; `None` when the recording has no more.
    pub recorded: Option<String>,
    /// The replayed line; `None` when the replay makes no more.
    pub replayed: Option<String>,
}

/// How a recording ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With its run.
    Whole,
    /// Before its run, for this reason.
    Stopped(String),
    /// In the middle: the process was killed.
    CutOff,
}

impl Journal {
    /// The tree of the recorded run, compiled from the recorded text.
    ///
    /// # Errors
    /// When it does not compile with this helve.
    pub fn tree(&self) -> Result<Arc<Tree>, JournalError> {
        self.tree_with(node::catalog())
    }

    fn tree_with(&self, nodes: Catalog) -> Result<Arc<Tree>, JournalError> {
        self.head().compile(nodes).map_err(|faults| {
            JournalError::new(self.path(), Kind::Tree { helve: self.head().helve.clone(), faults })
        })
    }

    /// Feeds the inputs, with their moments, to a fresh engine and compares its events with the
    /// recorded ones. No tool is called.
    ///
    /// # Errors
    /// When the recording is damaged or its tree does not compile. A difference is no error.
    pub fn replay(&self) -> Result<Replay, JournalError> {
        self.replay_with(node::catalog())
    }

    /// The same for a tree with leaves of the embedder's own: `nodes` holds the built-in nodes and
    /// those leaves, and not the tools, which are in the recording.
    ///
    /// # Errors
    /// As [`replay`](Self::replay).
    pub fn replay_with(&self, nodes: Catalog) -> Result<Replay, JournalError> {
        let mut replayer = Replayer::new(self, self.tree_with(nodes)?)?;
        replayer.compare()?;
        while replayer.difference.is_none()
            && let Some((at, shape)) = self.input(replayer.inputs + 1)?
            && let Some(input) = replayer.restore(shape)
        {
            replayer.inputs += 1;
            for outcome in input.outcomes() {
                replayer.in_doubt.remove(&outcome.call_id());
            }
            replayer.engine.handle(at, input);
            replayer.compare()?;
        }
        replayer.finish()
    }
}

struct Replayer<'j> {
    journal: &'j Journal,
    engine: Engine,
    ending: Option<EndingShape>,
    inputs: u64,
    inputs_recorded: u64,
    events: u64,
    difference: Option<Difference>,
    in_doubt: BTreeMap<CallId, Arc<Call>>,
    referred: Referred,
    missing: Option<MissingArtifact>,
}

impl<'j> Replayer<'j> {
    fn new(journal: &'j Journal, tree: Arc<Tree>) -> Result<Self, JournalError> {
        let mut engine = Engine::new(tree).observed();
        set_keys(&mut engine, journal.head())
            .map_err(|(key, why)| journal.fault(format!("the initial key `{key}`"), why))?;
        Ok(Self {
            journal,
            engine,
            ending: journal.ending()?,
            inputs: 0,
            inputs_recorded: journal.input_count()?,
            events: 0,
            difference: None,
            in_doubt: BTreeMap::new(),
            referred: Referred::of(journal.head()),
            missing: None,
        })
    }

    /// The next input with its artifacts; `None` when one of them is missing.
    fn restore(&mut self, shape: InputShape) -> Option<Input> {
        match self.referred.restore(shape, self.journal.artifacts.as_deref()) {
            Ok(input) => {
                self.referred.learn(&input);
                Some(input)
            }
            Err(missing) => {
                self.missing = Some(MissingArtifact { input: self.inputs + 1, ..missing });
                None
            }
        }
    }

    /// Compares what the latest input caused.
    fn compare(&mut self) -> Result<(), JournalError> {
        // Nobody carries them out: their outcomes are among the inputs.
        while self.engine.poll_command().is_some() {}
        while let Some(event) = self.engine.poll_event() {
            let seq = self.events + 1;
            let replayed = format::write_event(&event, &self.referred)
                .map_err(|kind| JournalError::new(self.journal.path(), kind))?;
            match self.journal.event(seq)? {
                Some(recorded) if recorded.line == replayed => self.matched(event.kind),
                None if self.may_lack_events() => break,
                recorded => {
                    self.differ(recorded.map(|event| event.line), Some(replayed));
                    break;
                }
            }
        }
        Ok(())
    }

    fn matched(&mut self, kind: EventKind) {
        self.events += 1;
        if let EventKind::WillCall { call, .. } = kind {
            self.in_doubt.insert(call.id, call);
        }
    }

    /// An input is committed ahead of its events, so the events of the very last one may be
    /// missing from a recording that does not end with its run.
    fn may_lack_events(&self) -> bool {
        self.inputs == self.inputs_recorded && !matches!(self.ending, Some(EndingShape::Verdict(_)))
    }

    fn differ(&mut self, recorded: Option<String>, replayed: Option<String>) {
        self.difference.get_or_insert(Difference { seq: self.events + 1, recorded, replayed });
    }

    fn finish(mut self) -> Result<Replay, JournalError> {
        if self.missing.is_none()
            && self.difference.is_none()
            && let Some(left) = self.journal.event(self.events + 1)?
        {
            self.differ(Some(left.line), None);
        }
        if self.missing.is_none() {
            self.compare_verdict();
        }
        Ok(Replay {
            inputs: self.inputs,
            events: self.events,
            difference: self.difference,
            verdict: self.engine.verdict().cloned(),
            ending: match self.ending {
                Some(EndingShape::Verdict(_)) => Ending::Whole,
                Some(EndingShape::Stopped(why)) => Ending::Stopped(why),
                None => Ending::CutOff,
            },
            // Past a missing artifact the recording may well hold the outcomes.
            in_doubt: if self.missing.is_some() { Vec::new() } else { self.in_doubt.into_values().collect() },
            missing: self.missing,
        })
    }

    fn compare_verdict(&mut self) {
        let Some(EndingShape::Verdict(recorded)) = &self.ending else { return };
        let replayed = self.engine.verdict().map(VerdictShape::from);
        if replayed.as_ref() != Some(recorded) {
            let recorded = json::write(recorded).ok();
            self.differ(recorded, replayed.and_then(|verdict| json::write(&verdict).ok()));
        }
    }
}

/// Sets the initial keys as `run::Runner` does; answers the key that does not take its value.
fn set_keys(engine: &mut Engine, head: &Head) -> Result<(), (Arc<str>, String)> {
    for (key, value) in &head.keys {
        engine
            .set(key, Some(value.clone()))
            .map_err(|fault| (key.clone(), format!("is not taken: {fault}")))?;
    }
    Ok(())
}

impl Replay {
    /// Whether the replay and the recording are the same to the byte, as far as the recording goes, or
    /// as far as its artifacts are there: see [`missing`](Self::missing).
    pub fn is_same(&self) -> bool {
        self.difference.is_none()
    }
}

impl fmt::Display for Replay {
    /// A sentence or two without a full stop, and the difference on lines of its own.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { inputs, events, .. } = self;
        write!(f, "replayed {} and {}: ", count_of(*inputs, "input"), count_of(*events, "event"))?;
        if let Some(difference) = &self.difference {
            return write!(f, "{difference}");
        }
        f.write_str("the same to the byte")?;
        if let Some(missing) = &self.missing {
            return write!(f, "; {missing}");
        }
        match (&self.ending, &self.verdict) {
            (Ending::Whole, Some(verdict)) => return write!(f, "; {verdict}"),
            (Ending::Stopped(why), _) => write!(f, "; the recording stopped before its run: {why}")?,
            (_, Some(verdict)) => write!(f, "; {verdict}, and then cut off")?,
            (_, None) => f.write_str("; ended without a verdict")?,
        }
        for (place, call) in self.in_doubt.iter().enumerate() {
            let lead = if place == 0 { "; calls in doubt: " } else { ", " };
            write!(f, "{lead}{} {} ({})", call.id, call.tool, call.caller)?;
        }
        Ok(())
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = self.parting();
        write!(f, "event {} differs", self.seq)?;
        write!(f, "\n  recorded: {}", shown(self.recorded.as_deref(), from))?;
        write!(f, "\n  replayed: {}", shown(self.replayed.as_deref(), from))
    }
}

impl Difference {
    /// How many characters the two lines begin with in common.
    fn parting(&self) -> usize {
        match (&self.recorded, &self.replayed) {
            (Some(recorded), Some(replayed)) => {
                recorded.chars().zip(replayed.chars()).take_while(|(one, other)| one == other).count()
            }
            _ => 0,
        }
    }
}

/// The part of a line around the place where it parts from the other, marked where it was cut.
fn shown(line: Option<&str>, parting: usize) -> String {
    let Some(line) = line else { return "nothing".into() };
    let skipped = if line.chars().count() <= DIFFERENCE_SHOWN_CHARS_MAX {
        0
    } else {
        parting.saturating_sub(DIFFERENCE_SHOWN_CHARS_MAX / 4)
    };
    let mut rest = line.chars().skip(skipped);
    let part: String = rest.by_ref().take(DIFFERENCE_SHOWN_CHARS_MAX).collect();
    let before = if skipped > 0 { "…" } else { "" };
    let after = if rest.next().is_some() { "…" } else { "" };
    format!("{before}{part}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(recorded: Option<&str>, replayed: Option<&str>) -> String {
        let [recorded, replayed] = [recorded, replayed].map(|line| line.map(str::to_owned));
        Difference { seq: 7, recorded, replayed }.to_string()
    }

    #[test]
    fn a_difference_is_shown_around_the_place_where_the_lines_part() {
        let short = of(Some("{\"a\":1}"), Some("{\"a\":2}"));
        assert_eq!(short, "event 7 differs\n  recorded: {\"a\":1}\n  replayed: {\"a\":2}");
        assert_eq!(of(None, Some("x")), "event 7 differs\n  recorded: nothing\n  replayed: x");

        let (same, rest) = ("é".repeat(500), "z".repeat(500));
        let long = of(Some(&format!("{same}1{rest}")), Some(&format!("{same}2")));
        let before = "é".repeat(60);
        assert_eq!(
            long,
            format!(
                "event 7 differs\n  recorded: …{before}1{}…\n  replayed: …{before}2",
                "z".repeat(DIFFERENCE_SHOWN_CHARS_MAX - 61)
            )
        );
    }
}
