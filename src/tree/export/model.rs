//! `TreeNodesModel`: what the editors of the dialect show in their palette.

use crate::catalog::{Catalog, Class, NodeManifest, PortManifest};
use crate::tree::export::markup::Markup;
use crate::value::Type;

/// All nodes of a catalog as a file that holds nothing but their models, in the form of the
/// dialect's own writer: element by class, a port's description as its text.
///
/// `SubTree` is left out: a model of that class describes the tree of its ID.
pub fn nodes_model(catalog: &Catalog) -> String {
    let nodes = catalog.iter().filter(|manifest| manifest.class != Class::SubTree);
    let models = Markup::new("TreeNodesModel").children(nodes.map(|manifest| node(manifest)));
    Markup::new("root").with("BTCPP_format", "4").child(models).document()
}

fn node(manifest: &NodeManifest) -> Markup {
    let model = Markup::new(manifest.class.as_str())
        .with("ID", &*manifest.name)
        .children(manifest.ports.iter().filter(|port| !port.name.starts_with('_')).map(port));
    if manifest.doc.is_empty() {
        return model;
    }
    model.child(Markup::new("description").text(&*manifest.doc))
}

fn port(port: &PortManifest) -> Markup {
    Markup::new(port.direction.as_str())
        .with("name", &*port.name)
        // The dialect's own writer leaves out the type of a port that takes anything.
        .with_some("type", (port.ty != Type::Any).then(|| port.ty.as_str()))
        .with_some("default", port.default.as_deref())
        .text(&*port.doc)
}
