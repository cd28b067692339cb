//! This engine does what the reference engine of the dialect did, tick by tick: all cases of
//! `tests/data/conformance/cases` that use nothing which the catalog lacks. Where it differs on
//! purpose, `deviations.tsv` says what it does instead and why; the reference's own bugs and
//! doubtful choices are listed in `quirks.tsv`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

mod oracle;

use oracle::case::read_folder;
use oracle::report::{Report, Verdict};

/// The mark of a row that no quirk explains but a promise of the engine's own design.
const BY_DESIGN: &str = "design";
/// The one such row: the reference reads 256 levels of elements, this engine promises 100,000.
const BY_DESIGN_CASES: [&str; 1] = ["391"];
/// How many cases there are: a folder that lost some is noticed.
const CASES: usize = 302;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/conformance").join(name)
}

/// One row of the table of deviations.
struct Deviation {
    slug: String,
    /// The case of `quirks.tsv` that pins what the reference does.
    quirk: String,
}

/// The rows of a table, the head aside, each with exactly `N` columns.
fn rows<const N: usize>(name: &str) -> Vec<[String; N]> {
    let text = fs::read_to_string(data(name)).expect("the table can be read");
    let row = |line: &str| {
        let columns: Vec<_> = line.split('\t').map(str::to_owned).collect();
        assert!(columns.iter().all(|column| !column.trim().is_empty()), "{name}: an empty column: {line}");
        assert_eq!(columns.len(), N, "{name}: columns of {line}");
        columns.try_into().expect("N columns, as was just seen")
    };
    text.lines().skip(1).map(row).collect()
}

fn quirks() -> BTreeSet<String> {
    rows::<4>("quirks.tsv").into_iter().map(|[number, ..]| number).collect()
}

/// What Helve does instead, and why that is better, are for the reader: no row goes without.
fn deviations() -> BTreeMap<String, Deviation> {
    let row = |[number, slug, quirk, _instead, _why]: [String; 5]| (number, Deviation { slug, quirk });
    rows("deviations.tsv").into_iter().map(row).collect()
}

#[test]
fn every_case_that_is_due_passes_or_differs_on_purpose() {
    let cases = read_folder(&data("cases")).expect("the cases can be read");
    assert_eq!(cases.len(), CASES);
    let report = Report::of(&cases).expect("the leaves of the cases are new to the catalog");
    let deviations = deviations();
    let mut faults = String::new();
    let mut later = BTreeMap::<&str, usize>::new();
    for (case, verdict) in report.cases() {
        match (verdict, deviations.get(&case.number)) {
            (Verdict::Passed, None) | (Verdict::Failed(_), Some(_)) => {}
            (Verdict::Passed, Some(_)) => {
                let _ =
                    writeln!(faults, "{}: it passes now; remove its row from deviations.tsv", case.name());
            }
            (Verdict::Failed(mismatches), None) => {
                for it in mismatches {
                    let _ = writeln!(faults, "{}: {it}", case.name());
                }
            }
            (Verdict::NotYet(what), _) => *later.entry(what).or_default() += 1,
        }
    }
    for (what, count) in later {
        println!("not yet: {what} ({count})");
    }
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
fn a_deviation_names_its_case_and_the_quirk_that_it_betters() {
    let cases = read_folder(&data("cases")).expect("the cases can be read");
    let slugs: BTreeMap<_, _> = cases.iter().map(|case| (&*case.number, &*case.slug)).collect();
    let quirks = quirks();
    for (number, row) in deviations() {
        assert_eq!(slugs.get(&*number), Some(&&*row.slug), "{number} is no such case");
        let own = row.quirk == number && quirks.contains(&number);
        let random = row.slug.starts_with("random-") && quirks.contains(&row.quirk);
        let design = row.quirk == BY_DESIGN && BY_DESIGN_CASES.contains(&&*number);
        assert!(own || random || design, "{number}: `{}` explains no deviation of this case", row.quirk);
    }
}

/// The comparison itself can fail: a trace with one thing changed is another trace.
#[test]
fn a_changed_trace_is_noticed_with_its_tick_and_field() {
    let cases = read_folder(&data("cases")).expect("the cases can be read");
    let mut case = cases.into_iter().find(|case| case.number == "003").expect("case 003");
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
        case.expect_instead(&trace.replacen(from, to, 1)).expect("the changed trace reads");
        let report = Report::of(std::slice::from_ref(&case)).expect("a run");
        let text = report.to_string();
        assert!(text.contains(expected), "{expected:?} is not in:\n{text}");
        assert!(text.ends_with("0 passed, 1 failed\n"), "{text}");
    }
}
