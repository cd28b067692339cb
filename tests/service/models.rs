//! What goes over the wire: the golden files, the statuses, the codes.

use std::path::Path;

use helve::service::{
    AgentIdentity, ErrorCode, ExecutionOptions, InvokeRequest, InvokeResponse, ResourceLimits, RetryOptions,
    ServiceSettings, ToolFilter, ToolStatus, WhenFull,
};
use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::rig::{Rig, request};

/// The golden file of that name holds this. `HELVE_UPDATE=1` writes it anew.
#[track_caller]
fn golden(name: &str, value: &impl Serialize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/service").join(name);
    let found = format!("{}\n", serde_json::to_string_pretty(value).unwrap());
    if std::env::var_os("HELVE_UPDATE").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, kept, "{name}: run with HELVE_UPDATE=1 when the change is meant");
}

fn whole_request() -> InvokeRequest {
    let agent = AgentIdentity {
        tenant_id: Some("tenant-001".into()),
        session_id: Some("session-456".into()),
        ..AgentIdentity::new("did:agent:abc123").inside("agent-sandbox-789")
    };
    InvokeRequest {
        agent_context: Some(agent),
        tool_version: "0.1.0".to_owned(),
        resource_limits: ResourceLimits {
            cpu_millicore_limit: Some(2_000),
            memory_mb_limit: Some(4_096),
            timeout_seconds: Some(300),
        },
        execution_options: ExecutionOptions {
            async_mode: true,
            priority: 7,
            when_full: WhenFull::Queue,
            retry: RetryOptions {
                max_attempts: 3,
                backoff_ms: Some(100),
                backoff_max_ms: Some(5_000),
                budget_seconds: Some(60),
            },
            use_cache: false,
        },
        ..request(1, "look", json!({"say": "it"}))
    }
}

#[test]
fn c01_a_request_has_one_json_form_and_reads_back() {
    let whole = whole_request();
    golden("request.json", &whole);
    assert_eq!(InvokeRequest::from_json(&serde_json::to_string(&whole).unwrap()), Ok(whole));
    let least = r#"{"invocation_id": "00000000-0000-0000-0000-000000000001", "tool_id": "look"}"#;
    let least = InvokeRequest::from_json(least).unwrap();
    assert_eq!((&*least.tool_version, least.execution_options.priority), ("latest", 5));
    golden("request_least.json", &least);
}

