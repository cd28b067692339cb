//! `helve completions`

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::args::Cli;
use crate::cli::entry::Exit;
use crate::cli::out::Out;

pub(super) fn completions(shell: Shell, out: &mut Out) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "helve", &mut script);
    out.text(String::from_utf8_lossy(&script));
    Exit::Success
}
