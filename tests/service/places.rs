//! Places, the line before them, and the caps of parents.

use std::sync::Arc;
use std::time::Duration;

use helve::limits::STOP_GRACE;
use helve::service::{
    AgentIdentity, ErrorCode, FixedSandboxes, InvokeRequest, InvokeResponse, ResourceLimits, Sandboxes,
    ServiceSettings, ToolStatus, WhenFull,
};
use helve::tool::CancelToken;
use serde_json::{Value as Json, json};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::rig::{Rig, request};

/// A request that waits in line.
fn queued(number: u128, parameters: Json, priority: u8) -> InvokeRequest {
    let mut asked = request(number, "look", parameters);
    asked.execution_options.when_full = WhenFull::Queue;
    asked.execution_options.priority = priority;
    asked
}

fn spawn(rig: &Rig, asked: InvokeRequest) -> JoinHandle<InvokeResponse> {
    let service = rig.service.clone();
    tokio::spawn(async move { service.execute(asked).await })
}

fn code(response: &InvokeResponse) -> Option<ErrorCode> {
    response.error.as_ref().map(|error| error.code)
}

#[tokio::test(start_paused = true)]
async fn c04_the_fifth_call_of_an_agent_is_refused_and_another_agent_is_not() {
    let rig = Rig::new();
    let four: Vec<_> = (0..4).map(|n| spawn(&rig, request(n, "look", json!({"ms": 100})))).collect();
    rig.settle().await;
    assert_eq!((rig.service.in_flight(), rig.seen.running()), (4, 4));
    let fifth = rig.service.execute(request(5, "look", json!({}))).await;
    assert_eq!((fifth.status, code(&fifth)), (ToolStatus::Error, Some(ErrorCode::E3106)));
    let mut other = request(6, "look", json!({}));
    other.agent_context = Some(AgentIdentity::new("oracle"));
    assert_eq!(rig.service.execute(other).await.status, ToolStatus::Success);
    let mut namesake = request(7, "look", json!({}));
    namesake.agent_context =
        Some(AgentIdentity { tenant_id: Some("elsewhere".into()), ..AgentIdentity::new("scout") });
    assert_eq!(rig.service.execute(namesake).await.status, ToolStatus::Success);
    for call in four {
        assert_eq!(call.await.unwrap().status, ToolStatus::Success);
    }
    assert_eq!(rig.service.execute(request(8, "look", json!({}))).await.status, ToolStatus::Success);
}

#[tokio::test(start_paused = true)]
async fn c04_the_queue_is_bounded_in_number_and_time() {
    let rig = Rig::with(ServiceSettings { agent_queue_max: 2, ..ServiceSettings::default() });
    let hanging: Vec<_> = (0..4).map(|n| spawn(&rig, request(n, "look", json!({"act": "hang"})))).collect();
    rig.settle().await;
    // They hang for 30 s; these wait for 60 s at most.
    let waiting: Vec<_> = (10..12).map(|n| spawn(&rig, queued(n, json!({}), 5))).collect();
    rig.settle().await;
    assert_eq!(rig.service.queue_depth(), 2);
    let third = rig.service.execute(queued(12, json!({}), 10)).await;
    assert_eq!(code(&third), Some(ErrorCode::E3106));
    for call in hanging {
        assert_eq!(call.await.unwrap().status, ToolStatus::Timeout);
    }
    for call in waiting {
        let response = call.await.unwrap();
        assert_eq!(response.status, ToolStatus::Success);
        assert_eq!(response.execution_metadata.queued_ms, 30_000 + STOP_GRACE.as_millis() as u64);
    }

    let rig =
        Rig::with(ServiceSettings { queue_wait_max: Duration::from_secs(3), ..ServiceSettings::default() });
    let hanging: Vec<_> = (0..4).map(|n| spawn(&rig, request(n, "look", json!({"act": "hang"})))).collect();
    rig.settle().await;
    let response = rig.service.execute(queued(9, json!({}), 10)).await;
    assert_eq!(code(&response), Some(ErrorCode::E3106));
    assert_eq!(rig.service.queue_depth(), 0, "who waited too long waits no more");
    drop(hanging);
}

#[tokio::test(start_paused = true)]
async fn c05_the_higher_priority_is_admitted_first_and_of_two_the_one_that_came_first() {
    let rig = Rig::with(ServiceSettings { agent_calls_max: 1, ..ServiceSettings::default() });
    let first = spawn(&rig, request(0, "look", json!({"ms": 10, "say": "first"})));
    rig.settle().await;
    let mut calls = Vec::new();
    for (number, priority) in [(1, 1), (2, 10), (3, 5), (4, 10), (5, 5)] {
        calls.push(spawn(&rig, queued(number, json!({"ms": 10, "say": number}), priority)));
        rig.settle().await;
    }
    first.await.unwrap();
    for call in calls {
        assert_eq!(call.await.unwrap().status, ToolStatus::Success);
    }
    assert_eq!(rig.seen.order(), [json!("first"), json!(2), json!(4), json!(3), json!(5), json!(1)]);
    assert_eq!(rig.seen.most(), 1);
}

