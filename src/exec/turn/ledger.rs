//! What was called with what, and how it ended: the memory behind replay control and the loop
//! breaker.
//!
//! A call is known by a hash of its tool and arguments, keyed anew in each turn, so that nobody can
//! prepare two calls that look the same. Two that do by chance, one in some 10^12 turns, cost a
//! denial. Keeping the arguments themselves would keep megabytes of them. The hash is `ahash`, keyed
//! by the operating system's randomness: the standard library's costs three times as much, and all
//! that a forger could gain is that a call of his own is denied.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};

use ahash::{AHasher, RandomState};
use serde_json::{Number, Value as Json};

use crate::call::Call;
use crate::id::CallId;
use crate::limits::{JSON_DEPTH_MAX, TURN_CALLS_REMEMBERED_MAX};
use crate::outcome::{ErrorCategory, Outcome};

/// A tool and its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::exec) struct Fingerprint(u64);

impl Fingerprint {
    /// `None` for arguments that are too deep to be walked: validation refuses those.
    pub fn of(key: &RandomState, call: &Call) -> Option<Self> {
        let mut hasher = key.build_hasher();
        hasher.write(call.tool.as_str().as_bytes());
        hasher.write_u64(members(key, &call.arguments, JSON_DEPTH_MAX)?);
        Some(Self(hasher.finish()))
    }
}

/// The hash of an object's members, whatever their order.
fn members(key: &RandomState, members: &serde_json::Map<String, Json>, depth_left: usize) -> Option<u64> {
    let mut sum = members.len() as u64;
    for (name, value) in members {
        let mut hasher = key.build_hasher();
        hasher.write(name.as_bytes());
        hash(key, value, depth_left, &mut hasher)?;
        sum = sum.wrapping_add(hasher.finish());
    }
    Some(sum)
}

/// Recursive, within bounds: at most [`JSON_DEPTH_MAX`] levels.
///
/// The derived `Hash` of a JSON value says the same with twice as many words, and of this half of what a
/// turn learns of a call is made. `write` tells the hasher how long a text is.
fn hash(key: &RandomState, value: &Json, depth_left: usize, to: &mut AHasher) -> Option<()> {
    match value {
        Json::Null => to.write_u8(b'0'),
        Json::Bool(false) => to.write_u8(b'f'),
        Json::Bool(true) => to.write_u8(b't'),
        Json::Number(number) => hash_number(number, to),
        Json::String(text) => {
            to.write_u8(b'"');
            to.write(text.as_bytes());
        }
        Json::Array(items) => {
            let depth_left = depth_left.checked_sub(1)?;
            to.write_u8(b'[');
            to.write_usize(items.len());
            items.iter().try_for_each(|item| hash(key, item, depth_left, to))?;
        }
        Json::Object(object) => {
            to.write_u8(b'{');
            to.write_u64(members(key, object, depth_left.checked_sub(1)?)?);
        }
    }
    Some(())
}

fn hash_number(number: &Number, to: &mut AHasher) {
    match (number.as_u64(), number.as_i64(), number.as_f64()) {
        (Some(count), ..) => (to.write_u8(b'+'), to.write_u64(count)),
        (_, Some(below), _) => (to.write_u8(b'-'), to.write_i64(below)),
        (.., real) => (to.write_u8(b'.'), to.write_u64(real.unwrap_or(f64::NAN).to_bits())),
    };
}

/// What is remembered of a call with these arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::exec) struct Memory {
    /// The latest call that succeeded.
    pub succeeded: Option<CallId>,
    /// How often in a row it ended as it did the last time.
    pub repeats: u32,
    /// How often it failed.
    pub failures: u32,
    ending: u64,
}

#[derive(Default)]
pub(super) struct Ledger {
    calls: HashMap<Fingerprint, Memory, BuildHasherDefault<Hashed>>,
    /// The oldest first.
    order: VecDeque<Fingerprint>,
}

impl Ledger {
    pub fn memory(&self, of: Fingerprint) -> Memory {
        self.calls.get(&of).copied().unwrap_or_default()
    }

    /// Learns how a call ended. A call that was denied did not run, and one that was cancelled was
    /// not let finish: neither says how it would have ended.
    pub fn learn(&mut self, of: Fingerprint, ending: Ending) {
        let memory = self.remembered(of);
        memory.repeats = if memory.ending == ending.hash { memory.repeats.saturating_add(1) } else { 1 };
        memory.ending = ending.hash;
        match ending.succeeded {
            Some(call) => memory.succeeded = Some(call),
            None => memory.failures = memory.failures.saturating_add(1),
        }
        self.forget();
    }

    fn remembered(&mut self, of: Fingerprint) -> &mut Memory {
        match self.calls.entry(of) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                self.order.push_back(of);
                new.insert(Memory::default())
            }
        }
    }

    /// Forgets the oldest when there are too many.
    fn forget(&mut self) {
        if self.order.len() > TURN_CALLS_REMEMBERED_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.calls.remove(&oldest);
        }
    }
}

/// How a call ended, without what differs each time: its number and its duration.
#[derive(Clone, Copy)]
pub(super) struct Ending {
    hash: u64,
    succeeded: Option<CallId>,
}

