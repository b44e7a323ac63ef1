//! That the checks see: each is given remains that break the one promise it holds.

use cuebook_engine::{Plan, RunState};
use cuebook_sim::{Remains, Scenario, broken, simulate};
use serde_json::json;
use std::sync::Arc;

/// The remains of a run that ended well.
fn sound() -> Remains {
    let document = json!({
        "id": "sound", "name": "Sound", "version": "1.0.0", "triggers": [], "metadata": {}, "edges": [],
        "variables": [], "settings": {},
        "nodes": [{"id": "a", "typeId": "core.identity", "name": "a", "position": {"x": 0, "y": 0}, "config": {},
            "inputs": {"text": {"type": "static", "value": {"value": "TAINT", "meta": {"contentTrust": "untrusted"}}}}}],
    });
    let plan = Arc::new(Plan::compile(serde_json::from_value(document).unwrap()).unwrap().plan);
    let records = records(&plan);
    let live = RunState::of_log(&records, Arc::clone(&plan)).unwrap();
    let checkpoint = live.as_ref().map(RunState::checkpoint);
    Remains { plan, acknowledged: records.clone(), records, live, checkpoint, bytes: Vec::new() }
}

/// What `decide` makes of the plan.
fn records(plan: &Arc<Plan>) -> Vec<cuebook_log::Record> {
    use cuebook_engine::{Input, Moment, RunFacts, decide, started_record};
    let at = cuebook_wire::Timestamp::from_millis(0);
    let facts: RunFacts = serde_json::from_value(json!({
        "run_id": "run_sound", "principal": {"tenant": "local"}, "workflow_id": "sound",
        "definition": plan.hash, "variables": {}, "now": at, "observability": "full", "max_node_executions": 9,
    }))
    .unwrap();
    let first = started_record(&facts, plan, at);
    let mut state = RunState::begin(Arc::new(facts), Arc::clone(plan), at);
    let scrubber = cuebook_prompt::Scrubber::new();
    let decision = decide(&mut state, Input::Start, &Moment { now: at, scrubber: &scrubber });
    std::iter::once(first).chain(decision.records).collect()
}

#[track_caller]
fn check(spoil: impl FnOnce(&mut Remains), expect: &str) {
    let mut remains = sound();
    spoil(&mut remains);
    let found = broken(&remains);
    assert!(found.iter().any(|what| what.contains(expect)), "{expect}: {found:?}");
}

#[test]
fn sound_remains_break_nothing() {
    assert_eq!(broken(&sound()), Vec::<String>::new());
}

#[test]
fn every_promise_is_looked_at() {
    check(|remains| remains.records[1].event.sequence.0 = 7, "dense");
    check(|remains| drop(remains.records.pop()), "terminal");
    check(|remains| remains.records.push(remains.records.last().unwrap().clone()), "terminal");
    check(|remains| remains.acknowledged[1].event.payload = json!({}), "acknowledged");
    check(|remains| drop(remains.records.pop()), "acknowledged");
    check(|remains| remains.records.insert(2, remains.records[1].clone()), "twice");
    let told = json!({"code": "agent_prompt_changed", "fields": {"agentId": "a", "before": "x", "now": "y"}});
    check(|remains| remains.records[1].event.payload = told, "told twice");
    check(
        |remains| remains.records[0].event.timestamp = cuebook_wire::Timestamp::from_millis(9),
        "goes back",
    );
    check(|remains| remains.records[1].event.payload["x"] = json!("a canary \"4711\" secret"), "secret");
    check(|remains| remains.bytes = b"..canary \"4711\" secret..".to_vec(), "secret");
    check(|remains| remains.bytes = b"..canary \\\"4711\\\" secret..".to_vec(), "secret");
    check(|remains| remains.records[2].private = cuebook_log::Private::NONE, "taint");
    check(|remains| remains.live.as_mut().unwrap().executions += 1, "live state");
    check(|remains| remains.checkpoint.as_mut().unwrap().state["executions"] = json!(5), "checkpoint");
    check(|remains| remains.checkpoint.as_mut().unwrap().next.0 = 99, "checkpoint");
}

#[test]
fn a_scenario_that_cannot_be_played_is_an_error() {
    let mut scenario = Scenario::generate(1);
    scenario.nodes.clear();
    assert!(simulate(&scenario).is_err());
}
