//! The leaves that the reference engine's cases are made of. Each tells a shared log when it is
//! called, as the reference's own leaves did.

use std::sync::{Arc, Mutex, PoisonError};

use crate::catalog::{
    Catalog, CatalogError, Class, Leaf, LeafContext, LeafError, NodeManifest, PortManifest,
};
use crate::node;
use crate::status::Status;
use crate::value::{Type, Value};

/// Which leaves were called, by path and in order.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    /// Adds an entry.
    pub fn add(&self, entry: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }

    /// Takes the entries out.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The dialect's nodes and these leaves.
pub fn catalog(log: &Log) -> Result<Catalog, CatalogError> {
    let mut catalog = node::catalog();
    let log = || log.clone();
    let input = |name, ty| PortManifest::input(name, ty, "");
    let plan = || vec![input("plan", Type::Text)];
    let pair = vec![input("a", Type::Text), input("b", Type::Text)];
    let set = vec![input("value", Type::Text), PortManifest::output("out", Type::Text, "")];
    let count = vec![PortManifest::inout("n", Type::Int, "")];
    catalog.add(NodeManifest::leaf("Scripted", Class::Action, plan(), Scripted(log())))?;
    catalog.add(NodeManifest::leaf("Check", Class::Condition, plan(), Check(log())))?;
    catalog.add(NodeManifest::leaf("SetKey", Class::Action, set, SetKey(log())))?;
    catalog.add(NodeManifest::leaf("Inc", Class::Action, count, Inc(log())))?;
    catalog.add(NodeManifest::leaf("EqualsKey", Class::Condition, pair, EqualsKey(log())))?;
    Ok(catalog)
}

/// The next letter of the plan `R,S,F`, which begins anew at its end and is never reset.
fn next_of_plan(cx: &mut dyn LeafContext) -> Result<Status, LeafError> {
    let plan = cx.required(0)?.to_string();
    let letters: Vec<_> = plan.split(',').map(str::trim).collect();
    let place: &mut usize = cx.remember();
    let letter = letters[*place % letters.len()];
    *place += 1;
    match letter {
        "R" => Ok(Status::Running),
        "S" => Ok(Status::Success),
        "F" => Ok(Status::Failure),
        _ => Err(LeafError::new(format!("{letter:?} is no letter of a plan"))),
    }
}

/// Answers what its plan says.
struct Scripted(Log);

impl Leaf for Scripted {
    fn start(&self, cx: &mut dyn LeafContext) -> Result<Status, LeafError> {
        self.0.add(cx.path());
        next_of_plan(cx)
    }

    fn resume(&self, cx: &mut dyn LeafContext) -> Result<Status, LeafError> {
        self.start(cx)
    }

    fn halt(&self, cx: &mut dyn LeafContext) {
        self.0.add(format!("halt:{}", cx.path()));
    }

    fn is_stateful(&self) -> bool {
        true
    }
}

/// Answers what its plan says, at once.
struct Check(Log);

impl Leaf for Check {
    fn start(&self, cx: &mut dyn LeafContext) -> Result<Status, LeafError> {
        self.0.add(cx.path());
        next_of_plan(cx)
    }
}

/// Writes `value` to `out`.
struct SetKey(Log);

impl Leaf for SetKey {
    fn start(&self, cx: &mut dyn LeafContext) -> Result<Status, LeafError> {
        self.0.add(cx.path());
        let value = cx.required(0)?;
        cx.output(1, value)?;
        Ok(Status::Success)
    }
}

/// Adds one to `n`.
struct Inc(Log);

impl Leaf for Inc {
    fn start(&self, cx: &mut dyn LeafContext) -> Result<Status, LeafError> {
        self.0.add(cx.path());
        let Value::Int(n) = cx.required(0)? else {
            return Err(LeafError::new("n is no integer"));
        };
        cx.output(0, Value::Int(n + 1))?;
        Ok(Status::Success)
    }
}

/// Whether `a` and `b` are the same text.
struct EqualsKey(Log);

impl Leaf for EqualsKey {
    fn start(&self, cx: &mut dyn LeafContext) -> Result<Status, LeafError> {
        self.0.add(cx.path());
        let same = cx.required(0)? == cx.required(1)?;
        Ok(if same { Status::Success } else { Status::Failure })
    }
}
