//! `helve artifact`

use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::cli::args::ArtifactArgs;
use crate::cli::entry::Exit;
use crate::cli::out::Out;
use crate::cli::table::table;
use crate::cli::{artifact_folder, artifact_part};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::exec::artifact::{Artifact, ArtifactInfo, ArtifactStore, DiskArtifacts};
use crate::run::unix_millis;
use crate::text::count_of;
use crate::tools::vault::rfc3339;

/// Most names that a beginning of several is answered with.
const CANDIDATES_MAX: usize = 10;
const DAY: Duration = Duration::from_secs(24 * 3600);

pub(super) fn artifact(args: &ArtifactArgs, out: &mut Out) -> Result<Exit, Diagnostics> {
    let store = artifact_folder::open(args.artifacts.as_deref());
    match &args.id {
        Some(id) => print(&store, id, args, out)?,
        None if args.clean => clean(&store, args, out)?,
        None => list(&store, args.json, out)?,
    }
    Ok(Exit::Success)
}

fn list(store: &DiskArtifacts, json: bool, out: &mut Out) -> Result<(), Diagnostic> {
    let mut all = store.list()?;
    all.sort_by(|one, other| other.stored_at_ms.cmp(&one.stored_at_ms).then_with(|| one.id.cmp(&other.id)));
    if json {
        out.json(&all.iter().map(described).collect());
        return Ok(());
    }
    let folder = store.path();
    let folder = folder.display();
    if all.is_empty() {
        out.line(format!("no artifacts in {folder}"));
        return Ok(());
    }
    let mut rows = vec![["ARTIFACT", "SIZE", "AGE", "TOOL", "PINNED"].map(str::to_owned).to_vec()];
    let now = unix_millis();
    rows.extend(all.iter().map(|info| row(info, now)));
    for (place, line) in table(&rows).iter().enumerate() {
        if place == 0 { out.line(out.bold(line)) } else { out.row(line) }
    }
    let bytes = all.iter().map(|info| info.bytes).sum();
    out.line(format!("{}, {} in {folder}", count_of(all.len() as u64, "artifact"), size(bytes)));
    Ok(())
}

fn row(info: &ArtifactInfo, now_ms: u64) -> Vec<String> {
    vec![
        info.id.to_string(),
        size(info.bytes),
        age(now_ms.saturating_sub(info.stored_at_ms)),
        info.tool.as_deref().unwrap_or("?").to_owned(),
        if info.is_pinned { "by a run".to_owned() } else { String::new() },
    ]
}

fn described(info: &ArtifactInfo) -> Json {
    let date = |ms: u64| rfc3339(i64::try_from(ms / 1_000).unwrap_or(i64::MAX));
    json!({
        "id": info.id.as_str(),
        "bytes": info.bytes,
        "tool": info.tool,
        "stored_at": date(info.stored_at_ms),
        "used_at": date(info.used_at_ms),
        "pinned": info.is_pinned,
    })
}

/// The one artifact whose name begins so.
fn find(store: &DiskArtifacts, beginning: &str) -> Result<ArtifactInfo, Diagnostic> {
    let all = store.list()?;
    let beginning = &*beginning.to_ascii_lowercase();
    let mut found: Vec<_> = all.into_iter().filter(|info| info.id.as_str().starts_with(beginning)).collect();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => {
            let folder = store.path();
            let message =
                format!("no artifact in {} has a name that begins with `{beginning}`", folder.display());
            Err(Diagnostic::new(Code::E0431, message)
                .note("it was never stored there, or it is evicted")
                .help("`helve artifact` lists what there is; `--artifacts DIR` names another folder."))
        }
        count => {
            let message = format!("`{beginning}` is the beginning of {count} names");
            let fault = Diagnostic::new(Code::E0432, message).help("Give more of its digits.");
            Err(found.iter().take(CANDIDATES_MAX).fold(fault, |fault, info| {
                let tool = info.tool.as_deref().unwrap_or("an unknown tool");
                fault.note(format!("{}, {} of {tool}", info.id, size(info.bytes)))
            }))
        }
    }
}

