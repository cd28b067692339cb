//! What a run has come to, for people and for programs.

use std::path::Path;

use crossterm::style::Color as Hue;
use serde_json::{Map, Value as Json, json};

use crate::board::Board;
use crate::cli::ends::Ends;
use crate::cli::gist::{gist, outcome_gist, shorten};
use crate::cli::out::{Out, plain};
use crate::cli::picture::Picture;
use crate::cli::table::table;
use crate::engine::Verdict;
use crate::manifest::Effects;
use crate::moment::Moment;
use crate::run::{CallRecord, Failed, RunReport};
use crate::status::Status;
use crate::text::count_of;
use crate::tree::Tree;

/// Columns of a line of the tree where there is no terminal that says how many it has.
const WIDTH: usize = 120;

/// The tree with its last marks, the calls, what was written, the blackboard, the failures.
pub(super) fn print(report: &RunReport, picture: &Picture, ends: &Ends, out: &mut Out) {
    let width = out.width().unwrap_or(WIDTH);
    for line in picture.lines(Moment::ZERO + report.elapsed, 0) {
        let line = line.render(width, out.colour());
        out.line(line);
    }
    calls(report, out);
    bounds(report, ends, out);
    board(&report.tree, &report.board, out);
    failures(report, out);
    out.line("");
    for path in written(report) {
        out.line(format!("wrote {}", out.bold(&from_here(&path))));
    }
    if let Some(rules) = report.tree.rules() {
        let replaced = count_of(report.tree.all_substituted().len(), "node");
        out.line(format!("{replaced} replaced by the rules of {}", rules.source().name()));
    }
    let verdict = paint_verdict(&report.verdict, out);
    let seconds = report.elapsed.as_secs_f64();
    let calls = count_of(report.calls.len(), "call");
    let ticks = count_of(report.ticks, "tick");
    out.line(format!("{verdict} in {seconds:.2} s, {calls}, {ticks}"));
}

fn paint_verdict(verdict: &Verdict, out: &Out) -> String {
    let hue = match verdict {
        Verdict::Status(Status::Success) => Hue::Green,
        Verdict::Status(Status::Skipped) => Hue::Yellow,
        _ => Hue::Red,
    };
    out.paint(&verdict.to_string(), hue)
}

fn calls(report: &RunReport, out: &mut Out) {
    if report.calls.is_empty() {
        return;
    }
    heading("Calls", out);
    let rows: Vec<_> = report.calls.iter().map(|record| call_row(&report.tree, record)).collect();
    table(&rows).into_iter().for_each(|line| out.row(&format!("  {line}")));
}

/// How far the bounds of programs held.
fn bounds(report: &RunReport, ends: &Ends, out: &mut Out) {
    let rows = ends.rows(report);
    if !rows.is_empty() {
        heading("Bounds of programs", out);
        table(&rows).into_iter().for_each(|line| out.line(format!("  {line}")));
    }
}

fn call_row(tree: &Tree, record: &CallRecord) -> Vec<String> {
    let status = match record.status {
        Some(status) => status.to_string(),
        None => "not wanted".to_owned(),
    };
    let (kind, ms, gist) = match &record.outcome {
        Some(outcome) => (outcome.kind(), outcome.elapsed_ms().to_string(), outcome_gist(outcome)),
        None => ("none", "?".to_owned(), String::new()),
    };
    vec![
        tree.path(record.node),
        record.call.tool.to_string(),
        kind.to_owned(),
        format!("{ms} ms"),
        status,
        gist,
    ]
}

fn board(tree: &Tree, board: &Board, out: &mut Out) {
    let rows: Vec<_> = keys(tree, board).into_iter().map(|(key, value)| vec![key, gist(&value)]).collect();
    if rows.is_empty() {
        return;
    }
    heading("Blackboard", out);
    table(&rows).into_iter().for_each(|line| out.row(&format!("  {line}")));
}

/// Every key that has a value: the main tree's by name, a subtree's under its path.
pub(super) fn keys(tree: &Tree, board: &Board) -> Vec<(String, Json)> {
    let mut keys = Vec::new();
    for (scope, info) in tree.layout().scopes() {
        let prefix = info.node.map_or(String::new(), |node| format!("{}/", tree.path(node)));
        for (key, slot) in board.own_keys(scope) {
            if let Some(value) = board.get(slot) {
                keys.push((format!("{prefix}{key}"), value.to_json()));
            }
        }
    }
    keys
}

