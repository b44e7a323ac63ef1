//! What comes from outside: cancelling a run, and answering an agent that is not sure.

use cuebook_engine::{Phase, snapshot};
use cuebook_log::Offered;
use cuebook_wire::RunStatus;
use serde_json::{Value, json};

use crate::support::{Flow, Gate, Log, Reply, TestHost};

/// The events from `from` on.
#[track_caller]
fn check_tail(log: &Log, expect: &[&str]) {
    let lines = log.lines();
    assert_eq!(lines[lines.len() - expect.len()..], *expect, "{lines:#?}");
}

#[tokio::test]
async fn cancel_during_a_delay() {
    let host = TestHost::echoing();
    let run = host.start(&Flow::new("cancel").delay("a", 9000).noop("b").edge("a", "b"), json!({})).await;
    run.until("node.started", "a").await;
    host.clock.advance_to(70);
    assert_eq!(run.cancel("once").await, Offered::Accepted);
    let log = run.end().await;
    check_tail(&log, &["node.started a", "node.cancelled a", "run.cancelled"]);
    let expect = json!({"reason": "enough", "cancelledBy": "tester", "durationMs": 70});
    assert_eq!(log.payload("run.cancelled"), &expect);
    assert_eq!((log.state.status, log.node("b").phase), (RunStatus::Cancelled, Phase::Pending));
}

#[tokio::test]
async fn cancel_during_a_model_call() {
    let gate = Gate::new();
    let behind = gate.clone();
    let host = TestHost::answering(move |_| Reply::text("never").behind(&behind));
    let run = host.start(&Flow::new("cancel").ask("a", "x").delay("b", 50), json!({})).await;
    host.models.reached(1).await;
    run.cancel("once").await;
    let log = run.end().await;
    check_tail(&log, &["node.cancelled a", "node.cancelled b", "run.cancelled"]);
    gate.open();
    assert!(!log.everything().contains("never"));
}

#[tokio::test]
async fn cancel_between_attempts() {
    let host = TestHost::answering(|_| Reply::failure("busy", true));
    let flow = Flow::new("cancel").ask("a", "x").with(json!({"settings": {"maxRetries": 1}}));
    let run = host.start(&flow, json!({})).await;
    run.until("node.retried", "a").await;
    run.cancel("once").await;
    check_tail(&run.end().await, &["node.retried a", "node.cancelled a", "run.cancelled"]);
}

#[tokio::test]
async fn cancel_while_waiting_for_a_person() {
    let host = TestHost::echoing();
    let run = host.start(&unsure(0.5), json!({})).await;
    run.until("interrupt.requested", "agent").await;
    run.cancel("once").await;
    check_tail(&run.end().await, &["interrupt.requested agent", "node.cancelled agent", "run.cancelled"]);
}

#[tokio::test]
async fn cancel_before_anything_happened() {
    let host = TestHost::echoing();
    let run = host.start(&Flow::new("cancel").delay("a", 10), json!({})).await;
    run.cancel("at once").await;
    let log = run.end().await;
    assert_eq!(log.end(), "run.cancelled");
}

#[tokio::test]
async fn cancel_twice_is_cancel_once() {
    let host = TestHost::echoing();
    let run = host.start(&Flow::new("cancel").delay("a", 10), json!({})).await;
    assert_eq!(run.cancel("same").await, Offered::Accepted);
    assert_eq!(run.cancel("same").await, Offered::Duplicate);
    run.cancel("other").await;
    assert_eq!(run.end().await.lines_of("run.cancelled").len(), 1);
}

#[tokio::test]
async fn cancel_after_the_end_changes_nothing() {
    let host = TestHost::echoing();
    let run = host.start(&Flow::new("over").noop("a"), json!({})).await;
    run.until("run.completed", "").await;
    let before = run.records().await;
    run.cancel("too late").await;
    let log = run.end().await;
    assert_eq!(log.records, before);
    assert_eq!(log.state.status, RunStatus::Completed);
}

/// An agent called `agent` that decides with this confidence, and a node behind it.
fn unsure(confidence: f64) -> Flow {
    let config = json!({"agentId": "local.press.judge", "mockDecision": {
        "decision": {"publish": true}, "confidence": confidence, "reasoning": "it reads well",
    }});
    Flow::new("conformance-unsure")
        .node("agent", "core.conformance.mock-agent", json!({ "config": config }))
        .noop("next")
        .edge("agent", "next")
}

