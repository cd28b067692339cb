//! `helve artifact`, and `helve run` and `helve replay` with a folder of artifacts, as processes.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use helve::exec::artifact::ArtifactId;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// A folder with the trees and tools of this repository and a long file.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        let lines: String = (1..=900).map(|n| format!("{n} word {}\n", n * n)).collect();
        place.write("long.txt", &lines);
        place
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders can be made");
        fs::write(path, text).expect("a file can be written");
    }

    #[expect(clippy::disallowed_methods, reason = "the test is about the process itself")]
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_helve"));
        command.current_dir(self.folder.path()).stdin(Stdio::null()).env("NO_COLOR", "1").args(arguments);
        command
    }

    fn helve(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("helve can be started")
    }

    /// What a command prints that is to end well and without a word to standard error.
    #[track_caller]
    fn said(&self, arguments: &[&str]) -> String {
        let output = self.helve(arguments);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
        text(&output.stdout)
    }

    /// The faults of a command that is to end with this exit code.
    #[track_caller]
    fn faults(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.helve(arguments);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stdout));
        text(&output.stderr)
    }

    /// Measures the long file; its output is an artifact.
    fn run(&self, more: &[&str]) -> Output {
        let (tree, tools) = (of_repository("line_index.xml"), of_repository("tools"));
        let run = ["run", &tree, "--tools", &tools, "--set", "path=long.txt"];
        self.helve(&[&run[..], more].concat())
    }

    fn ids(&self) -> Vec<String> {
        let list: Json = serde_json::from_str(&self.said(&["artifact", "--json"])).expect("JSON");
        let ids =
            list.as_array().expect("a list").iter().map(|it| it["id"].as_str().expect("an id").to_owned());
        ids.collect()
    }
}