#[test]
fn c01_what_is_no_request_is_told_where() {
    #[track_caller]
    fn check(text: &str, says: &str) {
        let fault = InvokeRequest::from_json(text).unwrap_err();
        assert_eq!(fault.code, ErrorCode::E3110);
        assert!(fault.message.contains(says), "{fault}");
    }
    check("", "EOF");
    check("[]", "invalid length 0");
    check(r#"{"invocation_id": "seven", "tool_id": "look"}"#, "UUID");
    check(r#"{"invocation_id": "00000000-0000-0000-0000-000000000001"}"#, "missing field `tool_id`");
    let wrong = r#"{"invocation_id": "00000000-0000-0000-0000-000000000001", "tool_id": "look",
        "execution_options": {"prioritty": 7}}"#;
    check(wrong, "unknown field `prioritty`");
    let deep = format!(
        r#"{{"invocation_id": "00000000-0000-0000-0000-000000000001", "tool_id": "x", "parameters": {{"a": {}}}}}"#,
        "[".repeat(200_000)
    );
    check(&deep, "recursion");
}

#[tokio::test(start_paused = true)]
async fn c01_a_response_has_one_json_form_and_reads_back() {
    let rig = Rig::new();
    for (name, parameters) in [
        ("response_success.json", json!({"say": {"found": 3}, "ms": 1_500})),
        ("response_artifact.json", json!({"act": "large"})),
        ("response_failure.json", json!({"act": "fail"})),
        ("response_timeout.json", json!({"act": "hang"})),
        ("response_denied.json", json!({"ms": "soon"})),
    ] {
        let response = rig.service.execute(request(1, "look", parameters)).await;
        golden(name, &response);
        let text = response.to_json().to_string();
        assert_eq!(serde_json::from_str::<InvokeResponse>(&text).unwrap(), response);
    }
    let pending = rig.service.submit(request(2, "look", json!({})));
    golden("response_pending.json", &pending);
}

#[test]
fn c02_statuses_are_what_they_are_on_the_wire() {
    let all = [
        (ToolStatus::Success, "SUCCESS", true),
        (ToolStatus::Error, "ERROR", true),
        (ToolStatus::Timeout, "TIMEOUT", true),
        (ToolStatus::Cancelled, "CANCELLED", true),
        (ToolStatus::Pending, "PENDING", false),
        (ToolStatus::Running, "RUNNING", false),
    ];
    for (status, word, is_final) in all {
        assert_eq!(serde_json::to_value(status).unwrap(), Json::from(word));
        assert_eq!((status.as_str(), status.is_final()), (word, is_final));
    }
}

/// The status, the code and whether to try again, of a request of `look`.
async fn check(rig: &Rig, change: impl FnOnce(&mut InvokeRequest), expected: (ToolStatus, &str, bool)) {
    let mut asked = request(1, "look", json!({}));
    change(&mut asked);
    let response = rig.service.execute(asked).await;
    let error = response.error.expect("an error");
    assert_eq!((response.status, error.code.id(), error.retryable), expected, "{error}");
    assert!(error.suggestion.is_some() || error.code == ErrorCode::E3108 || error.code == ErrorCode::E3113);
    assert_eq!((rig.service.in_flight(), rig.service.queue_depth()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn c03_every_error_has_its_code_and_says_whether_to_try_again() {
    let rig = Rig::with(ServiceSettings {
        queue_wait_max: std::time::Duration::ZERO,
        ..ServiceSettings::default()
    });
    let act = |act: &'static str| {
        move |it: &mut InvokeRequest| drop(it.parameters.insert("act".into(), act.into()))
    };
    check(&rig, |it| it.tool_id = "lok".into(), (ToolStatus::Error, "E3001", false)).await;
    check(&rig, |it| it.tool_version = "9.9.9".into(), (ToolStatus::Error, "E3001", false)).await;
    check(&rig, |it| it.agent_context = None, (ToolStatus::Error, "E3101", false)).await;
    check(&rig, |it| it.agent_context = Some(AgentIdentity::new(" ")), (ToolStatus::Error, "E3101", false))
        .await;
    check(&rig, act("hang"), (ToolStatus::Timeout, "E3103", true)).await;
    check(&rig, act("fail"), (ToolStatus::Error, "E3108", false)).await;
    check(&rig, act("panic"), (ToolStatus::Error, "E3108", false)).await;
    let flaky = |it: &mut InvokeRequest| {
        it.parameters = json!({"act": "flaky", "failures": 1}).as_object().unwrap().clone()
    };
    check(&rig, flaky, (ToolStatus::Error, "E3108", true)).await;
    check(&rig, |it| it.execution_options.priority = 0, (ToolStatus::Error, "E3110", false)).await;
    check(&rig, |it| it.execution_options.priority = 11, (ToolStatus::Error, "E3110", false)).await;
    check(&rig, |it| it.execution_options.retry.max_attempts = 0, (ToolStatus::Error, "E3110", false)).await;
    check(
        &rig,
        |it| it.resource_limits.timeout_seconds = Some(u64::MAX),
        (ToolStatus::Error, "E3110", false),
    )
    .await;
    check(
        &rig,
        |it| drop(it.parameters.insert("ms".into(), "soon".into())),
        (ToolStatus::Error, "E3112", false),
    )
    .await;
    check(&rig, |it| it.tool_id = "number".into(), (ToolStatus::Error, "E3114", false)).await;
}

#[test]
fn c03_every_code_stands_in_the_document() {
    let document = include_str!("../../src/docs/service.md");
    for code in ErrorCode::ALL {
        let word = if code.is_retryable() { "yes" } else { "no" };
        let row = document.lines().find(|line| line.starts_with(&format!("| `{code}` `{}` |", code.slug())));
        let row = row.unwrap_or_else(|| panic!("{code} {} has no row", code.slug()));
        assert!(row.ends_with(&format!("| {word} |")) || *code == ErrorCode::E3108, "{row}");
    }
}

#[tokio::test]
async fn c10_tools_are_found_by_name_and_version_and_listed_by_filters() {
    let service = Rig::new().service;
    let get = |version| service.get_tool(&"look".into(), version).map(|it| it.version.to_string());
    assert_eq!(get("latest").as_deref(), Ok("0.10.0"), "the tenth minor version is above the first");
    assert_eq!(get("0.1.0").as_deref(), Ok("0.1.0"));
    let fault = service.get_tool(&"look".into(), "1.0.0").unwrap_err();
    assert_eq!(
        fault.to_string(),
        "E3001 the tool `look` has no version `1.0.0` (There are: 0.10.0, 0.1.0; or ask for `latest`.)"
    );
    let fault = service.get_tool(&"wriet".into(), "latest").unwrap_err();
    assert_eq!(fault.to_string(), "E3001 there is no tool named `wriet` (Did you mean `write`?)");
    golden("definition.json", &service.get_tool(&"look".into(), "latest").unwrap());

    let list = |filter: Json| {
        let filter: ToolFilter = serde_json::from_value(filter).unwrap();
        let found = service.list_tools(&filter);
        found.iter().map(|it| format!("{} {}", it.tool_id, it.version)).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(list(json!({})), "look 0.10.0, number 0.10.0, put 0.10.0, write 0.10.0");
    assert_eq!(list(json!({"category": "reading"})), "look 0.10.0");
    assert_eq!(list(json!({"category": "reading", "all_versions": true})), "look 0.10.0, look 0.1.0");
    assert_eq!(list(json!({"scope": "oracle", "text": "LOOK acts"})), "look 0.10.0");
    assert_eq!(list(json!({"scope": "clerk"})), "number 0.10.0, put 0.10.0, write 0.10.0");
    assert_eq!(list(json!({"text": "nothing"})), "");
}