impl Ending {
    /// `None` for what says nothing of how the call would end. It walks the output, so it is made
    /// before the turn is locked.
    pub fn of(key: &RandomState, outcome: &Outcome) -> Option<Self> {
        let mut hasher = key.build_hasher();
        hasher.write(outcome.kind().as_bytes());
        match outcome {
            Outcome::ToolExecutionResult(it) => hash(key, &it.output, JSON_DEPTH_MAX, &mut hasher)?,
            // Its name is the hash of its content.
            Outcome::ToolArtifactReference(it) => it.artifact_id.hash(&mut hasher),
            Outcome::ToolFailure(it) if it.category == ErrorCategory::Cancelled => return None,
            Outcome::ToolFailure(it) => (it.category, &it.error).hash(&mut hasher),
            Outcome::ToolTimeout(_) => {}
            Outcome::ToolDenied(_) => return None,
        }
        let succeeded = outcome.output().map(|_| outcome.call_id());
        Some(Self { hash: hasher.finish(), succeeded })
    }
}

/// A fingerprint is a hash already, and a keyed one.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::outcome::{ToolExecutionResult, ToolFailure};

    fn call(tool: &str, arguments: Json) -> Call {
        let Json::Object(arguments) = arguments else { panic!("arguments are an object") };
        Call::new(CallId(1), tool, arguments)
    }

    #[test]
    fn a_call_is_known_by_its_tool_and_arguments_whatever_their_order() {
        let key = RandomState::new();
        let of = |tool, arguments| Fingerprint::of(&key, &call(tool, arguments)).unwrap();
        assert_eq!(of("a", json!({"x": 1, "y": [2]})), of("a", json!({"y": [2], "x": 1})));
        let all = [
            of("a", json!({})),
            of("b", json!({})),
            of("a", json!({"x": 1})),
            of("a", json!({"x": "1"})),
            of("a", json!({"x": [1]})),
            of("a", json!({"x": [[1]]})),
            of("a", json!({"x": [1, []]})),
            of("a", json!({"x": [[], 1]})),
            of("a", json!({"x": {"1": null}})),
            of("a", json!({"x": null, "y": 1})),
            of("a", json!({"x": 1, "y": null})),
            of("a", json!({"x": true})),
            of("a", json!({"x": false})),
            of("a", json!({"x": -1})),
            of("a", json!({"x": u64::MAX})),
            of("a", json!({"x": 1.5})),
            of("a", json!({"x": f64::from_bits(1)})),
            of("a", json!({"x1": ""})),
            of("a", json!({"x": ["ab", "c"]})),
            of("a", json!({"x": ["a", "bc"]})),
        ];
        let distinct: std::collections::HashSet<_> = all.iter().collect();
        assert_eq!(distinct.len(), all.len());
        let deep = (0..JSON_DEPTH_MAX + 1).fold(Json::Null, |inner, _| json!([inner]));
        assert_eq!(Fingerprint::of(&key, &call("a", json!({"x": deep}))), None);
    }

    fn result(id: u64, output: Json) -> Outcome {
        Outcome::ToolExecutionResult(ToolExecutionResult {
            call_id: CallId(id),
            tool_name: "a".into(),
            output: Arc::new(output),
            shown: None,
            elapsed_ms: id,
            was_coerced: false,
        })
    }

    fn failure(category: ErrorCategory) -> Outcome {
        Outcome::ToolFailure(ToolFailure {
            call_id: CallId(9),
            tool_name: "a".into(),
            error: "no".into(),
            category,
            suggestion: None,
            retryable: true,
            elapsed_ms: 0,
        })
    }

    #[test]
    fn b05_successes_and_failures_are_remembered_and_what_never_ended_is_not() {
        let (mut ledger, key) = (Ledger::default(), RandomState::new());
        let of = Fingerprint(7);
        let mut check = |outcome: Outcome, succeeded: Option<u64>, repeats, failures| {
            if let Some(ending) = Ending::of(&key, &outcome) {
                ledger.learn(of, ending);
            }
            let memory = ledger.memory(of);
            let found = (memory.succeeded.map(|id| id.0), memory.repeats, memory.failures);
            assert_eq!(found, (succeeded, repeats, failures), "{outcome:?}");
        };
        check(result(1, json!({"a": 1})), Some(1), 1, 0);
        check(result(2, json!({"a": 1})), Some(2), 2, 0);
        check(result(3, json!({"a": 2})), Some(3), 1, 0);
        check(failure(ErrorCategory::Runtime), Some(3), 1, 1);
        check(failure(ErrorCategory::Cancelled), Some(3), 1, 1);
        check(failure(ErrorCategory::Runtime), Some(3), 2, 2);
        check(failure(ErrorCategory::Api), Some(3), 1, 3);
    }

    #[test]
    fn the_oldest_are_forgotten_first() {
        let mut ledger = Ledger::default();
        for n in 0..=TURN_CALLS_REMEMBERED_MAX as u64 {
            let ending = Ending::of(&RandomState::new(), &result(n, json!(n))).unwrap();
            ledger.learn(Fingerprint(n), ending);
        }
        assert_eq!((ledger.calls.len(), ledger.order.len()), (TURN_CALLS_REMEMBERED_MAX, ledger.calls.len()));
        assert_eq!(ledger.memory(Fingerprint(0)), Memory::default());
        assert_eq!(ledger.memory(Fingerprint(1)).repeats, 1);
    }
}
