//! Whether the server lives, is ready, and what it counts.

use cuebook_host::wire::ErrorCode;
use serde_json::json;

use crate::support::{Call, TestHost};

#[tokio::test]
async fn a_server_that_drains_lives_but_is_not_ready() {
    let host = TestHost::builder().on_disk().open();
    assert_eq!(host.get("/healthz").await.gives(200), json!({ "status": "ok" }));
    assert_eq!(host.get("/readyz").await.gives(200), json!({ "status": "ready" }));
    host.app.drain();
    host.get("/healthz").await.gives(200);
    let answer = host.send(Call::get("/readyz").anonymous()).await;
    answer.refuses(ErrorCode::ServiceUnavailable);
    assert_eq!(answer.header("retry-after"), Some("1"));
}

#[tokio::test]
async fn requests_are_counted_by_route_and_never_by_path() {
    let host = TestHost::new();
    host.get("/v1/runs/secret-id").await;
    host.get("/secret-path").await;
    host.run("conformance-noop", &json!({})).await;
    let answer = host.send(Call::get("/metrics").anonymous()).await;
    assert!(answer.header("content-type").unwrap().starts_with("application/openmetrics-text"));
    for line in [
        r#"cuebook_http_requests_total{route="/v1/runs/{run_id}",status="404"} 1"#,
        r#"cuebook_http_requests_total{route="(none)",status="404"} 1"#,
        "cuebook_runs_created_total 1",
        "cuebook_event_streams 0",
        "cuebook_write_queue 0",
    ] {
        assert!(answer.text.lines().any(|found| found == line), "{line} in\n{}", answer.text);
    }
    assert!(!answer.text.contains("secret"), "{}", answer.text);
}

#[tokio::test]
async fn an_open_stream_is_counted_for_as_long_as_it_is_read() {
    let host = TestHost::new();
    let run = host.start("conformance-cancellable", &json!({})).await;
    let mut stream = host.stream(Call::get(&format!("/v1/runs/{run}/events"))).await;
    assert_eq!(stream.next().await.unwrap().event, "run.started");
    assert!(host.get("/metrics").await.text.contains("cuebook_event_streams 1"));
    drop(stream);
    assert!(host.get("/metrics").await.text.contains("cuebook_event_streams 0"));
}
