//! The fold as a property: over generated workflows, outcomes and orders of events, a log says all that there is.

use std::sync::Arc;

use cuebook_engine::{Attempt, FoldError, Input, Moment, Phase, RunState, Timer, decide};
use cuebook_log::{Private, Record};
use cuebook_prompt::Scrubber;
use cuebook_wire::{ErrorCode, EventType, NodeId, Observability, RunError, RunStatus, Sequence, TriggerRule};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::support::clock::at;
use crate::support::promises;
use crate::support::simulation::{Choice, Outcome, Simulation};
use crate::support::{Flow, Log, TestHost};

/// A node: its type, and what it says of itself.
fn node() -> impl Strategy<Value = (&'static str, Value)> {
    let identity = json!({"inputs": {"x": {"type": "static", "value": 1}}});
    let number = json!({"type": "variable", "variableName": "n"});
    let waiting = json!({"inputs": {"delayMs": number}, "settings": {"timeout": 20}});
    let refs = json!({"config": {"systemPromptRef": "prompt:house", "userPrompt": "x"}, "settings": {"timeout": 50}});
    let secret = json!({
        "config": {"userPromptRef": "prompt:key", "responseFormat": "json"},
        "inputs": {"key": {"type": "static", "value": "press-key"}},
    });
    let unsure = json!({"config": {"mockDecision": {"decision": "go", "confidence": 0.4}}});
    let talking =
        json!({"config": {"mockReasoning": true, "mockToolCalls": [{"toolId": "a:b", "result": 1}]}});
    let sound = select(vec![
        ("core.noop", json!({})),
        ("core.noop", json!({"disabled": true})),
        ("core.identity", identity),
        ("core.delay", waiting),
        ("core.ai.callPrompt", refs),
        ("core.ai.callPrompt", secret),
        ("core.conformance.mock-agent", unsure),
        ("core.conformance.mock-agent", talking),
    ]);
    let failing = select(vec![
        ("core.fail", json!({})),
        ("core.ai.callPrompt", json!({"config": {"systemPromptRef": "prompt:nowhere"}})),
        ("local.sample.demo.mock-ai", json!({})),
    ]);
    prop_oneof![9 => sound, 1 => failing]
}

/// An edge between two of the nodes, from the earlier to the later, with a rule and perhaps a condition.
fn edge() -> impl Strategy<Value = (usize, usize, TriggerRule, Option<&'static str>)> {
    let testable = select(vec![None, None, Some("true"), Some("false"), Some("variables.n > 3")]);
    let condition = prop_oneof![20 => testable, 1 => Just(Some("status > 1"))];
    (0_usize..8, 0_usize..8, select(TriggerRule::ALL.to_vec()), condition)
}

fn flow() -> impl Strategy<Value = Flow> {
    let nodes = prop::collection::vec(node(), 1..8);
    let timeout = prop_oneof![5 => Just(0), 1 => 1_u64..40];
    (nodes, prop::collection::vec(edge(), 0..12), 0_u32..3, timeout).prop_map(build)
}

