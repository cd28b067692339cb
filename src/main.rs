//! The `helve` binary; see [`helve::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    helve::cli::main()
}
