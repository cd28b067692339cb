//! A run that goes on: watched, written to, halted, waited for.

use std::fmt;
use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::board::WriteFault;
use crate::run::bus::Bus;
use crate::run::{Events, RunReport};
use crate::value::Value;

/// What a run can be told.
#[derive(Debug)]
pub(super) enum Control {
    Set { key: Arc<str>, value: Option<Value>, answer: oneshot::Sender<Result<(), WriteFault>> },
    Halt,
}

/// A running run. Dropping it halts the run: nothing goes on that nobody waits for.
pub struct RunHandle {
    pub(super) control: mpsc::Sender<Control>,
    pub(super) bus: Bus,
    pub(super) driver: JoinHandle<RunReport>,
}

impl RunHandle {
    /// The events of the run. The first subscriber hears it from its beginning, later ones from
    /// when they ask.
    pub fn events(&self) -> Events {
        self.bus.subscribe()
    }

    /// Halts the tree and stops its calls; [`report`](Self::report) then ends as soon as they are
    /// reaped.
    ///
    /// # Errors
    /// When the run is over already.
    pub async fn halt(&self) -> Result<(), ControlError> {
        self.control.send(Control::Halt).await.map_err(|_| ControlError::Over)
    }

    /// Writes a key of the main tree, or takes its value away; the tree is ticked then.
    ///
    /// # Errors
    /// When the run is over already, or the key's type does not take the value.
    pub async fn set(&self, key: &str, value: Option<Value>) -> Result<(), ControlError> {
        let (answer, answered) = oneshot::channel();
        let set = Control::Set { key: key.into(), value, answer };
        self.control.send(set).await.map_err(|_| ControlError::Over)?;
        answered.await.map_err(|_| ControlError::Over)?.map_err(ControlError::Refused)
    }

    /// Something that halts the run from elsewhere, such as a signal handler.
    pub fn halter(&self) -> impl Fn() + Send + Sync + 'static + use<> {
        let control = self.control.clone();
        move || {
            // A full queue holds a Halt already or a run that is about to see this one's sender
            // dropped; either way nothing is lost by not waiting.
            let _ = control.try_send(Control::Halt);
        }
    }

    /// Waits for the end of the run.
    ///
    /// # Panics
    /// When the driver itself panicked, with the driver's own panic.
    pub async fn report(mut self) -> RunReport {
        // Nobody reads these events any more.
        self.bus.forget_beginning();
        match (&mut self.driver).await {
            Ok(report) => report,
            Err(fault) => std::panic::resume_unwind(fault.into_panic()),
        }
    }
}

impl fmt::Debug for RunHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunHandle").field("finished", &self.driver.is_finished()).finish_non_exhaustive()
    }
}

/// Why a run did not do what it was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlError {
    /// It is over.
    Over,
    /// The key does not take the value.
    Refused(WriteFault),
}

impl fmt::Display for ControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Over => f.write_str("the run is over"),
            Self::Refused(fault) => write!(f, "{fault}"),
        }
    }
}

impl std::error::Error for ControlError {}
