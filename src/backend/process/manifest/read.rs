//! What each field means.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::command::{find, placed};
use super::fields::Fields;
use super::{Output, Spec};
use crate::backend::process::document::{Data, Member, Node};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::exec::{ArgumentSchema, ResultSchema, SchemaFault};
use crate::expr::{self, Dialect};
use crate::harness::{Bound, ProcessLimits, RootPath};
use crate::limits::{
    OUTPUT_BYTES_MAX, PROCESS_LINE_BYTES, PROCESS_OUTPUT_BYTES, PROCESS_STOP_GRACE, PROCESS_STOP_GRACE_MAX,
};
use crate::manifest::{Contract, ContractWrite, Effects, ToolManifest};
use crate::text::{Source, Span};

/// What a program is given of the environment when its manifest does not say.
const ENVIRONMENT_DEFAULT: [&str; 2] = ["PATH", "LANG"];
/// A day: no call takes longer, and no sum of such times overflows.
const SECONDS_MAX: u64 = 86_400;
/// Four tebibytes, and more files than any system allows.
const LIMIT_MAX: u64 = 1 << 22;

/// A thousand processors.
const MILLICORES_MAX: u64 = 1_000_000;

/// What the manifest says that is not a limit; only whole manifests become specs.
type Found<T> = Option<T>;

/// Reads a manifest whose file stands in the folder `here`; programs are found in `search`.
/// `None` goes with at least one fault.
pub fn read(
    source: &Arc<Source>,
    node: &Node,
    here: &Path,
    search: Option<&str>,
    faults: &mut Diagnostics,
) -> Option<Spec> {
    let cell = RefCell::new(Diagnostics::new());
    let spec = Fields::new(source, node, &cell).and_then(|fields| spec(fields, here, search));
    let found = cell.take();
    let is_whole = !found.has_errors();
    faults.extend(found);
    spec.filter(|_| is_whole)
}

fn spec(fields: Fields<'_>, here: &Path, search: Option<&str>) -> Option<Spec> {
    let manifest = manifest(&fields);
    let program = program(&fields, here, search);
    let arguments = fields.texts("args").unwrap_or_default();
    let folder = folder(&fields);
    let writable = fields.texts("writable").unwrap_or_default();
    let goes_out = manifest.as_ref().is_some_and(|it| it.web || it.effects == Effects::External);
    let network = fields.bool("network").unwrap_or(goes_out);
    let output = output(&fields);
    let proposes = proposes(&fields, manifest.as_ref(), output, network);
    let environment = fields.texts("env").map_or_else(
        || ENVIRONMENT_DEFAULT.map(Arc::from).to_vec(),
        |names| variables(&fields, "env", names),
    );
    let secrets = fields.texts("secrets").unwrap_or_default();
    let secrets = variables(&fields, "secrets", secrets);
    let required = required(&fields, proposes);
    let grace_max = u64::try_from(PROCESS_STOP_GRACE_MAX.as_millis()).unwrap_or(u64::MAX);
    let grace = fields.number("stop_grace_ms", grace_max).map_or(PROCESS_STOP_GRACE, Duration::from_millis);
    let (limits, output_bytes, line_bytes) = limits(&fields);
    fields.finish();
    Some(Spec {
        manifest: Arc::new(manifest?),
        program: program?,
        arguments: arguments.into_iter().map(|(text, _)| placed(text, here)).collect(),
        folder: folder?,
        network,
        proposes,
        writable: writable.into_iter().map(|(path, _)| placed(path, here).into()).collect(),
        environment,
        secrets,
        output: output?,
        limits,
        required,
        output_bytes,
        line_bytes,
        grace,
    })
}

