//! The tools of these tests, and a service before them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use helve::call::Arguments;
use helve::exec::BoundedExecutor;
use helve::manifest::{Effects, ToolManifest};
use helve::outcome::ErrorCategory;
use helve::run::RunClock;
use helve::service::{AgentIdentity, InvokeRequest, Service, ServiceSettings};
use helve::tool::{CallContext, Registry, Tool, ToolError};
use serde_json::{Value as Json, json};
use tokio::time::sleep;

/// A tool that does what its arguments say.
pub struct Actor {
    manifest: Arc<ToolManifest>,
    pub seen: Arc<Seen>,
}

/// What the tools of a rig have seen.
#[derive(Default)]
pub struct Seen {
    started: AtomicUsize,
    running: AtomicUsize,
    most: AtomicUsize,
    /// The `say` of each call, as it began.
    order: Mutex<Vec<Json>>,
    /// How often `flaky` was called with each name.
    tries: Mutex<BTreeMap<String, u64>>,
}

impl Seen {
    pub fn started(&self) -> usize {
        self.started.load(Ordering::SeqCst)
    }

    pub fn running(&self) -> usize {
        self.running.load(Ordering::SeqCst)
    }

    /// The most that ran at once.
    pub fn most(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }

    pub fn order(&self) -> Vec<Json> {
        self.order.lock().unwrap().clone()
    }
}

/// Counts a call that runs, until it is dropped.
struct Running(Arc<Seen>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Tool for Actor {
    fn manifest(&self) -> &Arc<ToolManifest> {
        &self.manifest
    }

    async fn call(&self, arguments: &Arguments, cx: &CallContext) -> Result<Json, ToolError> {
        let seen = &self.seen;
        seen.started.fetch_add(1, Ordering::SeqCst);
        let now = seen.running.fetch_add(1, Ordering::SeqCst) + 1;
        seen.most.fetch_max(now, Ordering::SeqCst);
        let _running = Running(seen.clone());
        let say = arguments.get("say").cloned().unwrap_or_default();
        seen.order.lock().unwrap().push(say.clone());
        let pause = Duration::from_millis(arguments.get("ms").and_then(Json::as_u64).unwrap_or(0));
        match arguments.get("act").and_then(Json::as_str).unwrap_or("answer") {
            "answer" => {
                sleep(pause).await;
                Ok(say)
            }
            "hang" => std::future::pending().await,
            "panic" => {
                sleep(pause).await;
                panic!("out of ideas")
            }
            "fail" => Err(ToolError::resource("no such file")),
            "flaky" => {
                sleep(pause).await;
                let mut tries = seen.tries.lock().unwrap();
                let tries = tries.entry(say.to_string()).or_default();
                *tries += 1;
                if *tries <= arguments["failures"].as_u64().unwrap() {
                    return Err(ToolError::new(ErrorCategory::Network, "no route to the host"));
                }
                Ok(json!(*tries))
            }
            // What a model sees of it is cut, and is too large even then.
            "large" => Ok(vec!["x".repeat(100); 200].into()),
            "scope" => Ok(json!({
                "agent": cx.scope().agent.agent,
                "tenant": cx.scope().agent.tenant,
                "sandbox": cx.scope().agent.sandbox,
                "cpu_millicores": cx.scope().account.allowance.cpu_millicores,
                "memory_mb": cx.scope().account.allowance.memory_mb,
                "time_left_ms": cx.time_left().as_millis() as u64,
            })),
            other => Err(ToolError::user_input(format!("`{other}` is no act"))),
        }
    }
}

/// A service of these tools:
///
/// | tool | what it is |
/// |---|---|
/// | `look` | reads only, idempotent |
/// | `write` | writes, not idempotent |
/// | `put` | writes, idempotent |
/// | `number` | must answer with a number |
pub struct Rig {
    pub service: Service,
    pub seen: Arc<Seen>,
}

impl Rig {
    pub fn new() -> Self {
        Self::with(ServiceSettings::default())
    }

    pub fn with(settings: ServiceSettings) -> Self {
        let seen = Arc::<Seen>::default();
        let (first, second) = (executor(&seen, "0.1.0"), executor(&seen, "0.10.0"));
        let settings = ServiceSettings { dated_by: || 1_763_700_000, seed: 7, ..settings };
        let service = Service::of_versions(&[&first, &second], settings).unwrap();
        Self { service, seen }
    }

    /// Lets everything happen that needs no time.
    pub async fn settle(&self) {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }
}

fn executor(seen: &Arc<Seen>, version: &str) -> BoundedExecutor {
    let mut registry = Registry::new();
    for (name, effects) in [
        ("look", Effects::ReadOnly),
        ("write", Effects::Writes),
        ("put", Effects::Writes),
        ("number", Effects::ReadOnly),
    ] {
        let schema = json!({"type": "object", "properties": {"ms": {"type": "integer"}}});
        let words = format!("Acts out what it is told: {name}.");
        let mut manifest = ToolManifest::new(name, words, schema).effects(effects);
        manifest.version = version.into();
        manifest = match name {
            "look" => manifest.idempotent().category("reading").agent_scope(&["scout", "oracle"]),
            "put" => manifest.idempotent(),
            "number" => manifest.output_schema(json!({"type": "number"})),
            _ => manifest,
        };
        registry.add(Arc::new(Actor { manifest: Arc::new(manifest), seen: seen.clone() })).unwrap();
    }
    BoundedExecutor::new(Arc::new(registry), Arc::new(RunClock::start())).unwrap()
}

/// A request of the agent `scout` with a name that is made from `number`.
pub fn request(number: u128, tool: &str, parameters: Json) -> InvokeRequest {
    let Json::Object(parameters) = parameters else { panic!("parameters are an object") };
    InvokeRequest {
        invocation_id: uuid::Uuid::from_u128(number),
        parameters,
        ..InvokeRequest::new(tool, AgentIdentity::new("scout"))
    }
}
