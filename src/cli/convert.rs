//! `helve convert`

use serde_json::json;

use crate::cli::args::ConvertArgs;
use crate::cli::entry::Exit;
use crate::cli::input::{self, is_stdin, name_of};
use crate::cli::out::Out;
use crate::cli::rewrite::{prove, rewrite};
use crate::cli::toolbox;
use crate::diag::{Diagnostic, Diagnostics};
use crate::migrate::{self, Migration};
use crate::text::count_of;
use crate::xml;

pub(super) fn convert(args: &ConvertArgs, out: &mut Out) -> Result<Exit, Diagnostics> {
    let old = input::bytes(&args.file)?;
    let source = xml::source_from_bytes(&name_of(&args.file), old.clone())?;
    let (document, mut notes) = input::document(&source)?;
    let migration = migrate::to_v4(&document, &toolbox::catalog(&args.programs)?);
    prove(&source, &migration.text, |again| again.len() == document.len())?;
    let is_written = args.write && !is_stdin(&args.file) && migration.changes > 0;
    if is_written {
        rewrite(&args.file, &old, &migration.text)?;
    }
    let exit = if migration.is_whole() { Exit::Success } else { Exit::Failure };
    notes.extend(migration.notes.clone());
    notes.sort();
    if args.json {
        out.json(&json!({
            "file": name_of(&args.file),
            "was_version_4": migration.was_v4,
            "changes": migration.changes,
            "written": is_written,
            "whole": migration.is_whole(),
            "text": (!args.write).then_some(&migration.text),
            "notes": notes.iter().map(Diagnostic::to_json).collect::<Vec<_>>(),
        }));
        return Ok(exit);
    }
    out.faults(&notes);
    out.note(summary(&name_of(&args.file), &migration));
    if !args.write || is_stdin(&args.file) {
        out.text(&migration.text);
    }
    Ok(exit)
}

fn summary(name: &str, migration: &Migration) -> String {
    match (migration.was_v4, migration.changes) {
        (true, 0) => format!("{name}: declares version 4 already and is returned as it is"),
        (true, changes) => {
            format!(
                "{name}: declares version 4 already; {} had names of version 3",
                count_of(changes, "place")
            )
        }
        (false, changes) => format!("{name}: {} converted", count_of(changes, "place")),
    }
}
