//! The one place that starts a process.
//!
//! A program is started behind a *gate*: a shell that waits for one line on its standard input and
//! then becomes the program. While it waits it is bounded from outside (limits, watchdog), so the
//! program never runs a single instruction without its bounds. The usual way, code between `fork`
//! and `exec`, is `unsafe` in Rust, and a wrapper binary of our own would have to be found by every
//! program that embeds this crate; `/bin/sh` is on every system. It costs about a millisecond.
//!
//! A shell reads its line byte by byte from a pipe, so what follows the line is the program's.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::harness::fence::{Fence, Gaps, behind};

/// What to start.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program, as an absolute path.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// All of its environment: nothing is inherited.
    pub environment: Vec<(OsString, OsString)>,
    /// The folder that it starts in.
    pub folder: PathBuf,
    /// The folders and files that it may write to, besides a folder of its own for what is temporary.
    pub writable: Vec<PathBuf>,
    /// Whether it may reach the network.
    pub network: bool,
}

/// Two variables that a shell sets by itself are taken away again. Some shells also export `PWD`
/// and `_`, which say nothing that the program does not know.
const GATE: &str = r#"unset OLDPWD SHLVL; read -r _ && exec "$@""#;

/// Remembers process groups (numbers), control groups (paths) and temporary folders (paths behind `@`)
/// line by line, and kills and removes those that are left when its standard input ends: the system
/// closes it when the host dies, however that happens. The signals that end a whole terminal session
/// are passed by.
const WATCHDOG: &str = r#"set -f
trap '' HUP INT QUIT TERM
PATH=/usr/bin:/bin
groups=' '
while read -r act group; do
  case $act in
    +) groups="$groups$group " ;;
    -) groups="${groups%% "$group" *} ${groups#* "$group" }" ;;
  esac
done
for group in $groups; do
  case $group in
    /*)
      for round in 0 1 2 3 4 5 6 7 8 9; do
        while read -r id; do kill -s KILL "$id"; done < "$group/cgroup.procs"
        rmdir "$group" && break
        sleep 0.02
      done ;;
    @/?*) rm -rf -- "${group#@}" || { sleep 0.1; rm -rf -- "${group#@}"; } ;;
    *) kill -s KILL -- "-$group" ;;
  esac
done"#;

/// Starts the gate of a program, in a process group of its own, with three pipes. The program begins
/// when the gate has read a line. Answers too how far it is fenced in.
pub(super) fn gate(launch: &Launch) -> io::Result<(Child, Fence)> {
    let mut shell = shell(GATE);
    shell.arg("sh").arg(&launch.program).args(&launch.arguments);
    shell.envs(launch.environment.iter().map(|(name, value)| (name, value)));
    shell.current_dir(&launch.folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    let gaps = Gaps { writable: launch.writable.clone(), network: launch.network };
    behind(&gaps, || shell.spawn())
}

/// Starts the watchdog of this process.
pub(super) fn watchdog() -> io::Result<Child> {
    shell(WATCHDOG).current_dir("/").stdout(Stdio::null()).stderr(Stdio::null()).spawn()
}

#[expect(clippy::disallowed_methods, reason = "this is the door")]
fn shell(script: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(script).env_clear().process_group(0).stdin(Stdio::piped());
    shell
}