fn of_repository(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("trees").join(path).display().to_string()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn a12_a_large_output_is_run_stored_printed_and_replayed() {
    let place = Place::new();
    let output = place.run(&["--record", "run.helve", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["blackboard"]["words_of_the_last_line"], 3, "read inside the artifact");
    assert_eq!(report["calls"][0]["outcome"]["kind"], "tool_artifact_reference");

    let [id] = &place.ids()[..] else { panic!("one artifact") };
    let content = place.helve(&["artifact", &id[..4]]).stdout;
    assert_eq!(ArtifactId::of(&content).as_str(), id, "printed to the byte");
    let list = place.said(&["artifact"]);
    let row = list.lines().nth(1).expect("a row").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(row.starts_with(&format!("{id} 69.7 kB")) && row.ends_with("line_index"), "{row}");
    assert_eq!(place.said(&["artifact", id, "--path", "path"]), "long.txt\n");
    assert_eq!(place.said(&["artifact", id, "--path", "lines[-1].number"]), "900\n");
    let json: Json =
        serde_json::from_str(&place.said(&["artifact", id, "--json", "--path", "lines[0]"])).expect("JSON");
    assert_eq!(
        (&json["tool"], &json["pinned"], &json["content"]["words"]),
        (&json!("line_index"), &json!(false), &json!(3))
    );
    assert_eq!(json["bytes"], content.len());

    assert!(place.said(&["replay", "run.helve"]).contains("gave the same"));
    assert!(fs::metadata(place.path("run.helve")).expect("it is there").len() < content.len() as u64);
}

#[test]
fn a12_a_replay_whose_artifact_is_gone_says_which() {
    let place = Place::new();
    place.run(&["--record", "run.helve", "--artifacts", "kept"]);
    assert!(!place.path(".helve/artifacts").exists());
    fs::rename(place.path("kept"), place.path("moved")).expect("it can be moved");
    let faults = place.faults(1, &["replay", "run.helve"]);
    assert!(
        faults.contains("error[E0435]: the replay goes up to input 2, which needs the artifact "),
        "{faults}"
    );
    assert!(faults.contains(", an output of line_index"), "{faults}");
    let json = place.helve(&["replay", "run.helve", "--json"]).stdout;
    let json: Json = serde_json::from_slice(&json).expect("JSON");
    assert_eq!(
        (&json["missing"]["tool"], &json["missing"]["input"], &json["inputs"]),
        (&json!("line_index"), &json!(2), &json!(1))
    );
    assert!(place.said(&["replay", "run.helve", "--artifacts", "moved"]).contains("verdict SUCCESS"));
}

#[test]
fn a12_a_beginning_that_several_names_share_is_answered_with_them() {
    let place = Place::new();
    for line in [0, 22] {
        let content = format!(r#"{{"results":[{{"line":{line},"path":"repo/lib.rs"}}]}}"#);
        place.write(&format!(".helve/artifacts/3d/{}", ArtifactId::of(content.as_bytes())), &content);
    }
    let mut told = String::new();
    let refused: [&[&str]; 5] = [
        &["3d"],
        &["../3d"],
        &["3d9", "--path", "reslts"],
        &["3d9", "--path", "results["],
        &["--artifacts", "long.txt"],
    ];
    for arguments in refused {
        let faults = place.faults(2, &[&["artifact"], arguments].concat());
        told.push_str(&format!("$ helve artifact {}\n{faults}\n", arguments.join(" ")));
    }
    let done: [&[&str]; 5] = [
        &["3d9", "--path", "results[-1]"],
        &["3D99", "--path", "results[0].path"],
        &["--clean", "--unused-days", "1"],
        &["--clean"],
        &[],
    ];
    for arguments in done {
        let said = place.said(&[&["artifact"], arguments].concat());
        told.push_str(&format!("$ helve artifact {}\n{said}\n", arguments.join(" ")));
    }
    insta::assert_snapshot!(told);
}

#[test]
fn a12_where_nothing_can_be_written_artifacts_are_kept_in_memory_and_that_is_said() {
    let place = Place::new();
    place.write(".helve/artifacts", "a file where a folder would have to be");
    let output = place.run(&["--record", "run.helve"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        said.contains("warning[W0401]: large outputs are kept in memory and are gone after the run"),
        "{said}"
    );
    let said = text(&output.stdout);
    assert!(
        said.contains("  artifact  ") && said.contains("  SUCCESS  [52604e34] lines: [900 items]"),
        "{said}"
    );
    assert!(
        place.said(&["replay", "run.helve"]).contains("verdict SUCCESS"),
        "the recording holds it itself"
    );
    let faults = place.faults(
        2,
        &[
            "run",
            &of_repository("line_index.xml"),
            "--tools",
            &of_repository("tools"),
            "--set",
            "path=long.txt",
            "--artifacts",
            "long.txt",
        ],
    );
    assert!(faults.contains("error[E0434]: "), "{faults}");
}

#[test]
fn a12_what_a_run_under_way_refers_to_is_spared_until_the_run_is_killed() {
    let place = Place::new();
    let tree = r#"<root BTCPP_format="4"><BehaviorTree ID="Main"><Sequence>
        <line_index path="long.txt" result="{index}"/><Sleep msec="600000"/>
    </Sequence></BehaviorTree></root>"#;
    place.write("wait.xml", tree);
    let tools = of_repository("tools");
    let mut run = place.command(&["run", "wait.xml", "--plain", "--tools", &tools]);
    let mut run = run.stdout(Stdio::piped()).spawn().expect("helve can be started");
    let lines = BufReader::new(run.stdout.take().expect("a pipe")).lines();
    assert!(lines.map_while(Result::ok).any(|line| line.contains("artifact")), "the first call has ended");
    assert!(place.said(&["artifact"]).contains("by a run"));
    let said = place.said(&["artifact", "--clean"]);
    assert_eq!(said, "removed 0 artifacts, 0 B\nkept 1 that a run under way refers to\n");
    run.kill().expect("it can be killed");
    run.wait().expect("it is reaped");
    assert_eq!(place.said(&["artifact", "--clean"]), "removed 1 artifact, 69.7 kB\n");
}
