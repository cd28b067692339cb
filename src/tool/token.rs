//! How a call is told to end.

pub use tokio_util::sync::CancellationToken as CancelToken;

use crate::tool::late::Late;

/// The token of a call.
#[derive(Default)]
pub(super) struct LateToken(Late<CancelToken>);

impl LateToken {
    /// The token; cancelled when the call was told to end before anybody asked.
    pub fn get(&self) -> &CancelToken {
        self.0.get(CancelToken::new, CancelToken::cancel)
    }

    pub fn cancel(&self) {
        if let Some(token) = self.0.end() {
            token.cancel();
        }
    }

    /// Also when it was the tool that cancelled its token.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_over() || self.0.made().is_some_and(CancelToken::is_cancelled)
    }
}

impl From<CancelToken> for LateToken {
    fn from(token: CancelToken) -> Self {
        Self(token.into())
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
