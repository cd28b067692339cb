//! A `TreeNodesModel` that says of a node what the node does not say of itself.

use std::sync::Arc;

use crate::catalog::{Catalog, Class, Direction, NodeManifest, PortManifest};
use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::text::Source;
use crate::value::Type;
use crate::xml::{Attribute, Element};

/// Compares the models of nodes that the catalog knows with their manifests. Only an editor reads
/// these models, so that a contradiction is a warning; models of unknown nodes are the editor's own.
pub(super) fn check(
    models: Element<'_>,
    source: &Arc<Source>,
    catalog: &Catalog,
    diagnostics: &mut Diagnostics,
) {
    let classes = [Class::Action, Class::Condition, Class::Control, Class::Decorator];
    for model in models.children() {
        let Some(class) = classes.into_iter().find(|class| class.as_str() == model.name()) else { continue };
        let Some(id) = model.attribute("ID") else { continue };
        let Some(manifest) = catalog.get(id.value()) else { continue };
        let mut claims = Claims { source, manifest, diagnostics };
        claims.class(id, class);
        model.children().for_each(|port| claims.port(port));
    }
}

/// What one model claims of its node.
struct Claims<'c> {
    source: &'c Arc<Source>,
    manifest: &'c NodeManifest,
    diagnostics: &'c mut Diagnostics,
}

impl Claims<'_> {
    fn class(&mut self, id: Attribute<'_>, claimed: Class) {
        let (node, is) = (&self.manifest.name, self.manifest.class.as_str());
        if self.manifest.class == claimed {
            return;
        }
        let message = format!("the model lists `{node}` as {}, but it is of the kind {is}", claimed.as_str());
        self.diagnostics.push(
            Diagnostic::new(Code::W0110, message)
                .at(self.source, id.value_span(), format!("it is of the kind {is}"))
                .help(format!("Write `<{is} ID=\"{node}\">`.")),
        );
    }

    fn port(&mut self, element: Element<'_>) {
        let known = [Direction::In, Direction::Out, Direction::InOut];
        let direction = known.into_iter().find(|direction| direction.as_str() == element.name());
        let (Some(direction), Some(name)) = (direction, element.attribute("name")) else { return };
        let Some((_, port)) = self.manifest.port(name.value()) else {
            self.unknown(name);
            return;
        };
        if port.direction != direction {
            self.direction(element, port);
        }
        let claimed = element.attribute("type");
        if let Some((claimed, ty)) = claimed.and_then(|it| Some((it, Type::parse(it.value().trim())?))) {
            self.ty(claimed, ty, port);
        }
    }

    fn unknown(&mut self, name: Attribute<'_>) {
        let ports: Vec<_> = self.manifest.ports.iter().map(|port| &*port.name).collect();
        let near = did_you_mean(name.value(), ports.iter().copied());
        let has = match ports.is_empty() {
            true => "it has no ports".to_owned(),
            false => format!("its ports are {}", ports.join(", ")),
        };
        let message =
            format!("the model gives `{}` a port `{}`, which it lacks", self.manifest.name, name.value());
        self.diagnostics.push(
            Diagnostic::new(Code::W0110, message)
                .at(self.source, name.value_span(), "no such port")
                .note(has)
                .help(match near {
                    Some(near) => format!("Did you mean `{near}`?"),
                    None => "Remove the port from the model.".to_owned(),
                }),
        );
    }

    fn direction(&mut self, element: Element<'_>, port: &PortManifest) {
        let (claimed, is) = (element.name(), port.direction.as_str());
        let node = &self.manifest.name;
        let message = format!("the model calls `{}` of `{node}` an {claimed}, but it is an {is}", port.name);
        self.diagnostics.push(
            Diagnostic::new(Code::W0110, message)
                .at(self.source, element.name_span(), format!("an {is}"))
                .help(format!("Write `<{is} name=\"{}\"/>`.", port.name)),
        );
    }

    fn ty(&mut self, claimed: Attribute<'_>, ty: Type, port: &PortManifest) {
        let numbers = self.manifest.tool.is_some() && ty.is_number() && port.ty.is_number();
        if ty == port.ty || numbers || ty == Type::Any || port.ty == Type::Any {
            return;
        }
        let node = &self.manifest.name;
        let message =
            format!("the model says that `{}` of `{node}` is {ty}, but it is {}", port.name, port.ty);
        self.diagnostics.push(
            Diagnostic::new(Code::W0110, message)
                .at(self.source, claimed.value_span(), format!("it is {}", port.ty))
                .help(format!("Write `type=\"{}\"`.", port.ty)),
        );
    }
}
