//! `helve nodes`

use serde_json::{Value as Json, json};

use crate::catalog::{Catalog, NodeManifest};
use crate::cli::args::{ExportFormat, NodesArgs};
use crate::cli::entry::Exit;
use crate::cli::out::Out;
use crate::cli::table::table;
use crate::cli::toolbox;
use crate::cli::tools::ports;
use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::node;
use crate::tree::export;

pub(super) fn nodes(args: &NodesArgs, out: &mut Out) -> Result<Exit, Diagnostics> {
    let catalog = node::catalog();
    match (args.export, &args.list.name) {
        // Editors need the tools too.
        (Some(ExportFormat::Groot), _) => out.text(export::nodes_model(&toolbox::catalog(&args.programs)?)),
        (Some(ExportFormat::Xsd), _) => out.text(export::schema(&toolbox::catalog(&args.programs)?)),
        (None, None) => list(&catalog, args.list.json, out),
        (None, Some(name)) => one(find(&catalog, name)?, args.list.json, out),
    }
    Ok(Exit::Success)
}

fn find<'c>(catalog: &'c Catalog, name: &str) -> Result<&'c NodeManifest, Diagnostic> {
    catalog.get(name).map(|node| &**node).ok_or_else(|| {
        let near = did_you_mean(name, catalog.names());
        Diagnostic::new(Code::E0106, format!("there is no node named `{name}`")).help(match near {
            Some(near) => format!("Did you mean `{near}`?"),
            None => "`helve nodes` lists the nodes, `helve tools` the tools.".to_owned(),
        })
    })
}

fn list(catalog: &Catalog, json: bool, out: &mut Out) {
    if json {
        return out.json(&catalog.iter().map(|node| describe(node)).collect());
    }
    let mut rows: Vec<Vec<String>> = vec![["NODE", "CLASS", "WHAT IT DOES"].map(str::to_owned).to_vec()];
    rows.extend(
        (catalog.iter())
            .map(|node| vec![node.name.to_string(), node.class.as_str().to_owned(), node.doc.to_string()]),
    );
    for (place, line) in table(&rows).into_iter().enumerate() {
        if place == 0 {
            out.line(out.bold(&line));
        } else {
            out.row(&line);
        }
    }
}

fn one(node: &NodeManifest, json: bool, out: &mut Out) {
    if json {
        return out.json(&describe(node));
    }
    out.line(format!("{}  {}", out.bold(&node.name), node.doc));
    out.line("");
    out.line(format!("class     {}", node.class.as_str()));
    out.line(format!("children  {}", node.children));
    if node.extension {
        out.line("dialect   Helve's own; other readers do not know it");
    }
    ports("Ports", &node.ports.iter().collect::<Vec<_>>(), out);
}

fn describe(node: &NodeManifest) -> Json {
    let ports: Vec<_> = (node.ports.iter())
        .map(|port| {
            json!({
                "name": port.name, "direction": port.direction.as_str(), "type": port.ty.as_str(),
                "required": port.required, "default": port.default, "description": port.doc,
            })
        })
        .collect();
    json!({
        "name": node.name, "class": node.class.as_str(), "children": node.children.to_string(),
        "description": node.doc, "extension": node.extension, "ports": ports,
    })
}
