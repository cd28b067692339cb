//! A tool as a kind of node: its ports come from its schemas.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::call::ToolName;
use crate::catalog::{Children, Class, Direction, Kind, NodeManifest, PortManifest, Role};
use crate::diag::{Code, Diagnostic};
use crate::expr::{self, Dialect, Program};
use crate::json_path::{JsonPath, JsonStep};
use crate::manifest::ToolManifest;
use crate::text::{Source, Span};
use crate::value::Type;

/// What the ports of a tool's node stand for.
#[derive(Debug)]
pub struct ToolNode {
    /// The tool.
    pub manifest: Arc<ToolManifest>,
    /// The argument behind each input port; ports and arguments share their numbers.
    pub arguments: Vec<Arc<str>>,
    /// The part of the result behind each port after the inputs; empty is the whole.
    pub results: Vec<JsonPath>,
    /// The success predicate of the manifest.
    pub success: Option<Arc<Program>>,
}

/// The names that the dialect keeps for itself.
const RESERVED: [&str; 2] = ["name", "ID"];

/// The element name of a tool: `.`, `/`, `:` and whatever else XML or the dialect refuses in a
/// name becomes `_`.
pub fn xml_name(tool: &ToolName) -> String {
    let mut name: String = (tool.as_str().chars())
        .map(|c| if c.is_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' })
        .collect();
    if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        name.insert(0, '_');
    }
    name
}

/// The node of a tool.
///
/// # Errors
/// [`Code::E0501`] when the manifest's success predicate is no expression.
pub fn tool_manifest(tool: Arc<ToolManifest>) -> Result<NodeManifest, Diagnostic> {
    let success = tool.success.as_ref().map(|text| predicate(&tool, text)).transpose()?;
    let mut taken = BTreeSet::new();
    let (mut ports, mut arguments, mut results) = (Vec::new(), Vec::new(), Vec::new());
    for (argument, schema) in properties(Some(&tool.input_schema)) {
        let name = if RESERVED.contains(&&**argument) || argument.starts_with('_') {
            format!("arg_{argument}")
        } else {
            argument.clone()
        };
        taken.insert(name.clone());
        ports.push(input_port(&tool, argument, name, schema));
        arguments.push(Arc::from(argument.as_str()));
    }
    for (property, schema) in properties(tool.output_schema.as_ref()) {
        let clash = property == "result"
            || RESERVED.contains(&&**property)
            || property.starts_with('_')
            || taken.contains(property);
        let name = if clash { format!("out_{property}") } else { property.clone() };
        ports.push(output_port(&tool, property, name, schema));
        results.push(JsonPath::new(vec![JsonStep::Member(property.as_str().into())]));
    }
    let whole = tool.output_schema.as_ref().map_or(Type::Any, type_of);
    let doc = Json::from("the whole result");
    ports.push(output_port(&tool, "result", "result".into(), &serde_json::json!({"description": doc})));
    if let Some(port) = ports.last_mut() {
        port.ty = whole;
    }
    results.push(JsonPath::default());
    Ok(NodeManifest {
        name: xml_name(&tool.name).into(),
        kind: Kind::Tool,
        class: Class::Action,
        children: Children::Exactly(0),
        ports,
        doc: tool.description.to_string().into(),
        extension: true,
        tool: Some(Arc::new(ToolNode { manifest: tool, arguments, results, success })),
        leaf: None,
    })
}

fn predicate(tool: &ToolManifest, text: &Arc<str>) -> Result<Arc<Program>, Diagnostic> {
    expr::parse(text, Dialect::Predicate).map(Arc::new).map_err(|faults| {
        let source = Source::new(format!("success predicate of {}", tool.name), text.clone());
        let what = format!("the success predicate of tool `{}` is no expression", tool.name);
        let diagnostic = Diagnostic::new(Code::E0501, what);
        match faults.into_iter().next() {
            Some(fault) => diagnostic
                .at(&source, Span::new(fault.span.start, fault.span.end), fault.message)
                .help("Correct the `success` text of the tool's manifest."),
            None => diagnostic,
        }
    })
}

fn input_port(tool: &ToolManifest, argument: &str, name: String, schema: &Json) -> PortManifest {
    let listed = |list: Option<&Json>| {
        list.and_then(Json::as_array).is_some_and(|names| names.iter().any(|name| name == argument))
    };
    let bound = tool.contract.reads.iter().any(|key| **key == *argument);
    PortManifest {
        required: listed(tool.input_schema.get("required")),
        default: bound.then(|| Cow::Owned(format!("{{{argument}}}"))),
        direction: Direction::In,
        role: Role::Value,
        ty: type_of(schema),
        doc: doc_of(schema),
        name: name.into(),
    }
}

fn output_port(tool: &ToolManifest, property: &str, name: String, schema: &Json) -> PortManifest {
    let bound = tool.contract.writes.iter().find(|write| *write.port == *property);
    PortManifest {
        required: false,
        default: bound.map(|write| Cow::Owned(format!("{{{}}}", write.key))),
        direction: Direction::Out,
        role: Role::Value,
        ty: type_of(schema),
        doc: doc_of(schema),
        name: name.into(),
    }
}

fn properties(schema: Option<&Json>) -> impl Iterator<Item = (&String, &Json)> {
    schema.and_then(|schema| schema.get("properties")).and_then(Json::as_object).into_iter().flatten()
}

fn doc_of(schema: &Json) -> Cow<'static, str> {
    schema.get("description").and_then(Json::as_str).unwrap_or_default().to_owned().into()
}

/// The port type of a JSON Schema: by its `type`, `null` aside; anything that is not one plain
/// type is `Any`.
fn type_of(schema: &Json) -> Type {
    let named = |name: &str| match name {
        "string" => Type::Text,
        "integer" => Type::Int64,
        "number" => Type::Real,
        "boolean" => Type::Bool,
        "array" | "object" => Type::Json,
        _ => Type::Any,
    };
    match schema.get("type") {
        Some(Json::String(name)) => named(name),
        Some(Json::Array(names)) => {
            let mut names = names.iter().filter_map(Json::as_str).filter(|&name| name != "null");
            match (names.next(), names.next()) {
                (Some(name), None) => named(name),
                _ => Type::Any,
            }
        }
        _ => Type::Any,
    }
}
