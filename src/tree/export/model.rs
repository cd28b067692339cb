//! `TreeNodesModel`: what the editors of the dialect show in their palette.

use crate::catalog::{Catalog, Class, NodeManifest, PortManifest};
use crate::tree::export::markup::Markup;
use crate::tree::export::port_type::names_of;
use crate::value::Type;

/// All nodes of a catalog as a file that holds nothing but their models, in the form of the
/// dialect's own writer: element by class, a port's description as its text.
///
/// `SubTree` is left out: a model of that class describes the tree of its ID. A model has no place for
/// enum names, so the description of a port says which it takes.
pub fn nodes_model(catalog: &Catalog) -> String {
    let nodes = catalog.iter().filter(|manifest| manifest.class != Class::SubTree);
    let models = Markup::new("TreeNodesModel").children(nodes.map(|manifest| node(catalog, manifest)));
    Markup::new("root").with("BTCPP_format", "4").child(models).document()
}

fn node(catalog: &Catalog, manifest: &NodeManifest) -> Markup {
    let ports = manifest.ports.iter().filter(|port| !port.name.starts_with('_'));
    let model = Markup::new(manifest.class.as_str())
        .with("ID", &*manifest.name)
        .children(ports.map(|it| port(catalog, it)));
    if manifest.doc.is_empty() {
        return model;
    }
    model.child(Markup::new("description").text(&*manifest.doc))
}

fn port(catalog: &Catalog, port: &PortManifest) -> Markup {
    Markup::new(port.direction.as_str())
        .with("name", &*port.name)
        // The dialect's own writer leaves out the type of a port that takes anything.
        .with_some("type", (port.ty != Type::Any).then(|| port.ty.as_str()))
        .with_some("default", port.default.as_deref())
        .text(description(catalog, port))
}

fn description(catalog: &Catalog, port: &PortManifest) -> String {
    let names: Vec<_> =
        names_of(catalog, port).into_iter().map(|(name, number)| format!("{name} ({number})")).collect();
    let names = if names.is_empty() { String::new() } else { format!("Names: {}.", names.join(", ")) };
    [&*port.doc, &*names].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}
