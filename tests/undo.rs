//! `helve run` asks before it writes, and `helve undo` takes a write back: the binary on real files,
//! with and without a terminal.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use helve::journal::Journal;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use serde_json::Value as Json;
use tempfile::TempDir;

/// A folder with a tree that writes a note.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("a temporary folder"));
        let write = "<vault_write name=\"first\" path=\"a.md\" body=\"{one}\"/>";
        let again = "<vault_write name=\"second\" path=\"b.md\" body=\"{two}\"/>";
        place.write("t.xml", &tree(&format!("<Sequence>{write}{again}</Sequence>")));
        place.write("one.xml", &tree(write));
        place
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders can be made");
        fs::write(path, text).expect("a file can be written");
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.path(path)).ok()
    }

    fn command(&self, line: &str) -> Command {
        let mut command = command(self.0.path());
        command.args(line.split_whitespace());
        command
    }

    fn helve(&self, line: &str) -> Output {
        self.command(line).stdin(Stdio::null()).output().expect("helve can be started")
    }

    /// Runs it at a terminal at which somebody types `typed`, each once the question is there.
    /// Answers the exit code, standard output and what stood on the terminal.
    fn at_a_terminal(&self, line: &str, typed: &[&str]) -> (Option<i32>, String, String) {
        let person = terminal();
        let side = || other_side(&person);
        let mut command = self.command(line);
        let mut child = command
            .stdin(side())
            .stderr(side())
            .stdout(Stdio::piped())
            .spawn()
            .expect("helve can be started");
        // The command holds the other side open, and nobody would hear the end.
        drop(command);
        let pid = Pid::from_child(&child);
        let mut terminal = File::from(person);
        let (mut seen, mut typed) = (String::new(), typed.iter());
        let mut answered = 0;
        let mut buffer = [0; 4096];
        // Reading fails when the other side is closed.
        while let Ok(read @ 1..) = terminal.read(&mut buffer) {
            seen.push_str(&String::from_utf8_lossy(&buffer[..read]));
            if seen.matches("in this run: ").count() > answered {
                answered += 1;
                match *typed.next().expect("no more questions than answers") {
                    // The terminal is not the one that controls the command, so it sends no signal.
                    INTERRUPT => kill_process(pid, Signal::INT).expect("it runs"),
                    answer => terminal.write_all(answer.as_bytes()).expect("it can be typed"),
                }
            }
        }
        let mut stdout = String::new();
        child.stdout.take().expect("a pipe").read_to_string(&mut stdout).expect("UTF-8");
        let code = child.wait().expect("it ends").code();
        assert_eq!(typed.next(), None, "every answer was asked for: {seen}");
        (code, stdout, seen.replace("\r\n", "\n"))
    }
}

/// A terminal of no size.
fn terminal() -> OwnedFd {
    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&person).expect("it is ours");
    unlockpt(&person).expect("it is open");
    person
}

fn other_side(person: &OwnedFd) -> Stdio {
    ioctl_tiocgptpeer(person, OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("its other side").into()
}

#[expect(clippy::disallowed_methods, reason = "the test is about the process itself")]
fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_helve"));
    command.current_dir(folder).env("NO_COLOR", "1").env_remove("RUST_BACKTRACE");
    command
}

