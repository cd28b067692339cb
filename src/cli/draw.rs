//! `helve draw`

use serde_json::{Value as Json, json};

use crate::cli::args::DrawArgs;
use crate::cli::entry::Exit;
use crate::cli::out::Out;
use crate::cli::{load, toolbox};
use crate::diag::Diagnostics;
use crate::tree::{self, Mark, Tree};

pub(super) fn draw(args: &DrawArgs, out: &mut Out) -> Result<Exit, Diagnostics> {
    let (catalog, options) = (toolbox::catalog(&args.programs)?, load::options(&args.rules)?);
    let (tree, warnings) = load::without_faults(&args.file, &args.includes.roots, &catalog, &options)?;
    out.faults(&warnings);
    if args.json {
        out.json(&node_list(&tree));
    } else if args.dot {
        out.text(tree::dot(&tree));
    } else {
        out.text(tree::draw(&tree, |_| (Mark::None, None)).to_string());
    }
    Ok(Exit::Success)
}

/// The nodes in pre-order, each with its parent: a list has no depth that could be too deep for a
/// reader.
fn node_list(tree: &Tree) -> Json {
    let nodes: Vec<_> = (tree.ids())
        .map(|id| {
            let place = tree.place(id);
            let at = place.source.position(place.span.start);
            json!({
                "id": id.get(),
                "parent": tree.parent(id).map(|parent| parent.get()),
                "type": tree.written_as(id).name,
                "class": tree.manifest(id).class.as_str(),
                "name": tree.name_of(id),
                "path": tree.path(id),
                "replaced_by": tree.substituted(id).map(|it| &*it.by),
                "file": &**place.source.name(),
                "line": at.line,
            })
        })
        .collect();
    json!({"tree": &**tree.name(), "nodes": nodes})
}
