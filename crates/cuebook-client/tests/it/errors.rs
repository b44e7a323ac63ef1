//! Refusals and answers that are none: what an error says, and what can be read from it.

use std::error::Error;

use cuebook_client::{Client, ClientError, ClientErrorKind, PollOptions, TransportFault};
use cuebook_wire::{CreateRun, ErrorCode, NodeId, RunId, WorkflowId};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::server::{Script, Server, Step, answer, hang_up, json as json_answer};
use crate::support::{client, run, snapshot};

/// The error of a call without an idempotency key, which is never repeated.
async fn fail(script: Script) -> ClientError {
    let server = Server::start([script]).await;
    let create = CreateRun::new(WorkflowId::new("w"));
    let error = client(&server).0.runs().create(&create).await.unwrap_err();
    assert_eq!((error.endpoint(), server.lines().len()), (Some("POST /v1/runs"), 1));
    error
}

/// Looks at the text of the error for an answer.
async fn check(script: Script, expect: &str) {
    assert_eq!(fail(script).await.to_string(), format!("POST /v1/runs: {expect}"));
}

#[tokio::test]
async fn refusals_carry_their_envelope() {
    let body = json!({
        "error": "run_already_active", "message": "one is under way", "details": { "activeRunId": "r0" }, "new": 1,
    });
    let headers = "content-type: application/json\r\nx-request-id: q-7\r\nretry-after: 12\r\n";
    let error = fail(answer("409 Conflict", headers, &body.to_string())).await;
    assert_eq!(
        error.to_string(),
        "POST /v1/runs: the host refused with 409 `run_already_active`: one is under way (request q-7)"
    );
    let refusal = error.as_api().unwrap();
    assert_eq!((error.status(), refusal.known_code()), (Some(409), Some(ErrorCode::RunAlreadyActive)));
    assert_eq!(
        (error.hint(), error.retry_after().unwrap().as_secs()),
        (Some(ErrorCode::RunAlreadyActive.hint()), 12)
    );
    assert_eq!(refusal.details.as_ref().unwrap()["activeRunId"], "r0");
}

#[tokio::test]
async fn unknown_codes_survive() {
    let body =
        json!({ "error": "moon_in_wrong_phase", "message": "wait", "details": { "correlationId": "c-1" } });
    let error = fail(json_answer("418 I'm a teapot", &body.to_string())).await;
    let refusal = error.as_api().unwrap();
    assert_eq!(
        (refusal.status, refusal.code.as_str(), refusal.known_code()),
        (418, "moon_in_wrong_phase", None)
    );
    assert_eq!((refusal.request_id.as_deref(), error.hint()), (Some("c-1"), None));
}

