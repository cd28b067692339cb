//! Programs as tools behind the service: limits that reach the process, a report of what was enforced,
//! and nothing alive when the response is told. These are about real processes, and in real time.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use helve::backend::process::{Surroundings, load};
use helve::exec::BoundedExecutor;
use helve::harness::Root;
use helve::run::RunClock;
use helve::service::{AgentIdentity, InvokeRequest, ResourceLimits, Service, ServiceSettings, ToolStatus};
use helve::tool::{CancelToken, Registry};
use serde_json::json;

/// A service of one tool, a shell with this script.
fn service(folder: &Path, manifest: &str, script: &str) -> Service {
    fs::write(folder.join("script.sh"), script).unwrap();
    let manifest = format!(
        "name = \"it\"\ndescription = \"Does it.\"\ncommand = \"sh\"\nargs = [\"{{here}}/script.sh\"]\n{manifest}\n"
    );
    fs::write(folder.join("it.toml"), manifest).unwrap();
    let root = Root::open(folder).unwrap();
    let mut registry = Registry::new();
    for tool in load(&[folder.join("it.toml")], &Surroundings::new(root)).unwrap() {
        registry.add(tool).unwrap();
    }
    let executor = BoundedExecutor::new(Arc::new(registry), Arc::new(RunClock::start())).unwrap();
    Service::new(&executor, ServiceSettings::default()).unwrap()
}

fn ask() -> InvokeRequest {
    InvokeRequest::new("it", AgentIdentity::new("scout"))
}

#[tokio::test]
async fn c08_limits_reach_the_process_and_the_response_says_what_was_enforced_and_used() {
    let folder = tempfile::tempdir().unwrap();
    // `ulimit -d` is the memory that a process may have, in kibibytes.
    let service = service(folder.path(), "[limits]\nmemory_mb = 256", "cat > /dev/null; ulimit -d");
    let memory = async |limits: ResourceLimits| {
        let response = service.execute(InvokeRequest { resource_limits: limits, ..ask() }).await;
        let kib = response.output().unwrap_or_else(|| panic!("{:?}", response.error)).as_u64().unwrap();
        (kib / 1_024, response)
    };
    let (mb, response) = memory(ResourceLimits::default()).await;
    assert_eq!(mb, 256, "the manifest goes before the default");
    assert_eq!(response.execution_metadata.limits.memory_mb_limit, Some(256));
    assert_eq!(response.execution_metadata.limits.cpu_millicore_limit, Some(500));
    let (mb, response) =
        memory(ResourceLimits { memory_mb_limit: Some(512), ..ResourceLimits::default() }).await;
    assert_eq!(mb, 512, "the request goes before the manifest");
    let metadata = &response.execution_metadata;
    assert_ne!(metadata.enforced["memory"].state, "not_enforced");
    assert_eq!(metadata.enforced["wall_time"].state, "enforced");
    // What is short of whole says why.
    assert!(metadata.enforced.values().all(|it| (it.state == "enforced") == it.why.is_none()));
    assert!(metadata.resources_used.is_some_and(|used| used.memory_bytes > 0), "{metadata:?}");
}

#[tokio::test]
async fn c09_of_a_call_that_was_cancelled_or_was_too_late_no_process_is_alive() {
    let folder = tempfile::tempdir().unwrap();
    let script = "echo $$ > pid.new; mv pid.new pid; sleep 1000 & echo $! > child; wait";
    let service = service(folder.path(), "folder = \".\"", script);
    let pid = |name: &str| fs::read_to_string(folder.path().join(name)).ok()?.trim().parse::<u32>().ok();
    // A process that has ended and that its parent has not looked at yet is not alive.
    let is_alive = |name: &str| {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid(name).unwrap())).unwrap_or_default();
        stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
    };

    let cancel = CancelToken::new();
    let calling = service.execute_until(ask(), cancel.clone());
    let cancelling = async {
        while pid("pid").is_none() || pid("child").is_none() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (response, ()) = tokio::join!(calling, cancelling);
    assert_eq!(response.status, ToolStatus::Cancelled);
    assert!(!is_alive("pid") && !is_alive("child"));
    assert!(response.execution_metadata.resources_used.is_some(), "what a cancelled call took is told too");

    // What the next one leaves is its own.
    fs::remove_file(folder.path().join("pid")).unwrap();
    fs::remove_file(folder.path().join("child")).unwrap();
    let mut short = ask();
    short.resource_limits.timeout_seconds = Some(3);
    let response = service.execute(short).await;
    assert_eq!(response.status, ToolStatus::Timeout);
    assert!(!is_alive("pid") && !is_alive("child"), "the response waits for the end of the process");
    assert!(response.execution_metadata.resources_used.is_some());
    assert_eq!(service.in_flight(), 0);
}

#[tokio::test]
async fn c11_a_program_s_result_is_checked_against_its_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(folder.path(), "[result]\ntype = \"number\"", "echo '\"seven\"'");
    let response = service.execute(ask().with("n", json!(1))).await;
    let error = response.error.unwrap();
    assert_eq!(response.status, ToolStatus::Error);
    assert!(error.message.contains("\"seven\" is not of type \"number\""), "{error}");
}
