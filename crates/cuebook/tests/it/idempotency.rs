//! A request with an Idempotency-Key is safe to repeat though the host was killed in between.

use std::net::TcpStream;

use serde_json::{Value as Json, json};

use crate::serve::{KEY, Serving, answer_of, keyed};
use crate::support::Project;

fn post(serving: &Serving, key: &str, body: &Json) -> TcpStream {
    let header = format!("Idempotency-Key: {key}\r\n");
    serving.ask_with(&header, "POST", "/v1/runs", KEY, Some(body))
}

fn body() -> Json {
    json!({ "workflowId": "quick" })
}

/// The status line, whether the answer is a repetition, and the body.
#[track_caller]
fn create(serving: &Serving, key: &str, body: &Json) -> (String, bool, Json) {
    let (head, body) = answer_of(post(serving, key, body));
    let status = head.lines().next().unwrap().to_owned();
    let replay = head.to_ascii_lowercase().contains("openwop-idempotent-replay: true");
    (status, replay, serde_json::from_str(&body).unwrap())
}

fn runs(serving: &Serving) -> Vec<Json> {
    let (status, list) = serving.call("GET", "/v1/host/cuebook/runs?limit=200", KEY, None);
    assert_eq!(status, 200);
    list["runs"].as_array().unwrap().clone()
}

fn start(project: &Project) -> Serving {
    Serving::start(project, &[])
}

#[test]
fn an_answered_request_is_answered_alike_after_a_kill() {
    let project = keyed();
    let serving = start(&project);
    let first = create(&serving, "k", &body());
    assert_eq!((first.0.as_str(), first.1), ("HTTP/1.1 201 Created", false));
    serving.kill();
    let serving = start(&project);
    let again = create(&serving, "k", &body());
    assert_eq!(again, (first.0, true, first.2));
    let other = create(&serving, "k", &json!({ "workflowId": "quick", "tags": ["other"] }));
    assert_eq!(
        (other.0.as_str(), &other.2["error"]),
        ("HTTP/1.1 409 Conflict", &json!("idempotency_key_mismatch"))
    );
    assert_eq!(runs(&serving).len(), 1);
    serving.terminate().ended(0);
}

#[test]
fn a_request_that_a_kill_cut_off_is_done_once() {
    let project = keyed();
    for round in 1..=8 {
        let serving = start(&project);
        let key = format!("k{round}");
        // Nobody reads the answer: the kill comes before, within or after the work, as it happens.
        let cut_off = post(&serving, &key, &body());
        serving.kill();
        drop(cut_off);
        let serving = start(&project);
        let (status, _, first) = create(&serving, &key, &body());
        assert_eq!(status, "HTTP/1.1 201 Created", "{first}");
        let (_, replay, again) = create(&serving, &key, &body());
        assert_eq!((replay, &again), (true, &first));
        assert_eq!(runs(&serving).len(), round);
        serving.terminate().ended(0);
    }
}