fn failures(report: &RunReport, out: &mut Out) {
    let fault = match &report.verdict {
        Verdict::Fault(fault) => Some(format!("{}: {}", report.tree.path(fault.node), fault.message)),
        _ => None,
    };
    if report.failures.is_empty() && fault.is_none() {
        return;
    }
    heading("Failures", out);
    for failed in &report.failures {
        let mut lines = failed.reason.lines().map(plain);
        let first = lines.next().unwrap_or_default();
        out.line(format!("  {}  {}: {first}", failed.at, report.tree.path(failed.node)));
        lines.for_each(|line| out.line(format!("      {line}")));
        if let Some(hint) = hint(report, failed) {
            out.line(format!("      next: {}", shorten(hint, usize::MAX)));
        }
    }
    if let Some(fault) = fault {
        out.line(format!("  {fault}"));
    }
}

/// What to do next, when the failure is that of a call and somebody knows.
fn hint<'r>(report: &'r RunReport, failed: &Failed) -> Option<&'r str> {
    let failure = |record: &&CallRecord| {
        let text = record.outcome.as_ref().and_then(|outcome| outcome.failure_text());
        record.node == failed.node && text.as_deref() == Some(&*failed.reason)
    };
    report.calls.iter().find(failure)?.outcome.as_ref()?.hint()
}

fn heading(title: &str, out: &mut Out) {
    out.line("");
    out.line(out.bold(title));
}

/// The files that tools wrote: what a tool that writes gives as `file`.
fn written(report: &RunReport) -> Vec<String> {
    let of = |record: &CallRecord| {
        let leaf = report.tree.tool_leaf(record.node).tool.as_ref()?;
        let writes = leaf.manifest.effects == Effects::Writes;
        let file = record.outcome.as_ref()?.output()?.get("file")?.as_str()?;
        writes.then(|| file.to_owned())
    };
    report.calls.iter().filter_map(of).collect()
}

/// The rules that were in force, and what they replaced; null without any.
fn rules(tree: &Tree) -> Option<Json> {
    let rules = tree.rules()?;
    let replaced = tree.all_substituted().map(|(node, it)| json!({"leaf": tree.path(node), "by": &*it.by}));
    Some(json!({"file": &**rules.source().name(), "replaced": replaced.collect::<Vec<_>>()}))
}

/// A path as somebody in the current folder types it.
fn from_here(path: &str) -> String {
    let here = std::env::current_dir().ok();
    let inside = here.as_ref().and_then(|here| Path::new(path).strip_prefix(here).ok());
    inside.map_or_else(|| path.to_owned(), |inside| inside.display().to_string())
}

/// The same as one JSON object.
pub(super) fn to_json(report: &RunReport, ends: &Ends) -> Json {
    let path = |node| report.tree.path(node);
    let calls: Vec<_> = (report.calls.iter())
        .map(|record| {
            json!({
                "id": record.call.id, "leaf": path(record.node), "tool": record.call.tool,
                "arguments": &*record.call.arguments, "attempt": record.call.attempt,
                "started_ms": record.started.as_millis(),
                "ended_ms": record.ended.map(Moment::as_millis),
                "status": record.status.map(Status::as_str),
                "outcome": record.outcome.as_deref(), "process": ends.json(record.call.id),
            })
        })
        .collect();
    let failures: Vec<_> = (report.failures.iter())
        .map(|it| json!({"leaf": path(it.node), "at_ms": it.at.as_millis(), "reason": &*it.reason}))
        .collect();
    let verdict = match &report.verdict {
        Verdict::Status(status) => status.as_str(),
        Verdict::Halted => "HALTED",
        Verdict::Fault(_) => "ERROR",
    };
    let error = match &report.verdict {
        Verdict::Fault(fault) => Some(json!({"leaf": path(fault.node), "message": &*fault.message})),
        _ => None,
    };
    json!({
        "tree": &**report.tree.name(), "verdict": verdict, "error": error, "ticks": report.ticks,
        "elapsed_ms": u64::try_from(report.elapsed.as_millis()).unwrap_or(u64::MAX),
        "rules": rules(&report.tree), "calls": calls, "failures": failures, "wrote": written(report),
        "blackboard": keys(&report.tree, &report.board).into_iter().collect::<Map<_, _>>(),
    })
}
