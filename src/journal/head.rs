//! What a recording begins with: everything that a replay needs besides the inputs.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::catalog::{Catalog, tool_manifest};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::journal::error::Kind;
use crate::journal::format::ValueShape;
use crate::journal::json;
use crate::journal::manifest_shape::ManifestShape;
use crate::manifest::ToolManifest;
use crate::text::Source;
use crate::tree::{self, CompileOptions, Includes, SourceFile, Sources, Substitutions, Tree};
use crate::value::{Type, Value};

/// What a run is made of before its first input.
#[derive(Clone, Debug)]
pub struct Head {
    /// The text of the tree and all that it includes, with the names that people know them by.
    pub texts: Sources,
    /// What the tree was compiled with.
    pub options: CompileOptions,
    /// The tools that the tree may call.
    pub tools: Vec<Arc<ToolManifest>>,
    /// The keys that were set before the first input, in that order.
    pub keys: Vec<(Arc<str>, Value)>,
    /// The version of helve that recorded.
    pub helve: Arc<str>,
    /// When the run was started, in the words of whoever started it.
    pub started_at: Arc<str>,
    /// Where the artifacts lie that the recording refers to, as whoever started the run wrote it;
    /// `None` when the recording holds all outputs itself.
    pub artifacts: Option<Arc<str>>,
}

impl Head {
    /// The head of a run of the tree in `texts`, recorded by this helve: no tools, no keys, the
    /// default options. A tree of several files has its texts in [`Tree::texts`]; one text alone
    /// is enough for a tree that includes nothing.
    pub fn new(texts: impl Into<Sources>, started_at: impl Into<Arc<str>>) -> Self {
        Self {
            texts: texts.into(),
            options: CompileOptions::default(),
            tools: Vec::new(),
            keys: Vec::new(),
            helve: env!("CARGO_PKG_VERSION").into(),
            started_at: started_at.into(),
            artifacts: None,
        }
    }

    /// The same head of a recording that refers to artifacts in `folder` instead of holding them. For
    /// runs whose store outlives them, such as [`DiskArtifacts`](crate::exec::artifact::DiskArtifacts):
    /// what a store in memory kept could never be replayed.
    #[must_use]
    pub fn with_artifacts(mut self, folder: impl Into<Arc<str>>) -> Self {
        self.artifacts = Some(folder.into());
        self
    }

    /// The same head with what the tree was compiled with.
    #[must_use]
    pub fn with_options(mut self, options: &CompileOptions) -> Self {
        self.options = options.clone();
        self
    }

    /// The same head with the tools that the tree was compiled against: all of the registry's,
    /// since a leaf may choose its tool while it runs.
    #[must_use]
    pub fn with_tools<'m>(mut self, manifests: impl IntoIterator<Item = &'m Arc<ToolManifest>>) -> Self {
        self.tools.extend(manifests.into_iter().cloned());
        self
    }

    /// The same head with one more key that is set before the run.
    #[must_use]
    pub fn with_key(mut self, key: impl Into<Arc<str>>, value: impl Into<Value>) -> Self {
        self.keys.push((key.into(), value.into()));
        self
    }

    /// The main text of the tree.
    pub fn source(&self) -> &Arc<Source> {
        self.texts.main()
    }

    /// The tree, compiled against `nodes` and the recorded tools.
    pub(super) fn compile(&self, mut nodes: Catalog) -> Result<Arc<Tree>, Diagnostics> {
        for tool in &self.tools {
            let added = |fault| Diagnostic::new(Code::E0501, format!("tool `{}`: {fault}", tool.name));
            nodes.add(tool_manifest(tool.clone())?).map_err(added)?;
        }
        let includes = Includes::recorded(&self.texts);
        let (tree, faults) = tree::load_with_includes(self.source(), &includes, &nodes, &self.options);
        tree.ok_or(faults)
    }

    pub(super) fn to_json(&self) -> Result<String, Kind> {
        json::write(&HeadShape::from(self))
    }

    /// Reads a head; the error says what is wrong with it.
    pub(super) fn from_json(json: &str) -> Result<Self, String> {
        json::read::<HeadShape>(json)?.try_into()
    }
}

/// A head as the journal writes it.
#[derive(Serialize, Deserialize)]
struct HeadShape {
    helve: Arc<str>,
    started_at: Arc<str>,
    /// The main text first.
    sources: Vec<SourceShape>,
    nodes_max: usize,
    /// The rules of a run without its tools: name and text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rules: Option<(Arc<str>, Arc<str>)>,
    /// Keys and the names of their types.
    initial: Vec<(Arc<str>, String)>,
    tools: Vec<ManifestShape>,
    keys: Vec<(Arc<str>, ValueShape)>,
    /// A helve that knew no references refuses the inputs that hold one, so nobody misreads them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    artifacts: Option<Arc<str>>,
}

#[derive(Serialize, Deserialize)]
struct SourceShape {
    name: Arc<str>,
    text: Arc<str>,
    /// The paths that it includes, each with the number of the text there. A helve that knew no
    /// includes refuses a head with more than one text, so nobody misreads this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    includes: Vec<(Arc<str>, u32)>,
}

impl From<&SourceFile> for SourceShape {
    fn from(file: &SourceFile) -> Self {
        let SourceFile { source, includes } = file;
        Self { name: source.name().clone(), text: source.text().clone(), includes: includes.clone() }
    }
}