fn tree(body: &str) -> String {
    format!("<root BTCPP_format=\"4\"><BehaviorTree ID=\"Main\">{body}</BehaviorTree></root>\n")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// What Ctrl-C types.
const INTERRUPT: &str = "\u{3}";

const RUN: &str = "run t.xml -s one=1 -s two=2 --vault notes --json";

#[test]
fn a09_without_a_terminal_a_write_is_denied_and_the_reason_names_what_helps() {
    let place = Place::new();
    let output = place.helve(RUN);
    assert_eq!(output.status.code(), Some(1));
    let report: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    let outcome = &report["calls"][0]["outcome"];
    assert_eq!((&outcome["kind"], &outcome["reason"]), (&"tool_denied".into(), &"write_denied".into()));
    let details = outcome["details"].as_str().expect("words");
    assert!(details.contains("`--yes`") && details.contains("`--policy FILE`"), "{details}");
    assert!(!place.path("notes").exists() && !place.path(".helve").exists(), "nothing was written");
}

#[test]
fn a09_yes_says_yes_and_never_to_what_a_rule_denies() {
    let place = Place::new();
    place.write(
        "policy.toml",
        "[[deny]]\ntool = \"vault_*\"\narguments = { path = \"b*\" }\nwhy = \"not b\"\n",
    );
    assert_eq!(place.helve(&format!("{RUN} --yes")).status.code(), Some(0));
    fs::remove_dir_all(place.path("notes")).expect("it is there");
    let output = place.helve(&format!("{RUN} --yes --policy policy.toml"));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let report = text(&output.stdout);
    assert!(report.contains("vault_write is denied by the rule `deny` at policy.toml:1: not b"), "{report}");
    assert!(place.path("notes/a.md").exists() && !place.path("notes/b.md").exists());
}

#[test]
fn a09_a_policy_allows_and_its_faults_are_told_before_anything_runs() {
    let place = Place::new();
    place.write("policy.toml", "allow = [\"vault_write\"]\n");
    assert_eq!(place.helve(&format!("{RUN} --policy policy.toml")).status.code(), Some(0));
    place.write("policy.toml", "allow = [\"vault_write\"\n");
    let output = place.helve(&format!("{RUN} --policy policy.toml --record r.helve"));
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert!(!place.path("r.helve").exists());
    assert!(text(&output.stderr).contains("error[E0701]"), "{}", text(&output.stderr));
    let output = place.helve(&format!("{RUN} --policy none.toml"));
    assert!(text(&output.stderr).contains("error[E0001]: the policy `none.toml` cannot be read"));
}

#[test]
fn a09_helves_own_folder_is_not_asked_for_unless_a_rule_wants_it() {
    let place = Place::new();
    let run = "run one.xml -s one=1";
    assert_eq!(place.helve(run).status.code(), Some(0));
    assert!(place.path(".helve/vault/a.md").exists());
    place.write("policy.toml", "ask = [\"vault_write\"]\n");
    assert_eq!(place.helve(&format!("{run} --policy policy.toml")).status.code(), Some(1));
    // A link that leads out of it is not it.
    fs::remove_dir_all(place.path(".helve/vault")).expect("it is there");
    fs::create_dir(place.path("elsewhere")).expect("a folder");
    std::os::unix::fs::symlink(place.path("elsewhere"), place.path(".helve/vault")).expect("a link");
    assert_eq!(place.helve(run).status.code(), Some(1));
    assert!(!place.path("elsewhere/a.md").exists());
}

#[test]
fn a09_a_person_is_shown_the_difference_and_answers() {
    let place = Place::new();
    let (code, _, seen) = place.at_a_terminal(RUN, &["y\n", "n\n"]);
    assert_eq!(code, Some(1), "{seen}");
    assert!(seen.contains("The tool `vault_write` wants to write (first)."), "{seen}");
    assert!(seen.contains("--- /dev/null\n+++ ") && seen.contains("\n+1\n"), "{seen}");
    assert!(place.path("notes/a.md").exists() && !place.path("notes/b.md").exists());
    let place = Place::new();
    let (code, report, seen) = place.at_a_terminal(RUN, &["a\n"]);
    assert_eq!(code, Some(0), "{seen}\n{report}");
    assert!(place.path("notes/a.md").exists() && place.path("notes/b.md").exists());
}

#[test]
fn a_terminal_that_nobody_has_told_its_size_is_one_all_the_same() {
    let place = Place::new();
    for how in ["", "--plain"] {
        let person = terminal();
        let mut command = place.command(&format!("run one.xml -s one=1 {how}"));
        let mut child = command.stdin(Stdio::null()).stdout(other_side(&person)).spawn().expect("it starts");
        // The command holds the other side open, and nobody would hear the end.
        drop(command);
        let (mut terminal, mut seen) = (File::from(person), Vec::new());
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = terminal.read(&mut buffer) {
            seen.extend_from_slice(&buffer[..read]);
        }
        assert!(child.wait().expect("it ends").success());
        let seen = text(&seen);
        assert!(seen.contains("first  vault_write  result") && seen.contains("SUCCESS in "), "{how}: {seen}");
        assert!(!seen.contains("0 more above"), "{how}: {seen}");
    }
}

#[test]
fn a09_the_end_of_the_input_is_a_no() {
    let place = Place::new();
    let (code, report, seen) = place.at_a_terminal(RUN, &["\u{4}"]);
    assert_eq!(code, Some(1), "{seen}");
    assert!(report.contains("the input ended before there was an answer"), "{report}");
    assert!(!place.path("notes").exists());
}

#[test]
fn a09_an_interrupt_is_a_no_and_halts_the_run() {
    let place = Place::new();
    let (code, _, seen) = place.at_a_terminal(RUN, &[INTERRUPT]);
    assert_eq!(code, Some(130), "{seen}");
    assert!(!place.path("notes").exists() && !place.path(".helve").exists(), "{seen}");
}

/// A program that proposes to write this into these files, and a tree that calls it.
fn proposer(paths: &str, text: &str) -> Place {
    let place = Place::new();
    let manifest = "name = \"replace\"\ndescription = \"Replaces.\"\ncommand = \"sh\"\n\
        args = [\"{here}/replace.sh\"]\noutput = \"events\"\nproposes = true\n";
    place.write("tools/replace.toml", manifest);
    let change = r#"printf '{"type":"change","path":"%s","content":"%s\\n"}\n' "$path" "$text""#;
    let result = r#"echo '{"type":"final_result","data":{}}'"#;
    place.write(
        "tools/replace.sh",
        &format!("text={text}\nfor path in {paths}; do {change}; done\n{result}\n"),
    );
    place.write("p.xml", &tree("<replace/>"));
    place.write("src/wheel", "five\n");
    place
}

#[test]
fn a09_what_a_program_proposes_is_shown_and_can_be_undone() {
    let place = proposer("src/wheel", "six");
    let run = "run p.xml --tools tools";
    assert_eq!(place.helve(run).status.code(), Some(1), "nobody can be asked");
    let (code, _, seen) = place.at_a_terminal(run, &["n\n"]);
    assert_eq!((code, place.read("src/wheel").as_deref()), (Some(1), Some("five\n")), "{seen}");
    assert!(seen.contains("/src/wheel\n@@ -1 +1 @@\n-five\n+six\n"), "{seen}");
    let (code, _, seen) = place.at_a_terminal(run, &["y\n"]);
    assert_eq!((code, place.read("src/wheel").as_deref()), (Some(0), Some("six\n")), "{seen}");
    assert_eq!(place.helve("undo 1").status.code(), Some(0));
    assert_eq!(place.read("src/wheel").as_deref(), Some("five\n"));
    place.write("policy.toml", "[[deny]]\ntool = \"*\"\nfile = \"src/*\"\n");
    let output = place.helve(&format!("{run} --yes --policy policy.toml"));
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("replace is denied by the rule"), "{}", text(&output.stdout));
}

