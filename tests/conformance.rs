//! This engine does what the reference engine of the dialect did, tick by tick: all cases of
//! `tests/data/conformance/cases` that use nothing which the catalog lacks. Where it differs on
//! purpose, `deviations.tsv` says what it does instead and why; the reference's own bugs and
//! doubtful choices are listed in `quirks.tsv`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use helve::conformance::{Case, Report, Trace, Verdict, deviations, read_folder};

/// The mark of a row that no quirk explains but a promise of the engine's own design.
const BY_DESIGN: &str = "design";
/// The one such row: the reference reads 256 levels of elements, this engine promises 100,000.
const BY_DESIGN_CASES: [&str; 1] = ["391"];
/// How many cases there are: a folder that lost some is noticed.
const CASES: usize = 302;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/conformance").join(name)
}

fn cases() -> Vec<Case> {
    let cases = read_folder(&data("")).expect("the cases can be read");
    assert_eq!(cases.len(), CASES);
    cases
}

/// The cases that pin a quirk of the reference, by number.
fn quirks() -> BTreeSet<String> {
    let text = fs::read_to_string(data("quirks.tsv")).expect("the table can be read");
    let row = |line: &str| {
        let columns: Vec<_> = line.split('\t').collect();
        assert_eq!(columns.len(), 4, "quirks.tsv: columns of {line}");
        assert!(
            columns.iter().all(|column| !column.trim().is_empty()),
            "quirks.tsv: an empty column: {line}"
        );
        columns[0].to_owned()
    };
    text.lines().skip(1).map(row).collect()
}

