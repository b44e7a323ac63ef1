//! The stream of events over whole and broken connections: nothing comes twice and nothing is missing.

use std::time::Duration;

use cuebook_client::{EventsOptions, StreamMode};
use cuebook_wire::{EventType, RunStatus, Sequence};
use futures_util::StreamExt;
use proptest::prelude::*;
use serde_json::json;
use tokio::sync::oneshot;

use crate::server::{
    Script, Server, Step, broken_stream, chunk, hang_up, json as json_answer, refusal, stream, stream_head,
};
use crate::support::{client, event, follow, frame, frames, run, snapshot};

/// Follows a run over connections that are answered by `scripts`: the events, and `Last-Event-ID` of each request.
async fn check(scripts: Vec<Script>, expect: &[u64], resumed: &[&str], pauses: &[u128]) {
    let server = Server::start(scripts).await;
    let (client, timer) = client(&server);
    let (sequences, error) = follow(&client, EventsOptions::default()).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(
        (sequences.as_slice(), server.header("last-event-id")),
        (expect, resumed.iter().map(|id| (*id).to_owned()).collect())
    );
    assert_eq!(timer.millis(), pauses);
}

#[tokio::test]
async fn one_connection_brings_everything() {
    check(vec![stream(&(frames(0..3) + &frame(3, true)))], &[0, 1, 2, 3], &["-"], &[]).await;
}

#[tokio::test]
async fn nothing_is_read_after_the_last_event() {
    check(vec![stream(&(frame(0, true) + &frames(1..3)))], &[0], &["-"], &[]).await;
}

#[tokio::test]
async fn a_broken_connection_is_taken_up_after_the_last_event() {
    let scripts = vec![broken_stream(&frames(0..2)), broken_stream(&frames(2..3)), stream(&frame(3, true))];
    check(scripts, &[0, 1, 2, 3], &["-", "1", "2"], &[500, 500]).await;
}

#[tokio::test]
async fn an_event_that_was_cut_comes_again() {
    let cut = |at: usize| broken_stream(&format!("{}{}", frames(0..1), &frame(1, false)[..at]));
    for at in [1, 10, 60, frame(1, false).len() - 1] {
        check(vec![cut(at), stream(&(frames(1..2) + &frame(2, true)))], &[0, 1, 2], &["-", "0"], &[500])
            .await;
    }
}

#[tokio::test]
async fn every_event_that_comes_through_counts_as_progress() {
    let event_and_cut =
        |sequence| broken_stream(&(frame(sequence, false) + &frame(sequence + 1, false)[..20]));
    let mut scripts: Vec<Script> = (0..12).map(event_and_cut).collect();
    scripts.push(stream(&frame(12, true)));
    let server = Server::start(scripts).await;
    let options = EventsOptions { reconnects: 1, ..EventsOptions::default() };
    let (sequences, error) = follow(&client(&server).0, options).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(sequences, (0..=12).collect::<Vec<_>>());
}

#[tokio::test]
async fn events_that_come_again_are_dropped() {
    let twice = frames([0, 0, 1, 0, 1]);
    check(vec![stream(&(twice.clone() + &frame(2, true)))], &[0, 1, 2], &["-"], &[]).await;
    check(vec![broken_stream(&twice), stream(&(twice + &frame(2, true)))], &[0, 1, 2], &["-", "1"], &[500])
        .await;
}

#[tokio::test]
async fn a_host_that_cannot_resume_is_read_from_the_start() {
    let whole = frames(0..3) + &frame(3, true);
    let scripts = vec![
        broken_stream(&frames(0..2)),
        refusal("400 Bad Request", "validation_error"),
        broken_stream(&frames(0..3)),
        stream(&whole),
    ];
    check(scripts, &[0, 1, 2, 3], &["-", "1", "-", "-"], &[500, 500]).await;
}

