//! Results: against their schema, tried for again, kept, counted.

use std::time::Duration;

use helve::limits::METRIC_TOOLS_MAX;
use helve::limits::STOP_GRACE;
use helve::service::{
    AgentIdentity, CacheSettings, ErrorCode, InvokeRequest, InvokeResponse, RetryOptions, ServiceSettings,
    ToolStatus,
};
use helve::tool::CancelToken;
use serde_json::{Value as Json, json};
use tokio::time::advance;

use crate::rig::{Rig, request};

#[tokio::test(start_paused = true)]
async fn c11_a_result_that_does_not_fit_its_schema_is_an_error() {
    let rig = Rig::new();
    let ask = |say: Json| rig.service.execute(request(1, "number", json!({"say": say})));
    assert_eq!(ask(json!(7)).await.output(), Some(&json!(7)));
    let response = ask(json!("seven")).await;
    let error = response.error.unwrap();
    assert_eq!((response.status, error.code), (ToolStatus::Error, ErrorCode::E3114));
    assert_eq!(error.message, "the result does not fit its schema: \"seven\" is not of type \"number\"");
    assert!(response.result.is_none());
    let large = rig.service.execute(request(1, "number", json!({"act": "large"}))).await;
    assert_eq!(large.error.unwrap().code, ErrorCode::E3114, "what became an artifact is checked too");
}

fn flaky(number: u128, tool: &str, failures: u64, retry: RetryOptions) -> InvokeRequest {
    let mut asked =
        request(number, tool, json!({"act": "flaky", "say": number as u64, "failures": failures}));
    asked.execution_options.retry = retry;
    asked
}

fn retry(max_attempts: u32, budget_seconds: Option<u64>) -> RetryOptions {
    RetryOptions { max_attempts, backoff_ms: Some(1_000), backoff_max_ms: Some(8_000), budget_seconds }
}

fn attempts(response: &InvokeResponse) -> (ToolStatus, u32) {
    (response.status, response.execution_metadata.attempts)
}

#[tokio::test(start_paused = true)]
async fn c12_what_may_succeed_is_tried_again_with_pauses() {
    let rig = Rig::new();
    let response = rig.service.execute(flaky(1, "look", 3, retry(5, None))).await;
    assert_eq!(attempts(&response), (ToolStatus::Success, 4));
    // Pauses of 1, 2 and 4 s, each between its half and its whole.
    let took = response.execution_metadata.duration_ms;
    assert!((3_500..=7_000).contains(&took), "{took}");
    let again = rig.service.execute(flaky(1, "look", 3, retry(5, None))).await;
    assert_eq!(attempts(&again).1, 1, "the tool has recovered");
    let never = rig.service.execute(flaky(2, "look", 3, retry(3, None))).await;
    assert_eq!(attempts(&never), (ToolStatus::Error, 3));
    let once = rig.service.execute(flaky(3, "look", 3, RetryOptions::default())).await;
    assert_eq!(attempts(&once), (ToolStatus::Error, 1), "not unless it is asked for");
    let mut hopeless = request(4, "look", json!({"act": "fail"}));
    hopeless.execution_options.retry = retry(5, None);
    assert_eq!(attempts(&rig.service.execute(hopeless).await), (ToolStatus::Error, 1));
}

#[tokio::test(start_paused = true)]
async fn c12_the_same_seed_pauses_alike() {
    let mut took = Vec::new();
    for _ in 0..2 {
        let rig = Rig::new();
        let response = rig.service.execute(flaky(1, "look", 4, retry(5, None))).await;
        took.push(response.execution_metadata.duration_ms);
    }
    assert_eq!(took[0], took[1]);
}

#[tokio::test(start_paused = true)]
async fn c12_a_tool_that_is_not_idempotent_is_never_called_twice() {
    let rig = Rig::new();
    let response = rig.service.execute(flaky(1, "write", 1, retry(5, None))).await;
    assert_eq!(attempts(&response), (ToolStatus::Error, 1));
    assert!(response.error.unwrap().retryable, "whoever knows better may ask again");
    let response = rig.service.execute(flaky(2, "put", 1, retry(5, None))).await;
    assert_eq!(attempts(&response), (ToolStatus::Success, 2));
    let mut hang = request(3, "write", json!({"act": "hang"}));
    hang.execution_options.retry = retry(3, Some(600));
    assert_eq!(attempts(&rig.service.execute(hang).await), (ToolStatus::Timeout, 1));
}

