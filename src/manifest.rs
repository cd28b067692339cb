//! What a tool says of itself: the one definition that ports, schemas, bounds, help pages and
//! editor models are made from.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value as Json;

use crate::call::ToolName;
use crate::limits;

/// Everything that is known of a tool without running it.
#[derive(Clone, Debug, Serialize)]
pub struct ToolManifest {
    /// The true name.
    pub name: ToolName,
    /// The version, `0.1.0` style.
    pub version: Arc<str>,
    /// What the tool does, for people and for models.
    pub description: Arc<str>,
    /// The group it is listed under: `code`, `vault`, ...
    pub category: Arc<str>,
    /// The agents that may be offered it; empty means every agent.
    pub agent_scope: Vec<Arc<str>>,
    /// The JSON Schema of the arguments: an object schema.
    pub input_schema: Json,
    /// The JSON Schema of the result, when the tool declares one.
    pub output_schema: Option<Json>,
    /// The bound on a call that brings none of its own.
    #[serde(serialize_with = "as_millis", rename = "timeout_ms")]
    pub timeout: Duration,
    /// Whether a call that timed out may be tried again.
    pub retry_on_timeout: bool,
    /// Whether a second call with the same arguments changes nothing more.
    pub idempotent: bool,
    /// Whether the tool is part of web mode.
    pub web: bool,
    /// Whether calling again with the same arguments until the answer changes is how the tool is
    /// meant to be used: the loop breaker leaves it alone.
    pub polls: bool,
    /// What the tool does to the world.
    pub effects: Effects,
    /// Whether somebody has to say yes to each call, also where rules ask for nothing.
    pub confirms: bool,
    /// The success predicate, in the expression language; `None` accepts every result.
    pub success: Option<Arc<str>>,
    /// The blackboard keys that the ports are bound to when a tree binds none.
    pub contract: Contract,
}

/// What a tool does to the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effects {
    /// It only looks.
    #[default]
    ReadOnly,
    /// It changes files or records under its own roots.
    Writes,
    /// It speaks to something outside this machine.
    External,
}

impl Effects {
    /// The words for a table.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Writes => "writes",
            Self::External => "external",
        }
    }
}

/// A tool's blackboard contract: default bindings of its ports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Contract {
    /// Input ports that read the key of their own name.
    pub reads: Vec<Arc<str>>,
    /// Output ports and the keys that they write.
    pub writes: Vec<ContractWrite>,
}

/// One default binding of an output port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ContractWrite {
    /// A property of the result, or `result` for all of it.
    pub port: Arc<str>,
    /// The key that is written.
    pub key: Arc<str>,
}

impl ToolManifest {
    /// A manifest with the bounds and permissions of a tool that says nothing else: read-only,
    /// not idempotent, [`limits::TOOL_TIMEOUT_DEFAULT`], no predicate, no contract.
    pub fn new(name: impl Into<ToolName>, description: impl Into<Arc<str>>, input_schema: Json) -> Self {
        Self {
            name: name.into(),
            version: "0.1.0".into(),
            description: description.into(),
            category: "custom".into(),
            agent_scope: Vec::new(),
            input_schema,
            output_schema: None,
            timeout: limits::TOOL_TIMEOUT_DEFAULT,
            retry_on_timeout: true,
            idempotent: false,
            web: false,
            polls: false,
            effects: Effects::default(),
            confirms: false,
            success: None,
            contract: Contract::default(),
        }
    }

    /// The same manifest, listed under `category`.
    #[must_use]
    pub fn category(mut self, category: &str) -> Self {
        self.category = category.into();
        self
    }

    /// The same manifest with the JSON Schema of the result.
    #[must_use]
    pub fn output_schema(mut self, schema: Json) -> Self {
        self.output_schema = Some(schema);
        self
    }

    /// The same manifest, offered to these agents only.
    #[must_use]
    pub fn agent_scope(mut self, agents: &[&str]) -> Self {
        self.agent_scope = agents.iter().map(|&agent| agent.into()).collect();
        self
    }

    /// The same manifest with a bound of its own on a call.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The same manifest for a tool that changes the world so.
    #[must_use]
    pub fn effects(mut self, effects: Effects) -> Self {
        self.effects = effects;
        self
    }

    /// The same manifest for a tool that runs only after somebody has said yes to the call.
    #[must_use]
    pub fn confirms(mut self) -> Self {
        self.confirms = true;
        self
    }

    /// The same manifest for a tool that may safely be called twice with the same arguments.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }

    /// The same manifest for a tool that is asked again and again until its answer changes.
    #[must_use]
    pub fn polls(mut self) -> Self {
        self.polls = true;
        self
    }

    /// The same manifest with a success predicate.
    #[must_use]
    pub fn success(mut self, predicate: &str) -> Self {
        self.success = Some(predicate.into());
        self
    }

    /// The same manifest with input ports that read the keys of their own names.
    #[must_use]
    pub fn reads(mut self, keys: &[&str]) -> Self {
        self.contract.reads = keys.iter().map(|&key| key.into()).collect();
        self
    }

    /// The same manifest with one more output port bound to a key.
    #[must_use]
    pub fn writes(mut self, port: &str, key: &str) -> Self {
        self.contract.writes.push(ContractWrite { port: port.into(), key: key.into() });
        self
    }
}

fn as_millis<S: serde::Serializer>(span: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(u64::try_from(span.as_millis()).unwrap_or(u64::MAX))
}
