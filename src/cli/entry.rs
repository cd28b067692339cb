//! From the command line to an exit code.

use std::process::ExitCode;

use clap::Parser;

use crate::cli::args::{Cli, Command};
use crate::cli::out::Out;
use crate::cli::{
    artifact, check, completions, conformance, convert, draw, explain, fmt, nodes, replay, run, tools, undo,
};
use crate::diag::Diagnostics;

/// How a command ended, when its input was good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    Success,
    Failure,
    BadInput,
    Interrupted,
}

impl Exit {
    /// As a shell reports a process that SIGINT ended.
    pub const INTERRUPTED: u8 = 130;
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Success => 0,
            Exit::Failure => 1,
            Exit::BadInput => 2,
            Exit::Interrupted => Exit::INTERRUPTED,
        })
    }
}

/// The `helve` binary. A command line that cannot be understood ends with exit code 2.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = Out::new(cli.color);
    let exit = command(cli.command, &mut out).unwrap_or_else(|faults| {
        out.faults(&faults);
        Exit::BadInput
    });
    out.point_to_a_page();
    exit.into()
}

fn command(command: Command, out: &mut Out) -> Result<Exit, Diagnostics> {
    match command {
        Command::Run(args) => run::run(&args, out),
        Command::Check(args) => check::check(&args, out),
        Command::Fmt(args) => fmt::fmt(&args, out),
        Command::Convert(args) => convert::convert(&args, out),
        Command::Draw(args) => draw::draw(&args, out),
        Command::Tools(args) => tools::tools(&args, out),
        Command::Nodes(args) => nodes::nodes(&args, out),
        Command::Replay(args) => replay::replay(&args, out),
        Command::Artifact(args) => artifact::artifact(&args, out),
        Command::Undo(args) => undo::undo(&args, out),
        Command::Explain(args) => explain::explain(&args, out),
        Command::Conformance(args) => conformance::conformance(&args, out),
        Command::Completions { shell } => Ok(completions::completions(shell, out)),
    }
}
