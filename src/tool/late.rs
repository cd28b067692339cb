//! What a call has only when somebody asks for it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering, fence};

/// A token or a lease of a call, made when somebody asks for it: most tools never do. One that is asked
/// for after its end is made ended.
pub(super) struct Late<T> {
    made: OnceLock<T>,
    is_over: AtomicBool,
}

impl<T> Late<T> {
    /// What is there, or is made now; ended by `end` when its end came first.
    pub fn get(&self, make: impl FnOnce() -> T, end: impl FnOnce(&T)) -> &T {
        let made = self.made.get_or_init(make);
        // Whoever ends it leaves a word and then looks for it; here it is the other way round. The fences of
        // the two keep them from missing one another.
        fence(Ordering::SeqCst);
        if self.is_over.load(Ordering::Relaxed) {
            end(made);
        }
        made
    }

    /// Its end: what is made from now on is ended at once, and what is answered is for the caller to end.
    pub fn end(&self) -> Option<&T> {
        self.is_over.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        self.made.get()
    }

    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// What somebody has asked for.
    pub fn made(&self) -> Option<&T> {
        self.made.get()
    }
}

impl<T> Default for Late<T> {
    fn default() -> Self {
        Self { made: OnceLock::new(), is_over: AtomicBool::new(false) }
    }
}

impl<T> From<T> for Late<T> {
    fn from(made: T) -> Self {
        Self { made: made.into(), is_over: AtomicBool::new(false) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_made_once_and_ended_whether_it_was_asked_for_before_or_after() {
        let ended = AtomicBool::new(false);
        let (make, end) = (|| 7, |_: &i32| ended.store(true, Ordering::Relaxed));
        let early = Late::default();
        assert_eq!((early.made(), early.get(make, end), early.made()), (None, &7, Some(&7)));
        assert!(!ended.load(Ordering::Relaxed) && !early.is_over());
        assert_eq!(early.end(), Some(&7), "the caller ends it");
        let late = Late::default();
        assert_eq!(late.end(), None);
        assert_eq!((late.get(make, end), ended.load(Ordering::Relaxed)), (&7, true));
        assert!(late.is_over());
    }

    #[test]
    fn of_two_threads_one_ends_it() {
        for _ in 0..1_000 {
            let (late, ended) = (Late::default(), AtomicBool::new(false));
            let end = |_: &i32| ended.store(true, Ordering::Relaxed);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    late.get(|| 7, end);
                });
                late.end().map(end);
            });
            assert!(ended.load(Ordering::Relaxed));
        }
    }
}
