//! Panics of tools, as errors.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::task::JoinError;

use crate::tool::ToolError;

/// The error of a task that left no result: it panicked, or was aborted.
pub(crate) fn task_error(fault: JoinError) -> ToolError {
    match fault.try_into_panic() {
        Ok(payload) => panic_error(&panic_words(payload)),
        Err(_) => ToolError::cancelled(),
    }
}

/// Runs code of a tool that is not async; the panic's words when it panicked.
pub(crate) fn catch<T>(of_tool: impl FnOnce() -> T) -> Result<T, String> {
    // What a panic left half-done is dropped with the tool: nobody looks at it again.
    catch_unwind(AssertUnwindSafe(of_tool)).map_err(panic_words)
}

fn panic_error(words: &str) -> ToolError {
    ToolError::runtime(format!("the tool panicked: {words}"))
        .suggest("This is a fault in the tool, not in its arguments: report it to the tool's author.")
}

fn panic_words(payload: Box<dyn Any + Send>) -> String {
    let payload = match payload.downcast::<&'static str>() {
        Ok(words) => return words.to_string(),
        Err(payload) => payload,
    };
    match payload.downcast::<String>() {
        Ok(words) => *words,
        Err(payload) => {
            // A payload of a type of the tool's own may panic again while it is dropped, here,
            // where nothing catches it. To leak it is the lesser harm.
            std::mem::forget(payload);
            "no message".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bomb;

    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }

    #[test]
    fn a_panic_leaves_its_words_whatever_was_thrown() {
        assert_eq!(catch(|| 1), Ok(1));
        assert_eq!(catch(|| panic!("plain")), Err::<(), _>("plain".to_owned()));
        assert_eq!(catch(|| panic!("with {}", 1)), Err::<(), _>("with 1".to_owned()));
        assert_eq!(catch(|| std::panic::panic_any(Bomb)), Err::<(), _>("no message".to_owned()));
    }
}