#[tokio::test]
async fn connections_that_do_not_open_are_tried_again() {
    let busy =
        crate::server::answer("429 Slow", "retry-after: 9\r\n", r#"{"error":"rate_limited","message":"m"}"#);
    let scripts = vec![
        hang_up(),
        busy,
        crate::server::answer("502 Bad Gateway", "", "<html>"),
        stream(&frame(0, true)),
    ];
    check(scripts, &[0], &["-", "-", "-", "-"], &[500, 9000, 2000]).await;
}

#[tokio::test]
async fn a_stream_that_ends_early_goes_on() {
    let scripts = vec![
        stream(&frames(0..1)),
        stream(": alive\n\n"),
        json_answer("200 OK", &snapshot("waiting-approval")),
        stream(&frame(1, true)),
    ];
    check(scripts, &[0, 1], &["-", "0", "-", "0"], &[500, 500]).await;
}

#[tokio::test]
async fn a_question_that_fails_for_now_does_not_end_the_stream() {
    let bad_gateway = crate::server::answer("502 Bad Gateway", "", "<html>");
    check(vec![stream(""), bad_gateway, stream(&frame(0, true))], &[0], &["-", "-", "-"], &[500]).await;
}

#[tokio::test]
async fn a_run_that_is_over_without_news_ends_the_stream() {
    let over = || json_answer("200 OK", &snapshot("completed"));
    let server = Server::start([stream(""), over(), stream("")]).await;
    let (client, pauses) = client(&server);
    let options = EventsOptions { after: Some(Sequence(4)), ..EventsOptions::default() };
    let (sequences, error) = follow(&client, options).await;
    assert!(sequences.is_empty() && error.is_none(), "{sequences:?} {error:?}");
    assert_eq!(
        (server.header("last-event-id"), pauses.millis().len()),
        (["4", "-", "4"].map(str::to_owned).to_vec(), 0)
    );
}

#[tokio::test]
async fn events_between_the_end_of_a_stream_and_the_question_are_not_lost() {
    let scripts = vec![
        stream(""),
        json_answer("200 OK", &snapshot("failed")),
        stream(&(frames(0..1) + &frame(1, true))),
    ];
    check(scripts, &[0, 1], &["-", "-", "-"], &[]).await;
}

#[tokio::test]
async fn options_are_sent() {
    let server = Server::start([stream(&(frames(5..8) + &frame(8, true)))]).await;
    let buffer = Some(Duration::from_secs(5));
    let options = EventsOptions { mode: StreamMode::Debug, after: Some(Sequence(6)), buffer, reconnects: 0 };
    let (sequences, error) = follow(&client(&server).0, options).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(sequences, [7, 8], "the host sent events that were known");
    assert_eq!(server.lines(), ["GET /v1/runs/run_1/events?streamMode=debug&bufferMs=5000"]);
    assert_eq!(
        (server.header("accept"), server.header("authorization")),
        (vec!["text/event-stream".to_owned()], vec!["Bearer test-key".to_owned()])
    );
}

#[tokio::test]
async fn frames_of_every_form_are_read() {
    let mut newer = event(4, "moon.phase.changed");
    newer["engineVersion"] = json!(9);
    newer["payload"] = json!({ "phase": "ü🌙" });
    let batch = json!([event(1, "node.completed"), event(2, "node.completed")]);
    let text = format!(
        "\u{feff}retry: 10\r\n: hello\r\n\r\nid: 0\r\nevent: run.started\r\ndata: {}\r\n\r\n\
         event: batch\rid: 2\rdata: {batch}\r\r\
         event: state.snapshot\ndata: {}\n\n\
         event: ai.message.chunk\nid: 3\ndata: {{\"nodeId\":\"n\",\"chunk\":\"x\"}}\n\n\
         event: ping\ndata: not json\n\n\
         event: updates\nid: 4\ndata: {newer}\n\n{}",
        event(0, "run.started"),
        snapshot("running"),
        frame(5, true),
    );
    let server = Server::start([stream(&text)]).await;
    let client = client(&server).0;
    let events: Vec<_> = client.runs().events(&run(), EventsOptions::default()).collect().await;
    let events: Vec<_> = events.into_iter().collect::<Result<_, _>>().unwrap();
    assert_eq!(events.iter().map(|event| event.sequence.0).collect::<Vec<_>>(), [0, 1, 2, 4, 5]);
    assert_eq!(events[3].event_type, EventType::Other("moon.phase.changed".to_owned()));
    assert_eq!(
        (events[3].payload["phase"].as_str(), events[3].engine_version.as_deref()),
        (Some("ü🌙"), Some("9"))
    );
}

#[tokio::test]
async fn events_come_before_the_stream_goes_on() {
    let (tell, told) = oneshot::channel();
    let script = vec![
        stream_head(),
        chunk(frames(0..1).as_bytes()),
        chunk(b": alive\n\nid: 1\nda"),
        Step::Wait(told),
        chunk(frame(1, true).trim_start_matches("id: 1\nda").as_bytes()),
        chunk(b""),
    ];
    let server = Server::start([script]).await;
    let client = client(&server).0;
    let mut events = client.runs().events(&run(), EventsOptions::default());
    assert_eq!(events.next().await.unwrap().unwrap().sequence, Sequence(0));
    tell.send(()).unwrap();
    assert_eq!(events.next().await.unwrap().unwrap().sequence, Sequence(1));
    assert!(events.next().await.is_none());
}

#[tokio::test]
async fn waiting_gives_the_last_snapshot() {
    let scripts = [
        broken_stream(&frames(0..1)),
        stream(&frame(1, true)),
        json_answer("200 OK", &snapshot("completed")),
    ];
    let server = Server::start(scripts).await;
    let snapshot = client(&server).0.runs().wait(&run()).await.unwrap();
    assert_eq!(snapshot.status, RunStatus::Completed);
    assert_eq!(server.lines().last().unwrap(), "GET /v1/runs/run_1");
}

/// A log of `length` events, cut into connections that begin anywhere before what is missing and break anywhere.
fn connections(length: u64, cuts: &[(u64, u64, usize)]) -> Vec<Script> {
    let mut seen = 0;
    let mut scripts = Vec::new();
    for (back, ahead, cut) in cuts {
        let end = (seen + ahead).min(length - 1);
        let partial = frame(end, end == length - 1);
        let cut = (*cut).min(partial.len() - 1);
        let text =
            frames(seen.saturating_sub(*back)..end) + &String::from_utf8_lossy(&partial.as_bytes()[..cut]);
        scripts.push(broken_stream(&text));
        seen = seen.max(end);
    }
    scripts.push(stream(&(frames(0..length - 1) + &frame(length - 1, true))));
    scripts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn every_event_comes_once_however_connections_break(
        length in 1_u64..12,
        cuts in prop::collection::vec((0_u64..4, 0_u64..5, 0_usize..200), 0..8),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (sequences, error) = runtime.block_on(async {
            let server = Server::start(connections(length, &cuts)).await;
            follow(&client(&server).0, EventsOptions::default()).await
        });
        prop_assert!(error.is_none(), "{:?}", error);
        prop_assert_eq!(sequences, (0..length).collect::<Vec<_>>());
    }

    #[test]
    fn where_the_bytes_are_cut_does_not_matter(size in 1_usize..40) {
        let mut accented = event(0, "node.completed");
        accented["payload"] = json!({ "text": "ü – 🌙 – é" });
        let text = format!("data: {accented}\r\n\r\n{}", frame(1, true));
        let mut script = vec![stream_head()];
        script.extend(text.as_bytes().chunks(size).map(chunk));
        script.push(chunk(b""));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let texts: Vec<String> = runtime.block_on(async {
            let server = Server::start([script]).await;
            let client = client(&server).0;
            let events = client.runs().events(&run(), EventsOptions::default());
            events.map(|event| event.unwrap().payload["text"].as_str().unwrap_or_default().to_owned()).collect().await
        });
        prop_assert_eq!(texts, ["ü – 🌙 – é", ""]);
    }
}
