//! `helve replay`

use std::sync::Arc;

use serde_json::{Value as Json, json};

use crate::cli::args::ReplayArgs;
use crate::cli::artifact_folder;
use crate::cli::entry::Exit;
use crate::cli::out::Out;
use crate::diag::{Diagnostic, Diagnostics};
use crate::journal::{Ending, Journal, Replay};
use crate::text::count_of;

pub(super) fn replay(args: &ReplayArgs, out: &mut Out) -> Result<Exit, Diagnostics> {
    let mut journal = Journal::open(&args.file).map_err(Diagnostic::from)?;
    if let Some(store) = artifact_folder::of_recording(args.artifacts.as_deref(), journal.head()) {
        journal = journal.with_artifacts(Arc::new(store));
    }
    let replay = journal.replay().map_err(Diagnostic::from)?;
    if args.json {
        out.json(&to_json(&journal, &replay));
    } else {
        print(&journal, &replay, out);
    }
    if let Some(missing) = &replay.missing {
        out.faults(&Diagnostic::from(missing).into());
    }
    Ok(if replay.is_same() && replay.missing.is_none() { Exit::Success } else { Exit::Failure })
}

fn print(journal: &Journal, replay: &Replay, out: &mut Out) {
    let head = journal.head();
    out.line(format!("{} recorded {} by helve {}", head.source().name(), head.started_at, head.helve));
    if let Some(rules) = &head.options.substitutions {
        out.line(format!("leaves were replaced by the rules of {}", rules.source().name()));
    }
    match &replay.difference {
        None => {
            let inputs = count_of(replay.inputs, "input");
            out.line(format!("{inputs} gave the same {} events to the byte", replay.events));
        }
        Some(difference) => {
            out.line(format!("the events differ from event {} on", difference.seq));
            out.line(format!("  recorded  {}", difference.recorded.as_deref().unwrap_or("nothing more")));
            out.line(format!("  replayed  {}", difference.replayed.as_deref().unwrap_or("nothing more")));
        }
    }
    match &replay.ending {
        Ending::Whole => {}
        Ending::Stopped(why) => out.line(format!("the recording stops before its run did: {why}")),
        Ending::CutOff => out.line("the recording was cut off: the run's process ended before the run"),
    }
    for call in &replay.in_doubt {
        out.line(format!(
            "in doubt: {} of {} was started, and its outcome is not known",
            call.tool, call.caller
        ));
    }
    if let Some(verdict) = &replay.verdict {
        out.line(format!("verdict {verdict}"));
    }
}

fn to_json(journal: &Journal, replay: &Replay) -> Json {
    let difference = replay.difference.as_ref();
    json!({
        "tree": &**journal.head().source().name(),
        "rules": journal.head().options.substitutions.as_ref().map(|rules| rules.source().name().to_string()),
        "same": replay.is_same(),
        "inputs": replay.inputs,
        "events": replay.events,
        "verdict": replay.verdict.as_ref().map(ToString::to_string),
        "ending": match &replay.ending {
            Ending::Whole => json!({"kind": "whole"}),
            Ending::Stopped(why) => json!({"kind": "stopped", "why": why}),
            Ending::CutOff => json!({"kind": "cut_off"}),
        },
        "difference": difference.map(|it| json!({"seq": it.seq, "recorded": it.recorded, "replayed": it.replayed})),
        "missing": replay.missing.as_ref().map(|it| {
            json!({"artifact": &*it.id, "tool": it.tool, "input": it.input, "why": it.why})
        }),
        "in_doubt": replay.in_doubt.iter().map(|call| json!({"tool": call.tool, "leaf": call.caller})).collect::<Vec<_>>(),
    })
}