fn manifest(fields: &Fields<'_>) -> Found<ToolManifest> {
    let name = fields.required("name", "`name = \"my_tool\"`").and_then(|node| fields.text_of("name", node));
    let description = (fields.required("description", "a sentence that says what the tool does"))
        .and_then(|node| fields.text_of("description", node));
    let input = schema(fields, "input", |schema| ArgumentSchema::new(schema).map(drop));
    let input = input.unwrap_or_else(|| json!({"type": "object", "properties": {}}));
    let result = schema(fields, "result", |schema| ResultSchema::new(schema).map(drop));
    let mut it = ToolManifest::new(name.unwrap_or_default(), description.unwrap_or_default(), input);
    it.output_schema = result;
    if let Some(node) = fields.get("version")
        && let Some(version) = fields.text_of("version", node)
    {
        // A request asks for the newest version by that word.
        if version == "latest" {
            fields.invalid("version", node.span, "is no version", "Write one such as \"1.2.0\".");
        }
        it.version = version.into();
    }
    it.category = fields.text("category").unwrap_or("process").into();
    it.agent_scope = listed(fields.texts("agents"));
    if let Some(ms) = fields.number("timeout_ms", SECONDS_MAX * 1_000) {
        it.timeout = Duration::from_millis(ms);
    }
    it.retry_on_timeout = fields.bool("retry_on_timeout").unwrap_or(it.retry_on_timeout);
    it.idempotent = fields.bool("idempotent").unwrap_or_default();
    it.polls = fields.bool("polls").unwrap_or_default();
    it.web = fields.bool("web").unwrap_or_default();
    it.effects = effects(fields);
    it.confirms = fields.bool("confirms").unwrap_or_default();
    it.success = success(fields);
    it.contract = contract(fields, &it);
    (name.is_some() && description.is_some()).then_some(it)
}

fn listed(texts: Option<Vec<(&str, Span)>>) -> Vec<Arc<str>> {
    texts.unwrap_or_default().into_iter().map(|(text, _)| text.into()).collect()
}

/// Whoever writes no effects has most likely not thought of them, so the tool counts as one that
/// changes things and is never called twice on a guess.
fn effects(fields: &Fields<'_>) -> Effects {
    const ALL: [Effects; 3] = [Effects::ReadOnly, Effects::Writes, Effects::External];
    let Some(node) = fields.get("effects") else { return Effects::Writes };
    let Some(text) = fields.text_of("effects", node) else { return Effects::Writes };
    let found = ALL.into_iter().find(|it| it.as_str() == text);
    found.unwrap_or_else(|| {
        fields.invalid(
            "effects",
            node.span,
            "is none of the three",
            "Write \"read-only\", \"writes\" or \"external\".",
        );
        Effects::Writes
    })
}

fn success(fields: &Fields<'_>) -> Option<Arc<str>> {
    let node = fields.get("success")?;
    let text = fields.text_of("success", node)?;
    for fault in expr::parse(text, Dialect::Predicate).err().into_iter().flatten() {
        let why = format!("is no expression: {}", fault.message);
        fields.invalid("success", within(fields, node, text, fault.span), &why, "Correct the expression.");
    }
    Some(text.into())
}

/// A place inside a text, where the text stands in the file as it is; the whole of it where escapes
/// have moved things.
fn within(fields: &Fields<'_>, node: &Node, text: &str, part: std::ops::Range<usize>) -> Span {
    let start = node.span.start as usize;
    match fields.source.slice(node.span).find(text) {
        Some(quote) => Span::new(start + quote + part.start, start + quote + part.end.max(part.start + 1)),
        None => node.span,
    }
}

/// A port that there is not would be bound to nothing, and nobody would notice.
fn contract(fields: &Fields<'_>, tool: &ToolManifest) -> Contract {
    let input = names(Some(&tool.input_schema));
    let reads = fields.texts("reads").unwrap_or_default();
    for (name, span) in reads.iter().filter(|(name, _)| !input.contains(name)) {
        no_port(fields, "reads", (name, *span), &input);
    }
    let reads = listed(Some(reads));
    let mut output = names(tool.output_schema.as_ref());
    output.push("result");
    let writes = fields.table("writes", "writes.").map_or_else(Vec::new, |table| {
        let write = |member: &Member| {
            if !output.contains(&&*member.name) {
                no_port(fields, "writes", (&member.name, member.name_span), &output);
            }
            let key = table.text_of(&member.name, &member.value)?;
            Some(ContractWrite { port: member.name.as_str().into(), key: key.into() })
        };
        table.all().iter().filter_map(write).collect()
    });
    Contract { reads, writes }
}

