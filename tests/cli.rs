//! The `helve` binary as a child process: what it prints, and how it ends.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value as Json;
use tempfile::TempDir;

/// A folder with a small repository in it, and a place for trees.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        place.write("repo/src/lib.rs", "/// Turns.\npub struct Wheel {\n    spokes: u32,\n}\n\npub fn spin(wheel: &Wheel) -> u32 {\n    wheel.spokes\n}\n");
        place
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders can be made");
        fs::write(path, text).expect("a file can be written");
    }

    fn exists(&self, path: &str) -> bool {
        self.folder.path().join(path).exists()
    }

    fn helve(&self, arguments: &[&str]) -> Output {
        command(self.folder.path()).args(arguments).output().expect("helve can be started")
    }

    /// Standard error and exit code of a command that is to be refused, folders made neutral.
    #[track_caller]
    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.helve(arguments);
        let text = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
        assert!(!self.exists(".helve"), "nothing was run, so nothing was written");
        text.replace(&self.folder.path().display().to_string(), "<place>").trim_end().to_owned()
    }
}

#[expect(clippy::disallowed_methods, reason = "the test is about the process itself")]
fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_helve"));
    command.current_dir(folder).stdin(Stdio::null()).env("NO_COLOR", "1").env_remove("RUST_BACKTRACE");
    command
}