impl From<SourceShape> for SourceFile {
    fn from(shape: SourceShape) -> Self {
        Self { source: Source::new(shape.name, shape.text), includes: shape.includes }
    }
}

impl From<&Head> for HeadShape {
    fn from(head: &Head) -> Self {
        let CompileOptions { nodes_max, initial, substitutions } = &head.options;
        Self {
            helve: head.helve.clone(),
            started_at: head.started_at.clone(),
            sources: head.texts.files().iter().map(SourceShape::from).collect(),
            nodes_max: *nodes_max,
            rules: substitutions.as_ref().map(|rules| {
                let source = rules.source();
                (source.name().clone(), source.text().clone())
            }),
            initial: initial.iter().map(|(key, ty)| (key.clone(), ty.to_string())).collect(),
            tools: head.tools.iter().map(|tool| ManifestShape::from(&**tool)).collect(),
            keys: head.keys.iter().map(|(key, value)| (key.clone(), ValueShape::from(value))).collect(),
            artifacts: head.artifacts.clone(),
        }
    }
}

impl TryFrom<HeadShape> for Head {
    type Error = String;

    fn try_from(shape: HeadShape) -> Result<Self, String> {
        let texts = Sources::new(shape.sources.into_iter().map(SourceFile::from).collect())?;
        let initial = (shape.initial.into_iter())
            .map(|(key, name)| match Type::parse(&name) {
                Some(ty) => Ok((key, ty)),
                None => Err(format!("names the type `{name}`, which is not known")),
            })
            .collect::<Result<_, _>>()?;
        let parse = |(name, text): (Arc<str>, Arc<str>)| Substitutions::parse(&Source::new(name, text));
        let substitutions = shape.rules.map(parse).transpose();
        let substitutions =
            substitutions.map_err(|fault| format!("holds rules that do not read: {fault}"))?;
        Ok(Self {
            texts,
            options: CompileOptions { nodes_max: shape.nodes_max, initial, substitutions },
            tools: shape.tools.into_iter().map(|tool| Arc::new(tool.into())).collect(),
            keys: shape.keys.into_iter().map(|(key, value)| (key, value.into())).collect(),
            helve: shape.helve,
            started_at: shape.started_at,
            artifacts: shape.artifacts,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::manifest::Effects;

    fn full_manifest() -> ToolManifest {
        let manifest = ToolManifest::new("vault.read", "Reads.", json!({"type": "object", "x": 0.1}))
            .category("vault")
            .output_schema(json!({"type": "object"}))
            .agent_scope(&["librarian"])
            .timeout(Duration::from_nanos(1_234_567_891))
            .effects(Effects::External)
            .idempotent()
            .success("size(result) > 0")
            .reads(&["path"])
            .writes("result", "note");
        ToolManifest { retry_on_timeout: false, web: true, version: "7.1.0".into(), ..manifest }
    }

    #[test]
    fn a_head_reads_back_whole() {
        let types = [Type::Any, Type::Bool, Type::Int, Type::Int64, Type::Uint, Type::Uint64]
            .into_iter()
            .chain([Type::Real, Type::Text, Type::Json, Type::Status]);
        let initial = types.enumerate().map(|(number, ty)| (format!("k{number}").into(), ty)).collect();
        let texts = Sources::new(vec![
            SourceFile {
                source: Source::new("a\"b.xml", "<root/>\n"),
                includes: vec![("c/d.xml".into(), 1)],
            },
            SourceFile { source: Source::new("c/d.xml", ""), includes: Vec::new() },
        ]);
        let rules = Source::new("offline.json", r#"{"SubstitutionRules": {"a": "AlwaysSuccess"}}"#);
        let substitutions = Some(Substitutions::parse(&rules).unwrap());
        let head = Head::new(texts.unwrap(), "yesterday")
            .with_options(&CompileOptions { nodes_max: 77, initial, substitutions })
            .with_tools([&Arc::new(full_manifest()), &Arc::new(ToolManifest::new("plain", "", json!({})))])
            .with_artifacts("a/b c")
            .with_key("a", -0.0)
            .with_key("b", Value::Null);
        let text = head.to_json().unwrap();
        let back = Head::from_json(&text).unwrap();
        // `Debug` tells every field apart, -0.0 from 0.0 among them.
        assert_eq!(format!("{back:?}"), format!("{head:?}"));
        assert_eq!(back.texts, head.texts);
        assert_eq!(back.to_json().unwrap(), text);
    }

    #[test]
    fn a_broken_head_says_what_is_wrong() {
        let good: serde_json::Value =
            serde_json::from_str(&Head::new(&Source::new("a", "b"), "").to_json().unwrap()).unwrap();
        let check = |key: &str, value: serde_json::Value, why: &str| {
            let mut broken = good.clone();
            broken[key] = value;
            let said = Head::from_json(&broken.to_string()).unwrap_err();
            assert!(said.contains(why), "{said}");
        };
        check("sources", json!([]), "holds no text of a tree");
        let stray = json!([{"name": "a", "text": "b", "includes": [["c.xml", 1]]}]);
        check("sources", stray, "lets `a` include `c.xml` from text 1 of 1");
        check("initial", json!([["k", "quaternion"]]), "names the type `quaternion`, which is not known");
        check("keys", json!([["k", {"real": "x"}]]), "invalid type");
        check("tools", json!(5), "invalid type");
        check("rules", json!(["r.json", "{"]), "holds rules that do not read");
    }
}
