//! Every bound of the crate: its name, its unit in the name, its default, and why.
//!
//! A bound that a user may change has its default here and its place in the options of the stage
//! that it bounds.

use std::time::Duration;

/// Largest XML text, in bytes. A tree of a million nodes takes about 60 MB.
pub const XML_BYTES_MAX: usize = 256 << 20;
/// Deepest nesting of XML elements that is read.
pub const XML_DEPTH_MAX: usize = 150_000;
/// Most elements in one document.
pub const XML_ELEMENTS_MAX: usize = 4_000_000;
/// Most attributes on one element.
pub const XML_ATTRIBUTES_MAX: usize = 256;
/// Longest attribute value, in bytes.
pub const XML_VALUE_BYTES_MAX: usize = 1 << 20;
/// Longest run of text between tags, in bytes.
pub const XML_TEXT_BYTES_MAX: usize = 1 << 20;

/// Most diagnostics kept for one text; further ones are counted and not kept.
pub const DIAGNOSTICS_MAX: usize = 200;

/// Longest expression, in bytes.
pub const EXPR_BYTES_MAX: usize = 16 << 10;
/// Deepest nesting of an expression.
pub const EXPR_DEPTH_MAX: usize = 128;
/// Most steps of one evaluation: nodes of the syntax tree, items of values, and every
/// [`EXPR_BYTES_PER_STEP`] bytes of texts.
pub const EXPR_STEPS_MAX: u64 = 1_000_000;
/// Bytes of texts that an expression may look at or copy for one step: that runs at memory speed,
/// and the largest tool output must not exhaust a predicate that searches it.
pub const EXPR_BYTES_PER_STEP: usize = 128;
/// Evaluations whose steps one explanation of a predicate may take: it asks its parts again.
pub const EXPR_EXPLAIN_EVALUATIONS_MAX: u64 = 8;
/// Largest compiled form of a pattern of `matches`, in bytes.
pub const EXPR_PATTERN_BYTES_MAX: usize = 1 << 20;
/// Most characters of a value that an explanation shows.
pub const EXPR_SHOWN_CHARS_MAX: usize = 60;
/// Most steps of a path into a JSON value.
pub const JSON_PATH_STEPS_MAX: usize = 64;

/// Most nodes of a compiled tree, subtrees expanded.
pub const TREE_NODES_MAX: usize = 4_000_000;
/// Deepest compiled tree, subtrees expanded.
pub const TREE_DEPTH_MAX: usize = 1_000_000;
/// Deepest nesting of subtree instances.
pub const SUBTREE_DEPTH_MAX: usize = 1_000;

/// Most ticks that one input may cause before the engine asks to be woken again. It lets a
/// control command in between the rounds of an endless `Repeat`.
pub const TICKS_PER_INPUT_MAX: u32 = 1_000;
/// Most ticks of one run by default; a run that reaches it ends with an error that says so.
pub const TICKS_PER_RUN_MAX: u64 = 100_000_000;
/// Most calls of one run that are under way at once; a leaf that would start one more waits.
pub const CALLS_IN_FLIGHT_MAX: usize = 16_384;
/// Most blackboard keys that may be added to a running tree from outside.
pub const LATE_KEYS_MAX: usize = 10_000;

/// A tool's bound on one call when its manifest names none.
pub const TOOL_TIMEOUT_DEFAULT: Duration = Duration::from_secs(30);
/// The cap on any one call's deadline.
pub const TOOL_TIMEOUT_CAP: Duration = Duration::from_secs(45);
/// The least time a started call gets, however little of the turn is left.
pub const TOOL_TIMEOUT_MIN: Duration = Duration::from_secs(5);
/// How long a cancelled call may take to end by itself before it is abandoned behind its dead lease.
pub const STOP_GRACE: Duration = Duration::from_millis(500);
/// Most characters of an artifact's summary.
pub const ARTIFACT_SUMMARY_CHARS_MAX: usize = 200;
/// Serialized tool output above this many characters becomes an artifact.
pub const OUTPUT_INLINE_CHARS_MAX: usize = 12_000;
/// Largest tool output that is kept at all, serialized, in bytes.
pub const OUTPUT_BYTES_MAX: usize = 64 << 20;

/// Events that a slow watcher may fall behind before the oldest are dropped, and counted.
pub const EVENT_BACKLOG_MAX: usize = 65_536;
/// Control commands that may wait for a busy run.
pub const CONTROL_BACKLOG_MAX: usize = 64;

const _: () = assert!(TOOL_TIMEOUT_MIN.as_millis() <= TOOL_TIMEOUT_DEFAULT.as_millis());
const _: () = assert!(TOOL_TIMEOUT_DEFAULT.as_millis() <= TOOL_TIMEOUT_CAP.as_millis());
const _: () = assert!(EVENT_BACKLOG_MAX >= CALLS_IN_FLIGHT_MAX * 4);
const _: () = assert!(XML_BYTES_MAX < u32::MAX as usize);
const _: () = assert!(TREE_NODES_MAX < u32::MAX as usize);
const _: () = assert!((OUTPUT_BYTES_MAX / EXPR_BYTES_PER_STEP) as u64 <= EXPR_STEPS_MAX);
const _: () = assert!(EXPR_BYTES_MAX as u64 <= EXPR_STEPS_MAX);
