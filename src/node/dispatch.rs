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
macro_rules! dispatch {
    ($kind:expr, $function:ident($($argument:expr),*), $otherwise:expr) => {
        match $kind {
            Kind::Sequence => Sequence::$function($($argument),*),
            Kind::ReactiveSequence => ReactiveSequence::$function($($argument),*),
            Kind::AsyncSequence => AsyncSequence::$function($($argument),*),
            Kind::SequenceWithMemory => SequenceWithMemory::$function($($argument),*),
            Kind::AsyncFallback => AsyncFallback::$function($($argument),*),
            Kind::ParallelAll => ParallelAll::$function($($argument),*),
            Kind::IfThenElse => IfThenElse::$function($($argument),*),
            Kind::WhileDoElse => WhileDoElse::$function($($argument),*),
            Kind::TryCatch => TryCatch::$function($($argument),*),
            Kind::Switch => Switch::$function($($argument),*),
            Kind::KeepRunningUntilFailure => KeepRunningUntilFailure::$function($($argument),*),
            Kind::Loop => Loop::$function($($argument),*),
            Kind::RunOnce => RunOnce::$function($($argument),*),
            Kind::Precondition => Precondition::$function($($argument),*),
            Kind::SkipUnlessUpdated => SkipUnlessUpdated::$function($($argument),*),
            Kind::WaitValueUpdate => WaitValueUpdate::$function($($argument),*),
            Kind::WasEntryUpdated => WasEntryUpdated::$function($($argument),*),
            Kind::Catch => Catch::$function($($argument),*),
            Kind::Budget => Budget::$function($($argument),*),
            Kind::ForEach => ForEach::$function($($argument),*),
            // A lane passes whatever its child answers, as a subtree does.
            Kind::Lane => SubTree::$function($($argument),*),
            Kind::Race => Race::$function($($argument),*),
            Kind::WaitFor => WaitFor::$function($($argument),*),
            Kind::TestNode => TestNode::$function($($argument),*),
            Kind::Sleep => Sleep::$function($($argument),*),
            Kind::Fallback => Fallback::$function($($argument),*),
            Kind::ReactiveFallback => ReactiveFallback::$function($($argument),*),
            Kind::Parallel => Parallel::$function($($argument),*),
            Kind::Inverter => Inverter::$function($($argument),*),
            Kind::ForceSuccess => ForceSuccess::$function($($argument),*),
            Kind::ForceFailure => ForceFailure::$function($($argument),*),
            Kind::RetryUntilSuccessful => RetryUntilSuccessful::$function($($argument),*),
            Kind::Repeat => Repeat::$function($($argument),*),
            Kind::Timeout => Timeout::$function($($argument),*),
            Kind::Delay => Delay::$function($($argument),*),
            Kind::SubTree => SubTree::$function($($argument),*),
            Kind::AlwaysSuccess => AlwaysSuccess::$function($($argument),*),
            Kind::AlwaysFailure => AlwaysFailure::$function($($argument),*),
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
pub(crate) fn enter(kind: Kind, cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
    dispatch!(kind, enter(cx), Ok(Step::answer(Status::Skipped)))
}

/// The visit of a child ended.
#[inline(always)]
pub(crate) fn child_done(
    kind: Kind,
    cx: &mut NodeContext<'_>,
    child: Child,
    status: Status,
) -> Result<Step, PortFault> {
    dispatch!(kind, child_done(cx, child, status), Ok(Step::answer(status)))
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
