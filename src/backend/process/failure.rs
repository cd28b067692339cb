//! Every way in which a process fails, as an error with a category and a next step.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use crate::outcome::ErrorCategory;
use crate::tool::ToolError;

/// Why there is no result.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Failure {
    /// More was printed than may be.
    TooMuch { bytes_max: usize },
    /// A line is longer than may be.
    LineTooLong { line: usize, bytes_max: usize },
    /// Bytes that are no text.
    NotUtf8 { line: usize, column: usize },
    /// The output, or a line of events, is no JSON.
    NotJson { line: usize, why: String, shown: String },
    /// A line of events that is none.
    NotEvent { line: usize, why: String },
    /// It ended well and printed no result.
    Nothing,
    /// It said itself that it failed.
    Said(ToolError),
    /// It ended with another code than 0, or by a signal.
    Ended(ExitStatus),
    /// Its pipes are still open though it is gone.
    Held,
    /// Not even SIGKILL ended it.
    Immortal,
    /// A pipe broke.
    Pipe(String),
}

impl Failure {
    /// The error, with the end of what the program printed to its standard error.
    pub fn into_error(self, log: &str) -> ToolError {
        let error = match self {
            Self::Said(error) => return error,
            Self::TooMuch { bytes_max } => {
                ToolError::resource(format!("the program printed more than {bytes_max} bytes and was ended"))
                    .suggest("Ask for less, let it write a file, or raise `limits.output_bytes`.")
            }
            Self::LineTooLong { line, bytes_max } => {
                ToolError::resource(format!("line {line} of the output has more than {bytes_max} bytes"))
                    .suggest("Print smaller events, or raise `limits.line_bytes`.")
            }
            Self::NotUtf8 { line, column } => {
                ToolError::runtime(format!("line {line} of the output is no UTF-8 from byte {column} on"))
                    .suggest("Let the program print UTF-8.")
            }
            Self::NotJson { line, why, shown } => ToolError::runtime(format!(
                "line {line} of the output is no JSON: {why}: `{shown}`"
            ))
            .suggest(
                "Print one JSON value and logs to standard error, or set `output = \"text\"` in the manifest.",
            ),
            Self::NotEvent { line, why } => {
                ToolError::runtime(format!("line {line} of the output is no event: {why}"))
                    .suggest("Print one event a line and everything else to standard error.")
            }
            Self::Nothing => ToolError::runtime("the program ended well and printed no result")
                .suggest("Print one JSON value; with `output = \"events\"`, a `final_result`."),
            Self::Ended(status) => ended(status, log),
            Self::Held => ToolError::runtime("something that the program started holds its output open")
                .suggest("Let the program wait for what it starts."),
            Self::Immortal => ToolError::resource("the program hangs in the system and cannot be killed")
                .suggest("Look at the device or file system that it uses."),
            Self::Pipe(why) => ToolError::resource(format!("the pipe to the program broke: {why}")),
        };
        with_log(error, log)
    }
}

fn with_log(error: ToolError, log: &str) -> ToolError {
    if log.is_empty() {
        return error;
    }
    let full = ToolError::new(error.category(), format!("{}; it said: {log}", error.message()));
    let full = full.retryable(error.is_retryable());
    match error.suggestion() {
        Some(suggestion) => full.suggest(suggestion),
        None => full,
    }
}

fn ended(status: ExitStatus, log: &str) -> ToolError {
    if let Some(signal) = status.signal() {
        let message = format!("the program was ended by signal {signal}{}", name_of(signal));
        return ToolError::resource(message).suggest(match signal {
            9 => {
                "It was killed, most likely for its memory: raise `limits.memory_mb` or `limits.cpu_seconds`."
            }
            24 => "It took all of its processor time: raise `limits.cpu_seconds`.",
            25 => "It wrote too large a file: raise `limits.file_size_mb`.",
            _ => "This is a fault in the program: run it by hand with the same arguments.",
        });
    }
    let code = status.code().unwrap_or_default();
    let error = ToolError::runtime(format!("the program ended with exit code {code}"));
    match code {
        // What a shell says when its `exec` fails.
        126 | 127 => ToolError::new(ErrorCategory::Configuration, error.message())
            .suggest("The program or its interpreter could not be started: look at its first line."),
        _ if log.contains("ermission denied") => error.suggest(
            "It may write below the root, when its `effects` say that it writes, and to its TMPDIR; \
             `writable` in its manifest names more, and `network = true` opens TCP to it.",
        ),
        _ => error.suggest("Run the program by hand with the same arguments."),
    }
}

/// The names that people know. The numbers are those of Linux on every architecture in use.
fn name_of(signal: i32) -> &'static str {
    match signal {
        1 => " (SIGHUP)",
        2 => " (SIGINT)",
        3 => " (SIGQUIT)",
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        13 => " (SIGPIPE)",
        14 => " (SIGALRM)",
        15 => " (SIGTERM)",
        24 => " (SIGXCPU)",
        25 => " (SIGXFSZ)",
        _ => "",
    }
}