#[tokio::test]
async fn answers_that_are_no_envelope_are_quoted() {
    const EXPECTED: &str = "expected an error envelope with `error` and `message`";
    check(
        answer("502 Bad Gateway", "content-type: text/html\r\n", "<html>\n  <b>Bad</b>\n</html>"),
        &format!("the answer with status 502 cannot be read: {EXPECTED}; it begins with `<html> <b>Bad</b> </html>`"),
    )
    .await;
    check(answer("404 Not Found", "", ""), &format!("the answer with status 404 cannot be read: {EXPECTED}"))
        .await;
    check(
        json_answer("400 Bad Request", r#"{"error":{"code":1}}"#),
        &format!(r#"the answer with status 400 cannot be read: {EXPECTED}; it begins with `{{"error":{{"code":1}}}}`"#),
    )
    .await;
    check(
        answer("302 Found", "location: https://elsewhere.example/\r\n", ""),
        "the answer with status 302 cannot be read: the host points elsewhere, and redirects are not followed",
    )
    .await;
    let envelope = r#"{"error":"moved","message":"elsewhere"}"#;
    check(
        json_answer("307 Temporary Redirect", envelope),
        &format!(
            "the answer with status 307 cannot be read: the host points elsewhere, and redirects are not followed; \
             it begins with `{envelope}`"
        ),
    )
    .await;
    check(
        answer("200 OK", "", "welcome"),
        "the answer with status 200 cannot be read: no JSON at line 1, column 1; it begins with `welcome`",
    )
    .await;
    check(answer("200 OK", "", ""), "the answer with status 200 cannot be read: it is empty").await;
}

#[tokio::test]
async fn quotations_have_at_most_200_characters() {
    for (length, expect) in [(200, 200), (201, 200), (5000, 200)] {
        let error = fail(answer("500 Oops", "", &"ü".repeat(length))).await;
        let ClientErrorKind::Decode(fault) = error.kind() else { panic!("{error}") };
        let quote = fault.quote.as_ref().unwrap();
        assert_eq!((quote.chars().count(), quote.ends_with('…')), (expect, length > 200));
        assert!(error.hint().unwrap().contains("base_url"));
    }
}

#[tokio::test]
async fn documents_that_do_not_fit_are_named_by_their_place() {
    check(
        json_answer("201 Created", "{}"),
        "the answer with status 201 is wrong at `.`: missing field `runId`",
    )
    .await;
    check(
        json_answer("201 Created", r#"{"runId":"r","status":7}"#),
        "the answer with status 201 is wrong at `status`: invalid type: integer `7`, expected a string",
    )
    .await;
}

async fn read_run(body: &str) -> ClientError {
    let server = Server::start([json_answer("200 OK", body)]).await;
    client(&server).0.runs().get(&run()).await.unwrap_err()
}

#[tokio::test]
async fn a_status_that_no_snapshot_can_have_is_named() {
    let error = read_run(&snapshot("dreaming")).await.to_string();
    assert!(
        error.starts_with("GET /v1/runs/{runId}: the answer with status 200 is wrong at `status`: "),
        "{error}"
    );
    assert!(error.contains("unknown RunStatus `dreaming`"), "{error}");
}

#[track_caller]
fn check_transport(error: &ClientError, expect: TransportFault) {
    let ClientErrorKind::Transport { fault, .. } = error.kind() else { panic!("{error}") };
    assert_eq!((*fault, error.status()), (expect, None));
    assert!(error.source().is_some() && error.hint().is_some());
}

#[tokio::test]
async fn broken_exchanges_say_where_they_broke() {
    check_transport(&fail(hang_up()).await, TransportFault::Broken);
    let cut = vec![Step::Send(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{".to_vec())];
    check_transport(&fail(cut).await, TransportFault::Broken);
    check_transport(&fail(vec![Step::Send(b"SMTP ready\r\n\r\n".to_vec())]).await, TransportFault::Broken);
}

#[tokio::test]
async fn a_host_that_is_not_there_is_named_as_such() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let create = CreateRun::new(WorkflowId::new("w"));
    let error = Client::new(&url, "key").unwrap().runs().create(&create).await.unwrap_err();
    check_transport(&error, TransportFault::Connect);
    assert_eq!(error.to_string(), "POST /v1/runs: no connection to the host could be opened");
}

#[tokio::test]
async fn calls_that_cannot_be_made_are_not_sent() {
    let server = Server::start([]).await;
    let client = client(&server).0;
    let node = client
        .interrupts()
        .resolve(&RunId::new(""), &NodeId::new(".."), &Value::Null)
        .idempotency_key("a\nb");
    assert_eq!(
        node.await.unwrap_err().to_string(),
        "POST /v1/runs/{runId}/interrupts/{nodeId}: idempotency-key has characters that no header can carry; \
         runId is empty; an id has at least one character; nodeId is `..`, which no address can carry"
    );
    for key in ["", &"k".repeat(256)] {
        let error = client.runs().cancel(&run(), None).idempotency_key(key).await.unwrap_err();
        assert!(error.to_string().ends_with("the idempotency key must have 1 to 255 characters"), "{error}");
    }
    for millis in [0, 999, 1500, 61_000] {
        let wait = Some(std::time::Duration::from_millis(millis));
        let error = client.runs().poll(&run(), PollOptions { after: None, wait }).await.unwrap_err();
        assert!(error.to_string().ends_with("wait must be 1 to 60 whole seconds"), "{error}");
    }
    assert_eq!(server.lines().len(), 0);
}
