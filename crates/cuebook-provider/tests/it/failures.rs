//! What every failure is called, and what it says.

use std::net::TcpListener;
use std::time::Duration;

use cuebook_prompt::SecretId;
use cuebook_provider::{ModelCall, ModelError, ModelErrorKind, ModelPort, OpenAi, OpenAiOptions};

use crate::server::{Server, Step, chunk, json, response, stream, stream_head};
use crate::support::{Pieces, call, dispatch, exchange, options, options_with_key, settings};

const OPENED: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n";
const UNAVAILABLE: ModelErrorKind = ModelErrorKind::Unavailable;
const MALFORMED: ModelErrorKind = ModelErrorKind::Malformed;
const REJECTED: ModelErrorKind = ModelErrorKind::Rejected;
const UNAUTHENTICATED: ModelErrorKind = ModelErrorKind::Unauthenticated;

fn rate_limited(seconds: Option<u64>) -> ModelErrorKind {
    ModelErrorKind::RateLimited { retry_after: seconds.map(Duration::from_secs) }
}

/// Checks kind and message of an error; the message is what follows name and address.
#[track_caller]
fn assert_error(error: &ModelError, kind: &ModelErrorKind, says: &str) {
    let message = error.to_string();
    let (head, tail) = message.split_once("/v1 ").expect("an address");
    assert!(head.starts_with("model provider 'local' at http://127.0.0.1:"), "{head}");
    assert_eq!((&error.kind, tail), (kind, says));
}

async fn check(steps: Vec<Step>, kind: ModelErrorKind, says: &str) {
    let error = exchange(steps).await.answer.expect_err("no answer");
    assert_error(&error, &kind, says);
}

#[tokio::test]
async fn refusals_by_status() {
    let error = r#"{"error":{"message":"Not today.","type":"t","code":null}}"#;
    for (status, kind, says) in [
        ("400 Bad Request", REJECTED, "answered 400 Bad Request: Not today."),
        (
            "401 Unauthorized",
            UNAUTHENTICATED,
            "answered 401 Unauthorized: Not today.; no key is configured, name a secret in api_key",
        ),
        (
            "403 Forbidden",
            UNAUTHENTICATED,
            "answered 403 Forbidden: Not today.; no key is configured, name a secret in api_key",
        ),
        (
            "404 Not Found",
            REJECTED,
            "answered 404 Not Found: Not today.; check the model's name, and that base_url ends where \
             /chat/completions begins",
        ),
        ("408 Request Timeout", UNAVAILABLE, "answered 408 Request Timeout: Not today."),
        ("422 Unprocessable Entity", REJECTED, "answered 422 Unprocessable Entity: Not today."),
        ("429 Too Many Requests", rate_limited(None), "answered 429 Too Many Requests: Not today."),
        ("500 Internal Server Error", UNAVAILABLE, "answered 500 Internal Server Error: Not today."),
        ("503 Service Unavailable", UNAVAILABLE, "answered 503 Service Unavailable: Not today."),
        ("529 Overloaded", UNAVAILABLE, "answered 529: Not today."),
    ] {
        check(json(status, error), kind, says).await;
    }
}

