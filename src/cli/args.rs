//! What can be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

/// Runs behavior trees whose leaves are tools.
#[derive(Debug, Parser)]
#[command(name = "helve", version, max_term_width = 100, propagate_version = true)]
#[command(after_help = "Examples:
  helve run trees/explore.xml --set symbol=Engine
  helve check trees/*.xml
  helve tools search_code

Exit code 0 is Success, 1 is Failure, 2 is bad input, 130 is a run that was interrupted.")]
pub struct Cli {
    /// When to colour.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(super) color: Color,

    #[command(subcommand)]
    pub(super) command: Command,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Run(RunArgs),
    Check(CheckArgs),
    Draw(DrawArgs),
    Tools(ToolsArgs),
    /// List the other nodes of the dialect, or describe one
    #[command(after_help = "Examples:\n  helve nodes\n  helve nodes Parallel")]
    Nodes(ListArgs),
    Replay(ReplayArgs),
    /// Print shell completions
    #[command(
        after_help = "Example:\n  helve completions bash > ~/.local/share/bash-completion/completions/helve"
    )]
    Completions {
        /// The shell.
        shell: Shell,
    },
}

/// Run a tree with the built-in tools
///
/// On a terminal the tree is drawn and redrawn while it runs; elsewhere every call and every failure
/// is one line. Ctrl-C halts the tree and waits for its calls; a second Ctrl-C does not wait.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  helve run trees/explore.xml --set symbol=Engine
  helve run trees/explore.xml --set symbol=Runtime --root ../tokio --vault ~/notes
  helve run trees/explore.xml --set symbol=Engine --record run.helve --json")]
pub(super) struct RunArgs {
    /// The tree; `-` reads it from standard input.
    pub file: PathBuf,
    /// Set a key of the main tree before the run; may be given more than once
    ///
    /// The value is read by the key's type. Where the tree declares none, numbers, true, false and
    /// JSON arrays and objects are read as such and anything else as text.
    #[arg(short, long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// The repository that the code tools look into.
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    pub root: PathBuf,
    /// The folder of notes that the vault tools read and write.
    #[arg(long, value_name = "DIR", default_value = super::toolbox::VAULT_DEFAULT)]
    pub vault: PathBuf,
    #[command(flatten)]
    pub programs: Programs,
    /// Record the run into this file, for `helve replay`
    ///
    /// The file holds the arguments and results of every call. It must not exist.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Print plain lines even on a terminal.
    #[arg(long, conflicts_with = "json")]
    pub plain: bool,
    /// Print one JSON object at the end and nothing else.
    #[arg(long)]
    pub json: bool,
}

/// Check trees: all faults at once, each with its place and what to do next
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  helve check trees/explore.xml
  helve check --strict --json trees/*.xml")]
pub(super) struct CheckArgs {
    /// The trees; `-` reads one from standard input.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub programs: Programs,
    /// Treat warnings as faults.
    #[arg(long)]
    pub strict: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Draw a tree, subtrees expanded
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  helve draw trees/explore.xml
  helve draw trees/explore.xml --dot | dot -Tsvg > explore.svg")]
pub(super) struct DrawArgs {
    /// The tree; `-` reads it from standard input.
    pub file: PathBuf,
    #[command(flatten)]
    pub programs: Programs,
    /// Print it for Graphviz.
    #[arg(long, conflicts_with = "json")]
    pub dot: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// List the tools, or describe one: arguments, results, timeout, effects
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  helve tools
  helve tools vault_write
  helve tools --tools trees/tools word_count")]
pub(super) struct ToolsArgs {
    #[command(flatten)]
    pub list: ListArgs,
    #[command(flatten)]
    pub programs: Programs,
}

/// Programs that are tools.
#[derive(Debug, Default, Args)]
pub(super) struct Programs {
    /// A manifest of a program that is to be a tool, or a folder of them; may be given more than once.
    #[arg(short, long = "tools", value_name = "PATH")]
    pub tools: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// The one to describe.
    pub name: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Go through a recorded run again without calling a tool
///
/// The recorded inputs are fed to a fresh engine; its events must be the recorded ones to the byte.
/// Exit code 1 says that they are not.
#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    /// The recording.
    pub file: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
