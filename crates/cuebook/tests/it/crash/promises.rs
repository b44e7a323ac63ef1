//! What must hold of the log of a run, however often its host has died.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

/// Holds the whole log of a run against what was seen of it before.
#[track_caller]
pub(super) fn hold(run: &str, log: &[Json], seen: &BTreeMap<u64, Json>) {
    let broken = broken(log, seen);
    assert!(broken.is_empty(), "run {run}: {broken:#?}\nits log: {log:#?}");
}

/// Whether an event of this type ends its run.
pub(super) fn is_terminal(event: &Json) -> bool {
    matches!(event["type"].as_str(), Some("run.completed" | "run.failed" | "run.cancelled"))
}

fn broken(log: &[Json], seen: &BTreeMap<u64, Json>) -> Vec<String> {
    let mut broken = Vec::new();
    for (place, event) in (0..).zip(log) {
        if event["sequence"] != place {
            broken.push(format!("the event at place {place} has the sequence {}", event["sequence"]));
        }
    }
    for (sequence, event) in seen {
        let found = usize::try_from(*sequence).ok().and_then(|place| log.get(place));
        if found != Some(event) {
            broken.push(format!("{event} was seen, and now there is {found:?}"));
        }
    }
    let ends: Vec<usize> = (0..log.len()).filter(|place| is_terminal(&log[*place])).collect();
    if ends.first().is_some_and(|first| first + 1 != log.len()) {
        broken.push(format!("the run ends at {ends:?} and has {} events", log.len()));
    }
    broken.extend(twice(log).map(|outcome| format!("{outcome} came twice")));
    broken
}

/// What may come once and came again: the id of an event, the end of a node, the beginning of an attempt.
fn twice(log: &[Json]) -> impl Iterator<Item = String> {
    let mut known = BTreeSet::new();
    let facts = log.iter().flat_map(|event| [Some(event["eventId"].to_string()), outcome(event)]);
    facts.flatten().filter(move |fact| !known.insert(fact.clone()))
}

fn outcome(event: &Json) -> Option<String> {
    let node = &event["nodeId"];
    match event["type"].as_str()? {
        "node.completed" | "node.failed" | "node.cancelled" => Some(format!("the end of {node}")),
        "node.started" => Some(format!("attempt {} of {node}", event["payload"]["attempt"])),
        "interrupt.resolved" => Some(format!("the answer to {node}")),
        _ => None,
    }
}

/// The promises hold what they say: each of these logs breaks one.
#[test]
fn a_broken_promise_is_found() {
    let event = |sequence: u64, event_type: &str| serde_json::json!({ "eventId": format!("e{sequence}"), "sequence": sequence, "type": event_type, "nodeId": "n" });
    let (start, done, end) = (event(0, "run.started"), event(1, "node.completed"), event(2, "run.completed"));
    let good = [start.clone(), done.clone(), end.clone()];
    let seen = |events: &[Json]| (0..).zip(events.iter().cloned()).collect();
    let check = |log: &[Json], known: &[Json], expect: &str| {
        let found = broken(log, &seen(known));
        assert!(found.iter().any(|text| text.contains(expect)), "{expect}: {found:?}");
    };
    assert_eq!(broken(&good, &seen(&good)), Vec::<String>::new());
    check(&good[..2], &good, "was seen");
    check(&[start.clone(), event(1, "node.failed"), end.clone()], &good, "was seen");
    check(&[start.clone(), end.clone()], &[], "has the sequence 2");
    check(&[start.clone(), event(1, "run.failed"), end], &[], "ends at [1, 2]");
    check(&[start, done, event(2, "node.completed")], &[], "the end of \"n\" came twice");
}
