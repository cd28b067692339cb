//! From a kind to its behavior, and all manifests together.

use crate::catalog::{Catalog, Class, Kind, NodeManifest, PortManifest};
use crate::node::control::{
    AsyncFallback, AsyncSequence, Catch, Fallback, ForEach, IfThenElse, Parallel, ParallelAll, Race,
    ReactiveFallback, ReactiveSequence, Sequence, SequenceWithMemory, Switch, TryCatch, WhileDoElse,
};
use crate::node::decorator::{
    Budget, Delay, ForceFailure, ForceSuccess, Inverter, KeepRunningUntilFailure, Loop, Precondition, Repeat,
    RetryUntilSuccessful, RunOnce, SkipUnlessUpdated, SubTree, Timeout, WaitValueUpdate,
};
use crate::node::leaf::{AlwaysFailure, AlwaysSuccess, Sleep, TestNode, WaitFor, WasEntryUpdated, manifests};
use crate::node::{Behavior, Child, Halt, NodeContext, PortFault, Step};
use crate::status::Status;
use crate::value::Type;

/// Calls one function of the behavior of a kind. Leaves that the engine itself visits, tools and
/// the embedder's, have none.
///
/// With `[?]` each arm hands on its fault by itself, and with `&mut { cx }` each has a context of its own.
/// Had they these in common, they would lie in memory for all of them, because some arms are calls.
macro_rules! dispatch {
    ($kind:expr, $function:ident($($argument:expr),*) $([$try:tt])?, $otherwise:expr) => {
        match $kind {
            Kind::Sequence => Sequence::$function($($argument),*)$($try)?,
            Kind::ReactiveSequence => ReactiveSequence::$function($($argument),*)$($try)?,
            Kind::AsyncSequence => AsyncSequence::$function($($argument),*)$($try)?,
            Kind::SequenceWithMemory => SequenceWithMemory::$function($($argument),*)$($try)?,
            Kind::AsyncFallback => AsyncFallback::$function($($argument),*)$($try)?,
            Kind::ParallelAll => ParallelAll::$function($($argument),*)$($try)?,
            Kind::IfThenElse => IfThenElse::$function($($argument),*)$($try)?,
            Kind::WhileDoElse => WhileDoElse::$function($($argument),*)$($try)?,
            Kind::TryCatch => TryCatch::$function($($argument),*)$($try)?,
            Kind::Switch => Switch::$function($($argument),*)$($try)?,
            Kind::KeepRunningUntilFailure => KeepRunningUntilFailure::$function($($argument),*)$($try)?,
            Kind::Loop => Loop::$function($($argument),*)$($try)?,
            Kind::RunOnce => RunOnce::$function($($argument),*)$($try)?,
            Kind::Precondition => Precondition::$function($($argument),*)$($try)?,
            Kind::SkipUnlessUpdated => SkipUnlessUpdated::$function($($argument),*)$($try)?,
            Kind::WaitValueUpdate => WaitValueUpdate::$function($($argument),*)$($try)?,
            Kind::WasEntryUpdated => WasEntryUpdated::$function($($argument),*)$($try)?,
            Kind::Catch => Catch::$function($($argument),*)$($try)?,
            Kind::Budget => Budget::$function($($argument),*)$($try)?,
            Kind::ForEach => ForEach::$function($($argument),*)$($try)?,
            // A lane passes whatever its child answers, as a subtree does.
            Kind::Lane => SubTree::$function($($argument),*)$($try)?,
            Kind::Race => Race::$function($($argument),*)$($try)?,
            Kind::WaitFor => WaitFor::$function($($argument),*)$($try)?,
            Kind::TestNode => TestNode::$function($($argument),*)$($try)?,
            Kind::Sleep => Sleep::$function($($argument),*)$($try)?,
            Kind::Fallback => Fallback::$function($($argument),*)$($try)?,
            Kind::ReactiveFallback => ReactiveFallback::$function($($argument),*)$($try)?,
            Kind::Parallel => Parallel::$function($($argument),*)$($try)?,
            Kind::Inverter => Inverter::$function($($argument),*)$($try)?,
            Kind::ForceSuccess => ForceSuccess::$function($($argument),*)$($try)?,
            Kind::ForceFailure => ForceFailure::$function($($argument),*)$($try)?,
            Kind::RetryUntilSuccessful => RetryUntilSuccessful::$function($($argument),*)$($try)?,
            Kind::Repeat => Repeat::$function($($argument),*)$($try)?,
            Kind::Timeout => Timeout::$function($($argument),*)$($try)?,
            Kind::Delay => Delay::$function($($argument),*)$($try)?,
            Kind::SubTree => SubTree::$function($($argument),*)$($try)?,
            Kind::AlwaysSuccess => AlwaysSuccess::$function($($argument),*)$($try)?,
            Kind::AlwaysFailure => AlwaysFailure::$function($($argument),*)$($try)?,
            Kind::Tool
            | Kind::DynamicTool
            | Kind::Leaf
            | Kind::Script
            | Kind::ScriptCondition
            | Kind::SetBlackboard
            | Kind::UnsetBlackboard => $otherwise,
        }
    };
}

