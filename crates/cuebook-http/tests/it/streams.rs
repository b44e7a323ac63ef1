//! Event streams: what they show, where they go on, and that no text can break a frame.

use cuebook_host::wire::ErrorCode;
use serde_json::{Value as Json, json};

use crate::support::{Answer, Call, Frame, TestHost, frames};

/// The whole stream of a run that ends; `query` begins with a question mark.
async fn stream(host: &TestHost, run: &str, query: &str) -> Vec<Frame> {
    let answer = host.get(&format!("/v1/runs/{run}/events{query}")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    frames(&answer.text)
}

async fn resumed(host: &TestHost, run: &str, last: &str) -> Answer {
    let path = format!("/v1/runs/{run}/events?streamMode=debug");
    host.send(Call::get(&path).header("last-event-id", last)).await
}

#[tokio::test]
async fn a_stream_shows_each_event_once_and_ends_with_the_last() {
    let host = TestHost::new();
    // The run has ended before anybody connects.
    let (run, events) = host.run("conformance-multi-node", &json!({})).await;
    let shown = stream(&host, &run, "?streamMode=debug").await;
    let expect: Vec<Frame> = events
        .iter()
        .map(|event| Frame {
            id: event["sequence"].to_string(),
            event: event["type"].as_str().unwrap().to_owned(),
            data: event.clone(),
        })
        .collect();
    assert_eq!(shown, expect);
    assert_eq!(shown.last().unwrap().event, "run.completed");
}

#[tokio::test]
async fn a_stream_follows_a_run_that_is_under_way() {
    let host = TestHost::builder().on_disk().open();
    let run = host.start("conformance-cancellable", &json!({})).await;
    let mut stream = host.stream(Call::get(&format!("/v1/runs/{run}/events?streamMode=debug"))).await;
    let mut shown = Vec::new();
    while let Some(frame) = stream.next().await {
        if frame.event == "node.started" {
            host.post(&format!("/v1/runs/{run}/cancel"), &json!({})).await.gives(200);
        }
        shown.push(frame.data);
    }
    assert_eq!(shown, host.ended(&run).await);
    assert_eq!(shown.last().unwrap()["type"], "run.cancelled");
}

#[tokio::test]
async fn updates_are_transitions_alone() {
    let host = TestHost::new();
    let (run, _) = host.run("conformance-prompt-end-to-end", &json!({})).await;
    for query in ["", "?streamMode=updates"] {
        let shown = stream(&host, &run, query).await;
        let types: Vec<&str> = shown.iter().map(|frame| frame.event.as_str()).collect();
        assert_eq!(types, ["run.started", "node.completed", "run.completed"]);
    }
}

#[tokio::test]
async fn several_modes_are_shown_together() {
    let host = TestHost::new();
    let (run, events) = host.run("tell", &json!({ "topic": "tea" })).await;
    let chunks = events.iter().filter(|event| event["type"] == "output.chunk").count();
    assert!(chunks > 0);
    let messages = stream(&host, &run, "?streamMode=messages").await;
    assert_eq!(messages.len(), chunks);
    for message in &messages {
        assert_eq!(message.event, "ai.message.chunk");
        assert_eq!((&message.data["runId"], &message.data["nodeId"]), (&json!(run), &json!("writer")));
        assert!(message.data["chunk"].is_string());
    }
    let both = stream(&host, &run, "?streamMode=messages,updates").await;
    assert_eq!(both.len(), chunks + 3);
    let ids: Vec<u64> = both.iter().map(|frame| frame.id.parse().unwrap()).collect();
    assert!(ids.is_sorted());
}

#[tokio::test]
async fn values_are_the_state_after_each_transition() {
    let host = TestHost::new();
    let (run, _) = host.run("conformance-noop", &json!({})).await;
    for query in ["?streamMode=values", "?streamMode=values&bufferMs=100"] {
        let shown = stream(&host, &run, query).await;
        assert!(shown.iter().all(|frame| frame.event == "state.snapshot"));
        let statuses: Vec<&Json> = shown.iter().map(|frame| &frame.data["status"]).collect();
        assert_eq!(statuses, ["running", "running", "completed"]);
        assert_eq!(shown.last().unwrap().data, host.snapshot(&run).await);
    }
}

#[tokio::test]
async fn values_begin_with_the_state_when_a_stream_goes_on() {
    let host = TestHost::new();
    let run = host.start("conformance-cancellable", &json!({})).await;
    let path = format!("/v1/runs/{run}/events?streamMode=values");
    let mut stream = host.stream(Call::get(&path).header("last-event-id", "0")).await;
    let first = stream.next().await.unwrap();
    let state = (first.event.as_str(), first.id.as_str(), &first.data["status"]);
    assert_eq!(state, ("state.snapshot", "0", &json!("running")));
    host.post(&format!("/v1/runs/{run}/cancel"), &json!({})).await.gives(200);
    let mut last = first;
    while let Some(frame) = stream.next().await {
        last = frame;
    }
    assert_eq!(last.data["status"], "cancelled");
}

#[tokio::test]
async fn gathered_events_come_as_one_batch() {
    let host = TestHost::new();
    let (run, events) = host.run("conformance-noop", &json!({})).await;
    let shown = stream(&host, &run, "?streamMode=debug&bufferMs=5000").await;
    assert_eq!(shown.len(), 1);
    assert_eq!((shown[0].event.as_str(), &shown[0].data), ("batch", &json!(events)));
    assert_eq!(shown[0].id, (events.len() - 1).to_string());
}

#[tokio::test]
async fn a_batch_does_not_wait_when_the_run_has_ended() {
    let host = TestHost::new();
    let run = host.start("conformance-cancellable", &json!({})).await;
    let path = format!("/v1/runs/{run}/events?streamMode=debug&bufferMs=5000");
    let mut stream = host.stream(Call::get(&path)).await;
    let mut shown = Vec::new();
    while let Some(frame) = stream.next().await {
        if shown.is_empty() {
            host.post(&format!("/v1/runs/{run}/cancel"), &json!({})).await.gives(200);
        }
        shown.extend(frame.data.as_array().unwrap().clone());
    }
    assert_eq!(shown, host.ended(&run).await);
}

#[tokio::test]
async fn a_stream_goes_on_after_the_last_event_seen() {
    let host = TestHost::new();
    let (run, events) = host.run("conformance-multi-node", &json!({})).await;
    for (at, event) in events.iter().enumerate() {
        let id = event["eventId"].as_str().unwrap().to_owned();
        for last in [at.to_string(), id] {
            let shown = frames(&resumed(&host, &run, &last).await.text);
            let found: Vec<Json> = shown.into_iter().map(|frame| frame.data).collect();
            assert_eq!(found, events[at + 1..], "after {last}");
        }
    }
    let from_start = frames(&resumed(&host, &run, "").await.text);
    assert_eq!(from_start.len(), events.len());
}

#[tokio::test]
async fn a_stream_does_not_go_on_after_what_is_no_event_of_the_run() {
    let host = TestHost::new();
    let (run, events) = host.run("conformance-noop", &json!({})).await;
    let (_, others) = host.run("conformance-noop", &json!({})).await;
    let foreign = others[0]["eventId"].as_str().unwrap().to_owned();
    let past = events.len().to_string();
    let beyond = events[0]["eventId"].as_str().unwrap().replace("-0", "-99");
    for last in [foreign.as_str(), &past, &beyond, "-1", "one", "18446744073709551616"] {
        resumed(&host, &run, last).await.refuses(ErrorCode::ValidationError);
    }
}

#[tokio::test]
async fn no_text_can_break_a_frame() {
    let host = TestHost::builder().on_disk().open();
    let text = "a\rb\r\nc\nd\n\n\nid: 9\ndata: x\u{2028}e\u{2029}f\u{0}g\u{85}h\u{feff}\u{1F3AD}";
    let payload = json!({ "text": text, text: "a name too" });
    let (run, events) = host.run("conformance-identity", &json!({ "payload": payload })).await;
    assert!(events.iter().any(|event| event["payload"]["outputs"]["payload"] == payload));
    let shown = stream(&host, &run, "?streamMode=debug").await;
    let found: Vec<Json> = shown.into_iter().map(|frame| frame.data).collect();
    assert_eq!(found, events);
    let host = host.restarted().await;
    assert_eq!(host.ended(&run).await, events);
}
