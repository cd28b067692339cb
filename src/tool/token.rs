//! How a call is told to end.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering, fence};

pub use tokio_util::sync::CancellationToken as CancelToken;

/// The token of a call, made when somebody asks for it: most tools never look.
#[derive(Default)]
pub(super) struct LateToken {
    token: OnceLock<CancelToken>,
    is_cancelled: AtomicBool,
}

impl LateToken {
    /// The token; cancelled when the call was told to end before anybody asked.
    pub fn get(&self) -> &CancelToken {
        let token = self.token.get_or_init(CancelToken::new);
        // Whoever cancels leaves a word and then looks for a token; here it is the other way round. The
        // fences of the two keep them from missing one another.
        fence(Ordering::SeqCst);
        if self.is_cancelled.load(Ordering::Relaxed) {
            token.cancel();
        }
        token
    }

    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if let Some(token) = self.token.get() {
            token.cancel();
        }
    }

    /// Also when it was the tool that cancelled its token.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed) || self.token.get().is_some_and(CancelToken::is_cancelled)
    }
}

impl From<CancelToken> for LateToken {
    fn from(token: CancelToken) -> Self {
        Self { token: token.into(), is_cancelled: AtomicBool::new(false) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_cancelled_whether_it_was_asked_for_before_or_after() {
        let late = LateToken::default();
        assert!(!late.is_cancelled());
        late.cancel();
        assert!(late.is_cancelled() && late.get().is_cancelled());
        let early = LateToken::default();
        let token = early.get().clone();
        assert!(!token.is_cancelled());
        early.cancel();
        assert!(token.is_cancelled() && early.is_cancelled());
        let own = LateToken::default();
        own.get().cancel();
        assert!(own.is_cancelled());
    }
}
