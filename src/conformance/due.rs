//! Which cases this engine must pass: those that use nothing it does not have yet.

use std::collections::BTreeSet;

use crate::catalog::Catalog;
use crate::conformance::Case;

/// The nodes of the reference engine, leaves of the cases aside. A case that names any other node
/// is about a node that no engine has.
const NODES: [&str; 42] = [
    "AlwaysFailure",
    "AlwaysSuccess",
    "AsyncFallback",
    "AsyncSequence",
    "Delay",
    "Fallback",
    "ForceFailure",
    "ForceSuccess",
    "IfThenElse",
    "Inverter",
    "KeepRunningUntilFailure",
    "LoopBool",
    "LoopDouble",
    "LoopInt",
    "LoopString",
    "Parallel",
    "ParallelAll",
    "Precondition",
    "ReactiveFallback",
    "ReactiveSequence",
    "Repeat",
    "RetryUntilSuccessful",
    "RunOnce",
    "Script",
    "ScriptCondition",
    "Sequence",
    "SequenceWithMemory",
    "SetBlackboard",
    "SkipUnlessUpdated",
    "Sleep",
    "SubTree",
    "Switch2",
    "Switch3",
    "Switch4",
    "Switch5",
    "Switch6",
    "Timeout",
    "TryCatch",
    "UnsetBlackboard",
    "WaitValueUpdate",
    "WasEntryUpdated",
    "WhileDoElse",
];

/// What the case uses that the engine does not have; empty when the case is due.
pub(super) fn missing(case: &Case, catalog: &Catalog) -> BTreeSet<String> {
    let names = element_names(&case.xml).chain(ids(&case.xml));
    let nodes = names
        .filter(|name| NODES.contains(name))
        .filter(|name| catalog.get(name).is_none())
        .map(|name| format!("node {name}"));
    nodes.collect()
}

/// The names behind each `<`. A scan and not a parse: some cases are about text that is no XML.
fn element_names(xml: &str) -> impl Iterator<Item = &str> {
    xml.split('<').skip(1).filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric()).next())
}

/// The values of `ID` attributes: the explicit spelling of a node.
fn ids(xml: &str) -> impl Iterator<Item = &str> {
    xml.split(" ID=\"").skip(1).filter_map(|rest| rest.split('"').next())
}