#[tokio::test(start_paused = true)]
async fn c05_the_lowest_priority_is_admitted_under_a_flood_of_the_highest() {
    let rig = Rig::with(ServiceSettings { agent_calls_max: 1, ..ServiceSettings::default() });
    let _first = spawn(&rig, request(0, "look", json!({"ms": 10, "say": "first"})));
    rig.settle().await;
    let low = spawn(&rig, queued(1, json!({"say": "low"}), 1));
    rig.settle().await;
    let mut flood: Vec<JoinHandle<InvokeResponse>> = Vec::new();
    for number in 2..100 {
        flood.push(spawn(&rig, queued(number, json!({"ms": 10, "say": number}), 10)));
        sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(low.await.unwrap().status, ToolStatus::Success);
    let place = rig.seen.order().iter().position(|say| *say == json!("low")).unwrap();
    assert!((10..=40).contains(&place), "it was overtaken, and not for ever: {place}");
}

/// A parent with 1,000 millicores, 512 MB, 20 s.
fn sandboxes() -> Option<Arc<dyn Sandboxes>> {
    let limits = ResourceLimits {
        cpu_millicore_limit: Some(1_000),
        memory_mb_limit: Some(512),
        timeout_seconds: Some(20),
    };
    Some(Arc::new(FixedSandboxes::from([("box".into(), limits)])))
}

#[tokio::test(start_paused = true)]
async fn c07_limits_are_the_requests_within_the_parents_and_the_tool_gets_them() {
    let rig = Rig::with(ServiceSettings { sandboxes: sandboxes(), ..ServiceSettings::default() });
    let ask = |cpu, memory, timeout, sandbox: Option<&str>| {
        let mut asked = request(1, "look", json!({"act": "scope"}));
        asked.resource_limits =
            ResourceLimits { cpu_millicore_limit: cpu, memory_mb_limit: memory, timeout_seconds: timeout };
        let agent = AgentIdentity::new("scout");
        asked.agent_context = Some(match sandbox {
            Some(sandbox) => agent.inside(sandbox),
            None => agent,
        });
        rig.service.execute(asked)
    };
    let got = |response: InvokeResponse| {
        let output = response.output().unwrap_or_else(|| panic!("{:?}", response.error)).clone();
        (output["cpu_millicores"].as_u64(), output["memory_mb"].as_u64(), output["time_left_ms"].as_u64())
    };
    // Nobody says anything; the parent is smaller than the default.
    assert_eq!(got(ask(None, None, None, None).await), (Some(500), Some(1_024), Some(30_000)));
    assert_eq!(got(ask(None, None, None, Some("box")).await), (Some(500), Some(512), Some(20_000)));
    // The request goes before the default, up to the parent's, and above the executor's own cap.
    assert_eq!(
        got(ask(Some(1_000), Some(64), Some(7), Some("box")).await),
        (Some(1_000), Some(64), Some(7_000))
    );
    assert_eq!(got(ask(Some(9_000), Some(8), Some(300), None).await), (Some(9_000), Some(8), Some(300_000)));
    // A request above the parent's is refused, saying which limit.
    for (cpu, memory, timeout, name) in [
        (Some(1_001), None, None, "`cpu_millicore_limit` is 1001, and the parent sandbox has 1000"),
        (None, Some(513), None, "`memory_mb_limit` is 513, and the parent sandbox has 512"),
        (None, None, Some(21), "`timeout_seconds` is 21, and the parent sandbox has 20"),
    ] {
        let error = ask(cpu, memory, timeout, Some("box")).await.error.unwrap();
        assert_eq!((error.code, &*error.message), (ErrorCode::E3111, name));
    }
    let unknown = ask(None, None, None, Some("bix")).await.error.unwrap();
    assert_eq!((unknown.code, &*unknown.message), (ErrorCode::E3110, "there is no sandbox named `bix`"));
    let mut patient = request(2, "look", json!({}));
    patient.agent_context = Some(AgentIdentity::new("scout").inside("box"));
    patient.execution_options.retry.budget_seconds = Some(21);
    assert_eq!(code(&rig.service.execute(patient).await), Some(ErrorCode::E3111), "retries are time too");
    assert_eq!(rig.seen.started(), 4);
}

#[tokio::test(start_paused = true)]
async fn c09_the_slot_comes_back_whatever_happens() {
    let rig = Rig::with(ServiceSettings { agent_calls_max: 1, ..ServiceSettings::default() });
    for act in ["answer", "panic", "fail", "hang", "large"] {
        let response = rig.service.execute(request(1, "look", json!({"act": act, "ms": 5}))).await;
        assert!(response.status.is_final());
        rig.settle().await;
        assert_eq!((rig.service.in_flight(), rig.seen.running()), (0, 0), "{act}");
    }
    // The caller cancels.
    let cancel = CancelToken::new();
    let (service, token) = (rig.service.clone(), cancel.clone());
    let call = tokio::spawn(async move {
        service.execute_until(request(2, "look", json!({"act": "hang"})), token).await
    });
    rig.settle().await;
    assert_eq!(rig.service.in_flight(), 1);
    cancel.cancel();
    let response = call.await.unwrap();
    assert_eq!((response.status, code(&response)), (ToolStatus::Cancelled, Some(ErrorCode::E3113)));
    assert_eq!(rig.service.in_flight(), 0);
    // The caller goes away, while it runs and while it waits; who waits behind it gets the place.
    let running = spawn(&rig, request(3, "look", json!({"act": "hang"})));
    rig.settle().await;
    let waiting = spawn(&rig, queued(4, json!({}), 9));
    rig.settle().await;
    let behind = spawn(&rig, queued(5, json!({}), 1));
    rig.settle().await;
    assert_eq!(rig.service.queue_depth(), 2);
    waiting.abort();
    rig.settle().await;
    assert_eq!(rig.service.queue_depth(), 1);
    running.abort();
    assert_eq!(behind.await.unwrap().status, ToolStatus::Success);
    assert_eq!((rig.service.in_flight(), rig.service.queue_depth(), rig.seen.running()), (0, 0, 0));
}
