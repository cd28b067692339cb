//! Requests of all kinds, answered, cancelled, dropped, in an order that a seed decides: every slot
//! comes back, and every request has exactly one response.

use std::collections::BTreeMap;
use std::time::Duration;

use helve::service::{
    AgentIdentity, CacheSettings, InvokeRequest, InvokeResponse, RetryOptions, ServiceSettings, TaskId,
    WhenFull,
};
use helve::tool::CancelToken;
use proptest::prelude::*;
use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::rig::{Rig, request};

const REQUESTS: u128 = 120;

fn any_request(random: &mut fastrand::Rng, number: u128) -> InvokeRequest {
    let acts = ["answer", "answer", "answer", "hang", "panic", "fail", "flaky", "large", "odd"];
    let parameters = json!({
        "act": acts[random.usize(..acts.len())],
        "ms": random.u64(..50),
        "say": random.u64(..5),
        "failures": random.u64(..4),
    });
    let tools = ["look", "write", "put", "number", "nothing"];
    let mut asked = request(number, tools[random.usize(..tools.len())], parameters);
    asked.agent_context = Some(AgentIdentity::new(["a", "b", "c"][random.usize(..3)]));
    asked.resource_limits.timeout_seconds = Some(random.u64(1..4));
    let options = &mut asked.execution_options;
    options.async_mode = random.u8(..3) == 0;
    options.priority = random.u8(1..=10);
    options.when_full = if random.bool() { WhenFull::Queue } else { WhenFull::Reject };
    options.retry = RetryOptions { max_attempts: random.u32(1..4), ..RetryOptions::default() };
    asked
}

/// What was begun and has not ended.
#[derive(Default)]
struct Begun {
    calls: Vec<Calling>,
    tasks: Vec<(InvokeResponse, TaskId, bool)>,
}

/// A call in a task of its own, and whether that task is killed.
struct Calling {
    number: u128,
    call: JoinHandle<InvokeResponse>,
    is_killed: bool,
}

async fn begin(rig: &Rig, random: &mut fastrand::Rng) -> Begun {
    let mut begun = Begun::default();
    for number in 0..REQUESTS {
        let asked = any_request(random, number);
        let id = TaskId::of(&asked);
        if asked.execution_options.async_mode {
            begun.tasks.push((rig.service.execute(asked).await, id, random.u8(..4) == 0));
        } else {
            begun.calls.push(call(rig, random, number, asked).await);
        }
    }
    begun
}

async fn call(rig: &Rig, random: &mut fastrand::Rng, number: u128, asked: InvokeRequest) -> Calling {
    let cancel = CancelToken::new();
    let (service, token) = (rig.service.clone(), cancel.clone());
    let call = tokio::spawn(async move { service.execute_until(asked, token).await });
    if random.u8(..3) == 0 {
        sleep(Duration::from_millis(random.u64(..30))).await;
    }
    let fate = random.u8(..6);
    match fate {
        0 => call.abort(),
        1 => cancel.cancel(),
        _ => {}
    }
    Calling { number, call, is_killed: fate == 0 }
}

/// The responses, each once.
async fn end(rig: &Rig, begun: Begun, seed: u64) -> Vec<InvokeResponse> {
    let mut responses = Vec::new();
    for Calling { number, call, is_killed } in begun.calls {
        match timeout(Duration::from_secs(600), call).await.expect("it ends") {
            Ok(response) => {
                assert_eq!(response.invocation_id.as_u128(), number, "seed {seed}");
                responses.push(response);
            }
            Err(fault) => assert!(fault.is_cancelled() && is_killed, "seed {seed}: {fault}"),
        }
    }
    for (first, id, is_cancelled) in begun.tasks {
        if first.status.is_final() {
            responses.push(first);
            continue;
        }
        let end = if is_cancelled { rig.service.cancel(&id).await } else { rig.service.wait(&id).await };
        let end = end.expect("a task is known");
        assert_eq!(rig.service.poll(&id).as_ref(), Ok(&end), "seed {seed}: there is one response");
        responses.push(end);
    }
    responses
}

/// Plays one seed; answers how often each status came.
async fn play(seed: u64) -> BTreeMap<&'static str, usize> {
    let rig = Rig::with(ServiceSettings {
        agent_queue_max: 10,
        calls_max: 8,
        cache: Some(CacheSettings { entries_max: 4, ..CacheSettings::default() }),
        ..ServiceSettings::default()
    });
    let begun = begin(&rig, &mut fastrand::Rng::with_seed(seed)).await;
    let mut statuses = BTreeMap::new();
    for response in end(&rig, begun, seed).await {
        assert!(response.status.is_final(), "seed {seed}");
        assert_ne!(response.result.is_some(), response.error.is_some(), "seed {seed}: one of the two");
        *statuses.entry(response.status.as_str()).or_default() += 1;
    }
    rig.settle().await;
    let places = (rig.service.in_flight(), rig.service.queue_depth());
    assert_eq!(places, (0, 0), "seed {seed}: all places are free");
    assert_eq!(rig.seen.running(), 0, "seed {seed}: nothing runs");
    let text = rig.service.metrics().text();
    assert!(text.contains("helve_calls_in_flight 0\n"), "seed {seed}");
    assert!(text.contains("helve_queue_depth 0\n"), "seed {seed}");
    statuses
}

fn run(seed: u64) -> BTreeMap<&'static str, usize> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.unwrap().block_on(play(seed))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn c09_every_slot_comes_back_and_every_request_has_one_response(seed in any::<u64>()) {
        run(seed);
    }
}

#[test]
fn c09_a_seed_meets_every_ending() {
    let mut met = BTreeMap::new();
    for seed in 0..4 {
        for (status, count) in run(seed) {
            *met.entry(status).or_insert(0) += count;
        }
    }
    for status in ["SUCCESS", "ERROR", "TIMEOUT", "CANCELLED"] {
        assert!(met.get(status).is_some_and(|&count| count > 5), "{met:?}");
    }
}

/// What one request of a race comes to; it is let go of after so many steps.
async fn raced(rig: &Rig, number: u128, seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed ^ number as u64);
    let act = ["answer", "panic", "fail"][random.usize(..3)];
    let mut asked = request(number, "look", json!({"act": act, "say": number as u64}));
    asked.execution_options.when_full = WhenFull::Queue;
    asked.execution_options.priority = random.u8(1..=10);
    let cancel = CancelToken::new();
    let call = rig.service.execute_until(asked, cancel.clone());
    let steps = random.usize(..12);
    let end = async {
        for _ in 0..steps {
            tokio::task::yield_now().await;
        }
    };
    match random.u8(..3) {
        // It is dropped wherever it stands.
        0 => tokio::select! { biased; () = end => {}, _ = call => {} },
        1 => drop(tokio::join!(call, async {
            end.await;
            cancel.cancel();
        })),
        _ => drop(call.await),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn c09_slots_come_back_when_threads_race_for_them() {
    let seed = fastrand::u64(..);
    let settings = ServiceSettings { agent_calls_max: 2, agent_queue_max: 64, ..ServiceSettings::default() };
    let rig = std::sync::Arc::new(Rig::with(settings));
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..3_000 {
        let rig = rig.clone();
        calls.spawn(async move { raced(&rig, number, seed).await });
        if calls.len() >= 40 {
            calls.join_next().await.unwrap().unwrap();
        }
    }
    while let Some(call) = calls.join_next().await {
        call.unwrap();
    }
    let counts = (rig.service.in_flight(), rig.service.queue_depth());
    assert_eq!(counts, (0, 0), "seed {seed}");
}
