//! What can be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

/// Runs behavior trees whose leaves are tools.
#[derive(Debug, Parser)]
#[command(name = "helve", version, max_term_width = 100, propagate_version = true)]
#[command(after_help = "Examples:
  helve run trees/explore.xml --set symbol=Engine
  helve check trees/explore.xml
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
    Fmt(FmtArgs),
    Convert(ConvertArgs),
    Draw(DrawArgs),
    Tools(ToolsArgs),
    Nodes(NodesArgs),
    Replay(ReplayArgs),
    Artifact(ArtifactArgs),
    Undo(UndoArgs),
    Explain(ExplainArgs),
    Conformance(ConformanceArgs),
    /// Print shell completions
    #[command(
        after_help = "Example:\n  helve completions bash > ~/.local/share/bash-completion/completions/helve"
    )]
    Completions {
        /// The shell.
        shell: Shell,
    },
}

/// Run a tree with the built-in tools, and with programs as tools
///
/// On a terminal the tree is drawn and redrawn while it runs; elsewhere every call and every failure
/// is one line. Ctrl-C halts the tree and waits for its calls; a second Ctrl-C does not wait.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  helve run trees/explore.xml --set symbol=Engine
  helve run trees/explore.xml --set symbol=Runtime --root ../tokio --vault ~/notes
  helve run trees/explore.xml --set symbol=Engine --rules trees/offline.json
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
    #[command(flatten)]
    pub includes: IncludeArgs,
    #[command(flatten)]
    pub rules: RulesArgs,
    /// The repository that the code tools look into.
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    pub root: PathBuf,
    /// The folder of notes that the vault tools read and write.
    #[arg(long, value_name = "DIR", default_value = super::toolbox::VAULT_DEFAULT)]
    pub vault: PathBuf,
    #[command(flatten)]
    pub programs: Programs,
    /// The folder that large outputs are stored in, whole [default: .helve/artifacts]
    #[arg(long, value_name = "DIR")]
    pub artifacts: Option<PathBuf>,
    /// Record the run into this file, for `helve replay`
    ///
    /// The file holds the arguments and results of every call, large results by the names of their
    /// artifacts. It must not exist.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    #[command(flatten)]
    pub permissions: PermissionArgs,
    /// Let tools run that use the web, `web = true` in a manifest; without it they fail and say so
    #[arg(long)]
    pub web: bool,
    /// Serve metrics at http://ADDR/metrics while the run lasts
    ///
    /// A port alone is on this machine only; port 0 is any free one. The text is the one that Prometheus
    /// reads: calls by tool and outcome, their time, calls under way, denials by reason.
    #[arg(long, value_name = "ADDR")]
    pub metrics: Option<String>,
    /// Print plain lines even on a terminal.
    #[arg(long, conflicts_with = "json")]
    pub plain: bool,
    /// Print one JSON object at the end and nothing else.
    #[arg(long)]
    pub json: bool,
}

/// What calls may do.
#[derive(Debug, Args)]
pub(super) struct PermissionArgs {
    /// Say yes to every question, such as whether a tool may write. What a policy denies stays denied.
    #[arg(short, long)]
    pub yes: bool,
    /// A file of rules that deny, ask for and allow calls, by tool and arguments.
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
}

/// List what tools have written, or take a write back
///
/// Files are kept before a tool writes them, in `.helve/checkpoints`. A file that was changed after the
/// write is not touched unless --force is given. An undo is kept too, so that it can be undone.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  helve undo
  helve undo 12
  helve undo last")]
