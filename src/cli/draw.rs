//! `helve draw`

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use crate::cli::args::DrawArgs;
use crate::cli::entry::Exit;
use crate::cli::out::Out;
use crate::cli::{load, toolbox};
use crate::diag::{Diagnostics, Label};
use crate::text::Lines;
use crate::tree::{self, Mark, Tree};

pub(super) fn draw(args: &DrawArgs, out: &mut Out) -> Result<Exit, Diagnostics> {
    let (catalog, options) = (toolbox::catalog(&args.programs)?, load::options(&args.rules)?);
    let (tree, warnings) = load::without_faults(&args.file, &args.includes.roots, &catalog, &options)?;
    out.faults(&warnings);
    if args.json {
        out.json(&node_list(&tree, &mut LineNumbers::default()));
    } else if args.dot {
        out.text(tree::dot(&tree));
    } else {
        out.text(tree::draw(&tree, |_| (Mark::None, None)).to_string());
    }
    Ok(Exit::Success)
}

/// The nodes in pre-order, each with its parent: a list has no depth that could be too deep for a
/// reader.
fn node_list(tree: &Tree, lines: &mut LineNumbers) -> Json {
    let nodes: Vec<_> = (tree.ids())
        .map(|id| {
            let place = tree.place(id);
            json!({
                "id": id.get(),
                "parent": tree.parent(id).map(|parent| parent.get()),
                "type": tree.written_as(id).name,
                "class": tree.manifest(id).class.as_str(),
                "name": tree.name_of(id),
                "path": tree.path(id),
                "replaced_by": tree.substituted(id).map(|it| &*it.by),
                "file": &**place.source.name(),
                "line": lines.of(&place),
            })
        })
        .collect();
    json!({"tree": &**tree.name(), "nodes": nodes})
}

/// The numbers of lines in the texts of a tree. Each text is read once, however many nodes are asked for.
#[derive(Default)]
struct LineNumbers {
    /// By the address of the text, which the tree keeps alive.
    read: HashMap<usize, Lines>,
}

impl LineNumbers {
    fn of(&mut self, place: &Label) -> usize {
        let text = Arc::as_ptr(&place.source) as usize;
        let lines = self.read.entry(text).or_insert_with(|| Lines::of(place.source.text()));
        lines.number(place.span.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Source;
    use crate::tree::CompileOptions;

    #[test]
    fn the_lines_of_all_nodes_take_one_look_at_the_text() {
        let leaves: String = (0..100).map(|n| format!("<AlwaysSuccess\n name=\"n{n}\"/>\n\n")).collect();
        let text = format!(
            "<root BTCPP_format=\"4\">\n<BehaviorTree><Sequence>{leaves}</Sequence></BehaviorTree></root>"
        );
        let source = Source::new("t.xml", text);
        let tree = tree::load(&source, &crate::node::catalog(), &CompileOptions::default()).unwrap();

        let mut lines = LineNumbers::default();
        let list = node_list(&tree, &mut lines);
        for (node, id) in list["nodes"].as_array().unwrap().iter().zip(tree.ids()) {
            assert_eq!(node["line"], source.position(tree.info(id).span.start).line);
        }
        assert_eq!(list["nodes"][100]["line"], 299);
        assert_eq!(lines.read.len(), 1, "one text, read once");
    }
}
