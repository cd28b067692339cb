//! What a node does when it is visited.

/// The behavior of a node: the built-in ones by name, tools and custom leaves by table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Children in order until one fails.
    Sequence,
    /// The same, from the first child on every tick.
    ReactiveSequence,
    /// Children in order until one fails, interruptible.
    AsyncSequence,
    /// The same, keeping its place over a failure and a halt.
    SequenceWithMemory,
    /// Children in order until one succeeds.
    Fallback,
    /// The same, interruptible.
    AsyncFallback,
    /// The same, from the first child on every tick.
    ReactiveFallback,
    /// All children, until enough succeeded or failed.
    Parallel,
    /// All children, until every one has ended.
    ParallelAll,
    /// The first child; when it fails, the handler that takes the failure.
    Catch,
    /// The child once for every item of a list, several at a time.
    ForEach,
    /// All children, until one succeeded.
    Race,
    /// The second child or the third, as the first says once.
    IfThenElse,
    /// The second child or the third, as the first says on every tick.
    WhileDoElse,
    /// The child whose case is the value of a variable.
    Switch,
    /// Children in order; when one fails, the last.
    TryCatch,
    /// The child, with bounds on what it uses.
    Budget,
    /// One item of a [`ForEach`](Self::ForEach).
    Lane,
    /// Success and Failure exchanged.
    Inverter,
    /// Success whatever the child says.
    ForceSuccess,
    /// Failure whatever the child says.
    ForceFailure,
    /// The child again until it succeeds.
    RetryUntilSuccessful,
    /// The child again while it succeeds.
    Repeat,
    /// The child again until it fails.
    KeepRunningUntilFailure,
    /// The child once for every item of a list.
    Loop,
    /// The child to its end, once in a run.
    RunOnce,
    /// The child, when a script says so.
    Precondition,
    /// The child when a key was written, else skipped.
    SkipUnlessUpdated,
    /// The child when a key was written, which is waited for.
    WaitValueUpdate,
    /// The child, halted after a time.
    Timeout,
    /// The child, after a time.
    Delay,
    /// The root of another tree, with keys of its own.
    SubTree,
    /// Always Success.
    AlwaysSuccess,
    /// Always Failure.
    AlwaysFailure,
    /// Waits.
    Sleep,
    /// Waits until a key has a value.
    WaitFor,
    /// Runs a script.
    Script,
    /// Success or Failure as a script says.
    ScriptCondition,
    /// Writes a key.
    SetBlackboard,
    /// Takes the value of a key away.
    UnsetBlackboard,
    /// Success when a key was written since the last look.
    WasEntryUpdated,
    /// A tool.
    Tool,
    /// A tool that is chosen when the leaf starts.
    DynamicTool,
    /// What a rule puts in the place of a leaf, for a run without its tool.
    TestNode,
    /// A leaf that the embedder wrote.
    Leaf,
}

impl Kind {
    /// Whether it is a leaf that runs a script or writes a key, which the engine does itself.
    #[inline]
    pub const fn is_script(self) -> bool {
        matches!(self, Self::Script | Self::ScriptCondition | Self::SetBlackboard | Self::UnsetBlackboard)
    }

    /// Whether a node resets its one child as soon as that has a verdict.
    #[inline]
    pub const fn is_decorator(self) -> bool {
        matches!(
            self,
            Self::Inverter
                | Self::ForceSuccess
                | Self::ForceFailure
                | Self::RetryUntilSuccessful
                | Self::Repeat
                | Self::KeepRunningUntilFailure
                | Self::Loop
                | Self::Budget
                | Self::RunOnce
                | Self::Precondition
                | Self::SkipUnlessUpdated
                | Self::WaitValueUpdate
                | Self::Timeout
                | Self::Delay
                | Self::SubTree
                | Self::Lane
        )
    }
}