#[tokio::test(start_paused = true)]
async fn c12_all_attempts_together_stay_inside_of_the_budget() {
    let rig = Rig::new();
    // One attempt takes 30 s: as long as the budget, unless there is more of it.
    let hang = |number, budget| {
        let mut asked = request(number, "look", json!({"act": "hang"}));
        asked.execution_options.retry = retry(10, budget);
        rig.service.execute(asked)
    };
    let response = hang(1, None).await;
    assert_eq!(attempts(&response), (ToolStatus::Timeout, 1));
    let response = hang(2, Some(70)).await;
    assert_eq!(
        (attempts(&response), response.execution_metadata.duration_ms),
        ((ToolStatus::Timeout, 3), 70_000 + STOP_GRACE.as_millis() as u64)
    );
    // A pause that the budget leaves no time for is not begun.
    let response = rig.service.execute(flaky(3, "look", 9, retry(10, Some(3)))).await;
    let took = response.execution_metadata.duration_ms;
    assert!(took < 3_000 && attempts(&response).1 >= 2, "{response:?}");
}

#[tokio::test(start_paused = true)]
async fn c12_a_cancelled_call_is_not_tried_again() {
    let rig = Rig::new();
    let cancel = CancelToken::new();
    let (service, token) = (rig.service.clone(), cancel.clone());
    let call =
        tokio::spawn(async move { service.execute_until(flaky(1, "look", 9, retry(9, None)), token).await });
    rig.settle().await;
    cancel.cancel();
    assert_eq!(attempts(&call.await.unwrap()), (ToolStatus::Cancelled, 1));
    assert_eq!(rig.service.in_flight(), 0);
}

fn cached(change: impl FnOnce(CacheSettings) -> CacheSettings) -> Rig {
    Rig::with(ServiceSettings { cache: Some(change(CacheSettings::default())), ..ServiceSettings::default() })
}

#[tokio::test(start_paused = true)]
async fn c14_a_result_is_kept_when_asked_for_and_only_of_tools_that_look() {
    let ask = async |rig: &Rig, tool: &str, parameters: Json| {
        let response = rig.service.execute(request(1, tool, parameters)).await;
        assert_eq!(response.status, ToolStatus::Success);
        response.execution_metadata.from_cache
    };
    let off = Rig::new();
    for _ in 0..2 {
        assert!(!ask(&off, "look", json!({"say": 1})).await, "off unless the settings say otherwise");
    }
    let rig = cached(|settings| settings);
    assert!(!ask(&rig, "look", json!({"say": 1, "ms": 5})).await);
    assert!(ask(&rig, "look", json!({"ms": 5, "say": 1})).await, "the order of arguments is no difference");
    assert!(!ask(&rig, "look", json!({"say": 2, "ms": 5})).await);
    assert!(!ask(&rig, "write", json!({"say": 1})).await);
    assert!(!ask(&rig, "write", json!({"say": 1})).await);
    assert_eq!(rig.seen.started(), 4);
    // Another version, another agent, and who wants a fresh one.
    let differently = async |change: fn(&mut InvokeRequest)| {
        let mut asked = request(1, "look", json!({"say": 1, "ms": 5}));
        change(&mut asked);
        rig.service.execute(asked).await.execution_metadata.from_cache
    };
    assert!(differently(|_| {}).await);
    assert!(!differently(|it| it.tool_version = "0.1.0".into()).await);
    assert!(!differently(|it| it.agent_context = Some(AgentIdentity::new("oracle"))).await);
    assert!(!differently(|it| it.execution_options.use_cache = false).await);
    // A failure is not kept.
    for _ in 0..2 {
        let response = rig.service.execute(request(1, "look", json!({"act": "fail"}))).await;
        assert_eq!(response.execution_metadata.attempts, 1);
    }
}

#[tokio::test(start_paused = true)]
async fn c14_the_cache_is_bounded_in_number_size_and_age() {
    let ask = async |rig: &Rig, say: Json| {
        rig.service.execute(request(1, "look", json!({"say": say}))).await.execution_metadata.from_cache
    };
    let rig = cached(|settings| CacheSettings { age_max: Duration::from_secs(10), ..settings });
    assert!(!ask(&rig, json!(1)).await);
    advance(Duration::from_millis(9_999)).await;
    assert!(ask(&rig, json!(1)).await);
    advance(Duration::from_millis(1)).await;
    assert!(!ask(&rig, json!(1)).await, "a hit makes nothing younger");

    let rig = cached(|settings| CacheSettings { entries_max: 2, ..settings });
    for say in [1, 2, 3] {
        assert!(!ask(&rig, json!(say)).await);
    }
    assert!(ask(&rig, json!(2)).await && ask(&rig, json!(3)).await);
    assert!(!ask(&rig, json!(1)).await, "the oldest went first");

    let rig = cached(|settings| CacheSettings { bytes_max: 10, ..settings });
    assert!(!ask(&rig, json!("123456")).await && ask(&rig, json!("123456")).await);
    assert!(!ask(&rig, json!("123456789")).await && !ask(&rig, json!("123456789")).await, "11 bytes as JSON");
    assert!(!ask(&rig, json!("abc")).await);
    assert!(!ask(&rig, json!("123456")).await, "8 and 5 bytes are too many");
}