#[test]
fn a09_a_program_that_proposes_something_else_afterwards_writes_nothing() {
    #[track_caller]
    fn check(paths: &str, text_said: &str, why: &str) {
        let place = proposer(paths, text_said);
        let output = place.helve("run p.xml --tools tools --yes");
        assert_eq!(output.status.code(), Some(1));
        let shown = text(&output.stdout);
        assert!(shown.contains(why), "{shown}");
        assert_eq!(fs::read_dir(place.path("src")).expect("a folder").count(), 1, "{paths}");
        assert_eq!(place.read("src/wheel").as_deref(), Some("five\n"), "all or nothing: {paths}");
    }
    // `$$` is another number each time it runs.
    check("src/wheel src/z$$", "six", "the preview that the write was permitted by does not name it");
    check("src/wheel", "$$", "would not leave it as the preview shows");
    check("src/wheel", "\"six $$\"", "would not leave it as the preview shows");
}

#[test]
fn a10_undo_lists_shows_and_restores() {
    let place = Place::new();
    place.write("notes/a.md", "mine\n");
    assert_eq!(place.helve(&format!("{RUN} --yes")).status.code(), Some(0));
    let list = text(&place.helve("undo").stdout);
    let lines: Vec<_> = list.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("2 ") && lines[1].starts_with("1 "), "{list}");
    assert!(lines[1].contains("vault_write (first)") && lines[1].contains("written"), "{list}");
    let output = place.helve("undo 1");
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(shown.contains("\n+mine\n") && shown.contains("restored "), "{shown}");
    assert_eq!(place.read("notes/a.md").as_deref(), Some("mine\n"));
    let output = place.helve("undo last --json");
    let json: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&json["id"], &json["files"][0]["did"]), (&"2".into(), &"removed".into()));
    assert!(!place.path("notes/b.md").exists() && place.path("notes").is_dir(), "it was there before");
    let json: Json = serde_json::from_slice(&place.helve("undo --json").stdout).expect("JSON");
    let checkpoints = json["checkpoints"].as_array().expect("a list");
    assert_eq!(checkpoints.len(), 4);
    assert_eq!((&checkpoints[0]["undoes"], &checkpoints[3]["approved_by"]), (&"2".into(), &"`--yes`".into()));
    assert_eq!(checkpoints[3]["files"][0]["standing"], "restored");
}

