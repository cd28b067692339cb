//! A run before it starts.

use std::fmt;
use std::sync::Arc;

use crate::catalog::{Catalog, tool_manifest};
use crate::diag::{Diagnostic, Diagnostics, did_you_mean};
use crate::engine::Engine;
use crate::exec::{BoundedExecutor, Turn, TurnSettings};
use crate::id::ScopeId;
use crate::node;
use crate::run::driver::Driver;
use crate::run::{Observer, RunHandle};
use crate::tool::Registry;
use crate::tree::Tree;
use crate::value::Value;

/// The built-in nodes and a node for every tool of `registry`.
///
/// # Errors
/// The tools whose manifest makes no node, each with the reason.
pub fn catalog_of(registry: &Registry) -> Result<Catalog, Diagnostics> {
    let mut catalog = node::catalog();
    let mut faults = Diagnostics::new();
    for manifest in registry.manifests() {
        let added = tool_manifest(manifest.clone()).and_then(|node| {
            catalog.add(node).map(drop).map_err(|fault| {
                Diagnostic::new(crate::diag::Code::E0501, format!("tool `{}`: {fault}", manifest.name))
            })
        });
        if let Err(fault) = added {
            faults.push(fault);
        }
    }
    if faults.is_empty() { Ok(catalog) } else { Err(faults) }
}

/// A run that has not started: a tree, the tools, the initial keys, who watches.
pub struct Runner {
    engine: Engine,
    executor: BoundedExecutor,
    turn: Turn,
    observers: Vec<Box<dyn Observer>>,
}

impl Runner {
    /// A run of `tree` with the tools of `executor`.
    pub fn new(tree: Arc<Tree>, executor: BoundedExecutor) -> Self {
        let turn = Turn::new(TurnSettings::authored());
        Self { engine: Engine::new(tree).observed(), executor, turn, observers: Vec::new() }
    }

    /// The same run as part of a planner's turn, whose budget and rules bound its calls. Without
    /// one a run has a turn of its own, of [`TurnSettings::authored`].
    #[must_use]
    pub fn in_turn(mut self, turn: Turn) -> Self {
        self.turn = turn;
        self
    }

    /// The same run with a key of the main tree set.
    ///
    /// # Errors
    /// When the tree knows no such key, or the key's type does not take the value.
    pub fn set(mut self, key: &str, value: impl Into<Value>) -> Result<Self, SetError> {
        let tree = self.engine.tree().clone();
        if tree.slot(key).is_none() {
            let layout = tree.layout();
            let keys: Vec<_> = layout.own_keys(ScopeId::new(0)).into_iter().map(|(key, _)| &**key).collect();
            let near = did_you_mean(key, keys.iter().copied()).map(str::to_owned);
            return Err(SetError::Unknown { key: key.to_owned(), near });
        }
        match self.engine.set(key, Some(value.into())) {
            Ok(()) => Ok(self),
            Err(fault) => Err(SetError::Refused { key: key.to_owned(), why: fault.to_string() }),
        }
    }

    /// The same run with an observer in its loop.
    #[must_use]
    pub fn observe(mut self, observer: impl Observer) -> Self {
        self.observers.push(Box::new(observer));
        self
    }

    /// The engine as it will start.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Starts the run on the current tokio runtime.
    pub fn start(self) -> RunHandle {
        let Self { engine, executor, turn, observers } = self;
        Driver::spawn(engine, executor, turn, observers)
    }
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Runner({})", self.engine.tree().name())
    }
}

/// Why a key could not be set before the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetError {
    /// The main tree knows no such key.
    Unknown {
        /// The key.
        key: String,
        /// A key that may have been meant.
        near: Option<String>,
    },
    /// The key's type does not take the value.
    Refused {
        /// The key.
        key: String,
        /// Why.
        why: String,
    },
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { key, near: Some(near) } => {
                write!(f, "the tree knows no key `{key}`; did you mean `{near}`?")
            }
            Self::Unknown { key, near: None } => write!(f, "the tree knows no key `{key}`"),
            Self::Refused { why, .. } => f.write_str(why),
        }
    }
}

impl std::error::Error for SetError {}