fn print(store: &DiskArtifacts, id: &str, args: &ArtifactArgs, out: &mut Out) -> Result<(), Diagnostic> {
    let info = find(store, id)?;
    let content = store.get(&info.id)?;
    let json = serde_json::from_slice::<Json>(&content).ok();
    let part = match (&args.path, &json) {
        (Some(path), Some(json)) => Some(artifact_part::find(json, path)?),
        (Some(_), None) => return Err(no_json(&info)),
        (None, _) => None,
    };
    if args.json {
        let mut members = described(&info);
        let text = || str::from_utf8(&content).ok().map(Json::from);
        members["content"] = part.cloned().or(json).or_else(text).unwrap_or_default();
        out.json(&members);
    } else if let Some(part) = part {
        out.line(words(part, out.is_terminal()));
    } else {
        whole(&content, json, out);
    }
    Ok(())
}

fn no_json(info: &ArtifactInfo) -> Diagnostic {
    Diagnostic::new(Code::E0436, format!("the artifact {} is no JSON and has no parts", info.id))
        .help("Print it without `--path`.")
}

/// Text bare, anything else as JSON: for people on several lines.
fn words(value: &Json, is_terminal: bool) -> String {
    match value {
        Json::String(text) => text.clone(),
        other if is_terminal => format!("{other:#}"),
        other => other.to_string(),
    }
}

/// For a program to the byte as it was stored, for people so that it can be read.
fn whole(content: &Artifact, json: Option<Json>, out: &mut Out) {
    match (out.is_terminal(), json, str::from_utf8(content)) {
        (false, ..) => out.bytes(content),
        (true, Some(json), _) => out.json(&json),
        (true, None, Ok(text)) => out.line(text),
        (true, None, Err(_)) => {
            out.note(format!("{} that are no text; send them into a file", size(content.len() as u64)));
        }
    }
}

fn clean(store: &DiskArtifacts, args: &ArtifactArgs, out: &mut Out) -> Result<(), Diagnostic> {
    let freed = store.clean(DAY.saturating_mul(args.unused_days))?;
    let bytes = freed.gone.iter().map(|info| info.bytes).sum::<u64>();
    if args.json {
        out.json(&json!({
            "freed": freed.gone.iter().map(described).collect::<Vec<_>>(),
            "bytes": bytes,
            "kept": {"pinned": freed.pinned, "young": freed.young},
        }));
        return Ok(());
    }
    out.line(format!("removed {}, {}", count_of(freed.gone.len() as u64, "artifact"), size(bytes)));
    if freed.pinned > 0 {
        out.line(format!("kept {} that a run under way refers to", freed.pinned));
    }
    if freed.young > 0 {
        out.line(format!("kept {} used less than {} ago", freed.young, count_of(args.unused_days, "day")));
    }
    Ok(())
}

/// `12.3 MB`
fn size(bytes: u64) -> String {
    const UNITS: [&str; 3] = ["kB", "MB", "GB"];
    if bytes < 1_000 {
        return format!("{bytes} B");
    }
    let (mut size, mut unit) = (bytes as f64 / 1_000.0, 0);
    while size >= 999.95 && unit + 1 < UNITS.len() {
        size /= 1_000.0;
        unit += 1;
    }
    format!("{size:.1} {}", UNITS[unit])
}

/// `5 min`
fn age(ms: u64) -> String {
    const STEPS: [(u64, &str); 3] = [(86_400, "d"), (3_600, "h"), (60, "min")];
    let seconds = ms / 1_000;
    let step = STEPS.iter().find(|(unit, _)| seconds >= *unit);
    step.map_or_else(|| format!("{seconds} s"), |(unit, name)| format!("{} {name}", seconds / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_ages_are_a_number_and_a_unit() {
        let sizes = [0, 999, 1_000, 12_345, 999_949, 999_950, 1 << 30, u64::MAX].map(size);
        let expected =
            ["0 B", "999 B", "1.0 kB", "12.3 kB", "999.9 kB", "1.0 MB", "1.1 GB", "18446744073.7 GB"];
        assert_eq!(sizes, expected);
        let ages = [0, 59_999, 60_000, 3_600_000, 86_399_999, 864_000_000].map(age);
        assert_eq!(ages, ["0 s", "59 s", "1 min", "1 h", "23 h", "10 d"]);
    }
}
