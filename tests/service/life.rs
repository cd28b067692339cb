//! Tasks: begun, polled, waited for, cancelled, forgotten.

use std::time::Duration;

use helve::service::{ErrorCode, InvokeRequest, Service, ServiceSettings, TaskId, ToolStatus, WhenFull};
use serde_json::{Value as Json, json};
use tokio::time::advance;

use crate::rig::{Rig, request};

fn task(number: u128, parameters: Json) -> InvokeRequest {
    let mut asked = request(number, "look", parameters);
    asked.execution_options.async_mode = true;
    asked.execution_options.when_full = WhenFull::Queue;
    asked
}

/// Begins it, and answers its name.
async fn begin(service: &Service, asked: InvokeRequest) -> TaskId {
    let response = service.execute(asked).await;
    assert_eq!(response.status, ToolStatus::Pending, "{:?}", response.error);
    response.task_id.unwrap()
}

#[tokio::test(start_paused = true)]
async fn c06_a_task_answers_at_once_and_is_polled_and_waited_for() {
    let rig = Rig::with(ServiceSettings { agent_calls_max: 1, ..ServiceSettings::default() });
    let first = begin(&rig.service, task(1, json!({"ms": 500, "say": "one"}))).await;
    assert_eq!(first.as_str(), "task:look:00000000-0000-0000-0000-000000000001");
    let second = begin(&rig.service, task(2, json!({"say": "two"}))).await;
    assert_eq!(rig.seen.started(), 0, "nothing was waited for");
    rig.settle().await;
    let status = |id: &TaskId| rig.service.poll(id).unwrap().status;
    assert_eq!((status(&first), status(&second)), (ToolStatus::Running, ToolStatus::Pending));
    // Two wait for one task, and both get its response.
    let (one, other) = tokio::join!(rig.service.wait(&second), rig.service.wait(&second));
    let response = one.unwrap();
    assert_eq!((response.status, response.output()), (ToolStatus::Success, Some(&json!("two"))));
    assert_eq!(other.unwrap(), response);
    assert_eq!(rig.service.poll(&first).unwrap().output(), Some(&json!("one")));
    assert_eq!(rig.seen.started(), 2);
}

#[tokio::test(start_paused = true)]
async fn c06_a_task_is_cancelled_while_it_waits_and_while_it_runs() {
    let rig = Rig::with(ServiceSettings { agent_calls_max: 1, ..ServiceSettings::default() });
    let runs = begin(&rig.service, task(1, json!({"act": "hang"}))).await;
    let waits = begin(&rig.service, task(2, json!({}))).await;
    rig.settle().await;
    for id in [&waits, &runs] {
        let response = rig.service.cancel(id).await.unwrap();
        assert_eq!((response.status, response.task_id.as_ref()), (ToolStatus::Cancelled, Some(id)));
        assert_eq!(rig.service.cancel(id).await.unwrap(), response, "what has ended stays as it is");
    }
    assert_eq!((rig.seen.started(), rig.seen.running(), rig.service.in_flight()), (1, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn c06_responses_are_kept_for_so_long_and_so_many() {
    let rig = Rig::with(ServiceSettings {
        tasks_max: 3,
        task_age_max: Duration::from_secs(10),
        ..ServiceSettings::default()
    });
    let known = |id: &TaskId| rig.service.poll(id).map(|it| it.status).map_err(|fault| fault.code);
    let old = begin(&rig.service, task(1, json!({}))).await;
    rig.service.wait(&old).await.unwrap();
    advance(Duration::from_millis(9_999)).await;
    assert_eq!(known(&old), Ok(ToolStatus::Success));
    advance(Duration::from_millis(1)).await;
    assert_eq!(known(&old), Err(ErrorCode::E3115));
    // Three hang: a fourth is refused. When one has ended, its response makes room.
    let mut hanging = Vec::new();
    for number in 10..13 {
        hanging.push(begin(&rig.service, task(number, json!({"act": "hang"}))).await);
    }
    let refused = rig.service.submit(task(13, json!({})));
    assert_eq!(refused.error.unwrap().code, ErrorCode::E3106);
    rig.service.cancel(&hanging[0]).await.unwrap();
    let fourth = begin(&rig.service, task(13, json!({}))).await;
    assert_eq!(known(&hanging[0]), Err(ErrorCode::E3115));
    assert_eq!(rig.service.wait(&fourth).await.unwrap().status, ToolStatus::Success);
}

#[tokio::test(start_paused = true)]
async fn c06_a_name_means_one_task_and_what_was_refused_is_none() {
    let rig = Rig::new();
    let id = begin(&rig.service, task(1, json!({"act": "hang"}))).await;
    assert_eq!(rig.service.submit(task(1, json!({}))).error.unwrap().code, ErrorCode::E3110);
    let mut nobody = task(2, json!({}));
    nobody.agent_context = None;
    assert_eq!(rig.service.submit(nobody).error.unwrap().code, ErrorCode::E3101);
    begin(&rig.service, task(2, json!({}))).await;
    // Nothing goes on that nobody can ask for.
    rig.settle().await;
    assert_eq!(rig.seen.running(), 1);
    let Rig { service, seen } = rig;
    drop(service);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!((seen.running(), id.as_str().is_empty()), (0, false));
}

#[test]
fn c06_a_task_whose_runtime_goes_down_is_not_waited_for_in_vain() {
    let runtime =
        |paused| tokio::runtime::Builder::new_current_thread().enable_all().start_paused(paused).build();
    let doomed = runtime(true).unwrap();
    let (service, id) = doomed.block_on(async {
        let rig = Rig::new();
        let id = begin(&rig.service, task(1, json!({"act": "hang"}))).await;
        rig.settle().await;
        (rig.service, id)
    });
    drop(doomed);
    let response = runtime(true).unwrap().block_on(service.wait(&id)).unwrap();
    assert_eq!(response.error.unwrap().code, ErrorCode::E3108);
    assert_eq!(service.in_flight(), 0);
}