#[tokio::test]
async fn refusals_in_every_form_of_body() {
    for (body, says) in [
        (r#"{"error":"plain"}"#, "answered 400 Bad Request: plain"),
        (r#"{"object":"error","message":"flat","code":400}"#, "answered 400 Bad Request: flat"),
        (r#"{"detail":"detailed"}"#, "answered 400 Bad Request: detailed"),
        (r#"{"error":{"message":"two\n lines\u0007"}}"#, "answered 400 Bad Request: two lines"),
        (r#"{"error":{}}"#, "answered 400 Bad Request"),
        ("<html>secrets and all</html>", "answered 400 Bad Request"),
        ("", "answered 400 Bad Request"),
    ] {
        check(json("400 Bad Request", body), REJECTED, says).await;
    }
}

#[tokio::test]
async fn retry_after_in_seconds() {
    let limited = |value: &str| response("429 Too Many Requests", &format!("retry-after: {value}\r\n"), "");
    check(limited("7"), rate_limited(Some(7)), "answered 429 Too Many Requests; it asks to wait 7 s").await;
    let date = limited("Wed, 21 Oct 2026 07:28:00 GMT");
    check(date, rate_limited(None), "answered 429 Too Many Requests").await;
    check(limited("-1"), rate_limited(None), "answered 429 Too Many Requests").await;
}

#[tokio::test]
async fn an_exhausted_account_is_not_a_rate_limit() {
    let body = r#"{"error":{"message":"You have no credit.","type":"insufficient_quota","code":"insufficient_quota"}}"#;
    let says = "answered 429 Too Many Requests: You have no credit.";
    check(json("429 Too Many Requests", body), REJECTED, says).await;
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let elsewhere = response("307 Temporary Redirect", "location: http://127.0.0.1:1/v1\r\n", "");
    let says =
        "answered 307 Temporary Redirect; redirects are not followed, write the final address in base_url";
    check(elsewhere, REJECTED, says).await;
}

#[tokio::test]
async fn long_messages_are_cut() {
    let error = exchange(json("400 Bad Request", &format!("{{\"error\":\"{}\"}}", "é".repeat(9000)))).await;
    let says = format!("answered 400 Bad Request: {}…", "é".repeat(199));
    assert_error(&error.answer.expect_err("no answer"), &REJECTED, &says);
}

#[tokio::test]
async fn errors_in_the_stream() {
    let after = |event: &str| stream([OPENED.as_bytes(), event.as_bytes()]);
    check(
        after("data: {\"error\":{\"message\":\"Out of memory\",\"type\":\"server_error\"}}\n\n"),
        UNAVAILABLE,
        "reported an error: Out of memory",
    )
    .await;
    check(
        after("event: error\ndata: {\"error\":{\"message\":\"Slow down\",\"code\":429}}\n\n"),
        rate_limited(None),
        "reported an error: Slow down",
    )
    .await;
    let too_long = r#"{"object":"error","message":"Too long","type":"BadRequestError","code":400}"#;
    check(after(&format!("data: {too_long}\n\n")), REJECTED, "reported an error: Too long").await;
    check(json("200 OK", r#"{"error":"busy"}"#), UNAVAILABLE, "reported an error: busy").await;
}

#[tokio::test]
async fn streams_that_break_off() {
    const ENDED: &str = "ended the stream in the midst of the answer";
    check(stream([OPENED.as_bytes()]), UNAVAILABLE, ENDED).await;
    check(stream([]), UNAVAILABLE, ENDED).await;
    let gave_up = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"error\"}]}\n\n";
    check(stream([OPENED.as_bytes(), gave_up.as_bytes()]), UNAVAILABLE, ENDED).await;
    check(response("200 OK", "content-type: text/event-stream\r\n", OPENED), UNAVAILABLE, ENDED).await;
}

#[tokio::test]
async fn connections_that_break_off() {
    let cut = exchange(vec![stream_head(), chunk(OPENED.as_bytes())]).await;
    assert_eq!(cut.pieces, ["Hel"]);
    let error = cut.answer.expect_err("no answer");
    assert_eq!(error.kind, UNAVAILABLE);
    assert!(error.message.contains("/v1 broke the exchange off: "), "{error}");
    let silent = exchange(vec![]).await.answer.expect_err("no answer");
    assert_eq!(silent.kind, UNAVAILABLE);
    let garbage = exchange(vec![Step::Send(b"SSH-2.0-x\r\n".to_vec())]).await.answer.expect_err("no answer");
    assert_eq!(garbage.kind, UNAVAILABLE);
}

#[tokio::test]
async fn answers_that_are_no_chat_completion() {
    const NOT: &str = "sent something that is not a chat completion: ";
    let event = |data: &str| stream([format!("data: {data}\n\ndata: [DONE]\n\n").as_bytes()]);
    let check_not = async |steps, why: &str| check(steps, MALFORMED, &format!("{NOT}{why}")).await;
    check_not(event("{\"choices\": [}"), "no JSON at line 1, column 14").await;
    check_not(event("{\"choices\": 7}"), "a field has another type than the protocol gives it").await;
    check_not(event("[]"), "a field has another type than the protocol gives it").await;
    check_not(event("{}"), "it has no choices").await;
    check_not(json("200 OK", "{}"), "it has no choices").await;
    check_not(json("200 OK", ""), "no JSON at line 1, column 0").await;
    check_not(
        json("200 OK", "{\"choices\": [{}], \"usage\": {\"prompt_tokens\": -1}}"),
        "a field has another type than the protocol gives it",
    )
    .await;
}

#[tokio::test]
async fn answers_of_another_content_type() {
    let page = response("200 OK", "content-type: text/html\r\n", "<html></html>");
    let says = "answered with 'text/html' where text/event-stream or application/json was expected; check that \
                base_url ends where /chat/completions begins";
    check(page, MALFORMED, says).await;
}

#[tokio::test]
async fn answers_without_end() {
    let length = (64 << 20) + 1;
    let head =
        format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
    let steps = vec![Step::Send(head.into_bytes()), Step::Send(vec![b' '; length])];
    check(steps, MALFORMED, "sent an answer of more than 67108864 bytes").await;
}

/// Calls a model whose endpoint must never be reached.
async fn call_unreached(change: impl FnOnce(OpenAiOptions) -> OpenAiOptions, invocation: &str) -> ModelError {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port");
    listener.set_nonblocking(true).expect("a socket option");
    let base_url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let model = OpenAi::new(change(options(base_url))).expect("good options");
    let (dispatch, settings) = (dispatch(), settings("m"));
    let call = ModelCall { dispatch: &dispatch, settings: &settings, invocation };
    let error = model.call(call, &mut Pieces::default()).await.expect_err("no answer");
    assert!(listener.accept().is_err(), "a connection was opened");
    error
}

#[tokio::test]
async fn without_its_key_nothing_is_sent() {
    let error =
        call_unreached(|options| OpenAiOptions { api_key: SecretId::parse("other"), ..options }, "i").await;
    let says = "was not called: secret 'other' is not available here; declare it under [secrets.other] with a value \
                of 8 bytes or more, and without an allow list that leaves the host out";
    assert_error(&error, &ModelErrorKind::CredentialUnavailable, says);

    let broken = |options: OpenAiOptions| options_with_key(options.base_url, "sk-canary-1\n");
    let says = "was not called: the value of secret 'key' holds characters that no header can carry; look for a line \
                break at its end";
    assert_error(&call_unreached(broken, "i").await, &ModelErrorKind::CredentialUnavailable, says);
}

#[tokio::test]
async fn an_invocation_id_must_fit_a_header() {
    let error = call_unreached(|options| options, "a\nb").await;
    let says = "nothing was sent: the invocation id holds characters that no header can carry";
    assert_error(&error, &REJECTED, says);
}

#[tokio::test]
async fn a_refused_key_is_named() {
    let server = Server::start(json("401 Unauthorized", "{}")).await;
    let model = OpenAi::new(options_with_key(server.base_url(), "sk-canary-1")).expect("good options");
    let error = call(&model, &dispatch(), &settings("m")).await.1.expect_err("no answer");
    assert_error(&error, &UNAUTHENTICATED, "answered 401 Unauthorized; check the value of secret 'key'");
}

#[tokio::test]
async fn a_server_that_is_not_there() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port");
    let base_url = format!("http://ann:password@{}/v1", listener.local_addr().expect("an address"));
    drop(listener);
    let model = OpenAi::new(options(base_url)).expect("good options");
    let error = call(&model, &dispatch(), &settings("m")).await.1.expect_err("no answer");
    assert_eq!(error.kind, UNAVAILABLE);
    assert!(error.message.contains("/v1 cannot be reached: "), "{error}");
    assert!(error.message.ends_with("check base_url and that the server runs"), "{error}");
    assert!(!error.message.contains("ann:") && !error.message.contains("password"), "{error}");
}

#[tokio::test]
async fn a_server_that_never_answers() {
    let server = Server::start(vec![Step::Hang]).await;
    let timeout = Duration::from_millis(50);
    let model = OpenAi::new(OpenAiOptions { timeout, ..options(server.base_url()) }).expect("good options");
    let error = call(&model, &dispatch(), &settings("m")).await.1.expect_err("no answer");
    assert_error(&error, &UNAVAILABLE, "did not answer in full within 50ms");
}

#[test]
fn what_may_be_tried_again() {
    for (kind, expect) in [
        (UNAVAILABLE, true),
        (rate_limited(None), true),
        (MALFORMED, false),
        (REJECTED, false),
        (UNAUTHENTICATED, false),
        (ModelErrorKind::CredentialUnavailable, false),
    ] {
        assert_eq!(ModelError::new(kind.clone(), "x").retryable(), expect, "{kind:?}");
    }
}
