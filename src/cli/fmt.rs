//! `helve fmt`

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use similar::TextDiff;

use crate::cli::args::FmtArgs;
use crate::cli::entry::Exit;
use crate::cli::input::{self, is_stdin, name_of};
use crate::cli::out::Out;
use crate::cli::rewrite::{prove, rewrite};
use crate::diag::{Diagnostic, Diagnostics};
use crate::limits::FMT_DIFF_TIME_MAX;
use crate::text::count_of;
use crate::xml;

pub(super) fn fmt(args: &FmtArgs, out: &mut Out) -> Result<Exit, Diagnostics> {
    let stdin = [PathBuf::from("-")];
    let files = if args.stdin { &stdin[..] } else { &args.files };
    let mut tally = Tally::default();
    let mut reports = Vec::new();
    for path in files {
        let result = format(path).and_then(|it| settle(args, path, it));
        tally.count(&result);
        if args.json {
            reports.push(report(args, path, &result));
        } else {
            show(args, path, &result, out);
        }
    }
    if args.json {
        out.json(&Json::Array(reports));
    } else if !files.iter().all(|path| is_stdin(path)) {
        out.line(tally.summary(args.check));
    }
    Ok(tally.exit(args.check))
}

/// A file before and after.
struct Formatted {
    old: Vec<u8>,
    new: String,
    /// What was read although it is no XML, and is written right.
    mended: Diagnostics,
}

impl Formatted {
    fn is_changed(&self) -> bool {
        self.old != self.new.as_bytes()
    }

    /// `a.xml: formatted; mended W0001 raw_markup_in_attribute`
    fn summary(&self, path: &Path) -> String {
        let codes: BTreeSet<_> = self.mended.iter().map(|fault| fault.code).collect();
        let codes: Vec<_> = codes.iter().map(|code| format!("{code} {}", code.slug())).collect();
        let mended = if codes.is_empty() { String::new() } else { format!("; mended {}", codes.join(", ")) };
        format!("{}: formatted{mended}", name_of(path))
    }

    fn diff(&self, path: &Path) -> String {
        let (name, old) = (name_of(path), String::from_utf8_lossy(&self.old));
        let diff = TextDiff::configure().timeout(FMT_DIFF_TIME_MAX).diff_lines(&*old, &*self.new);
        diff.unified_diff().header(&name, &format!("{name} (formatted)")).to_string()
    }
}

fn format(path: &Path) -> Result<Formatted, Diagnostics> {
    let old = input::bytes(path)?;
    let source = xml::source_from_bytes(&name_of(path), old.clone())?;
    let (document, mended) = input::document(&source)?;
    let new = xml::print(&document);
    prove(&source, &new, |again| xml::same(&document, again))?;
    Ok(Formatted { old, new, mended })
}

fn settle(args: &FmtArgs, path: &Path, formatted: Formatted) -> Result<Formatted, Diagnostics> {
    if !args.check && !is_stdin(path) && formatted.is_changed() {
        rewrite(path, &formatted.old, &formatted.new)?;
    }
    Ok(formatted)
}

fn show(args: &FmtArgs, path: &Path, result: &Result<Formatted, Diagnostics>, out: &mut Out) {
    match result {
        Err(faults) => out.faults(faults),
        Ok(formatted) if args.check && formatted.is_changed() => out.text(formatted.diff(path)),
        Ok(formatted) if !args.check && is_stdin(path) => out.text(&formatted.new),
        Ok(formatted) if !args.check && formatted.is_changed() => out.line(formatted.summary(path)),
        Ok(_) => {}
    }
}

fn report(args: &FmtArgs, path: &Path, result: &Result<Formatted, Diagnostics>) -> Json {
    let faults = match result {
        Ok(formatted) => &formatted.mended,
        Err(faults) => faults,
    };
    let formatted = result.as_ref().ok();
    let is_changed = formatted.is_some_and(Formatted::is_changed);
    json!({
        "file": name_of(path),
        "ok": formatted.is_some(),
        "changed": is_changed,
        "written": is_changed && !args.check && !is_stdin(path),
        "diff": formatted.filter(|_| args.check && is_changed).map(|it| it.diff(path)),
        "text": formatted.filter(|_| !args.check && is_stdin(path)).map(|it| &it.new),
        "faults": faults.iter().map(Diagnostic::to_json).collect::<Vec<_>>(),
    })
}

/// How the files came out.
#[derive(Default)]
struct Tally {
    changed: usize,
    kept: usize,
    refused: usize,
}

impl Tally {
    fn count(&mut self, result: &Result<Formatted, Diagnostics>) {
        match result {
            Err(_) => self.refused += 1,
            Ok(formatted) if formatted.is_changed() => self.changed += 1,
            Ok(_) => self.kept += 1,
        }
    }

    fn summary(&self, is_check: bool) -> String {
        let verb = if is_check { "would be formatted" } else { "formatted" };
        let mut parts = Vec::new();
        if self.changed > 0 {
            parts.push(format!("{} {verb}", count_of(self.changed, "file")));
        }
        if self.kept > 0 {
            parts.push(format!("{} in form already", count_of(self.kept, "file")));
        }
        if self.refused > 0 {
            parts.push(format!("{} left alone", count_of(self.refused, "file")));
        }
        parts.join(", ")
    }

    fn exit(&self, is_check: bool) -> Exit {
        match (self.refused, self.changed) {
            (1.., _) => Exit::BadInput,
            (0, 1..) if is_check => Exit::Failure,
            _ => Exit::Success,
        }
    }
}
