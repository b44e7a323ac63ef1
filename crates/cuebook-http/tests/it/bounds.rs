//! How much there may be at once: 429 for a caller who does too much, 503 for a host that is full, each with `Retry-After`.

use std::sync::Arc;

use cuebook_host::log::Signal;
use cuebook_host::prompt::Principal;
use cuebook_host::wire::{ErrorCode, RunId};
use serde_json::{Value as Json, json};

use crate::support::{Answer, Call, THEIRS, TestHost};

fn bounded(limits: &str) -> TestHost {
    TestHost::builder().config(&format!("[limits]\n{limits}\n")).open()
}

/// A run that has something under way for longer than a test takes, and is not long enough idle to be parked.
fn busy_run() -> Call {
    Call::post("/v1/runs", &json!({ "workflowId": "conformance-delay", "inputs": { "delayMs": 4900 } }))
}

#[track_caller]
fn check_busy(answer: &Answer, code: ErrorCode, limit: u64, retry_after: &str) {
    let error = answer.refuses(code);
    assert_eq!(error["details"]["limit"], limit);
    assert_eq!(answer.header("retry-after"), Some(retry_after));
    assert_eq!(error["error"], code.as_str(), "the envelope is flat");
}

fn run_id(created: &Json) -> String {
    created["runId"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_body_may_be_as_large_as_the_limit_and_no_larger() {
    let body = json!({ "workflowId": "conformance-noop" });
    let size = body.to_string().len();
    bounded(&format!("max_body_bytes = {size}")).post("/v1/runs", &body).await.gives(201);
    let refused = bounded(&format!("max_body_bytes = {}", size - 1)).post("/v1/runs", &body).await;
    assert_eq!(refused.refuses(ErrorCode::PayloadTooLarge)["details"]["maxRequestBodyBytes"], size - 1);
}

#[tokio::test]
async fn the_host_refuses_runs_when_as_many_are_in_flight_as_it_takes() {
    let host = bounded("max_runs_in_flight = 2");
    let first = run_id(&host.send(busy_run()).await.gives(201));
    host.send(busy_run()).await.gives(201);
    let refused = host.send(busy_run().idempotency_key("k")).await;
    check_busy(&refused, ErrorCode::ServiceUnavailable, 2, "1");
    assert!(host.get("/metrics").await.text.contains("cuebook_runs_in_flight 2"));
    host.post(&format!("/v1/runs/{first}/cancel"), &json!({})).await.gives(200);
    host.ended(&first).await;
    host.until_in_flight(1).await;
    host.send(busy_run().idempotency_key("k")).await.gives(201);
}

#[tokio::test]
async fn a_tenant_is_refused_runs_when_it_has_its_share_in_flight() {
    let host = bounded("max_runs_in_flight_per_tenant = 1");
    host.send(busy_run()).await.gives(201);
    check_busy(&host.send(busy_run()).await, ErrorCode::RateLimited, 1, "1");
    host.send(busy_run().key(THEIRS)).await.gives(201);
}

#[tokio::test]
async fn runs_that_only_wait_are_not_in_flight() {
    let host = bounded("max_runs_in_flight = 1");
    for _ in 0..5 {
        host.start("conformance-agent-low-confidence", &json!({})).await;
        host.until_in_flight(0).await;
    }
}

#[tokio::test]
async fn a_poll_waits_no_longer_than_the_host_lets_it() {
    let host = bounded("max_poll_seconds = 2");
    let (run, _) = host.run("conformance-noop", &json!({})).await;
    for (query, is_good) in [("?timeout=1", true), ("?timeout=2", true), ("?timeout=3", false), ("", true)] {
        let answer = host.get(&format!("/v1/runs/{run}/events/poll{query}")).await;
        if is_good {
            answer.gives(200);
        } else {
            let error = answer.refuses(ErrorCode::ValidationError);
            assert_eq!(error["message"], "'timeout' is 1 to 2 seconds");
        }
    }
}

#[tokio::test]
async fn event_streams_are_counted_by_host_and_tenant() {
    let host = bounded("max_event_streams = 2\nmax_event_streams_per_tenant = 1");
    let ours = run_id(&host.send(busy_run()).await.gives(201));
    let theirs = run_id(&host.send(busy_run().key(THEIRS)).await.gives(201));
    let events = |run: &str| Call::get(&format!("/v1/runs/{run}/events"));
    let first = host.stream(events(&ours)).await;
    check_busy(&host.send(events(&ours)).await, ErrorCode::RateLimited, 1, "5");
    let second = host.stream(events(&theirs).key(THEIRS)).await;
    drop(first);
    let third = host.stream(events(&ours)).await;
    drop((second, third));
    let full = bounded("max_event_streams = 1");
    let run = run_id(&full.send(busy_run()).await.gives(201));
    let only = full.stream(events(&run)).await;
    check_busy(&full.send(events(&run)).await, ErrorCode::ServiceUnavailable, 1, "5");
    full.send(events("no-such-run")).await.refuses(ErrorCode::NotFound);
    full.send(events(&run).header("accept", "application/json")).await.gives(200);
    drop(only);
    drop(full.stream(events(&run)).await);
}

#[tokio::test]
async fn an_inbox_is_bounded_and_always_takes_the_end() {
    let host = bounded("max_waiting_signals = 2");
    let run = host.start("conformance-agent-low-confidence", &json!({})).await;
    host.until_type(&run, "node.suspended").await;
    host.until_in_flight(0).await;
    // Put there behind the run's back, so that nothing wakes it.
    let (principal, id) =
        (Principal { tenant: "first".to_owned(), workspace: None }, RunId::new(run.as_str()));
    let store = Arc::clone(&host.host().store);
    let fill = async |key: &str| {
        let signal = Signal { key: key.to_owned(), body: json!({}) };
        store.offer(&principal, &id, signal).await.unwrap();
    };
    fill("one").await;
    fill("two").await;
    let answer = Call::post(&format!("/v1/runs/{run}/interrupts/agent"), &json!({ "resumeValue": "yes" }));
    check_busy(&host.send(answer).await, ErrorCode::RateLimited, 2, "1");
    host.post(&format!("/v1/runs/{run}/cancel"), &json!({})).await.gives(200);
    assert_eq!(host.ended(&run).await.last().unwrap()["type"], "run.cancelled");
}

#[tokio::test]
async fn a_run_over_its_events_fails_with_its_code_and_ends_there() {
    let whole = TestHost::new().run("conformance-multi-node", &json!({})).await.1.len();
    for (limit, code) in
        [(whole, None), (whole - 1, Some("event_limit_exceeded")), (2, Some("event_limit_exceeded"))]
    {
        let (_, events) =
            bounded(&format!("max_events = {limit}")).run("conformance-multi-node", &json!({})).await;
        let last = events.last().unwrap();
        assert_eq!(last["payload"]["error"]["code"].as_str(), code, "within {limit}");
        let terminal =
            |event: &&Json| ["run.completed", "run.failed"].contains(&event["type"].as_str().unwrap());
        assert_eq!(events.iter().filter(terminal).count(), 1);
    }
}

#[tokio::test]
async fn a_list_of_runs_can_be_of_some_statuses() {
    let host = TestHost::new();
    let (done, _) = host.run("conformance-noop", &json!({})).await;
    let (failed, _) = host.run("conformance-failure", &json!({})).await;
    let listed = async |status: &str| {
        let list = host.get(&format!("/v1/host/cuebook/runs?status={status}")).await.gives(200);
        list["runs"].as_array().unwrap().iter().map(run_id).collect::<Vec<_>>()
    };
    assert_eq!(listed("completed").await, std::slice::from_ref(&done));
    assert_eq!(listed("failed,cancelled").await, std::slice::from_ref(&failed));
    assert_eq!(listed("failed,%20completed").await, [failed, done]);
    assert!(listed("paused").await.is_empty());
    host.get("/v1/host/cuebook/runs?status=complete").await.refuses(ErrorCode::ValidationError);
}
