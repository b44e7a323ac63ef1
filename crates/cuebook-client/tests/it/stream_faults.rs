//! What ends a stream of events before its run does.

use std::time::Duration;

use cuebook_client::EventsOptions;

use crate::server::{Script, Server, answer, broken_stream, hang_up, json, refusal, stream};
use crate::support::{client, follow, frame, frames, snapshot};

/// Follows a run until an error ends the stream: the events before it, the error, the pauses.
async fn check(scripts: Vec<Script>, reconnects: u32, expect: (&[u64], &str, &[u128])) {
    let server = Server::start(scripts).await;
    let (client, pauses) = client(&server);
    let (sequences, error) = follow(&client, EventsOptions { reconnects, ..EventsOptions::default() }).await;
    let error = error.expect("an error").to_string();
    let error = error.strip_prefix("GET /v1/runs/{runId}/events: ").expect("the endpoint").to_owned();
    assert_eq!((sequences.as_slice(), error.as_str(), pauses.millis().as_slice()), expect);
}

#[tokio::test]
async fn refusals_are_final() {
    for status in ["401 Unauthorized", "403 Forbidden", "404 Not Found", "500 Oops", "501 Not Implemented"] {
        let text = format!("the host refused with {} `c`: no", &status[..3]);
        check(vec![refusal(status, "c")], 10, (&[], &text, &[])).await;
        check(vec![broken_stream(&frames(0..1)), refusal(status, "c")], 10, (&[0], &text, &[500])).await;
    }
}

#[tokio::test]
async fn a_refused_mode_is_not_taken_for_a_refused_place() {
    let scripts = vec![broken_stream(&frames(0..1)), refusal("400 Bad Request", "unsupported_stream_mode")];
    check(scripts, 10, (&[0], "the host refused with 400 `unsupported_stream_mode`: no", &[500])).await;
}

#[tokio::test]
async fn a_request_that_is_wrong_anyway_is_refused_once_more() {
    let wrong = || refusal("400 Bad Request", "validation_error");
    let text = "the host refused with 400 `validation_error`: no";
    check(vec![wrong()], 10, (&[], text, &[])).await;
    check(vec![broken_stream(&frames(0..1)), wrong(), wrong()], 10, (&[0], text, &[500])).await;
}

#[tokio::test]
async fn attempts_that_get_nowhere_are_bounded() {
    let broken = "the connection broke before the whole answer came";
    check(vec![hang_up(), hang_up(), hang_up()], 2, (&[], broken, &[500, 1000])).await;
    check(vec![hang_up()], 0, (&[], broken, &[])).await;
    let cut = || broken_stream(&frame(0, false)[..20]);
    check(vec![cut(), cut(), cut()], 2, (&[], broken, &[500, 1000])).await;
}

#[tokio::test]
async fn an_event_or_a_sign_of_life_starts_the_count_anew() {
    let broken = "the connection broke before the whole answer came";
    let scripts = vec![
        hang_up(),
        broken_stream(&frames(0..1)),
        hang_up(),
        broken_stream(": alive\n\n"),
        hang_up(),
        hang_up(),
    ];
    check(scripts, 2, (&[0], broken, &[500, 500, 1000, 500, 1000])).await;
}

#[tokio::test]
async fn streams_that_end_empty_are_bounded() {
    let empty = || [stream(""), json("200 OK", &snapshot("running"))];
    let scripts = empty().into_iter().chain(empty()).collect();
    check(scripts, 1, (&[], "the event stream ended before the run did", &[500])).await;
}

#[tokio::test]
async fn a_pause_longer_than_allowed_is_the_callers_matter() {
    let busy =
        answer("503 Busy", "retry-after: 3600\r\n", r#"{"error":"service_unavailable","message":"m"}"#);
    check(vec![busy], 10, (&[], "the host refused with 503 `service_unavailable`: m", &[])).await;
}

#[tokio::test]
async fn events_that_cannot_be_read_are_not_skipped() {
    let text = frames(0..1) + "id: 1\ndata: {\"eventId\":\"e\",\"sequence\":1}\n\n" + &frame(2, true);
    let expect = "the answer with status 200 is wrong at `.`: missing field `runId`";
    check(vec![stream(&text)], 10, (&[0], expect, &[])).await;
    let text = frames(0..1) + "id: 1\ndata: {\"eventId\n\n" + &frame(2, true);
    let expect = "the answer with status 200 is wrong at `data`: the event is no JSON at line 1, column 9";
    check(vec![stream(&text)], 10, (&[0], expect, &[])).await;
}

#[tokio::test]
async fn an_answer_that_is_no_stream_is_quoted() {
    let expect = "the answer with status 200 cannot be read: an event stream was asked for and something else came; \
                  it begins with `{\"events\":[]}`";
    check(vec![json("200 OK", r#"{"events":[]}"#)], 10, (&[], expect, &[])).await;
}

#[tokio::test]
async fn a_buffer_beyond_its_range_is_not_sent() {
    let server = Server::start([]).await;
    let options = EventsOptions { buffer: Some(Duration::from_millis(5001)), ..EventsOptions::default() };
    let (sequences, error) = follow(&client(&server).0, options).await;
    let expect = "GET /v1/runs/{runId}/events: buffer must be at most 5 seconds";
    assert_eq!((sequences.len(), error.unwrap().to_string().as_str(), server.lines().len()), (0, expect, 0));
}
