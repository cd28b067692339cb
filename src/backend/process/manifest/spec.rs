//! What a manifest says.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::harness::{Bound, ProcessLimits, RootPath};
use crate::manifest::ToolManifest;

/// A program as a tool: everything that its manifest file says.
#[derive(Clone, Debug)]
pub struct Spec {
    /// What every tool says of itself.
    pub manifest: Arc<ToolManifest>,
    /// The program, found and executable when the manifest was read.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The folder that it starts in, below the root.
    pub folder: RootPath,
    /// Where it may write besides below the root; a path that is not absolute begins at the root. A tool
    /// that only looks may write nowhere else.
    pub writable: Vec<PathBuf>,
    /// Whether it may reach the network.
    pub network: bool,
    /// Whether it writes no file itself but says with events of the type `change` what files are to hold.
    pub proposes: bool,
    /// The variables of the host's environment that it is given, where they are set.
    pub environment: Vec<Arc<str>>,
    /// The variables that it needs and whose values never leave.
    pub secrets: Vec<Arc<str>>,
    /// How its standard output is read.
    pub output: Output,
    /// Its limits.
    pub limits: ProcessLimits,
    /// The bounds without which it may not run.
    pub required: Vec<Bound>,
    /// Most bytes that it may print.
    pub output_bytes: usize,
    /// Longest line of events, in bytes.
    pub line_bytes: usize,
    /// The time between SIGTERM and SIGKILL.
    pub grace: Duration,
}

/// How the standard output of a program is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// The whole output is one JSON value, which is the result. It is never looked at for events, so
    /// nothing that a program repeats can pass for one.
    #[default]
    Json,
    /// The whole output is the result, `{"text": ...}`.
    Text,
    /// Each line is an event.
    Events,
    /// A line that carries the call's nonce is an event; every other line is log.
    NoncedEvents,
}
