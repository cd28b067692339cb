//! `helve tools`

use std::sync::Arc;

use serde_json::{Value as Json, json};

use crate::backend::process::{ProcessTool, Spec};
use crate::call::ToolName;
use crate::catalog::{Catalog, NodeManifest, PortManifest, ToolNode};
use crate::cli::args::ToolsArgs;
use crate::cli::entry::Exit;
use crate::cli::out::{Out, plain};
use crate::cli::table::table;
use crate::cli::toolbox;
use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::manifest::{Effects, ToolManifest};

pub(super) fn tools(args: &ToolsArgs, out: &mut Out) -> Result<Exit, Diagnostics> {
    let catalog = toolbox::catalog(&args.programs)?;
    match &args.list.name {
        None => list(&catalog, args.list.json, out),
        Some(name) => {
            let found = find(&catalog, name)?;
            let program = toolbox::program(&args.programs, &found.1.manifest.name)?;
            one(found, program.as_deref().map(ProcessTool::spec), args.list.json, out);
        }
    }
    Ok(Exit::Success)
}

fn all(catalog: &Catalog) -> impl Iterator<Item = (&NodeManifest, &ToolNode)> {
    catalog.iter().filter_map(|node| Some((&**node, &**node.tool.as_ref()?)))
}

fn find<'c>(catalog: &'c Catalog, name: &str) -> Result<(&'c NodeManifest, &'c ToolNode), Diagnostic> {
    let wanted = ToolName::new(name);
    let found = all(catalog).find(|(node, tool)| tool.manifest.name == wanted || node.name == name);
    found.ok_or_else(|| {
        let near = did_you_mean(name, catalog.tool_names());
        Diagnostic::new(Code::E0121, format!("there is no tool named `{name}`")).help(match near {
            Some(near) => format!("Did you mean `{near}`?"),
            None => "`helve tools` lists what there is.".to_owned(),
        })
    })
}

fn list(catalog: &Catalog, json: bool, out: &mut Out) {
    if json {
        return out.json(&all(catalog).map(|(_, tool)| describe(&tool.manifest)).collect());
    }
    let mut rows: Vec<Vec<String>> =
        vec![["TOOL", "CATEGORY", "TIMEOUT", "EFFECTS", "WHAT IT DOES"].map(str::to_owned).to_vec()];
    rows.extend(all(catalog).map(|(_, tool)| {
        let it = &tool.manifest;
        vec![
            it.name.to_string(),
            it.category.to_string(),
            seconds(it),
            it.effects.as_str().to_owned(),
            it.description.to_string(),
        ]
    }));
    for (place, line) in table(&rows).into_iter().enumerate() {
        if place == 0 {
            out.line(out.bold(&line));
        } else {
            out.row(&line);
        }
    }
}

fn seconds(manifest: &ToolManifest) -> String {
    format!("{} s", manifest.timeout.as_secs_f64())
}

fn one((node, tool): (&NodeManifest, &ToolNode), program: Option<&Spec>, json: bool, out: &mut Out) {
    let it = &tool.manifest;
    if json {
        return out.json(&describe(it));
    }
    out.line(format!("{}  {}", out.bold(it.name.as_str()), it.description));
    out.line("");
    let idempotent = if it.idempotent { ", idempotent" } else { "" };
    out.line(format!("category  {}", it.category));
    out.line(format!("timeout   {}", seconds(it)));
    let confirms = if it.confirms { ", wants a yes for each call" } else { "" };
    out.line(format!("effects   {}{idempotent}{confirms}", it.effects.as_str()));
    if !it.agent_scope.is_empty() {
        out.line(format!("agents    {}", it.agent_scope.join(", ")));
    }
    out.line(format!("success   {}", it.success.as_deref().unwrap_or("every result")));
    let (inputs, outputs): (Vec<_>, Vec<_>) = node.ports.iter().partition(|port| port.direction.reads());
    ports("Arguments", &inputs, out);
    ports("Results", &outputs, out);
    if let Some(spec) = program {
        out.line("");
        out.line(out.bold("Program"));
        table(&program_rows(spec)).into_iter().for_each(|line| out.line(format!("  {line}")));
    }
    out.line("");
    out.line(out.bold("In a tree"));
    out.line(format!("  {}", example(node)));
}

/// What runs, and what it may do, for whoever is to trust it.
fn program_rows(spec: &Spec) -> Vec<Vec<String>> {
    let joined = |names: &[Arc<str>]| names.join(", ");
    let limits = &spec.limits;
    let command = [vec![spec.program.display().to_string()], spec.arguments.clone()].concat().join(" ");
    let mut writes: Vec<_> = spec.writable.iter().map(|path| path.display().to_string()).collect();
    if spec.manifest.effects != Effects::ReadOnly {
        writes.insert(0, "the root".to_owned());
    }
    writes.push("a folder of its own, TMPDIR".to_owned());
    let some = |name: &str, value: Option<u64>| value.map(|value| format!("{name} {value}"));
    let bounds = [
        some("memory_mb", Some(limits.memory_mb)),
        some("processes", Some(limits.processes)),
        some("cpu_millicores", limits.cpu_millicores),
        some("cpu_seconds", limits.cpu_seconds),
        some("open_files", Some(limits.open_files)),
        some("file_size_mb", Some(limits.file_size_mb)),
    ];
    let required: Vec<_> = spec.required.iter().map(|bound| bound.as_str()).collect();
    let rows = [
        ("command", command),
        ("folder", spec.folder.to_string()),
        ("writes to", writes.join(", ")),
        ("variables", joined(&spec.environment)),
        ("secrets", joined(&spec.secrets)),
        ("limits", bounds.into_iter().flatten().collect::<Vec<_>>().join(", ")),
        ("required", required.join(", ")),
    ];
    let shown = rows.into_iter().filter(|(_, value)| !value.is_empty());
    shown.map(|(name, value)| vec![name.to_owned(), plain(&value)]).collect()
}

pub(super) fn ports(title: &str, ports: &[&PortManifest], out: &mut Out) {
    if ports.is_empty() {
        return;
    }
    out.line("");
    out.line(out.bold(title));
    let rows: Vec<_> = ports.iter().map(|port| port_row(port)).collect();
    table(&rows).into_iter().for_each(|line| out.line(format!("  {line}")));
}

fn port_row(port: &PortManifest) -> Vec<String> {
    let rule = match (&port.default, port.required, port.direction.reads()) {
        (Some(default), ..) => format!("default {default}"),
        (None, true, _) => "required".to_owned(),
        (None, false, true) => "optional".to_owned(),
        (None, false, false) => String::new(),
    };
    vec![
        port.name.to_string(),
        port.ty.to_string(),
        rule,
        port.doc.split_whitespace().collect::<Vec<_>>().join(" "),
    ]
}

/// `<search_code query="{query}" result="{code_search_results}"/>`
fn example(node: &NodeManifest) -> String {
    let mut text = format!("<{}", node.name);
    for port in &node.ports {
        match (&port.default, port.direction.reads()) {
            (_, true) if port.required => text.push_str(&format!(" {0}=\"{{{0}}}\"", port.name)),
            (Some(default), false) => text.push_str(&format!(" {}=\"{default}\"", port.name)),
            _ => {}
        }
    }
    text + "/>"
}

fn describe(manifest: &ToolManifest) -> Json {
    serde_json::to_value(manifest).unwrap_or_else(|fault| json!({"error": fault.to_string()}))
}