type Edges = Vec<(usize, usize, TriggerRule, Option<&'static str>)>;

fn build((nodes, edges, retries, timeout): (Vec<(&'static str, Value)>, Edges, u32, u64)) -> Flow {
    let count = nodes.len();
    let settings = json!({"settings": {"maxRetries": retries, "timeout": timeout}});
    let start =
        Flow::new("conformance-any").variable("n", "number", json!({"required": true})).with(settings);
    let flow = nodes
        .into_iter()
        .enumerate()
        .fold(start, |flow, (at, (type_id, more))| flow.node(&format!("n{at}"), type_id, more));
    edges.into_iter().enumerate().fold(flow, |flow, (at, (one, other, rule, condition))| {
        let (from, to) = (one.min(other) % count, one.max(other) % count);
        if from >= to {
            return flow;
        }
        let mut more = json!({"id": format!("e{at}"), "triggerRule": rule});
        if let Some(condition) = condition {
            more["condition"] = json!({ "expression": condition });
        }
        flow.edge_with(&format!("n{from}"), &format!("n{to}"), more)
    })
}

fn choice() -> impl Strategy<Value = Choice> {
    use Outcome::{Hiccup, Json, Refusal, Streamed, Text};
    let outcome = select(vec![Text, Streamed, Json, Json, Json, Json, Json, Hiccup, Hiccup, Refusal]);
    let cancel = prop::bool::weighted(0.01);
    (0_usize..8, outcome, cancel).prop_map(|(pick, outcome, cancel)| Choice { pick, outcome, cancel })
}

/// Everything that a run depends on.
#[derive(Debug)]
struct Case {
    flow: Flow,
    choices: Vec<Choice>,
    observability: Observability,
    limit: u64,
    n: u64,
}

fn case() -> impl Strategy<Value = Case> {
    let observability = select(Observability::ALL.to_vec());
    (flow(), prop::collection::vec(choice(), 1..24), observability, 1_u64..12, 0_u64..30)
        .prop_map(|(flow, choices, observability, limit, n)| Case { flow, choices, observability, limit, n })
}

fn run(case: &Case) -> Log {
    let house = json!({"templateId": "house", "version": "1.0.0", "kind": "system", "text": "Write short."});
    let key = json!({"templateId": "key", "version": "1.0.0", "kind": "user", "text": "Key {{key}}",
        "variables": [{"name": "key", "type": "string", "required": true, "source": "secret"}]});
    let host = TestHost::echoing()
        .template(&house)
        .template(&key)
        .secret("press-key", "a piece of the secret")
        .observability(case.observability)
        .max_node_executions(case.limit);
    Simulation::start(&host, case.flow.plan(), &json!({"n": case.n})).finish(&case.choices)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_log_keeps_every_promise(case in case()) {
        let log = run(&case);
        promises::check(&log.records, &log.state);
        prop_assert!(log.state.executions <= case.limit);
        prop_assert!(log.state.active().next().is_none(), "nothing is under way after the end");
    }

    #[test]
    fn a_run_ends_as_its_nodes_did(case in case()) {
        let Log { state, .. } = run(&case);
        let nodes = || state.nodes.iter().enumerate();
        let unhandled = nodes().any(|(at, node)| node.phase == Phase::Failed && !state.plan.handles_failure(at));
        match state.status {
            RunStatus::Completed => {
                prop_assert!(!unhandled && nodes().all(|(_, node)| node.phase.is_ended()), "{:#?}", state.nodes);
            }
            RunStatus::Failed => prop_assert!(unhandled || is_limit(&state), "{:?}", state.error),
            status => prop_assert_eq!(status, RunStatus::Cancelled),
        }
    }

    #[test]
    fn the_same_choices_give_the_same_records(case in case()) {
        prop_assert_eq!(run(&case).records, run(&case).records);
    }

    #[test]
    fn every_beginning_of_a_log_can_be_folded_and_goes_on_where_it_ends(case in case()) {
        let log = run(&case);
        for (at, record) in log.records.iter().enumerate() {
            let folded = RunState::of_log(&log.records[..=at], Arc::clone(&log.state.plan)).unwrap().unwrap();
            prop_assert_eq!(folded.next, record.event.sequence.next());
            prop_assert_eq!(folded.status.is_terminal(), at + 1 == log.records.len());
        }
    }

    #[test]
    fn a_checkpoint_anywhere_and_the_records_after_it_are_the_fold(case in case()) {
        let log = run(&case);
        for at in 0..log.records.len() {
            let (before, after) = log.records.split_at(at + 1);
            let folded = RunState::of_log(before, Arc::clone(&log.state.plan)).unwrap().unwrap();
            let kept = folded.checkpoint();
            let mut state = RunState::of_checkpoint(kept, Arc::clone(&log.state.plan)).unwrap();
            prop_assert_eq!(promises::view(&state), promises::view(&folded));
            for record in after {
                state.fold(record).unwrap();
            }
            prop_assert_eq!(promises::view(&state), promises::view(&log.state));
        }
    }

    #[test]
    fn nothing_happens_to_a_run_that_has_ended(case in case()) {
        let Log { mut state, .. } = run(&case);
        let before = promises::view(&state);
        let scrubber = Scrubber::new();
        let moment = Moment { now: at(99), scrubber: &scrubber };
        let decision = decide(&mut state, Input::Cancel { reason: None, by: None }, &moment);
        prop_assert!(decision.records.is_empty() && decision.effects.is_empty());
        prop_assert_eq!(promises::view(&state), before);
    }
}

/// Whether the run failed for a limit of its own, not for a node.
fn is_limit(state: &RunState) -> bool {
    let code = state.error.as_ref().map(|error| error.code.as_str());
    matches!(code, Some("recursion_limit_exceeded" | "run_timeout"))
}

/// A finished run to spoil.
fn sample() -> Log {
    let choice = Choice { pick: 0, outcome: Outcome::Text, cancel: false };
    Simulation::start(&TestHost::echoing(), Flow::new("sample").ask("a", "x").plan(), &json!({}))
        .finish(&[choice])
}

#[test]
fn what_comes_from_an_attempt_that_is_over_is_read_over() {
    let plan = Flow::new("late").ask("a", "x").delay("b", 5).plan();
    let mut simulation = Simulation::start(&TestHost::echoing(), plan, &json!({}));
    let choice = Choice { pick: 0, outcome: Outcome::Text, cancel: false };
    let attempt = |number| Attempt { node: NodeId::new("a"), number };
    let error = || RunError::new(ErrorCode::ProviderError, "late");
    simulation.choose(choice);
    assert_eq!(simulation.input(Input::Answered(attempt(1), Err(error()))), 0, "an attempt still to come");
    // The delay is next in the row, so the call is the second.
    simulation.choose(Choice { pick: 1, ..choice });
    let chunk = Input::Chunk { attempt: attempt(0), text: "late".to_owned(), is_last: false };
    assert_eq!(simulation.input(chunk), 0);
    assert_eq!(simulation.input(Input::Answered(attempt(0), Err(error()))), 0);
    assert_eq!(simulation.input(Input::Woken(Timer::Deadline(attempt(0)))), 0);
    assert_eq!(simulation.input(Input::Woken(Timer::Wake(attempt(0)))), 0);
    let log = simulation.finish(&[choice]);
    promises::check(&log.records, &log.state);
    assert_eq!(log.end(), "run.completed");
}

#[track_caller]
fn check_unreadable(spoil: impl FnOnce(&mut Vec<Record>), expect: &str) {
    let Log { mut records, state } = sample();
    spoil(&mut records);
    let error: FoldError = RunState::of_log(&records, state.plan).unwrap_err();
    assert_eq!(error.to_string(), expect);
}

#[test]
fn a_damaged_log_says_which_record_and_why() {
    check_unreadable(
        |records| drop(records.remove(0)),
        "record 1 (version.pinned) cannot be read: a log begins with run.started",
    );
    check_unreadable(
        |records| records[0].private = Private::NONE,
        "record 0 (run.started) cannot be read: a log begins with run.started",
    );
    check_unreadable(
        |records| records[2].event.payload["nodeId"] = json!("b"),
        "record 2 (node.started) cannot be read: there is no node 'b'",
    );
    check_unreadable(
        |records| records[2].private = Private::of(&json!({"inputs": 1})).unwrap(),
        "record 2 (node.started) cannot be read: invalid type: integer `1`, expected a map",
    );
}

#[test]
fn types_that_the_engine_does_not_know_only_move_the_sequence() {
    let Log { mut records, state } = sample();
    let last = records.last_mut().unwrap();
    last.event.event_type = EventType::Other("vendor.press.inked".to_owned());
    let folded = RunState::of_log(&records, state.plan).unwrap().unwrap();
    assert_eq!(folded.next, Sequence(records.len() as u64));
    assert!(!folded.status.is_terminal());
}

#[test]
fn a_log_without_records_is_no_run() {
    let plan = Arc::new(Flow::new("none").noop("a").plan());
    assert!(RunState::of_log(&[], plan).unwrap().is_none());
}

#[test]
fn a_checkpoint_of_another_fold_plan_or_place_is_passed_over() {
    let Log { state, .. } = sample();
    let read = |spoil: fn(&mut cuebook_log::Checkpoint), plan: &Arc<cuebook_engine::Plan>| {
        let mut checkpoint = state.checkpoint();
        spoil(&mut checkpoint);
        RunState::of_checkpoint(checkpoint, Arc::clone(plan)).is_some()
    };
    let other = Arc::new(Flow::new("other").ask("a", "y").plan());
    assert!(read(|_| {}, &state.plan));
    assert!(!read(|_| {}, &other));
    assert!(!read(|it| it.fold += 1, &state.plan));
    assert!(!read(|it| it.next = Sequence(1), &state.plan));
    assert!(!read(|it| it.state = json!({"nodes": []}), &state.plan));
}
