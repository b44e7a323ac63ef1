//! A request with an Idempotency-Key is done once (openwop-v1 §6.2).

use cuebook_host::wire::ErrorCode;
use futures_util::future::join_all;
use serde_json::{Value as Json, json};

use crate::support::{Answer, Call, THEIRS, TestHost};

const REPLAY: &str = "openwop-idempotent-replay";

fn create(key: &str, inputs: &Json) -> Call {
    Call::post("/v1/runs", &json!({ "workflowId": "conformance-noop", "inputs": inputs }))
        .idempotency_key(key)
}

async fn count(host: &TestHost) -> usize {
    host.get("/v1/host/cuebook/runs").await.gives(200)["runs"].as_array().unwrap().len()
}

#[tokio::test]
async fn a_repetition_gets_the_same_answer_and_a_mark() {
    let host = TestHost::new();
    let first = host.send(create("k", &json!({}))).await;
    assert_eq!((first.status, first.header(REPLAY)), (201, None));
    for _ in 0..5 {
        let again = host.send(create("k", &json!({}))).await;
        assert_eq!((again.status, again.header(REPLAY)), (201, Some("true")));
        assert_eq!(again.text, first.text);
        assert_eq!(again.header("location"), first.header("location"));
    }
    assert_eq!(count(&host).await, 1);
}

#[tokio::test]
async fn ten_parallel_posts_with_one_key_make_one_run() {
    let host = TestHost::builder().on_disk().open();
    let answers = join_all((0..10).map(|_| host.send(create("k", &json!({}))))).await;
    let (made, others): (Vec<Answer>, Vec<Answer>) =
        answers.into_iter().partition(|answer| answer.status == 201);
    assert!(made.iter().all(|answer| answer.text == made[0].text));
    for answer in others {
        let error = answer.refuses(ErrorCode::IdempotencyInFlight);
        assert_eq!(error["runId"], Json::Null);
        assert!(answer.header("retry-after").is_some());
    }
    assert_eq!(count(&host).await, 1);
    let again = host.send(create("k", &json!({}))).await;
    assert_eq!(again.text, made[0].text);
}

#[tokio::test]
async fn a_key_that_came_with_another_body_is_refused() {
    let host = TestHost::new();
    host.send(create("k", &json!({}))).await.gives(201);
    let answer = host.send(create("k", &json!({ "x": 1 }))).await;
    answer.refuses(ErrorCode::IdempotencyKeyMismatch);
    assert!(!answer.text.contains("runId"), "{}", answer.text);
    assert_eq!(count(&host).await, 1);
}

#[tokio::test]
async fn keys_are_kept_apart_by_tenant_and_by_endpoint() {
    let host = TestHost::new();
    let ours = host.send(create("k", &json!({}))).await.gives(201);
    let theirs = host.send(create("k", &json!({})).key(THEIRS)).await;
    assert_eq!(theirs.header(REPLAY), None);
    assert_ne!(theirs.gives(201)["runId"], ours["runId"]);
    for run in ["a", "b"] {
        let cancel = Call::post(&format!("/v1/runs/{run}/cancel"), &json!({})).idempotency_key("k");
        let answer = host.send(cancel).await;
        assert_eq!(answer.header(REPLAY), None);
        answer.refuses(ErrorCode::NotFound);
    }
}

#[tokio::test]
async fn every_mutation_takes_a_key() {
    let host = TestHost::new();
    let run = host.start("conformance-cancellable", &json!({})).await;
    let path = format!("/v1/runs/{run}/cancel");
    let cancel = Call::post(&path, &json!({})).idempotency_key("cancel");
    let first = host.send(cancel.clone()).await;
    host.ended(&run).await;
    let again = host.send(cancel).await;
    assert_eq!((again.header(REPLAY), &again.text), (Some("true"), &first.text));
    let bulk = Call::post("/v1/runs:bulk-cancel", &json!({ "runIds": [run] })).idempotency_key("bulk");
    host.send(bulk.clone()).await.gives(200);
    assert_eq!(host.send(bulk).await.header(REPLAY), Some("true"));
}

#[tokio::test]
async fn what_was_malformed_is_not_kept() {
    let host = TestHost::new();
    let wrong = Call::post("/v1/runs", &json!({ "workflowId": "unknown" })).idempotency_key("k");
    for _ in 0..2 {
        let answer = host.send(wrong.clone()).await;
        assert_eq!(answer.header(REPLAY), None);
        answer.refuses(ErrorCode::ValidationError);
    }
    host.send(create("k", &json!({}))).await.gives(201);
}

#[tokio::test]
async fn a_refusal_that_is_final_is_kept() {
    let host = TestHost::new();
    let cancel = Call::post("/v1/runs/none/cancel", &json!({})).idempotency_key("k");
    let first = host.send(cancel.clone()).await;
    let again = host.send(cancel).await;
    assert_eq!((again.status, again.header(REPLAY)), (404, Some("true")));
    assert_eq!(again.json(), first.json());
}

#[tokio::test]
async fn what_a_key_began_goes_on_when_its_caller_leaves() {
    let host = TestHost::builder().on_disk().open();
    let mut leaving = Box::pin(host.send(create("k", &json!({}))));
    // Asked once, so that the work has begun, and then given up.
    assert!(futures_util::poll!(&mut leaving).is_pending());
    drop(leaving);
    let mut answer = host.send(create("k", &json!({}))).await;
    while answer.status == 409 {
        tokio::task::yield_now().await;
        answer = host.send(create("k", &json!({}))).await;
    }
    assert_eq!(answer.header(REPLAY), Some("true"), "{}", answer.text);
    assert_eq!(count(&host).await, 1);
}

#[tokio::test]
async fn a_repetition_after_a_restart_gets_the_same_answer() {
    let host = TestHost::builder().on_disk().open();
    let first = host.send(create("k", &json!({}))).await;
    let run = first.gives(201)["runId"].as_str().unwrap().to_owned();
    host.ended(&run).await;
    let refused = Call::post("/v1/runs/none/cancel", &json!({})).idempotency_key("k");
    let refusal = host.send(refused.clone()).await;
    let host = host.restarted().await;
    let again = host.send(create("k", &json!({}))).await;
    assert_eq!((again.status, &again.text, again.header(REPLAY)), (201, &first.text, Some("true")));
    assert_eq!(again.header("location"), first.header("location"));
    assert_eq!(again.header("content-type"), first.header("content-type"));
    host.send(create("k", &json!({ "x": 1 }))).await.refuses(ErrorCode::IdempotencyKeyMismatch);
    let again = host.send(refused).await;
    assert_eq!((again.status, &again.text, again.header(REPLAY)), (404, &refusal.text, Some("true")));
    assert_eq!(host.send(create("k", &json!({})).key(THEIRS)).await.header(REPLAY), None);
    assert_eq!(count(&host).await, 1);
}
