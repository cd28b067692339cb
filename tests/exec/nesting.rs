//! Tools that call tools: their work begins in place, one stack deep, and no deeper than the bound.

use std::sync::{Arc, Mutex, OnceLock};

use async_trait::async_trait;
use helve::call::Arguments;
use helve::exec::{BoundedExecutor, Turn};
use helve::limits::CALLS_IN_PLACE_DEPTH_MAX;
use helve::manifest::ToolManifest;
use helve::tool::{CallContext, CancelToken, Registry, Tool, ToolError};
use serde_json::{Value as Json, json};
use tokio::task::Id;

use crate::rig::{Paused, call};

/// Calls itself as often as it is told, and remembers in which task each of them began.
struct Nest {
    manifest: Arc<ToolManifest>,
    executor: OnceLock<BoundedExecutor>,
    began: Mutex<Vec<Option<Id>>>,
}

#[async_trait]
impl Tool for Nest {
    fn manifest(&self) -> &Arc<ToolManifest> {
        &self.manifest
    }

    async fn call(&self, arguments: &Arguments, _: &CallContext) -> Result<Json, ToolError> {
        self.began.lock().unwrap().push(tokio::task::try_id());
        let below = arguments["below"].as_u64().unwrap();
        if below == 0 {
            return Ok(json!(0));
        }
        let inner = Arc::new(call("nest", json!({"below": below - 1})));
        let outcome =
            self.executor.get().unwrap().execute(&inner, &Turn::default(), &CancelToken::new()).await;
        let depth = outcome.output().and_then(|depth| depth.as_u64());
        depth.map(|depth| json!(depth + 1)).ok_or_else(|| ToolError::runtime(format!("{outcome:?}")))
    }
}

/// How many calls in a row began in one task, for calls nested so deep.
async fn runs(below: u64) -> Vec<usize> {
    let schema = json!({"type": "object", "properties": {"below": {"type": "integer"}}});
    let manifest = Arc::new(ToolManifest::new("nest", "nests", schema));
    let nest = Arc::new(Nest { manifest, executor: OnceLock::new(), began: Mutex::default() });
    let mut registry = Registry::new();
    registry.add(nest.clone()).unwrap();
    let executor = BoundedExecutor::new(Arc::new(registry), Paused::start()).unwrap();
    assert!(nest.executor.set(executor.clone()).is_ok());
    let outermost = Arc::new(call("nest", json!({"below": below})));
    let outcome = executor.execute(&outermost, &Turn::default(), &CancelToken::new()).await;
    assert_eq!(outcome.output().map(|depth| (**depth).clone()), Some(json!(below)), "{outcome:?}");
    let began = nest.began.lock().unwrap();
    assert_eq!(began.len() as u64, below + 1, "each began once");
    began.chunk_by(|one, next| one == next).map(<[_]>::len).collect()
}

#[tokio::test(start_paused = true)]
async fn calls_in_place_nest_as_deep_as_the_bound_and_the_next_gets_a_task_of_its_own() {
    let most = CALLS_IN_PLACE_DEPTH_MAX;
    assert_eq!(runs(most as u64 - 1).await, [most], "all on one stack");
    assert_eq!(runs(most as u64).await, [most, 1]);
    // In a task of its own a call is the first one of its stack, below which as many find room.
    assert_eq!(runs(most as u64 * 2).await, [most, most + 1]);
    let deep = runs(1_000).await;
    assert!(deep.iter().all(|run| *run <= most + 1), "{deep:?}");
}