fn tree(body: &str) -> String {
    format!(
        "<root BTCPP_format=\"4\">\n  <BehaviorTree ID=\"Main\">\n    {body}\n  </BehaviorTree>\n</root>\n"
    )
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn a_tree_runs_on_real_files_and_writes_its_note() {
    let place = Place::new();
    let explore = Path::new(env!("CARGO_MANIFEST_DIR")).join("trees/explore.xml");
    let explore = explore.to_str().expect("a path in UTF-8");
    let output = place.helve(&["run", explore, "-s", "symbol=Wheel", "-r", "repo", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: Json = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(report["verdict"], "SUCCESS");
    assert_eq!(report["blackboard"]["where"], "src/lib.rs:2");
    let kinds: Vec<_> =
        report["calls"].as_array().expect("calls").iter().map(|it| &it["outcome"]["kind"]).collect();
    assert_eq!(kinds, ["tool_execution_result"; 5]);
    let note = fs::read_to_string(report["wrote"][0].as_str().expect("a path")).expect("the note is there");
    assert!(note.contains("`Wheel` is found at **src/lib.rs:2**"), "{note}");
    assert!(note.contains("- 6: `pub fn spin(wheel: &Wheel) -> u32 {`"), "{note}");
    assert!(note.contains("src/lib.rs\n"), "the map names the file: {note}");
}

#[test]
fn a_symbol_without_a_definition_is_found_by_its_text() {
    let place = Place::new();
    place.write("repo/notes.txt", "the hub of the matter\n");
    let explore = Path::new(env!("CARGO_MANIFEST_DIR")).join("trees/explore.xml");
    let explore = explore.to_str().expect("a path in UTF-8");
    let output = place.helve(&["run", explore, "-s", "symbol=hub", "-r", "repo", "--json"]);
    let report: Json = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(report["verdict"], "SUCCESS", "{report:#}");
    assert_eq!(report["blackboard"]["where"], "notes.txt:1");
    assert_eq!(report["blackboard"]["signature"], "the hub of the matter");
    assert_eq!(report["failures"][0]["leaf"], "by definition");
}

#[test]
fn a_plan_runs_by_rules_without_calling_a_tool() {
    let place = Place::new();
    let home = |path: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        path.to_str().expect("a path in UTF-8").to_owned()
    };
    let (plan, rules) = (home("trees/locate.xml"), home("trees/offline.json"));
    let said = ["-s", "symbol=Engine", "-r", "repo", "--rules", &rules];
    let output = place.helve(&[&["run", &plan, "--json", "--record", "r.helve"], &said[..]].concat());
    let report: Json = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(report["verdict"], "SUCCESS", "{report:#}");
    assert_eq!(report["calls"], serde_json::json!([]));
    assert_eq!(report["blackboard"]["noted"], "src/engine/machine.rs:31");
    let replaced = serde_json::json!([
        {"leaf": "look it up", "by": "TestNode: found"}, {"leaf": "write it down", "by": "TestNode: written"},
    ]);
    assert_eq!(report["rules"]["replaced"], replaced);
    let output = place.helve(&["replay", "r.helve"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert!(
        text(&output.stdout).contains("leaves were replaced by the rules of"),
        "{}",
        text(&output.stdout)
    );
    let drawn = text(&place.helve(&["draw", &plan, "--rules", &rules]).stdout);
    assert!(drawn.contains("find_definition \"look it up\" (TestNode: found)"), "{drawn}");
    let output = place.helve(&["check", "--strict", &plan, "--rules", &rules]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let output = place.helve(&["run", &plan, "-s", "symbol=Wheel", "-r", "repo", "--json"]);
    let report: Json = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(report["verdict"], "SUCCESS", "the plan also runs with its tools: {report:#}");
    assert_eq!(report["rules"], Json::Null);
}

#[test]
fn a_failure_ends_with_1_and_says_why() {
    let place = Place::new();
    place.write("t.xml", tree("<search_code name=\"look\" query=\"zebra\"/>"));
    let output = place.helve(&["run", "t.xml", "-r", "repo"]);
    assert_eq!(output.status.code(), Some(1));
    let lines = text(&output.stdout);
    let failures = lines.split("Failures\n").nth(1).expect("a list of failures");
    assert!(
        failures.contains("look: `size(result.results) > 0` is false: size(result.results) is 0"),
        "{lines}"
    );
    assert!(lines.contains("FAILURE in "), "{lines}");
}

#[test]
fn plain_output_is_a_line_for_each_thing() {
    let place = Place::new();
    place.write("t.xml", tree("<Fallback><vault_read path=\"none.md\"/><Delay delay_msec=\"1\"><AlwaysSuccess name=\"rest\"/></Delay></Fallback>"));
    let output = place.helve(&["run", "t.xml", "-r", "repo"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let lines = text(&output.stdout);
    assert!(!lines.contains('\u{1b}'), "no escape codes where there is no terminal");
    let verbs: Vec<_> = lines
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().nth(1))
        .collect();
    assert_eq!(verbs, ["call", "failure", "failed"]);
    assert!(lines.contains("[✓] Fallback\n├─ [✗] vault_read"), "{lines}");
    assert!(lines.contains("└─ [✓] Delay\n   └─ [✓] AlwaysSuccess \"rest\""), "{lines}");
}

#[test]
fn a_recorded_run_is_replayed_to_the_byte() {
    let place = Place::new();
    place.write(
        "t.xml",
        tree("<Sequence><search_code query=\"{q}\"/><vault_write path=\"a.md\" body=\"{q}\"/></Sequence>"),
    );
    let run = ["run", "t.xml", "-r", "repo", "-s", "q=Wheel", "--record", "run.helve"];
    assert_eq!(place.helve(&run).status.code(), Some(0));
    fs::remove_dir_all(place.folder.path().join("repo")).expect("the repository can go");
    let output = place.helve(&["replay", "run.helve", "--json"]);
    let replay: Json = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(
        (&replay["same"], &replay["verdict"]),
        (&Json::Bool(true), &Json::from("SUCCESS")),
        "{replay:#}"
    );
    // A second recording does not overwrite the first.
    place.write("repo/a.rs", "struct Wheel;");
    let again = place.helve(&run);
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).starts_with("error[E0406]"), "{}", text(&again.stderr));
    assert_eq!(place.helve(&["replay", "run.helve"]).status.code(), Some(0));
}

#[test]
fn files_that_are_no_trees_are_refused() {
    let place = Place::new();
    place.write("empty.xml", "");
    place.write("plain.xml", "just text\n");
    place.write("truncated.xml", "<root BTCPP_format=\"4\"><BehaviorTree ID=\"A\"><Sequence><Always");
    place.write("binary.xml", [0x7f, b'E', b'L', b'F', 0, 1, 2]);
    place.write("latin.xml", b"<root BTCPP_format=\"4\"><!-- caf\xe9 --></root>");
    place.write("wrong.xml", "<tree/>\n");
    let files = [
        "missing.xml",
        ".",
        "empty.xml",
        "plain.xml",
        "truncated.xml",
        "binary.xml",
        "latin.xml",
        "wrong.xml",
    ];
    let refused: Vec<_> = files.iter().map(|file| place.refused(&["run", file, "-r", "repo"])).collect();
    insta::assert_snapshot!("files_that_are_no_trees", refused.join("\n\n=====\n\n"));
}

#[test]
fn trees_with_faults_are_refused() {
    let place = Place::new();
    let rows = [
        ("node", tree("<search_cod query=\"x\"/>")),
        ("port", tree("<search_code qery=\"x\"/>")),
        ("type", tree("<search_code query=\"x\" limit=\"some\"/>")),
        ("argument", tree("<Repeat><AlwaysSuccess/></Repeat>")),
        ("circle", tree("<SubTree ID=\"Main\"/>")),
    ];
    let refused: Vec<_> = (rows.iter())
        .map(|(name, body)| {
            place.write(&format!("{name}.xml"), body);
            place.refused(&["run", &format!("{name}.xml"), "-r", "repo"])
        })
        .collect();
    insta::assert_snapshot!("trees_with_faults", refused.join("\n\n=====\n\n"));
}

#[test]
fn settings_that_do_not_fit_are_refused() {
    let place = Place::new();
    place.write("t.xml", tree("<Sequence><search_code query=\"{symbol}\" limit=\"{most}\"/><Delay delay_msec=\"{pause}\"><AlwaysSuccess/></Delay></Sequence>"));
    let rows: [&[&str]; 5] = [
        &["-s", "most=3", "-s", "pause=1"],
        &["-s", "symbl=x", "-s", "symbol=x", "-s", "pause=1"],
        &["-s", "symbol=x", "-s", "pause=soon"],
        &["-s", "symbol", "-s", "pause=1"],
        &["-s", "most=many", "-s", "pause=-1"],
    ];
    let refused: Vec<_> =
        rows.iter().map(|row| place.refused(&[&["run", "t.xml", "-r", "repo"], *row].concat())).collect();
    insta::assert_snapshot!("settings_that_do_not_fit", refused.join("\n\n=====\n\n"));
}

#[test]
fn folders_that_will_not_do_are_refused_before_anything_runs() {
    let place = Place::new();
    place.write("file", "not a folder");
    fs::create_dir(place.folder.path().join("nothing")).expect("an empty folder");
    place.write("read.xml", tree("<search_code query=\"x\"/>"));
    place.write("write.xml", tree("<vault_write path=\"a.md\" body=\"b\"/>"));
    let rows: [&[&str]; 5] = [
        &["run", "read.xml", "-r", "gone"],
        &["run", "read.xml", "-r", "file"],
        &["run", "read.xml", "-r", "nothing"],
        &["run", "write.xml", "-r", "repo", "--vault", "file"],
        &["run", "write.xml", "-r", "repo", "--vault", "file/below"],
    ];
    let refused: Vec<_> = rows.iter().map(|row| place.refused(row)).collect();
    insta::assert_snapshot!("folders_that_will_not_do", refused.join("\n\n=====\n\n"));
}

#[test]
fn names_that_do_not_exist_are_refused_with_a_guess() {
    let place = Place::new();
    let refused = [
        place.refused(&["tools", "serch_code"]),
        place.refused(&["nodes", "sequense"]),
        place.refused(&["replay", "none.helve"]),
    ];
    insta::assert_snapshot!("names_that_do_not_exist", refused.join("\n\n=====\n\n"));
}

#[test]
fn check_tells_every_fault_of_every_file() {
    let place = Place::new();
    place.write("good.xml", tree("<search_code query=\"{what}\"/>"));
    place.write("bad.xml", tree("<Sequence><Sequense/><search_code qery=\"x\"/></Sequence>"));
    place.write("warned.xml", tree("<AlwaysSuccess/>").replace(" BTCPP_format=\"4\"", ""));
    let code = |arguments: &[&str]| place.helve(arguments).status.code();
    assert_eq!(code(&["check", "good.xml", "warned.xml"]), Some(0));
    assert_eq!(code(&["check", "--strict", "good.xml", "warned.xml"]), Some(2));
    let output = place.helve(&["check", "--json", "good.xml", "bad.xml", "missing.xml"]);
    assert_eq!(output.status.code(), Some(2));
    let reports: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    let codes = |file: usize| {
        let faults = reports[file]["faults"].as_array().expect("faults");
        faults.iter().map(|fault| fault["code"].as_str().expect("a code").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(reports[0]["to_be_set"][0]["key"], "what");
    assert_eq!(
        (codes(0), codes(1), codes(2)),
        (vec![], vec!["E0106".into(), "E0107".into()], vec!["E0001".into()])
    );
    assert_eq!(reports[1]["faults"][1]["place"]["line"], 3);
    let lines = text(&place.helve(&["check", "good.xml", "bad.xml"]).stdout);
    insta::assert_snapshot!(lines.trim_end(), @r"
    good.xml: no faults; 1 node in `Main`, to be set: what (std::string)
    bad.xml: 2 errors
    ");
}

#[test]
fn every_listing_has_a_form_for_programs() {
    let place = Place::new();
    place.write("t.xml", tree("<Inverter><AlwaysFailure/></Inverter>"));
    let json = |arguments: &[&str]| -> Json {
        let output = place.helve(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    assert_eq!(json(&["draw", "t.xml", "--json"])["nodes"][1]["parent"], 0);
    assert_eq!(json(&["tools", "--json"]).as_array().map(Vec::len), Some(8));
    let tool = json(&["tools", "search_code", "--json"]);
    assert_eq!((&tool["timeout_ms"], &tool["effects"]), (&Json::from(30_000), &Json::from("read-only")));
    assert!(tool["input_schema"]["properties"]["query"].is_object());
    assert!(json(&["nodes", "--json"]).as_array().is_some_and(|nodes| nodes.len() >= 16));
    assert_eq!(json(&["nodes", "Repeat", "--json"])["ports"][0]["name"], "num_cycles");
}

#[test]
fn drawings_are_for_people_and_for_graphviz() {
    let place = Place::new();
    place.write(
        "t.xml",
        tree("<Sequence name=\"s\"><search_code query=\"a &quot;b&quot;\" result=\"{hits}\"/></Sequence>"),
    );
    let drawing = text(&place.helve(&["draw", "t.xml"]).stdout);
    assert_eq!(drawing, "Sequence \"s\"\n└─ search_code  query=a \"b\" → {hits}\n");
    let dot = text(&place.helve(&["draw", "t.xml", "--dot"]).stdout);
    assert!(dot.starts_with("digraph \"Main\" {") && dot.ends_with("  n0 -> n1;\n}\n"), "{dot}");
    assert!(dot.contains(r#"query=a \"b\""#), "{dot}");
}

#[test]
fn the_rest_of_the_face() {
    let place = Place::new();
    let out = |arguments: &[&str]| text(&place.helve(arguments).stdout);
    assert!(out(&["completions", "bash"]).contains("_helve()"));
    assert!(out(&["--version"]).starts_with("helve "));
    assert!(out(&["run", "--help"]).contains("--set <KEY=VALUE>"));
    assert!(out(&["tools", "vault_write"]).contains("success   result.status == \"ok\""));
    assert_eq!(place.helve(&["fly"]).status.code(), Some(2));
}

#[test]
fn a_program_is_a_tool_by_its_manifest() {
    let place = Place::new();
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("trees");
    let (tree, tools) = (home.join("text_stats.xml"), home.join("tools"));
    let (tree, tools) = (tree.to_str().expect("UTF-8"), tools.to_str().expect("UTF-8"));
    let run = |path: &str| place.helve(&["run", tree, "-t", tools, "-r", "repo", "-s", path, "--json"]);
    let output = run("path=src/lib.rs");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: Json = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!((&report["blackboard"]["lines"], &report["blackboard"]["words"]), (&8.into(), &18.into()));
    let output = run("path=../outside");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("permission_error"));
    assert!(text(&place.helve(&["check", tree, "--tools", tools]).stdout).contains("no faults"));
    assert!(
        text(&place.helve(&["tools", "--tools", tools, "text_stats"]).stdout)
            .contains("read-only, idempotent")
    );
    let shown = text(&place.helve(&["tools", "--tools", tools, "text_stats"]).stdout);
    let program: Vec<_> = shown.lines().skip_while(|line| *line != "Program").take(6).collect();
    assert!(program[1].starts_with("  command ") && program[1].ends_with("/text_stats.sh"), "{shown}");
    assert_eq!(program[3], "  writes to  a folder of its own, TMPDIR", "{shown}");
    assert!(program[5].contains("memory_mb 256") && program[5].contains("cpu_seconds 5"), "{shown}");
    let refused = place.refused(&["run", tree, "--tools", "nowhere.toml"]);
    assert!(refused.contains("E0001") && refused.contains("Name a manifest file"), "{refused}");
}

#[test]
fn a_run_of_programs_shows_what_they_say_what_was_enforced_and_what_to_do_next() {
    let place = Place::new();
    place.write("t.xml", tree("<grumble n=\"1\"/>"));
    place.write(
        "tools/grumble.toml",
        "name = \"grumble\"\ndescription = \"Fails.\"\ncommand = \"sh\"\n\
        args = [\"{here}/grumble.sh\"]\neffects = \"read-only\"\noutput = \"events\"\n\
        [input.properties]\nn.type = \"integer\"\n",
    );
    let script = r#"printf '{"type":"log","level":"warning","message":"one\\u001b[2J\\ntwo"}\n'
        printf '{"type":"error","message":"no\\u001b[2J","suggestion":"Try\\u001b[2J harder."}\n'"#;
    place.write("tools/grumble.sh", script);
    let output = place.helve(&["run", "t.xml", "--tools", "tools", "-r", "repo"]);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{shown}");
    assert!(!shown.contains('\u{1b}'), "nothing that a program says is obeyed by a terminal: {shown:?}");
    for line in
        ["log     call_1  warning: one\\u{1b}[2J two", "::1: no\\u{1b}[2J\n", "next: Try\\u{1b}[2J harder."]
    {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let bounds = shown.lines().skip_while(|line| *line != "Bounds of programs").nth(1).expect("a row");
    assert!(bounds.starts_with("  grumble  held: ") && bounds.contains("not: "), "{bounds}");
    let output = place.helve(&["run", "t.xml", "--tools", "tools", "-r", "repo", "--json"]);
    let report: Json = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let process = &report["calls"][0]["process"];
    assert_eq!((&process["exit_code"], &process["left"]), (&Json::from(0), &Json::from(0)), "{process}");
    assert!(process["enforced"]["network"]["why"].is_string() && process["used"]["cpu_ms"].is_u64());
}

#[test]
fn a08_a_program_that_uses_the_web_runs_when_it_is_told_that_it_may() {
    let place = Place::new();
    place.write("t.xml", tree("<web/>"));
    place.write(
        "web.toml",
        "name = \"web\"\ndescription = \"W.\"\ncommand = \"echo\"\nargs = [\"1\"]\n\
        effects = \"read-only\"\nweb = true\n",
    );
    let run = ["run", "t.xml", "--tools", "web.toml", "-r", "repo"];
    let output = place.helve(&run);
    let shown = text(&output.stdout);
    assert!(output.status.code() == Some(1) && shown.contains("next: Turn web mode on"), "{shown}");
    assert_eq!(place.helve(&[&run[..], &["--web"]].concat()).status.code(), Some(0));
}

#[test]
fn no_message_shows_a_number_of_the_system() {
    let place = Place::new();
    place.write("t.xml", tree("<AlwaysSuccess/>"));
    place.write("file", "");
    place.write("bad.toml", "name = \"a\"\ndescription = \"A.\"\ncommand = \"./none\"\n");
    let rows = [
        "run none.xml",
        "run t.xml --record none/r.helve",
        "run t.xml --policy none.toml",
        "run t.xml --policy repo",
        "run t.xml --root none",
        "run t.xml --artifacts file",
        "run t.xml --tools none.toml",
        "run t.xml --tools bad.toml",
        "run t.xml --include-root none",
        "check t.xml --include-root file",
        "check t.xml --rules none.json",
        "replay none.helve",
        "replay repo",
        "conformance none",
        "conformance t.xml",
        "fmt none.xml",
        "convert none.xml",
        "artifact --artifacts file",
    ];
    for row in rows {
        let output = place.helve(&row.split(' ').collect::<Vec<_>>());
        let (said, code) = (text(&output.stderr), output.status.code());
        assert!(code == Some(2) && said.contains("error[E") && !said.contains("(os error"), "{row}: {said}");
        assert!(said.contains("= help: "), "{row}: {said}");
    }
}

/// A host that is killed without a word leaves no program behind: neither the one that it started
/// nor its children.
#[test]
fn a_killed_host_takes_its_programs_with_it() {
    use std::io::{BufRead, BufReader};
    let place = Place::new();
    place.write(
        "hang.toml",
        "name = \"hang\"\ndescription = \"Hangs.\"\ncommand = \"sh\"\nargs = [\"{here}/hang.sh\"]\n",
    );
    place.write(
        "hang.sh",
        "trap '' TERM HUP\nsleep 1000 &\necho 1 > \"$TMPDIR/x\"\necho \"$TMPDIR\" > temporary\necho $$ $! > started.new\nmv started.new started\ncat fifo\n",
    );
    place.write("hang.xml", tree("<hang/>"));
    assert!(command_of("mkfifo", place.folder.path()).arg("fifo").status().expect("mkfifo").success());
    let mut host = command(place.folder.path())
        .args(["run", "hang.xml", "--tools", "hang.toml", "--plain", "--yes"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("helve can be started");
    let mut lines = BufReader::new(host.stdout.take().expect("a pipe")).lines();
    assert!(lines.next().expect("a line").expect("UTF-8").contains("hang"));
    let started = wait_for(|| fs::read_to_string(place.folder.path().join("started")).ok());
    let pids: Vec<String> = started.split_whitespace().map(str::to_owned).collect();
    let is_alive = |pid: &String| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
    };
    assert!(pids.len() == 2 && pids.iter().all(is_alive));
    host.kill().expect("it runs");
    host.wait().expect("it ends");
    wait_for(|| (!pids.iter().any(is_alive)).then_some(()));
    let temporary = fs::read_to_string(place.folder.path().join("temporary")).expect("it was told");
    assert!(temporary.contains("helve-"), "{temporary}");
    wait_for(|| (!Path::new(temporary.trim()).exists()).then_some(()));
}

#[expect(clippy::disallowed_methods, reason = "the test is about processes")]
fn command_of(program: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder);
    command
}

/// Looks again and again, at most for a minute: what another process does tells nobody.
fn wait_for<T>(look: impl Fn() -> Option<T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let looking = async {
        loop {
            match look() {
                Some(found) => break found,
                None => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    };
    let found = runtime.block_on(async { tokio::time::timeout(Duration::from_secs(60), looking).await });
    found.expect("it happens")
}