#[test]
fn a10_undo_removes_the_folders_that_the_write_made() {
    let place = Place::new();
    assert_eq!(place.helve("run one.xml -s one=1 --vault new/notes --yes").status.code(), Some(0));
    let shown = text(&place.helve("undo last").stdout);
    assert!(shown.contains("/new/notes/\n") && shown.contains("/new/\n"), "{shown}");
    assert!(!place.path("new").exists());
}

#[test]
fn a10_undo_keeps_later_changes_unless_it_is_forced() {
    let place = Place::new();
    assert_eq!(place.helve(&format!("{RUN} --yes")).status.code(), Some(0));
    place.write("notes/a.md", "mine\n");
    let output = place.helve("undo 1");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("error[E0442]"), "{}", text(&output.stderr));
    assert_eq!(place.read("notes/a.md").as_deref(), Some("mine\n"));
    assert_eq!(place.helve("undo 1 --force").status.code(), Some(0));
    assert!(!place.path("notes/a.md").exists());
    assert_eq!(place.helve("undo last").status.code(), Some(0), "the second note");
    let output = place.helve("undo 77");
    assert!(text(&output.stderr).contains("error[E0441]"), "{}", text(&output.stderr));
}

#[test]
fn a09_a_recording_tells_who_said_yes_and_no() {
    let place = Place::new();
    place.write("policy.toml", "[[allow]]\ntool = \"vault_write\"\narguments = { path = \"a*\" }\n");
    let output =
        place.helve("run t.xml -s one=1 -s two=2 --vault notes --policy policy.toml --record r.helve");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let lines = text(&output.stdout);
    assert!(lines.contains("allowed vault_write  call_1, by the rule `allow` at policy.toml:1"), "{lines}");
    let journal = Journal::open(&place.path("r.helve")).expect("a recording");
    let permissions = journal.permissions().expect("it is whole");
    let found: Vec<_> = permissions.iter().map(|it| (it.call.0, &*it.name, &it.said["by"])).collect();
    let by = Json::from("the rule `allow` at policy.toml:1");
    assert_eq!(found, [(1, "tool.permission.granted", &by), (2, "tool.permission.denied", &Json::Null)]);
    assert!(permissions[1].said["details"].as_str().is_some_and(|it| it.contains("no terminal at which")));
    assert_eq!(place.helve("replay r.helve").status.code(), Some(0), "a replay asks nobody");
}
