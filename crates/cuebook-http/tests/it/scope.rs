//! Whose a run is, and that a scope has one at a time when that is asked for (openwop-v1 §3.3).

use cuebook_host::wire::ErrorCode;
use serde_json::json;

use crate::support::{Call, THEIRS, TestHost};

#[tokio::test]
async fn dedup_keeps_a_scope_to_one_run() {
    let host = TestHost::new();
    let create = |workflow: &str, scope: &str| {
        let body = json!({ "workflowId": workflow, "scopeId": scope, "tenantId": "other" });
        Call::post("/v1/runs", &body).header("x-dedup", "enforce")
    };
    let first = host.send(create("conformance-cancellable", "s")).await.gives(201)["runId"].clone();
    let refused = host.send(create("conformance-noop", "s").idempotency_key("k")).await;
    let error = refused.refuses(ErrorCode::RunAlreadyActive);
    assert_eq!(error["details"]["activeRunId"], first);
    assert_eq!(refused.header("retry-after"), Some("5"));
    host.send(create("conformance-noop", "t")).await.gives(201);
    host.send(create("conformance-noop", "s").key(THEIRS)).await.gives(201);
    let run = first.as_str().unwrap();
    host.post(&format!("/v1/runs/{run}/cancel"), &json!({})).await.gives(200);
    host.ended(run).await;
    host.send(create("conformance-noop", "s").idempotency_key("k")).await.gives(201);
}

#[tokio::test]
async fn of_many_who_want_a_scope_alone_one_gets_it() {
    let host = TestHost::builder().on_disk().open();
    let body = json!({ "workflowId": "conformance-cancellable", "scopeId": "s" });
    let asks = (0..8).map(|_| host.send(Call::post("/v1/runs", &body).header("x-dedup", "enforce")));
    let statuses: Vec<u16> = futures_util::future::join_all(asks).await.iter().map(|it| it.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 7, "{statuses:?}");
}

#[tokio::test]
async fn dedup_is_asked_for_in_so_many_words() {
    let host = TestHost::new();
    let plain = Call::post("/v1/runs", &json!({ "workflowId": "conformance-noop", "scopeId": "s" }));
    host.send(plain.header("x-dedup", "maybe")).await.refuses(ErrorCode::ValidationError);
    let nowhere = Call::post("/v1/runs", &json!({ "workflowId": "conformance-noop" }));
    host.send(nowhere.header("x-dedup", "enforce")).await.refuses(ErrorCode::ValidationError);
}

#[tokio::test]
async fn the_tenant_of_a_body_moves_nothing() {
    let host = TestHost::new();
    let body = json!({ "workflowId": "conformance-noop", "tenantId": "other" });
    let run = host.post("/v1/runs", &body).await.gives(201)["runId"].clone();
    let path = format!("/v1/runs/{}", run.as_str().unwrap());
    host.get(&path).await.gives(200);
    host.send(Call::get(&path).key(THEIRS)).await.refuses(ErrorCode::NotFound);
}
