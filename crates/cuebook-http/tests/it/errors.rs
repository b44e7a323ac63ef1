//! Faults of requests: flat, from the one table, with places, and never with what was sent in confidence.

use std::time::Duration;

use cuebook_host::wire::ErrorCode;
use serde_json::{Value as Json, json};

use crate::support::{Call, TestHost};

/// Sends `call`, which must be refused with `code`, and gives the error.
async fn refused(call: Call, code: ErrorCode) -> Json {
    TestHost::new().send(call).await.refuses(code)
}

#[tokio::test]
async fn what_is_not_routed_is_not_found() {
    for path in ["/", "/v1", "/v2/runs", "/v1/nothing", "/v1/runs/", "/v1/runs/a/b/c", "//v1/runs"] {
        for method in ["GET", "POST", "DELETE"] {
            refused(Call::new(method, path), ErrorCode::NotFound).await;
        }
    }
}

#[tokio::test]
async fn a_method_that_a_route_does_not_answer_is_refused_with_those_it_does() {
    let host = TestHost::new();
    for (method, path, allowed) in [
        ("DELETE", "/v1/runs", "POST"),
        ("PUT", "/v1/runs/r", "GET,HEAD,POST"),
        ("POST", "/v1/runs/r", ""),
        ("GET", "/v1/runs:bulk-cancel", "POST"),
        ("PATCH", "/v1/prompts/topic-user", "GET,HEAD,PUT,DELETE"),
        ("POST", "/.well-known/openwop", "GET,HEAD"),
    ] {
        let answer = host.send(Call::new(method, path)).await;
        answer.refuses(ErrorCode::MethodNotAllowed);
        if !allowed.is_empty() {
            assert_eq!(answer.header("allow"), Some(allowed), "{method} {path}");
        }
    }
}

