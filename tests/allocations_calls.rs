//! Allocations of a call: they repeat exactly, so they are a gate that no busy machine disturbs. A test
//! of its own binary, because what it counts is the whole process.

use std::alloc::System;
use std::sync::Arc;

use async_trait::async_trait;
use helve::call::{Arguments, Call};
use helve::exec::{BoundedExecutor, Turn};
use helve::id::CallId;
use helve::manifest::ToolManifest;
use helve::run::RunClock;
use helve::tool::{CallContext, CancelToken, Registry, Tool, ToolError};
use serde_json::{Value as Json, json};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use tokio::runtime::Builder;

#[global_allocator]
static HEAP: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// How many calls are counted.
const CALLS: usize = 1_000;
/// What the echo itself takes: the copy of its arguments, two of them with a text, and its future.
const OF_THE_TOOL: usize = 6;
/// What a full trip may add: the context and the outcome's output.
const OF_THE_TRIP: usize = 2;

struct Echo(Arc<ToolManifest>);

#[async_trait]
impl Tool for Echo {
    fn manifest(&self) -> &Arc<ToolManifest> {
        &self.0
    }

    async fn call(&self, arguments: &Arguments, _: &CallContext) -> Result<Json, ToolError> {
        Ok(Json::Object(arguments.clone()))
    }
}

#[test]
fn a_full_trip_allocates_no_more_than_it_may() {
    let schema = json!({"properties": {"from": {"type": "string"}, "to": {"type": "string"}}});
    let echo = Echo(Arc::new(ToolManifest::new("echo", "says it again", schema)));
    let mut registry = Registry::new();
    registry.add(Arc::new(echo)).unwrap();
    let executor = BoundedExecutor::new(Arc::new(registry), Arc::new(RunClock::start())).unwrap();
    let calls: Vec<_> = (0..2 * CALLS as u64).map(call).collect();
    let runtime = Builder::new_current_thread().enable_time().build().unwrap();
    let (turn, cancel) = (Turn::default(), CancelToken::new());
    let region = Region::new(HEAP);
    // What the turn remembers makes its room in the first round.
    let [_, counted] = [0, 1].map(|round| {
        let before = region.change().allocations;
        for id in 0..CALLS {
            let trip = executor.execute(&calls[round * CALLS + id], &turn, &cancel);
            assert!(runtime.block_on(trip).output().is_some());
        }
        region.change().allocations - before
    });
    // Now and then a table grows, which is no call's.
    let allowed = OF_THE_TOOL + OF_THE_TRIP;
    assert!(counted / CALLS <= allowed, "{counted} allocations of {CALLS} calls, at most {allowed} of each");
}

fn call(id: u64) -> Arc<Call> {
    let Json::Object(arguments) = json!({"from": format!("{id}"), "to": "x"}) else {
        unreachable!("it is an object")
    };
    Arc::new(Call::new(CallId(id), "echo", arguments))
}
