//! The event envelope: tolerant when read, closed when written, with typed payloads.

use cuebook_wire::payload::{NodeStarted, RunStarted};
use cuebook_wire::{EventPayload, EventType, NodeId, PayloadError, RunEvent, RunStatus};
use serde_json::{Value, json};

fn event(kind: &str, payload: &Value) -> RunEvent {
    serde_json::from_value(json!({
        "eventId": "e", "runId": "r", "type": kind, "payload": payload,
        "timestamp": "2026-01-31T12:00:00.000Z", "sequence": 3,
    }))
    .unwrap()
}

#[test]
fn unknown_envelope_keys_are_read_over() {
    let event: RunEvent = serde_json::from_value(json!({
        "eventId": "e", "runId": "r", "type": "run.started", "payload": {}, "later": 1,
        "timestamp": "2026-01-31T12:00:00Z", "sequence": 0,
    }))
    .unwrap();
    assert!(serde_json::to_value(event).unwrap().get("later").is_none());
}

#[test]
fn payloads_are_read_by_type() {
    let payload = json!({ "nodeId": "n", "typeId": "core.noop", "attempt": 0, "later": true });
    let started = event("node.started", &payload).payload_as::<NodeStarted>().unwrap();
    let expected =
        NodeStarted { node_id: NodeId::new("n"), type_id: "core.noop".into(), attempt: Some(0), agent: None };
    assert_eq!(started, expected);
}

#[test]
fn another_type_is_refused() {
    let error = event("run.completed", &json!({})).payload_as::<RunStarted>().unwrap_err();
    assert_eq!(error.to_string(), "the event is `run.completed`, not `run.started`");
}

#[test]
fn a_malformed_payload_is_refused() {
    let error = event("node.started", &json!({ "nodeId": "n" })).payload_as::<NodeStarted>().unwrap_err();
    assert!(
        matches!(&error, PayloadError::Malformed { source, .. } if source.to_string().contains("typeId"))
    );
    assert_eq!(error.to_string(), "the payload of `node.started` at sequence 3 is malformed");
}

#[test]
fn three_types_and_three_statuses_are_terminal() {
    let terminal: Vec<_> =
        EventType::NAMES.into_iter().filter(|name| EventType::from(*name).is_terminal()).collect();
    assert_eq!(terminal, ["run.completed", "run.failed", "run.cancelled"]);
    let terminal: Vec<_> = RunStatus::ALL.into_iter().filter(|status| status.is_terminal()).collect();
    assert_eq!(terminal, [RunStatus::Completed, RunStatus::Failed, RunStatus::Cancelled]);
}

#[test]
fn every_published_name_is_a_variant_of_its_own() {
    for name in EventType::NAMES {
        let kind = EventType::from(name);
        assert!(!matches!(kind, EventType::Other(_)), "{name}");
        assert_eq!(kind.as_str(), name);
    }
    assert_eq!(RunStarted::TYPE.as_str(), "run.started");
}
