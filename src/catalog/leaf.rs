//! Leaves that an embedder writes.

use std::any::Any;
use std::fmt;

use crate::moment::Moment;
use crate::status::Status;
use crate::value::Value;

/// A leaf of the embedder's own: a condition or a short action that runs inside the engine.
///
/// It must not block and must not wait; what takes time is a tool. What it remembers lives in
/// [`LeafContext::state`], never in its fields: one `Leaf` serves every run of a tree, and save,
/// resume and replay see what the engine owns.
pub trait Leaf: Send + Sync + 'static {
    /// Called when the leaf is visited and not running.
    ///
    /// # Errors
    /// When the leaf cannot do its work at all; the run ends with this error. A leaf that merely
    /// fails answers [`Status::Failure`].
    fn start(&self, cx: &mut dyn LeafContext) -> Result<Status, LeafError>;

    /// Called when the leaf is visited while it is running. Answers Running by default.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    fn resume(&self, _cx: &mut dyn LeafContext) -> Result<Status, LeafError> {
        Ok(Status::Running)
    }

    /// Called when the running leaf is halted.
    fn halt(&self, _cx: &mut dyn LeafContext) {}

    /// Whether the leaf keeps its verdict until its parent resets it. A stateful leaf that is
    /// visited while it still holds Success or Failure answers the same again and is not called;
    /// one that is not stateful is started again. (BehaviorTree.CPP: `StatefulActionNode`,
    /// `SyncActionNode`.)
    fn is_stateful(&self) -> bool {
        false
    }

    /// Whether the answer depends on nothing but the values of the input ports and the moment that
    /// [`LeafContext::wake_at`] asked for, and nothing else is done. Then the leaf is not asked again
    /// while none of them changed; any other leaf is asked at every tick that reaches it.
    fn is_pure(&self) -> bool {
        false
    }
}

/// What a leaf may see and do while it is called. Ports are numbered in the order of its manifest.
pub trait LeafContext {
    /// The value of an input port, converted to the port's type; `None` when the port is bound to
    /// nothing or to a key without a value.
    ///
    /// # Errors
    /// When the value does not convert.
    fn input(&self, port: usize) -> Result<Option<Value>, LeafError>;

    /// Writes an output port.
    ///
    /// # Errors
    /// When the port is bound to no key or the key's type does not take the value.
    fn output(&mut self, port: usize, value: Value) -> Result<(), LeafError>;

    /// The leaf's full path in its tree, for messages.
    fn path(&self) -> String;

    /// The moment of the input that is being handled.
    fn now(&self) -> Moment;

    /// Asks to be visited again at `moment`.
    fn wake_at(&mut self, moment: Moment);

    /// Says why the leaf is about to answer Failure.
    fn because(&mut self, reason: String);

    /// What the leaf remembers. Kept until the run ends; a halt does not clear it.
    fn state(&mut self) -> &mut Option<Box<dyn LeafState>>;
}

/// What a leaf may remember: anything that can be cloned, so that a run can be saved and forked.
pub trait LeafState: Any + Send + Sync {
    /// A copy of its own.
    fn clone_box(&self) -> Box<dyn LeafState>;
    /// The same, to be downcast.
    fn as_any(&mut self) -> &mut dyn Any;
}

impl<T: Any + Clone + Send + Sync> LeafState for T {
    fn clone_box(&self) -> Box<dyn LeafState> {
        Box::new(self.clone())
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

impl Clone for Box<dyn LeafState> {
    fn clone(&self) -> Self {
        (**self).clone_box()
    }
}

impl dyn LeafContext + '_ {
    /// The leaf's own state of type `T`, its default at first.
    pub fn remember<T: Any + Clone + Default + Send + Sync>(&mut self) -> &mut T {
        let cell = self.state();
        let fits = cell.as_mut().is_some_and(|state| (**state).as_any().is::<T>());
        if !fits {
            *cell = Some(Box::new(T::default()));
        }
        cell.as_mut()
            .and_then(|state| (**state).as_any().downcast_mut())
            .expect("the cell holds a T: it was checked or made above")
    }

    /// The value of an input port that must have one.
    ///
    /// # Errors
    /// When it has none, or one that does not convert.
    #[inline]
    pub fn required(&self, port: usize) -> Result<Value, LeafError> {
        self.input(port)?.ok_or_else(|| LeafError::new(format!("input port {port} has no value")))
    }
}

/// Why a leaf could not do its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafError {
    message: Box<str>,
}

impl LeafError {
    /// An error with this text: a lowercase fragment.
    pub fn new(message: impl Into<Box<str>>) -> Self {
        Self { message: message.into() }
    }
}

impl fmt::Display for LeafError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LeafError {}