#[test]
fn every_case_that_is_due_passes_or_differs_on_purpose() {
    let cases = cases();
    let report = Report::of(&cases).expect("the leaves of the cases are new to the catalog");
    let mut faults = String::new();
    let mut later = BTreeMap::<&str, usize>::new();
    for it in report.cases() {
        match &it.verdict {
            Verdict::Passed | Verdict::Deviates(_) => {}
            Verdict::NotYet(what) => *later.entry(what).or_default() += 1,
            Verdict::NoLongerDeviates(_) | Verdict::Failed(_) => {
                let _ = write!(faults, "{it}");
            }
        }
    }
    for (what, count) in later {
        println!("not yet: {what} ({count})");
    }
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
fn a_deviation_names_its_case_and_the_quirk_that_it_betters() {
    let cases = cases();
    let slugs: BTreeMap<_, _> = cases.iter().map(|case| (&*case.number, &*case.slug)).collect();
    let quirks = quirks();
    for row in deviations() {
        let number = row.number;
        assert_eq!(slugs.get(number), Some(&row.slug), "{number} is no such case");
        let own = row.quirk == number && quirks.contains(number);
        let random = row.slug.starts_with("random-") && quirks.contains(row.quirk);
        let design = row.quirk == BY_DESIGN && BY_DESIGN_CASES.contains(&number);
        assert!(own || random || design, "{number}: `{}` explains no deviation of this case", row.quirk);
    }
}

/// The comparison itself can fail: a trace with one thing changed is another trace.
#[test]
fn a_changed_trace_is_noticed_with_its_tick_and_field() {
    let mut case = cases().into_iter().find(|case| case.number == "003").expect("case 003");
    let trace = fs::read_to_string(data(&format!("cases/{}.trace.jsonl", case.name()))).expect("its trace");
    let changes = [
        (r#""tick":3,"root":"RUNNING""#, r#""tick":3,"root":"SUCCESS""#, "tick 3, root: "),
        (r#""b":"SUCCESS","c":"RUNNING""#, r#""b":"IDLE","c":"RUNNING""#, "tick 3, nodes: "),
        (r#""ticked":["b","c"]"#, r#""ticked":["c","b"]"#, "tick 3, ticked: "),
        (r#"["c","RUNNING"]"#, r#"["c","SUCCESS"]"#, "tick 3, results: "),
        (r#""blackboard":{}"#, r#""blackboard":{"k":1}"#, "tick 1, blackboard: "),
        (
            r#""blackboard":{}"#,
            r#""blackboard":{},"subtree_blackboards":{"s":{"k":1}}"#,
            "tick 1, subtree_blackboards: ",
        ),
        (r#""blackboard":{}"#, r#""blackboard":{},"error":"why""#, "tick 1, error: "),
    ];
    for (from, to, expected) in changes {
        case.expected = Trace::read(&trace.replacen(from, to, 1)).expect("the changed trace reads");
        let report = Report::of(std::slice::from_ref(&case)).expect("a run");
        let text = report.to_string();
        assert!(text.contains(expected), "{expected:?} is not in:\n{text}");
        assert!(text.ends_with("0 passed, 1 failed\n"), "{text}");
    }
}

#[test]
fn a_folder_that_holds_no_cases_says_what_a_case_is() {
    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &str) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("a file can be written");
        }
        let Err(fault) = read_folder(folder.path()) else { panic!("{expected}") };
        assert!(fault.to_string().ends_with(expected), "{fault}");
        assert!(fault.diagnostic().help.is_some(), "{fault}");
    }
    check(&[], "the folder holds no case");
    check(&[("a.txt", "")], "the folder holds no case");
    check(&[("1-a.xml", "<root/>")], "there is no `1-a.trace.jsonl` beside it");
    let trace = ("1-a.trace.jsonl", "");
    check(&[("1-a.xml", "<!-- oracle\n jump 3\n-->"), trace], "directive `jump 3`: not known");
    check(
        &[("1-a.xml", "<!-- oracle\nmax_ticks 100001\n-->"), trace],
        "directive `max_ticks 100001`: a case has at most 100000 ticks",
    );
    check(&[("1.xml", "<root/>"), ("1.trace.jsonl", "")], "its name is not NNN-slug.xml");
    check(
        &[("1-a.xml", ""), ("1-a.trace.jsonl", "\n{\"tick\":\"one\"}")],
        "the trace: line 2: invalid type: string \"one\", expected u64 at line 1 column 13",
    );
}

#[expect(clippy::disallowed_methods, reason = "the test is about the process itself")]
fn helve(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_helve"));
    let output = command.args(arguments).env("NO_COLOR", "1").output().expect("helve can be started");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A folder with one case that passes, one that deviates and one that differs.
fn three_cases() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["003-sequence-resumes-at-running-child", "087-switch-wrong-children-count-is-tick-error"] {
        for ending in ["xml", "trace.jsonl"] {
            let file = format!("{name}.{ending}");
            fs::copy(data(&format!("cases/{file}")), folder.path().join(file)).expect("a case can be copied");
        }
    }
    let write = |file: &str, text: &str| fs::write(folder.path().join(file), text).expect("a file");
    write(
        "9-mine.xml",
        "<root BTCPP_format=\"4\"><BehaviorTree ID=\"M\"><AlwaysFailure/></BehaviorTree></root>",
    );
    write(
        "9-mine.trace.jsonl",
        "{\"tick\":1,\"root\":\"SUCCESS\",\"nodes\":{\"AlwaysFailure::1\":\"IDLE\"},\"ticked\":[\"AlwaysFailure::1\"],\"results\":[]}\n",
    );
    folder
}

#[test]
fn the_command_ends_with_the_sum_and_fails_when_a_case_fails() {
    let folder = three_cases();
    let path = folder.path().to_str().expect("UTF-8");
    let (code, out, faults) = helve(&["conformance", path]);
    assert_eq!((code, &*faults), (Some(1), ""), "{out}");
    insta::assert_snapshot!(out.trim_end(), @r#"
    087-switch-wrong-children-count-is-tick-error: passed as a deviation: A switch with the wrong number of children does not load. A static mistake is found at load, with its line, and not after half of the plan has run.
    9-mine: tick 1, root: expected "SUCCESS", got "FAILURE"
    9-mine: tick 1, results: expected [], got [("AlwaysFailure::1", "FAILURE")]
    deviations among those that passed: 1
    2 passed, 1 failed
    "#);
    let (code, out, _) = helve(&["conformance", path, "--json"]);
    assert_eq!(code, Some(1));
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&json["passed"], &json["failed"], &json["deviating"]), (&2.into(), &1.into(), &1.into()));
    let verdicts: Vec<_> =
        (0..3).map(|at| json["cases"][at]["verdict"].as_str().unwrap_or_default()).collect();
    assert_eq!(verdicts, ["passed", "deviates", "failed"]);
    assert_eq!(json["cases"][2]["mismatches"][0]["field"], "root");
    let (code, out, faults) = helve(&["conformance", "no/such/folder"]);
    assert_eq!((code, &*out), (Some(2), ""));
    insta::assert_snapshot!(faults.trim_end(), @r"
    error[E0001]: `no/such/folder` cannot be read
     |
     = note: no such file or directory
     = help: Name a folder that holds cases, each of two files, or the folder around it.

    `helve explain E0001` tells more.
    ");
}
