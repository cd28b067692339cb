//! The recording of a run, and its replay.
//!
//! A run is exactly its list of inputs (the engine's first rule), so a journal is that list, the
//! texts of the tree and the manifests of its tools; the events are kept beside them as the proof.
//! [`Recorder`] writes ahead: an input is committed before the engine sees it, a call's intent
//! before the call starts. [`Journal`] reads, and [`Journal::replay`] feeds the inputs to a fresh
//! engine, without a tool, a clock or a registry, and compares every event to the byte.
//!
//! # The file
//!
//! An SQLite database (application id `HLVE`, format version in `user_version`), in WAL mode while
//! it is written and one plain file when the run has ended. What a process that was killed had
//! committed is there; a power cut may take the latest moments with it, for the disk is not waited
//! for at every input (`synchronous=NORMAL`).
//!
//! | table | holds |
//! |---|---|
//! | `head` | the text of the tree and of all that it includes, the manifests of the tools, the initial keys, who recorded it and when |
//! | `inputs` | every input with its moment in nanoseconds, in order; outcomes that came together are one |
//! | `events` | every event as one line of JSON, with the input that caused it |
//! | `permissions` | who said yes or no to which call, and why; a replay asks nobody |
//! | `ending` | the verdict, or why the recording stopped before it; empty when it was cut off |
//!
//! # What is in it
//!
//! Arguments and results of calls, values of keys and the text of the tree stand in the file as
//! they were, secrets among them if a tool was given any. On Unix the file is made with mode 0600;
//! hand it on as you would hand on a log of the same run. Nothing else is in it: no environment, no
//! path but the names of the tree's files and of the artifacts' folder as they were typed, no output of
//! a tool beyond its outcome.
//!
//! # Large outputs
//!
//! A recording of a run whose artifacts outlive it ([`Head::with_artifacts`]) names a large output by
//! the hash under which it lies in the store, instead of holding it. Its replay needs that store,
//! [`Journal::with_artifacts`], and goes up to the first artifact that is not there any more. Any other
//! recording holds everything itself.

mod error;
mod format;
mod head;
mod json;
mod manifest_shape;
mod reader;
mod recorder;
mod referred;
mod replay;
mod schema;
mod writer;

pub use error::JournalError;
pub use format::{FORMAT_VERSION, FORMAT_VERSION_MIN};
pub use head::Head;
pub use reader::{Journal, RecordedEvent, RecordedEvents, RecordedPermission};
pub use recorder::{FaultHandle, Incomplete, Recorder};
pub use referred::MissingArtifact;
pub use replay::{Difference, Ending, Replay};