/// The value of a sample.
fn sample(text: &str, name: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok())
}

#[tokio::test(start_paused = true)]
async fn c13_every_call_is_counted_by_tool_and_outcome() {
    let rig = cached(|settings| settings);
    for (number, parameters) in [
        json!({"ms": 700}),
        json!({"act": "large"}),
        json!({"act": "hang"}),
        json!({"act": "panic"}),
        json!({"ms": "soon"}),
        json!({"ms": 700}),
    ]
    .into_iter()
    .enumerate()
    {
        rig.service.execute(request(number as u128, "look", parameters)).await;
    }
    rig.service.execute(request(9, "nothing", json!({}))).await;
    let hanging = tokio::spawn({
        let service = rig.service.clone();
        async move { service.execute(request(10, "write", json!({"act": "hang"}))).await }
    });
    rig.settle().await;
    let text = rig.service.metrics().text();
    let check = |name: &str, expected: f64| assert_eq!(sample(&text, name), Some(expected), "{name}\n{text}");
    for (outcome, count) in [
        ("result", 1.0),
        ("artifact", 1.0),
        ("timeout", 1.0),
        ("failure", 1.0),
        ("denied", 1.0),
        ("dropped", 0.0),
    ] {
        check(&format!("helve_calls_total{{tool=\"look\",outcome=\"{outcome}\"}}"), count);
    }
    check("helve_calls_in_flight", 1.0);
    check("helve_queue_depth", 0.0);
    check("helve_cache_hits_total", 1.0);
    check("helve_denials_total{reason=\"validation\"}", 1.0);
    check("helve_denials_total{reason=\"tool_not_found\"}", 1.0);
    check("helve_call_duration_seconds_count{tool=\"look\"}", 4.0);
    // 30 s and the moment that the tool was given to end by itself.
    check("helve_call_duration_seconds_sum{tool=\"look\"}", 31.2);
    check("helve_call_duration_seconds_bucket{le=\"0.5\",tool=\"look\"}", 2.0);
    check("helve_call_duration_seconds_bucket{le=\"1.0\",tool=\"look\"}", 3.0);
    assert!(text.ends_with("# EOF\n"));
    hanging.abort();
    rig.settle().await;
    let text = rig.service.metrics().text();
    assert_eq!(sample(&text, "helve_calls_in_flight"), Some(0.0));
    assert_eq!(sample(&text, "helve_calls_total{tool=\"write\",outcome=\"dropped\"}"), Some(1.0));
}

#[tokio::test(start_paused = true)]
async fn c13_names_that_a_model_makes_up_do_not_fill_the_metrics() {
    use std::sync::Arc;

    use helve::call::{Arguments, Call};
    use helve::exec::{BoundedExecutor, Turn};
    use helve::id::CallId;
    use helve::run::RunClock;
    use helve::service::metric::Metrics;
    use helve::tool::Registry;

    let metrics = Arc::new(Metrics::new());
    let executor = BoundedExecutor::new(Arc::new(Registry::new()), Arc::new(RunClock::start())).unwrap();
    let executor = metrics.listen_to(executor);
    for number in 0..METRIC_TOOLS_MAX as u64 + 50 {
        let call = Call::new(CallId(number), format!("made_up_{number}\n\"").as_str(), Arguments::new());
        executor.execute(&Arc::new(call), &Turn::default(), &CancelToken::new()).await;
    }
    let text = metrics.text();
    let tools =
        text.lines().filter(|line| line.starts_with("helve_calls_total{") && line.contains("\"failure\""));
    assert_eq!(tools.count(), METRIC_TOOLS_MAX + 1);
    assert_eq!(sample(&text, "helve_calls_total{tool=\"other\",outcome=\"failure\"}"), Some(50.0));
    assert!(text.contains(r#"tool="made_up_0\n\"","#), "names are escaped");
}
