//! A run's events as JSON and by polling (openwop-v1 §9, checklist 3 and 4).

use cuebook_host::wire::{ErrorCode, RunEvent};
use futures_util::future::join;
use serde_json::{Value as Json, json};

use crate::support::{Call, TestHost};

fn sequences(events: &Json) -> Vec<u64> {
    events["events"].as_array().unwrap().iter().map(|event| event["sequence"].as_u64().unwrap()).collect()
}

#[tokio::test]
async fn the_json_form_holds_every_event() {
    let host = TestHost::new();
    let (run, events) = host.run("conformance-prompt-end-to-end", &json!({})).await;
    let call = Call::get(&format!("/v1/runs/{run}/events")).header("accept", "application/json");
    let answer = host.send(call).await.gives(200);
    assert_eq!(answer, json!({ "events": events }));
    let types: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    for name in ["run.started", "node.started", "agent.promptResolved", "prompt.composed", "run.completed"] {
        assert!(types.contains(&name), "{types:?}");
    }
    for event in &events {
        let read: RunEvent = serde_json::from_value(event.clone()).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), *event, "the envelope is closed");
    }
}

#[tokio::test]
async fn the_mode_is_checked_before_the_form_is_chosen() {
    let host = TestHost::new();
    let (run, _) = host.run("conformance-noop", &json!({})).await;
    for accept in ["application/json", "text/event-stream", "*/*"] {
        for mode in ["everything", "values,updates", "debug,,values", ""] {
            let path = format!("/v1/runs/{run}/events?streamMode={mode}");
            let answer = host.send(Call::get(&path).header("accept", accept)).await;
            let error = answer.refuses(ErrorCode::UnsupportedStreamMode);
            assert_eq!(error["details"]["supported"], json!(["updates", "messages", "debug", "values"]));
        }
    }
}

#[tokio::test]
async fn a_poll_gives_what_comes_after_a_sequence() {
    let host = TestHost::new();
    let (run, events) = host.run("conformance-noop", &json!({})).await;
    let last = events.len() as u64 - 1;
    let all: Vec<u64> = (0..=last).collect();
    for (query, expect) in [
        (String::new(), &all[..]),
        ("?lastSequence=0".to_owned(), &all[1..]),
        (format!("?lastSequence={}", last - 1), &all[all.len() - 1..]),
        (format!("?lastSequence={last}"), &[]),
        ("?lastSequence=1000000".to_owned(), &[]),
        (format!("?lastSequence={}", u64::MAX), &[]),
    ] {
        let answer = host.get(&format!("/v1/runs/{run}/events/poll{query}")).await.gives(200);
        assert_eq!(sequences(&answer), expect, "{query}");
        assert_eq!(answer["isComplete"], true, "{query}");
        assert_eq!(answer.as_object().unwrap().len(), 2, "{answer}");
    }
}

#[tokio::test]
async fn a_poll_waits_for_news() {
    let host = TestHost::builder().on_disk().open();
    let run = host.start("conformance-cancellable", &json!({})).await;
    let before = host.until_type(&run, "node.started").await;
    let path = format!("/v1/runs/{run}/events/poll?lastSequence={}&timeout=60", before.len() - 1);
    let cancel = format!("/v1/runs/{run}/cancel");
    let (news, _) = join(host.get(&path), host.post(&cancel, &json!({}))).await;
    let news = news.gives(200);
    assert_eq!(sequences(&news)[0], before.len() as u64);
}

#[tokio::test]
async fn a_poll_without_news_ends_when_its_time_is_up() {
    let host = TestHost::new();
    let run = host.start("conformance-cancellable", &json!({})).await;
    let events = host.until_type(&run, "node.started").await;
    let path = format!("/v1/runs/{run}/events/poll?lastSequence={}&timeout=1", events.len() - 1);
    let answer = host.get(&path).await.gives(200);
    assert_eq!(answer, json!({ "events": [], "isComplete": false }));
}

#[tokio::test]
async fn a_poll_that_says_complete_has_the_last_event() {
    let host = TestHost::builder().on_disk().open();
    for _ in 0..20 {
        let run = host.start("conformance-multi-node", &json!({})).await;
        let mut events = Vec::new();
        loop {
            let since = events.len().checked_sub(1).map(|last| format!("?lastSequence={last}"));
            let path = format!("/v1/runs/{run}/events/poll{}", since.unwrap_or_default());
            let answer = host.get(&path).await.gives(200);
            events.extend(answer["events"].as_array().unwrap().clone());
            if answer["isComplete"] == true {
                break;
            }
        }
        assert_eq!(events.last().unwrap()["type"], "run.completed");
    }
}

#[tokio::test]
async fn events_of_an_unknown_run_are_not_found() {
    let host = TestHost::new();
    for path in ["/v1/runs/none/events", "/v1/runs/none/events/poll"] {
        host.get(path).await.refuses(ErrorCode::NotFound);
    }
}