#[tokio::test]
async fn a_body_that_is_no_json_is_refused_with_its_place() {
    for (body, line, column) in [
        ("{", 1, 1),
        ("nonsense", 1, 2),
        ("{\n  \"workflowId\": hunter2\n}", 2, 17),
        ("{\"a\": 1,}", 1, 9),
        ("{} {}", 1, 4),
    ] {
        let call = Call::new("POST", "/v1/runs").bytes("application/json", body);
        let error = refused(call, ErrorCode::ValidationError).await;
        assert_eq!(error["details"], json!({ "line": line, "column": column }), "{body}");
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    for body in [vec![0xff, 0xfe], deep.into_bytes()] {
        let call = Call::new("POST", "/v1/runs").bytes("application/json", body);
        refused(call, ErrorCode::ValidationError).await;
    }
}

#[tokio::test]
async fn a_body_of_another_kind_is_refused() {
    let body = json!({ "workflowId": "conformance-noop" }).to_string();
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""] {
        let call = Call::new("POST", "/v1/runs").bytes(kind, body.clone());
        refused(call, ErrorCode::UnsupportedMediaType).await;
    }
    let host = TestHost::new();
    for kind in ["application/json; charset=utf-8", "Application/JSON", "application/vnd.x+json"] {
        host.send(Call::new("POST", "/v1/runs").bytes(kind, body.clone())).await.gives(201);
    }
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_with_the_limit() {
    let host = TestHost::builder().max_body_bytes(200).open();
    let fits = json!({ "workflowId": "conformance-noop", "inputs": { "x": "y".repeat(100) } });
    host.post("/v1/runs", &fits).await.gives(201);
    let large = json!({ "workflowId": "conformance-noop", "inputs": { "x": "y".repeat(200) } });
    let error = host.post("/v1/runs", &large).await.refuses(ErrorCode::PayloadTooLarge);
    assert_eq!(error["details"]["maxRequestBodyBytes"], 200);
}

#[tokio::test]
async fn a_body_that_does_not_arrive_is_not_waited_for() {
    let host = TestHost::builder().body_timeout(Duration::ZERO).open();
    for path in ["/v1/runs", "/v1/prompts:render", "/v1/host/sample/workflows", "/v1/runs:bulk-cancel"] {
        let call = Call::post(path, &json!({})).stalled();
        host.send(call).await.refuses(ErrorCode::RequestTimeout);
    }
}

/// Posts `body` to `path` and checks the places of the faults.
async fn check_faults(path: &str, body: Json, code: ErrorCode, places: &[&str]) {
    let error = refused(Call::post(path, &body), code).await;
    let faults = error["details"]["faults"].as_array().unwrap();
    let found: Vec<&str> = faults.iter().map(|fault| fault["path"].as_str().unwrap()).collect();
    assert_eq!(found, places, "{body} at {path}: {error}");
}

#[tokio::test]
async fn every_fault_of_a_body_is_named_with_its_place() {
    let invalid = ErrorCode::ValidationError;
    check_faults("/v1/runs", json!({}), invalid, &[""]).await;
    let slips = json!({ "workflowId": "conformance-noop", "input": {}, "tags": [1], "metadata": 1 });
    check_faults("/v1/runs", slips, invalid, &["/input", "/metadata", "/tags/0"]).await;
    let attached = json!({
        "workflowId": "conformance-noop", "callbackUrl": "nowhere", "metadata": { "note": "x".repeat(8_192) },
    });
    check_faults("/v1/runs", attached, invalid, &["/metadata", "/callbackUrl"]).await;
    check_faults("/v1/runs", json!([]), invalid, &[""]).await;
    check_faults("/v1/runs/r/cancel", json!({ "reasons": "x" }), invalid, &["/reasons"]).await;
    check_faults("/v1/runs/r/cancel", json!({ "reason": 1 }), invalid, &["/reason"]).await;
    check_faults("/v1/runs/r/cancel", json!({ "reason": "x".repeat(513) }), invalid, &["/reason"]).await;
    check_faults("/v1/runs/r/interrupts/n", json!({ "value": 1 }), invalid, &["", "/value"]).await;
    check_faults("/v1/runs:bulk-cancel", json!({ "runIds": [] }), invalid, &["/runIds"]).await;
    check_faults("/v1/prompts:render", json!({ "variables": {} }), invalid, &[""]).await;
    let render = json!({ "ref": "prompt:topic-user@one", "variables": {} });
    check_faults("/v1/prompts:render", render, ErrorCode::PromptRefInvalid, &["/ref"]).await;
    let workflow = json!({ "id": "x", "nodes": [] });
    let error = refused(Call::post("/v1/host/sample/workflows", &workflow), invalid_workflow()).await;
    assert!(error["details"]["faults"].as_array().unwrap().len() > 3, "{error}");
}

#[tokio::test]
async fn a_body_that_is_nested_too_deep_is_refused() {
    let deep = (0..64).fold(json!("x"), |value, _| json!([value]));
    for (path, body) in [
        ("/v1/runs", json!({ "workflowId": "conformance-identity", "inputs": { "payload": deep } })),
        ("/v1/runs/r/interrupts/n", json!({ "resumeValue": deep })),
        ("/v1/prompts", json!({ "variables": [{ "defaultValue": deep }] })),
        ("/v1/host/sample/workflows", json!({ "nodes": deep })),
    ] {
        let error = refused(Call::post(path, &body), ErrorCode::ValidationError).await;
        assert!(error["message"].as_str().unwrap().contains("nested too deep"), "{path}: {error}");
    }
}

#[tokio::test]
async fn no_engine_is_forced() {
    let call = Call::post("/v1/runs", &json!({ "workflowId": "conformance-noop" }));
    refused(call.header("x-force-engine-version", "1"), ErrorCode::ForceEngineVersionForbidden).await;
}

fn invalid_workflow() -> ErrorCode {
    ErrorCode::WorkflowInvalid
}

#[tokio::test]
async fn a_parameter_that_cannot_be_read_is_refused_without_its_value() {
    for path in [
        "/v1/prompts?limit=hunter2",
        "/v1/prompts?limit=-1",
        "/v1/prompts?limit=0",
        "/v1/prompts?limit=201",
        "/v1/prompts?kind=hunter2",
        "/v1/prompts?source=hunter2",
        "/v1/prompts?cursor=hunter2",
        "/v1/prompts/topic-user?version=hunter2",
        "/v1/prompts/topic-user?libraryId=HUNTER2%20",
        "/v1/host/cuebook/runs?limit=201",
        "/v1/runs/r/events/poll?lastSequence=hunter2",
        "/v1/runs/r/events/poll?timeout=0",
        "/v1/runs/r/events/poll?timeout=61",
        "/v1/runs/r/events?bufferMs=hunter2",
    ] {
        let error = refused(Call::get(path), ErrorCode::ValidationError).await;
        assert!(!error.to_string().to_lowercase().contains("hunter2"), "{path}: {error}");
    }
}

#[tokio::test]
async fn an_idempotency_key_has_its_limits() {
    let host = TestHost::new();
    let call = Call::post("/v1/runs", &json!({ "workflowId": "conformance-noop" }));
    host.send(call.clone().idempotency_key(&"k".repeat(255))).await.gives(201);
    for key in ["k".repeat(256), String::new(), "\u{e9}".to_owned()] {
        host.send(call.clone().idempotency_key(&key)).await.refuses(ErrorCode::ValidationError);
    }
}

#[tokio::test]
async fn ids_with_slashes_dots_and_nul_name_nothing() {
    let host = TestHost::builder().on_disk().open();
    for id in
        ["a%2Fb", "..%2F..%2Fetc", "..", "a%00b", "%00", "%E2%80%AE", "%27%20OR%201%3D1--", &"x".repeat(4000)]
    {
        for path in [
            format!("/v1/runs/{id}"),
            format!("/v1/runs/{id}/events"),
            format!("/v1/runs/{id}/events/poll"),
            format!("/v1/workflows/{id}"),
            format!("/v1/agents/{id}"),
            format!("/v1/prompts/{id}"),
            format!("/v1/host/cuebook/runs/{id}/compositions/0"),
        ] {
            host.get(&path).await.refuses(ErrorCode::NotFound);
        }
    }
    host.get("/v1/runs/%FF").await.refuses(ErrorCode::ValidationError);
}

#[tokio::test]
async fn a_request_keeps_its_id_and_gets_one_if_it_has_none() {
    let host = TestHost::new();
    let named = host.send(Call::get("/healthz").header("x-request-id", "trace-1.a_B")).await;
    assert_eq!(named.header("x-request-id"), Some("trace-1.a_B"));
    for given in ["", "a b", "<script>", &"x".repeat(129)] {
        let answer = host.send(Call::get("/healthz").header("x-request-id", given)).await;
        let id = answer.header("x-request-id").unwrap();
        assert!(id.starts_with("req_") && id != given, "{id}");
    }
}

#[tokio::test]
async fn an_error_of_the_host_names_the_request() {
    let host = TestHost::builder().immutable().open();
    let call = Call::new("DELETE", "/v1/prompts/topic-user").header("x-request-id", "trace-2");
    let error = host.send(call).await.refuses(ErrorCode::CapabilityNotProvided);
    assert_eq!(error["details"]["correlationId"], "trace-2");
    let mine = host.get("/v1/runs/none").await.refuses(ErrorCode::NotFound);
    assert_eq!(mine["details"], Json::Null);
}