/// The node is visited.
#[inline(always)]
pub(crate) fn enter(kind: Kind, cx: NodeContext<'_>) -> Result<Step, PortFault> {
    Ok(dispatch!(kind, enter(&mut { cx })[?], Step::answer(Status::Skipped)))
}

/// The visit of a child ended.
#[inline(always)]
pub(crate) fn child_done(
    kind: Kind,
    cx: NodeContext<'_>,
    child: Child,
    status: Status,
) -> Result<Step, PortFault> {
    Ok(dispatch!(kind, child_done(&mut { cx }, child, status)[?], Step::answer(status)))
}

/// The node's timer fired.
pub(crate) fn fired(kind: Kind, cx: &mut NodeContext<'_>) -> Halt {
    dispatch!(kind, fired(cx), Halt::Nothing)
}

/// The running node was halted, its children before it.
pub(crate) fn halted(kind: Kind, cx: &mut NodeContext<'_>) {
    dispatch!(kind, halted(cx), cx.clear());
}

/// Whether a node counts as begun, and so as Running, as soon as it is entered. Those that only choose
/// or look at a key take the status that they answer with, so one that was skipped has not begun.
#[inline]
pub(crate) const fn begins_when_entered(kind: Kind) -> bool {
    !matches!(kind, Kind::Switch | Kind::Precondition | Kind::SkipUnlessUpdated | Kind::WaitValueUpdate)
}

/// The leaf that calls any tool, also one that is chosen when the leaf starts.
fn tool_leaf() -> NodeManifest {
    let doc = "Calls a tool; the tool and its arguments may come from the blackboard.";
    let ports = [
        PortManifest::input("tool", Type::Text, "the tool's name"),
        PortManifest::input("args", Type::Json, "the arguments: a JSON object whose texts may be `{key}`")
            .optional(),
        PortManifest::output("result", Type::Any, "the whole result"),
    ];
    let manifest = NodeManifest::builtin("ToolLeaf", Kind::DynamicTool, Class::Action, doc).with_ports(ports);
    NodeManifest { extension: true, ..manifest }
}

/// The built-in nodes.
pub fn catalog() -> Catalog {
    let dispatched = [
        Sequence::manifest(),
        AsyncSequence::manifest(),
        SequenceWithMemory::manifest(),
        ReactiveSequence::manifest(),
        Fallback::manifest(),
        AsyncFallback::manifest(),
        ReactiveFallback::manifest(),
        Parallel::manifest(),
        ParallelAll::manifest(),
        IfThenElse::manifest(),
        WhileDoElse::manifest(),
        TryCatch::manifest(),
        Inverter::manifest(),
        ForceSuccess::manifest(),
        ForceFailure::manifest(),
        RetryUntilSuccessful::manifest(),
        Repeat::manifest(),
        KeepRunningUntilFailure::manifest(),
        RunOnce::manifest(),
        Precondition::manifest(),
        SkipUnlessUpdated::manifest(),
        WaitValueUpdate::manifest(),
        Timeout::manifest(),
        Delay::manifest(),
        SubTree::manifest(),
        Sleep::manifest(),
        WasEntryUpdated::manifest(),
        Race::manifest(),
        ForEach::manifest(),
        Catch::manifest(),
        Budget::manifest(),
        WaitFor::manifest(),
        AlwaysSuccess::manifest(),
        AlwaysFailure::manifest(),
        tool_leaf(),
    ];
    let mut catalog = Catalog::empty();
    for manifest in
        dispatched.into_iter().chain(Switch::manifests()).chain(Loop::manifests()).chain(manifests())
    {
        catalog.add(manifest).expect("the names of the built-in nodes differ");
    }
    catalog
}