pub(super) struct UndoArgs {
    /// The write to take back: its number, or `last`. Without it all are listed.
    pub id: Option<String>,
    /// Write over what was changed after the write.
    #[arg(long, requires = "id")]
    pub force: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Where trees may include files from.
#[derive(Debug, Args)]
pub(super) struct IncludeArgs {
    /// A folder that the tree may include files from, besides its own; may be given more than once.
    #[arg(long = "include-root", value_name = "DIR")]
    pub roots: Vec<PathBuf>,
}

/// Which leaves give way to others.
#[derive(Debug, Default, Args)]
pub(super) struct RulesArgs {
    /// Put other leaves in the place of some, as this JSON file says: a run without its tools.
    #[arg(long = "rules", value_name = "FILE")]
    pub rules: Option<PathBuf>,
}

/// Check trees: all faults at once, each with its place and what to do next
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  helve check trees/explore.xml
  helve check --strict --tools trees/tools trees/*.xml")]
pub(super) struct CheckArgs {
    /// The trees; `-` reads one from standard input.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub includes: IncludeArgs,
    #[command(flatten)]
    pub rules: RulesArgs,
    #[command(flatten)]
    pub programs: Programs,
    /// Treat warnings as faults.
    #[arg(long)]
    pub strict: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Write trees in one canonical form: comments, order and blank lines kept
///
/// What is read although it is no XML (raw `<` and `&`, text after the root, and the like) is written
/// right. A file with a fault that cannot be mended is left alone, and the fault is shown.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  helve fmt trees/*.xml
  helve fmt --check trees/*.xml
  helve fmt - < wild.xml > clean.xml

Exit code 1 is a file that --check would write anew, 2 one that cannot be formatted.")]
pub(super) struct FmtArgs {
    /// The trees; `-` reads one from standard input and writes it to standard output.
    #[arg(required_unless_present = "stdin")]
    pub files: Vec<PathBuf>,
    /// Read from standard input and write to standard output, as `-` does.
    #[arg(long, conflicts_with = "files")]
    pub stdin: bool,
    /// Write nothing; show what would change.
    #[arg(long)]
    pub check: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Bring a tree of BehaviorTree.CPP version 3 to version 4
///
/// The layout and the comments stay as they are. What has no equal in version 4, or means something
/// else there, is said with its place.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  helve convert old.xml > new.xml
  helve convert --write old.xml
  helve convert old.xml | helve fmt -

Exit code 1 says that something was left as it was, 2 that the file cannot be converted.")]
pub(super) struct ConvertArgs {
    /// The tree; `-` reads it from standard input.
    pub file: PathBuf,
    #[command(flatten)]
    pub programs: Programs,
    /// Write the file in place instead of to standard output.
    #[arg(long)]
    pub write: bool,
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
    pub includes: IncludeArgs,
    #[command(flatten)]
    pub rules: RulesArgs,
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
  helve tools --tools trees/tools text_stats")]
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

/// List the other nodes of the dialect, describe one, or export all for editors
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  helve nodes
  helve nodes Parallel
  helve nodes --export groot > palette.xml
  helve nodes --export xsd > trees.xsd")]
pub(super) struct NodesArgs {
    #[command(flatten)]
    pub list: ListArgs,
    #[command(flatten)]
    pub programs: Programs,
    /// Print all nodes and tools in a form that editors read.
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["name", "json"])]
    pub export: Option<ExportFormat>,
}

/// Forms that editors read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ExportFormat {
    /// A `TreeNodesModel`, for the palettes of Groot2 and other editors of the dialect.
    Groot,
    /// An XML Schema, for editors of XML.
    Xsd,
}

/// Go through a recorded run again without calling a tool
///
/// The recorded inputs are fed to a fresh engine; its events must be the recorded ones to the byte.
/// Exit code 1 says that they are not.
#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    /// The recording.
    pub file: PathBuf,
    /// The folder of the artifacts that the recording names [default: where the run stored them]
    #[arg(long, value_name = "DIR")]
    pub artifacts: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// List stored outputs, print one, or free their room
///
/// An output too large to be handed on is stored whole under the hash of its content. The first digits
/// of a name are enough where no other name begins with them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  helve artifact
  helve artifact 3f0c
  helve artifact 3f0c --path results[0].path
  helve artifact --clean --unused-days 7")]
pub(super) struct ArtifactArgs {
    /// The artifact to print.
    pub id: Option<String>,
    /// Print only the part that this path leads to, such as results[0].path
    #[arg(long, value_name = "PATH", requires = "id")]
    pub path: Option<String>,
    /// Remove all artifacts that no run under way refers to.
    #[arg(long, conflicts_with = "id")]
    pub clean: bool,
    /// Spare what was used in the last so many days.
    #[arg(long, value_name = "DAYS", requires = "clean", default_value_t = 0)]
    pub unused_days: u32,
    /// The folder of the artifacts [default: .helve/artifacts]
    #[arg(long, value_name = "DIR")]
    pub artifacts: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Run cases of the dialect's reference engine and say where this engine differs
///
/// A case is a tree, `NNN-slug.xml`, and what the reference did with it, `NNN-slug.trace.jsonl`. Each
/// difference is a line with its tick and its field; the last line says how many cases passed. Cases
/// that differ on purpose are named and count as passed. Exit code 1 says that one failed.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  helve conformance tests/data/conformance")]
pub(super) struct ConformanceArgs {
    /// The folder of cases, or the folder that holds them as `cases`.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Explain a diagnostic: what it means, why, a wrong example and a right one
///
/// Without a code, all of them are listed, one line each.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  helve explain E0107
  helve explain port_unknown
  helve explain")]
pub(super) struct ExplainArgs {
    /// The code, or its name.
    pub code: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
