//! `helve undo`

use serde_json::{Value as Json, json};

use crate::cli::args::UndoArgs;
use crate::cli::ask::paint_diff;
use crate::cli::entry::Exit;
use crate::cli::out::Out;
use crate::cli::permit::checkpoints;
use crate::cli::table::table;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::exec::checkpoint::{FolderCheckpoints, Kept, KeptFile, Standing, Undo, UndoError};
use crate::exec::{CheckpointError, CheckpointId, LaterChanges};
use crate::harness::Lease;

pub(super) fn undo(args: &UndoArgs, out: &mut Out) -> Result<Exit, Diagnostics> {
    let store = checkpoints();
    let (kept, faults) = store.kept().map_err(|fault| unusable(&fault))?;
    match &args.id {
        None => list(&kept, &faults, args.json, out),
        Some(id) => restore(&store, &chosen(&kept, id)?, args, out)?,
    }
    Ok(Exit::Success)
}

/// The checkpoint that is meant: a number, or the last write that can be taken back.
fn chosen(kept: &[Kept], id: &str) -> Result<CheckpointId, Diagnostic> {
    let is_meant = |one: &&Kept| match id {
        "last" => one.undoes.is_none() && one.files.iter().any(|file| file.standing != Standing::Restored),
        id => &*one.id.0 == id,
    };
    kept.iter().find(is_meant).map(|one| one.id.clone()).ok_or_else(|| {
        let newest = kept.first().map(|one| format!("the newest one is {}", one.id));
        Diagnostic::new(Code::E0441, format!("there is no write `{id}` that could be taken back"))
            .note(newest.unwrap_or_else(|| "nothing was written from this folder yet".to_owned()))
            .help("`helve undo` lists what can be taken back.")
    })
}

fn restore(
    store: &FolderCheckpoints,
    id: &CheckpointId,
    args: &UndoArgs,
    out: &mut Out,
) -> Result<(), Diagnostic> {
    let over = if args.force { LaterChanges::Overwrite } else { LaterChanges::Keep };
    let undone = store.undo(id, over, &Lease::new()).map_err(|fault| refused(id, &fault))?;
    if args.json {
        out.json(&undone_json(id, &undone));
        return Ok(());
    }
    if undone.changes.is_empty() {
        out.line(format!("The files of {id} are as they were before it already."));
    }
    paint_diff(&undone.diff, usize::MAX, out.colour()).into_iter().for_each(|line| out.line(line));
    for change in &undone.changes {
        let did = if change.after.is_some() { "restored" } else { "removed" };
        out.line(format!("{did} {}", out.bold(&change.file().display().to_string())));
    }
    for folder in &undone.folders {
        out.line(format!("removed {}/", out.bold(&folder.display().to_string())));
    }
    Ok(())
}

fn refused(id: &CheckpointId, fault: &UndoError) -> Diagnostic {
    match fault {
        UndoError::ChangedSince(files) => {
            let message = format!("the write {id} is not taken back, for its files were changed after it");
            let names = |file: &std::path::PathBuf| format!("`{}`", file.display());
            Diagnostic::new(Code::E0442, message)
                .note(files.iter().map(names).collect::<Vec<_>>().join(", "))
                .note("nothing was written")
                .help("Take back the later writes first, or add `--force` to lose what was changed.")
        }
        UndoError::Failed(fault) => unusable(fault),
    }
}

fn unusable(fault: &CheckpointError) -> Diagnostic {
    let folder = checkpoints();
    Diagnostic::new(Code::E0443, format!("what is kept in `{}` cannot be used", folder.path().display()))
        .note(fault.to_string())
        .help("Look at the folder and the file that is named; `helve undo` lists what is whole.")
}

fn list(kept: &[Kept], faults: &[CheckpointError], json: bool, out: &mut Out) {
    if json {
        let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
        return out.json(&json!({
            "checkpoints": kept.iter().map(kept_json).collect::<Vec<_>>(),
            "damaged": faults,
        }));
    }
    if kept.is_empty() {
        out.note("Nothing was written from this folder yet.");
    }
    let rows: Vec<_> = kept.iter().flat_map(rows).collect();
    table(&rows).iter().for_each(|row| out.row(row));
    faults.iter().for_each(|fault| out.note(fault.to_string()));
}

/// A row a file; the checkpoint stands in the first one.
fn rows(kept: &Kept) -> Vec<Vec<String>> {
    let first = [kept.id.to_string(), kept.at.clone(), kept.label()];
    (kept.files.iter().enumerate())
        .map(|(at, file)| {
            let mut row = if at == 0 { first.to_vec() } else { vec![String::new(); first.len()] };
            row.push(format!("+{} -{}", file.added, file.removed));
            row.push(file.standing.as_str().to_owned());
            row.push(file.file.display().to_string());
            row
        })
        .collect()
}

fn kept_json(kept: &Kept) -> Json {
    json!({
        "id": &*kept.id.0, "at": kept.at, "tool": kept.tool, "caller": kept.caller,
        "approved_by": kept.approved_by, "because": kept.because,
        "undoes": kept.undoes.as_ref().map(|id| &*id.0),
        "files": kept.files.iter().map(file_json).collect::<Vec<_>>(),
    })
}

fn file_json(file: &KeptFile) -> Json {
    json!({
        "file": file.file, "added": file.added, "removed": file.removed,
        "standing": match file.standing {
            Standing::Written => "written",
            Standing::Restored => "restored",
            Standing::Changed => "changed",
        },
    })
}

fn undone_json(id: &CheckpointId, undone: &Undo) -> Json {
    let file = |change: &crate::tool::FileChange| json!({"file": change.file(), "did": if change.after.is_some() { "restored" } else { "removed" }});
    json!({
        "id": &*id.0,
        "files": undone.changes.iter().map(file).collect::<Vec<_>>(),
        "folders": undone.folders,
        "diff": undone.diff.lines,
        "overwritten": undone.changed_since,
    })
}
