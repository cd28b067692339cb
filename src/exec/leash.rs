//! What ends a call from outside.

use crate::exec::alarm::Alarms;
use crate::moment::{Clock, Moment};
use crate::tool::CancelToken;

/// Who may end a call before its tool does.
#[derive(Clone, Copy)]
pub(super) struct Leash<'a> {
    /// Cancelled when nobody wants the result.
    pub cancel: &'a CancelToken,
    /// Where its deadline is kept with others; `None` for a call with a timer of its own.
    pub alarms: Option<&'a Alarms>,
}

impl Leash<'_> {
    /// Waits for the deadline.
    pub async fn overdue(self, deadline: Moment, clock: &dyn Clock) {
        match self.alarms {
            Some(alarms) => alarms.at(deadline).await,
            None => tokio::time::sleep(deadline.since(clock.now())).await,
        }
    }
}