/// The properties of a schema.
fn names(schema: Option<&Json>) -> Vec<&str> {
    let properties = schema.and_then(|schema| schema.get("properties")).and_then(Json::as_object);
    properties.into_iter().flatten().map(|(name, _)| &**name).collect()
}

fn no_port(fields: &Fields<'_>, field: &str, (name, span): (&str, Span), there: &[&str]) {
    let help = match there {
        [] => "The `input` of this tool names no properties; name it there.".to_owned(),
        _ => format!("There are: {}.", there.join(", ")),
    };
    fields.invalid(field, span, &format!("names no port with `{name}`"), &help);
}

fn schema(
    fields: &Fields<'_>,
    name: &'static str,
    check: impl Fn(&Json) -> Result<(), SchemaFault>,
) -> Option<Json> {
    let node = fields.get(name)?;
    if !matches!(node.data, Data::Table(_)) {
        let why = format!("is a JSON Schema and not {}", node.kind());
        fields.invalid(
            name,
            node.span,
            &why,
            &format!("Begin a section `[{name}]` with `type = \"object\"`."),
        );
        return None;
    }
    let schema = node.to_json();
    if let Err(fault) = check(&schema) {
        let span = node.find(fault.place()).map_or(node.span, |part| part.span);
        let why = format!("is no usable JSON Schema: {fault}");
        fields.invalid(name, span, &why, "Correct the schema.");
    }
    Some(schema)
}

fn program(fields: &Fields<'_>, here: &Path, search: Option<&str>) -> Found<std::path::PathBuf> {
    let node = fields.required("command", "`command = \"python3\"`, or a path such as `./my_tool`")?;
    let command = fields.text_of("command", node)?;
    let found = find(command, here, search);
    found
        .map_err(|why| {
            let fault = Diagnostic::new(Code::E0605, format!("the command `{command}` cannot be run"));
            fields.fault(fault.at(fields.source, node.span, "").note(why).help(
                "Install it, correct the path (it begins at the manifest's folder), or `chmod +x` it.",
            ));
        })
        .ok()
}

fn folder(fields: &Fields<'_>) -> Found<RootPath> {
    let Some(node) = fields.get("folder") else { return Some(RootPath::root()) };
    let text = fields.text_of("folder", node)?;
    let path = RootPath::parse(text);
    path.map_err(|fault| {
        fields.invalid(
            "folder",
            node.span,
            &format!("will not do: {fault}"),
            "Name a folder below the root.",
        );
    })
    .ok()
}

fn output(fields: &Fields<'_>) -> Found<Output> {
    let nonce = fields.get("nonce").map(|node| node.span);
    let is_nonced = fields.bool("nonce").unwrap_or_default();
    let node = fields.get("output");
    let text = node.and_then(|node| fields.text_of("output", node));
    let output = match text {
        None if node.is_some() => return None,
        None | Some("json") => Output::Json,
        Some("text") => Output::Text,
        Some("events") if is_nonced => Output::NoncedEvents,
        Some("events") => Output::Events,
        Some(_) => {
            let span = node.map_or(Span::new(0, 0), |node| node.span);
            fields.invalid("output", span, "is none of the three", "Write \"json\", \"text\" or \"events\".");
            return None;
        }
    };
    if let (Some(span), true, Output::Json | Output::Text) = (nonce, is_nonced, output) {
        fields.invalid("nonce", span, "is for events only", "Add `output = \"events\"`, or leave it out.");
    }
    Some(output)
}

