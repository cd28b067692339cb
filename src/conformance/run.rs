//! Runs a case on this engine, on a clock of its own.

use std::time::Duration;

use crate::catalog::{CatalogError, Class, Kind};
use crate::diag::Diagnostics;
use crate::engine::{At, Engine, Input, TickFault, Verdict};
use crate::event::EventKind;
use crate::harness::FolderLoader;
use crate::id::{NodeId, ScopeId};
use crate::limits::CONFORMANCE_TICKS_MAX;
use crate::moment::Moment;
use crate::status::Status;
use crate::text::Source;
use crate::tree::{self, CompileOptions, Includes, Substitutions, Tree};
use crate::value::Value;

use crate::conformance::{Case, Deed, Directives, Key, Keys, Log, Tick, Trace, catalog};

/// What this engine does with a case.
///
/// # Errors
/// When the catalog has a node of the name of one of the case's leaves.
pub fn run(case: &Case) -> Result<Trace, CatalogError> {
    let log = Log::default();
    let initial = case.directives.init.iter().map(|key| (key.name.as_str().into(), key.ty)).collect();
    let substitutions = match case.directives.rules.as_deref().map(rules_of).transpose() {
        Ok(rules) => rules,
        Err(faults) => return Ok(Trace::LoadError(in_one_line(&faults))),
    };
    let options = CompileOptions { initial, substitutions, ..CompileOptions::default() };
    let source = Source::new(case.slug.as_str(), case.xml.as_str());
    let mut catalog = catalog(&log)?;
    for (name, number) in &case.directives.enums {
        catalog.define_enum(name, *number)?;
    }
    let beside = case.path.as_deref().and_then(|path| FolderLoader::beside(path).ok());
    let includes =
        beside.as_ref().map_or_else(Includes::none, |(loader, from)| Includes::new(loader, from.clone()));
    let tree = match tree::load_with_includes(&source, &includes, &catalog, &options) {
        (Some(tree), _) => tree,
        (None, faults) => return Ok(Trace::LoadError(in_one_line(&faults))),
    };
    let rig = Rig {
        engine: Engine::new(tree).observed().thorough(),
        log,
        now: Moment::ZERO,
        refused: None,
        ticked: Vec::new(),
        visited: Vec::new(),
    };
    Ok(Trace::Ticks(rig.run(&case.directives)))
}

fn rules_of(json: &str) -> Result<Substitutions, Diagnostics> {
    Substitutions::parse(&Source::new("rules", json))
}

/// The errors, warnings aside.
fn in_one_line(faults: &Diagnostics) -> String {
    let errors = faults.iter().filter(|fault| !fault.code.is_warning());
    errors.map(|fault| fault.to_string()).collect::<Vec<_>>().join("; ")
}

/// An engine with its clock and its log.
struct Rig {
    engine: Engine,
    log: Log,
    /// The leaves that were called or halted since the last line of the trace.
    ticked: Vec<String>,
    /// The answers since then.
    visited: Vec<(String, String)>,
    now: Moment,
    /// Why a write from outside was refused: in the reference the application throws.
    refused: Option<String>,
}

impl Rig {
    fn run(mut self, directives: &Directives) -> Vec<Tick> {
        directives.init.iter().for_each(|key| self.set(key));
        let mut ticks = Vec::new();
        let mut completions = 0;
        for number in 1..=directives.max_ticks {
            if number > 1 {
                self.sleep(directives.sleep_ms);
            }
            for (_, deed) in directives.before.iter().filter(|(tick, _)| *tick == number) {
                self.deed(deed);
            }
            let tick = self.tick(number, directives.tick_while_awake);
            let is_error = tick.error.is_some();
            completions += u32::from(matches!(&*tick.root, "SUCCESS" | "FAILURE"));
            ticks.push(tick);
            if is_error || completions == directives.runs {
                break;
            }
        }
        ticks
    }

    fn set(&mut self, key: &Key) {
        self.write(&key.name, Some(key.value.clone()));
    }

    fn write(&mut self, key: &str, value: Option<Value>) {
        if let Err(fault) = self.engine.set(key, value) {
            self.refused.get_or_insert(fault.to_string());
        }
    }

    fn deed(&mut self, deed: &Deed) {
        match deed {
            Deed::Set(key) => self.set(key),
            Deed::Unset(key) => self.write(key, None),
            Deed::Import(keys) => {
                for (key, value) in keys {
                    self.write(key, Some(Value::from_json(value.clone())));
                }
            }
            Deed::Sleep(ms) => self.sleep(*ms),
            Deed::Halt => self.engine.apply(self.now, Input::Halt),
        }
    }

    /// Lets time pass, stopping at each deadline as whoever drives an engine does.
    fn sleep(&mut self, ms: u64) {
        let until = self.now + Duration::from_millis(ms);
        // An engine that is awake has its deadline now; here it is ticked when the case says so.
        while let Some(deadline) = self.engine.next_deadline().filter(|_| !self.engine.is_awake()) {
            if deadline > until {
                break;
            }
            self.engine.apply(deadline, Input::Deadline);
        }
        self.now = until;
        self.engine.apply(until, Input::Deadline);
    }

