//! `helve check`

use serde_json::{Value as Json, json};

use crate::cli::args::CheckArgs;
use crate::cli::entry::Exit;
use crate::cli::input::name_of;
use crate::cli::out::Out;
use crate::cli::{load, toolbox};
use crate::diag::Diagnostics;
use crate::text::count_of;
use crate::tree::Tree;

pub(super) fn check(args: &CheckArgs, out: &mut Out) -> Result<Exit, Diagnostics> {
    let catalog = toolbox::catalog(&args.programs)?;
    let options = load::options(&args.rules)?;
    let mut exit = Exit::Success;
    let mut reports = Vec::new();
    for path in &args.files {
        let (tree, faults) = load::with_faults(path, &args.includes.roots, &catalog, &options);
        if tree.is_none() || args.strict && !faults.is_empty() {
            exit = Exit::BadInput;
        }
        let name = name_of(path);
        if args.json {
            reports.push(report(&name, tree.as_deref(), &faults));
        } else {
            out.faults(&faults);
            out.line(summary(&name, tree.as_deref(), &faults));
        }
    }
    if args.json {
        out.json(&Json::Array(reports));
    }
    Ok(exit)
}

fn summary(name: &str, tree: Option<&Tree>, faults: &Diagnostics) -> String {
    let warnings = faults.iter().filter(|fault| fault.code.is_warning()).count();
    let errors = faults.iter().count() - warnings + faults.dropped();
    let found = match (errors, warnings) {
        (0, 0) => "no faults".to_owned(),
        (0, warnings) => count_of(warnings, "warning"),
        (errors, 0) => count_of(errors, "error"),
        (errors, warnings) => format!("{}, {}", count_of(errors, "error"), count_of(warnings, "warning")),
    };
    let Some(tree) = tree else { return format!("{name}: {found}") };
    let mut text = format!("{name}: {found}; {} in `{}`", count_of(tree.len(), "node"), tree.name());
    let inputs: Vec<_> = inputs(tree).into_iter().map(|(key, ty, _)| format!("{key} ({ty})")).collect();
    if !inputs.is_empty() {
        text.push_str(&format!(", to be set: {}", inputs.join(", ")));
    }
    text
}

/// The keys that must be given before a run: key, type, what it means.
fn inputs(tree: &Tree) -> Vec<(String, String, String)> {
    (tree.layout().unfed())
        .map(|unfed| {
            let slot = tree.layout().slot(unfed.slot);
            let doc =
                tree.inputs().iter().find(|input| input.key == slot.key).map_or("", |input| &*input.doc);
            (slot.key.to_string(), slot.ty.to_string(), doc.to_owned())
        })
        .collect()
}

fn report(name: &str, tree: Option<&Tree>, faults: &Diagnostics) -> Json {
    let inputs = tree.map(inputs).unwrap_or_default();
    json!({
        "file": name,
        "ok": tree.is_some(),
        "tree": tree.map(|tree| &**tree.name()),
        "nodes": tree.map(Tree::len),
        "to_be_set": inputs
            .into_iter()
            .map(|(key, ty, doc)| json!({"key": key, "type": ty, "description": doc}))
            .collect::<Vec<_>>(),
        "faults": faults.iter().map(crate::diag::Diagnostic::to_json).collect::<Vec<_>>(),
        "faults_not_shown": faults.dropped(),
    })
}