#[tokio::test]
async fn a_decision_below_the_threshold_waits_for_a_person_who_ratifies_it() {
    let host = TestHost::echoing();
    let run = host.start(&unsure(0.5), json!({})).await;
    run.until("interrupt.requested", "agent").await;
    let waiting = snapshot(&run.state(&unsure(0.5)).await);
    assert_eq!(waiting.status, RunStatus::WaitingApproval);
    assert_eq!(waiting.current_node_id.as_ref().map(cuebook_wire::NodeId::as_str), Some("agent"));
    run.resolve("agent", json!({"publish": false})).await;
    let log = run.end().await;
    insta::assert_snapshot!("escalation_events", log.lines().join("\n"));
    let suspended = log.payload("node.suspended");
    assert_eq!(suspended["reason"], "low-confidence");
    assert_eq!((&suspended["threshold"], &suspended["observed"]), (&json!(0.7), &json!(0.5)));
    assert_eq!(suspended["agentId"], "local.press.judge");
    insta::assert_json_snapshot!("escalation_request", log.payload("interrupt.requested"));
    let decided = log.payloads("agent.decided");
    assert_eq!(decided[1], &json!({"agentId": "local.press.judge", "decision": {"publish": false}}));
}

#[tokio::test]
async fn the_events_of_an_escalation_name_their_causes() {
    let host = TestHost::echoing();
    let run = host.start(&unsure(0.2), json!({})).await;
    run.until("interrupt.requested", "agent").await;
    run.resolve("agent", json!("yes")).await;
    let log = run.end().await;
    let cause = |line: &str| log.records[log.place(line)].event.causation_id.clone();
    let id = |at: usize| Some(log.records[at].event.event_id.clone());
    let decided = log.lines().iter().position(|line| line == "agent.decided agent").unwrap();
    assert_eq!(cause("node.suspended agent"), id(decided));
    assert_eq!(cause("node.resumed agent"), id(log.place("interrupt.resolved agent")));
}

/// How a decision of this confidence ends when nobody answers.
async fn escalates(confidence: f64, configurable: Value) -> bool {
    let host = TestHost::echoing().configurable(configurable);
    let run = host.start(&unsure(confidence), json!({})).await;
    let event = tokio::select! {
        () = run.until("node.suspended", "agent") => true,
        () = run.until("node.completed", "agent") => false,
    };
    run.cancel("enough").await;
    run.end().await;
    event
}

#[tokio::test]
async fn only_what_is_below_the_threshold_escalates() {
    for (confidence, configurable, expect) in [
        (0.7, json!({}), false),
        (0.699_999, json!({}), true),
        (1.0, json!({}), false),
        (0.0, json!({}), true),
        (0.5, json!({"escalationThreshold": 0.5}), false),
        (0.5, json!({"escalationThreshold": 0.51}), true),
        (0.0, json!({"escalationThreshold": 0}), false),
        (0.99, json!({"escalationThreshold": 1}), true),
        (0.69, json!({"escalationThreshold": 7}), true),
        (0.71, json!({"escalationThreshold": "high"}), false),
    ] {
        assert_eq!(escalates(confidence, configurable.clone()).await, expect, "{confidence} {configurable}");
    }
}

#[tokio::test]
async fn a_decision_without_confidence_does_not_escalate() {
    let config = json!({"config": {"mockDecision": {"decision": "go"}}});
    let flow = Flow::new("conformance-sure").node("agent", "core.conformance.mock-agent", config);
    let log = TestHost::echoing().run(&flow, json!({})).await;
    assert_eq!(log.payload("agent.decided"), &json!({"agentId": "host:mock-agent:agent", "decision": "go"}));
    assert_eq!(log.end(), "run.completed");
}

#[tokio::test]
async fn an_answer_to_a_node_that_asks_nothing_is_read_over() {
    let host = TestHost::echoing();
    let flow = Flow::new("quiet").delay("a", 10);
    let run = host.start(&flow, json!({})).await;
    run.until("node.started", "a").await;
    run.resolve("a", json!(1)).await;
    run.resolve("nobody", json!(1)).await;
    host.clock.ring(10).await;
    let log = run.end().await;
    assert_eq!(log.lines_of("interrupt."), Vec::<String>::new());
    assert_eq!(log.end(), "run.completed");
}

#[tokio::test]
async fn other_branches_go_on_while_one_waits() {
    let host = TestHost::echoing();
    let flow = unsure(0.1).delay("other", 100);
    let run = host.start(&flow, json!({})).await;
    run.until("interrupt.requested", "agent").await;
    host.clock.ring(100).await;
    run.until("node.completed", "other").await;
    assert_eq!(run.state(&flow).await.status, RunStatus::WaitingApproval);
    run.resolve("agent", json!(true)).await;
    assert_eq!(run.end().await.end(), "run.completed");
}
