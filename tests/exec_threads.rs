//! Blocking work that hangs keeps its thread. It must not keep everybody else's: a file of its own,
//! because the threads are counted for the whole process.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use helve::call::{Arguments, Call};
use helve::exec::{BoundedExecutor, Turn};
use helve::id::CallId;
use helve::limits::BLOCKING_CALLS_MAX;
use helve::manifest::ToolManifest;
use helve::outcome::Outcome;
use helve::run::RunClock;
use helve::tool::{CallContext, CancelToken, Registry, Tool, ToolError};
use serde_json::{Value as Json, json};

/// Sits on a thread until everybody is let go.
struct Sitter {
    manifest: Arc<ToolManifest>,
    begun: SyncSender<()>,
    released: Arc<Mutex<Receiver<()>>>,
}

#[async_trait]
impl Tool for Sitter {
    fn manifest(&self) -> &Arc<ToolManifest> {
        &self.manifest
    }

    async fn call(&self, _: &Arguments, cx: &CallContext) -> Result<Json, ToolError> {
        let (begun, released) = (self.begun.clone(), self.released.clone());
        cx.blocking(move |_| {
            begun.send(()).unwrap();
            // The channel's end lets everybody go.
            let _ = released.lock().unwrap().recv();
            Ok(json!("sat"))
        })
        .await
    }
}

fn call(id: u64, timeout_ms: u64) -> Arc<Call> {
    Arc::new(Call {
        timeout: Some(Duration::from_millis(timeout_ms)),
        ..Call::new(CallId(id), "sit", Arguments::new())
    })
}

/// Real threads and real time, about 0.1 s of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hung_blocking_work_leaves_threads_for_everybody_else() {
    let (begin, begun) = sync_channel(2 * BLOCKING_CALLS_MAX);
    let (release, released) = sync_channel(1);
    let sitter = Sitter {
        manifest: Arc::new(ToolManifest::new("sit", "", json!({}))),
        begun: begin,
        released: Arc::new(Mutex::new(released)),
    };
    let mut registry = Registry::new();
    registry.add(Arc::new(sitter)).unwrap();
    let executor = BoundedExecutor::new(Arc::new(registry), Arc::new(RunClock::start())).unwrap();
    let execute = |id, timeout_ms| {
        let executor = executor.clone();
        tokio::spawn(async move {
            executor.execute(&call(id, timeout_ms), &Turn::default(), &CancelToken::new()).await
        })
    };
    let sitting: Vec<_> = (0..BLOCKING_CALLS_MAX as u64).map(|id| execute(id, 30_000)).collect();
    for _ in 0..BLOCKING_CALLS_MAX {
        begun.recv_timeout(Duration::from_secs(10)).unwrap();
    }
    // One more finds no thread, and ends by its deadline all the same.
    let outcome = execute(9_999, 50).await.unwrap();
    assert!(matches!(outcome, Outcome::ToolTimeout(_)), "{outcome:?}");
    assert!(begun.try_recv().is_err(), "it never began");
    // The runtime's own threads are free.
    let free = tokio::task::spawn_blocking(|| 7);
    assert_eq!(tokio::time::timeout(Duration::from_secs(10), free).await.unwrap().unwrap(), 7);
    drop(release);
    for sits in sitting {
        assert!(sits.await.unwrap().output().is_some());
    }
    assert!(execute(10_000, 10_000).await.unwrap().output().is_some(), "the threads are given back");
}