    fn tick(&mut self, number: u64, while_awake: bool) -> Tick {
        // What happened between the ticks comes first.
        self.drain(None);
        let mut status = self.visit_root();
        for _ in 0..CONFORMANCE_TICKS_MAX {
            if !while_awake || status != Some(Status::Running) || !self.engine.is_awake() {
                break;
            }
            status = self.visit_root();
        }
        let error = match self.engine.verdict() {
            Some(Verdict::Fault(fault)) => Some(fault.to_string()),
            _ => self.refused.take(),
        };
        Tick {
            tick: number,
            root: if error.is_some() { "ERROR" } else { status.unwrap_or_default().as_str() }.to_owned(),
            error,
            nodes: self.nodes(),
            ticked: std::mem::take(&mut self.ticked),
            results: std::mem::take(&mut self.visited),
            blackboard: self.keys(ScopeId::new(0)),
            subtree_blackboards: self.subtrees(),
        }
    }

    /// One tick, visit by visit: a built-in leaf keeps no log of its own, so it is seen to be
    /// entered. When a condition decided in its place it is not Running between the two visits.
    fn visit_root(&mut self) -> Option<Status> {
        loop {
            let at = self.engine.at().unwrap_or(At::before(self.engine.tree().root()));
            let id = at.node;
            let keeps_verdict = at.answer.is_none() && self.keeps_verdict(id);
            let answer = self.engine.step();
            if at.answer.is_none()
                && self.is_built_in_leaf(id)
                && !keeps_verdict
                && (self.engine.status(id) == Status::Running || has_failed_at(&answer, id))
            {
                self.ticked.push(self.engine.tree().path(id));
            }
            self.drain(Some(at));
            match answer {
                Ok(None) => {}
                Ok(Some(status)) => return Some(status),
                Err(_) => return None,
            }
        }
    }

    fn is_built_in_leaf(&self, id: NodeId) -> bool {
        let tree = self.engine.tree();
        is_leaf(tree, id) && !is_case_leaf(tree, id)
    }

    /// Whether this is a Sleep that its parent has not reset since it ended: it answers the same again
    /// and is not called.
    fn keeps_verdict(&self, id: NodeId) -> bool {
        self.engine.status(id).is_completed() && self.engine.tree().manifest(id).name == "Sleep"
    }

    fn nodes(&self) -> std::collections::BTreeMap<String, String> {
        let tree = self.engine.tree();
        tree.ids().map(|id| (tree.path(id), self.engine.status(id).to_string())).collect()
    }

    /// Takes the events of a step, and what leaves logged meanwhile, in the order in which it
    /// happened. Built-in leaves keep no log of their own: of their halts there are the events, and of
    /// a visit out of turn, which a TryCatch that is halted may ask for, there is the answer.
    fn drain(&mut self, at: Option<At>) {
        let mut logged = self.log.take();
        while let Some(event) = self.engine.poll_event() {
            let (node, status) = match event.kind {
                EventKind::DidVisit { node, status } => (node, Some(status)),
                EventKind::DidHalt { node } => (node, None),
                _ => continue,
            };
            let path = self.engine.tree().path(node);
            let in_turn = status.is_some() && at.is_some_and(|at| at.answer.is_some() && at.node == node);
            let entry = status.map_or_else(|| format!("halt:{path}"), |_| path.clone());
            if let Some(place) = logged.iter().position(|it| *it == entry) {
                self.ticked.extend(logged.drain(..=place));
            } else if self.is_built_in_leaf(node) && !in_turn && status != Some(Status::Skipped) {
                self.ticked.push(entry);
            }
            self.visited.extend(status.map(|status| (path, status.to_string())));
        }
        self.ticked.append(&mut logged);
    }

    fn keys(&self, scope: ScopeId) -> Keys {
        let board = self.engine.board();
        let keys = board.own_keys(scope).into_iter();
        keys.filter_map(|(key, slot)| Some((key.to_string(), json(board.get(slot)?)))).collect()
    }

    fn subtrees(&self) -> std::collections::BTreeMap<String, Keys> {
        let tree = self.engine.tree();
        let scopes = tree.layout().scopes();
        let subtrees = scopes.filter_map(|(id, scope)| Some((tree.path(scope.node?), self.keys(id))));
        subtrees.filter(|(_, keys)| !keys.is_empty()).collect()
    }
}

/// The value as a trace writes it: `<inf>` for what JSON has no number for.
fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::Real(real) if !real.is_finite() => format!("<{real}>").into(),
        value => value.to_json(),
    }
}

fn is_leaf(tree: &Tree, id: NodeId) -> bool {
    matches!(tree.manifest(id).class, Class::Action | Class::Condition)
}

/// Whether a leaf is one of the cases' own, which log what is done to them.
fn is_case_leaf(tree: &Tree, id: NodeId) -> bool {
    tree.node(id).kind == Kind::Leaf
}

/// Whether a visit ended because this leaf could not do its work.
fn has_failed_at<T>(answer: &Result<T, TickFault>, id: NodeId) -> bool {
    matches!(answer, Err(fault) if fault.node == id)
}