/// Who proposes runs before anybody has said yes, and may do nothing then but say what it would write:
/// whatever else it could do is refused next to it.
fn proposes(
    fields: &Fields<'_>,
    manifest: Option<&ToolManifest>,
    output: Found<Output>,
    network: bool,
) -> bool {
    let Some(span) = fields.get("proposes").map(|node| node.span) else { return false };
    let proposes = fields.bool("proposes").unwrap_or_default();
    if proposes && matches!(output, Some(Output::Json | Output::Text)) {
        fields.invalid("proposes", span, "needs events", "Add `output = \"events\"`: a change is one.");
    }
    if proposes && manifest.is_some_and(|it| it.effects != Effects::Writes) {
        let why = "is for tools whose `effects` are \"writes\"";
        fields.invalid("proposes", span, why, "Write `effects = \"writes\"`, or leave `proposes` out.");
    } else if proposes && network {
        let why = "is for programs without the network, for they run before anybody has said yes";
        let help = "Take `network` or `web` away, and let a tool before it fetch what it needs.";
        fields.invalid("proposes", span, why, help);
    }
    if proposes && let Some(writable) = fields.get("writable") {
        let help = "Leave it out: a folder of its own is in `TMPDIR`, and Helve writes what it proposes.";
        fields.invalid("writable", writable.span, "is for programs that write their files themselves", help);
    }
    proposes
}

/// Names of variables; two of one name are one.
fn variables(fields: &Fields<'_>, field: &str, names: Vec<(&str, Span)>) -> Vec<Arc<str>> {
    let mut found: Vec<Arc<str>> = Vec::new();
    for (name, span) in names {
        if name.contains(['=', '\0']) || name.starts_with("HELVE_") {
            let why = format!("cannot hold `{name}`");
            let help = "Name a variable, without `=` and its value; names with `HELVE_` are the host's own.";
            fields.invalid(field, span, &why, help);
        } else if !found.iter().any(|it| **it == *name) {
            found.push(name.into());
        }
    }
    found
}

/// Without a fence a program that proposes could write before anybody has said yes: then it does not start.
fn required(fields: &Fields<'_>, proposes: bool) -> Vec<Bound> {
    let names = fields.texts("required").unwrap_or_default();
    let bound = |(name, span): (&str, Span)| {
        let found = Bound::parse(name);
        if found.is_none() {
            let all: Vec<_> = Bound::ALL.iter().map(|bound| bound.as_str()).collect();
            let why = format!("names no bound with `{name}`");
            fields.invalid("required", span, &why, &format!("There are: {}.", all.join(", ")));
        }
        found
    };
    names.into_iter().filter_map(bound).chain(proposes.then_some(Bound::Writes)).collect()
}

fn limits(fields: &Fields<'_>) -> (ProcessLimits, usize, usize) {
    let mut limits = ProcessLimits::default();
    let Some(table) = fields.table("limits", "limits.") else {
        return (limits, PROCESS_OUTPUT_BYTES, PROCESS_LINE_BYTES);
    };
    let bytes = |name, default| {
        table
            .number(name, OUTPUT_BYTES_MAX as u64)
            .map_or(default, |it| usize::try_from(it).unwrap_or(default))
    };
    limits.memory_mb = table.number("memory_mb", LIMIT_MAX).unwrap_or(limits.memory_mb);
    limits.processes = table.number("processes", LIMIT_MAX).unwrap_or(limits.processes);
    limits.cpu_millicores = table.number("cpu_millicores", MILLICORES_MAX);
    limits.cpu_seconds = table.number("cpu_seconds", SECONDS_MAX);
    limits.open_files = table.number("open_files", LIMIT_MAX).unwrap_or(limits.open_files);
    limits.file_size_mb = table.number("file_size_mb", LIMIT_MAX).unwrap_or(limits.file_size_mb);
    let found =
        (limits, bytes("output_bytes", PROCESS_OUTPUT_BYTES), bytes("line_bytes", PROCESS_LINE_BYTES));
    table.finish();
    found
}
