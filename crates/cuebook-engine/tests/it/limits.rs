//! What a run may not exceed: node executions, its time, a node's time, the length of a delay.

use cuebook_engine::{Phase, snapshot};
use cuebook_wire::RunStatus;
use serde_json::{Value, json};

use crate::support::clock::at;
use crate::support::{Flow, Gate, Log, Reply, TestHost};

#[tokio::test]
async fn the_node_over_the_limit_does_not_start() {
    let flow = Flow::new("limit").noop("a").noop("b").noop("c").edge("a", "b").edge("b", "c");
    let log = TestHost::echoing().max_node_executions(2).run(&flow, json!({})).await;
    assert_eq!(log.lines_of("node.started"), ["node.started a", "node.started b"]);
    assert!(log.place("cap.breached c") < log.place("run.failed"));
    let expect = json!({"kind": "node-executions", "limit": 2, "observed": 3, "nodeId": "c"});
    assert_eq!(log.payload("cap.breached"), &expect);
    assert_eq!(log.error().0, "recursion_limit_exceeded");
    assert_eq!(log.payload("run.failed")["failedNodeId"], "c");
    assert_eq!(log.node("c").phase, Phase::Pending);
}

#[tokio::test]
async fn as_many_as_the_limit_are_fine() {
    let flow = Flow::new("limit").noop("a").noop("b").edge("a", "b");
    let log = TestHost::echoing().max_node_executions(2).run(&flow, json!({})).await;
    assert_eq!((log.end(), log.state.executions), ("run.completed", 2));
}

#[tokio::test]
async fn retries_count_as_executions() {
    let host = TestHost::answering(|_| Reply::failure("busy", true)).max_node_executions(1);
    let flow = Flow::new("limit").ask("a", "x").with(json!({"settings": {"maxRetries": 5}}));
    let run = host.start(&flow, json!({})).await;
    host.clock.ring(500).await;
    let log = run.end().await;
    assert_eq!(log.payload("cap.breached")["observed"], 2);
    assert_eq!(log.lines_of("node."), ["node.started a", "node.retried a", "node.cancelled a"]);
}

#[tokio::test]
async fn skipped_nodes_are_no_executions() {
    let flow = Flow::new("limit").node("a", "core.noop", json!({"disabled": true})).noop("b");
    let log = TestHost::echoing().max_node_executions(1).run(&flow, json!({})).await;
    assert_eq!(log.end(), "run.completed");
}

/// How a run of two nodes ends that may have so many events, and how many it has had then.
async fn ending_within(max_events: u64) -> (String, usize) {
    let flow = Flow::new("limit").noop("a").noop("b").edge("a", "b");
    let log = TestHost::echoing().max_events(max_events).run(&flow, json!({})).await;
    (log.end().to_owned(), log.records.len())
}

#[tokio::test]
async fn a_run_has_no_more_events_than_it_may_and_then_its_ending() {
    let (end, whole) = ending_within(u64::MAX).await;
    assert_eq!(end, "run.completed");
    let whole_events = u64::try_from(whole).unwrap();
    assert_eq!(ending_within(whole_events).await, ("run.completed".to_owned(), whole));
    assert_eq!(ending_within(whole_events - 1).await, ("run.failed".to_owned(), whole));
    for limit in 1..whole_events - 1 {
        let (end, had) = ending_within(limit).await;
        assert_eq!(end, "run.failed", "within {limit}");
        assert!(had <= whole, "{had} events within {limit}");
    }
}

#[tokio::test]
async fn a_run_over_its_events_ends_what_is_under_way() {
    let gate = Gate::new();
    let behind = gate.clone();
    let host = TestHost::answering(move |_| Reply::text("never").behind(&behind)).max_events(8);
    let flow = Flow::new("limit").ask("slow", "x").delay("soon", 500).noop("c").edge("soon", "c");
    let run = host.start(&flow, json!({})).await;
    host.models.reached(1).await;
    host.clock.ring(500).await;
    let log = run.end().await;
    let expect = ("event_limit_exceeded", "the run may have 8 events and would need more");
    assert_eq!(log.error(), expect);
    assert_eq!(log.lines().last().map(String::as_str), Some("run.failed"));
    assert_eq!(log.node("slow").phase, Phase::Cancelled);
}

#[tokio::test]
async fn a_run_that_takes_too_long_fails() {
    let host = TestHost::echoing();
    let flow = Flow::new("late").delay("a", 20_000).with(json!({"settings": {"timeout": 5000}}));
    let run = host.start(&flow, json!({})).await;
    host.clock.ring(5000).await;
    let log = run.end().await;
    let tail = ["cap.breached", "node.cancelled a", "run.failed"];
    assert_eq!(log.lines()[2..], tail);
    assert_eq!(
        log.payload("cap.breached"),
        &json!({"kind": "run-duration", "limit": 5000, "observed": 5000})
    );
    assert_eq!(log.error(), ("run_timeout", "the run took longer than 5000 ms"));
    assert_eq!(log.payload("run.failed")["durationMs"], 5000);
}

#[tokio::test]
async fn a_run_timeout_of_zero_is_none() {
    let host = TestHost::echoing();
    let flow = Flow::new("late").delay("a", 20_000).with(json!({"settings": {"timeout": 0}}));
    let run = host.start(&flow, json!({})).await;
    host.clock.ring(20_000).await;
    assert_eq!(run.end().await.end(), "run.completed");
}

#[tokio::test]
async fn a_node_that_takes_too_long_is_stopped_and_its_late_answer_is_ignored() {
    let gate = Gate::new();
    let behind = gate.clone();
    let host = TestHost::answering(move |asked| match asked.user.as_str() {
        "slow" => Reply::text("too late").behind(&behind),
        _ => Reply::text("in time"),
    });
    let slow = json!({"config": {"userPrompt": "slow"}, "settings": {"timeout": 300}});
    let flow = Flow::new("late").node("a", "core.ai.callPrompt", slow).ask("b", "quick");
    let run = host.start(&flow.rule("a", "b", "any_failed"), json!({})).await;
    host.models.reached(1).await;
    host.clock.ring(300).await;
    run.until("node.failed", "a").await;
    gate.open();
    let log = run.end().await;
    let failed = log.payload("node.failed");
    assert_eq!(failed["error"]["code"], "node_timeout");
    assert_eq!(failed["error"]["message"], "the attempt took longer than 300 ms");
    assert_eq!(log.end(), "run.completed");
    assert!(!log.everything().contains("too late"));
}

#[tokio::test]
async fn each_attempt_has_its_own_deadline() {
    let gate = Gate::new();
    let behind = gate.clone();
    let host = TestHost::answering(move |asked| match asked.call {
        0 => Reply::text("never").behind(&behind),
        _ => Reply::text("second"),
    });
    let node = json!({"config": {"userPrompt": "x"}, "settings": {"timeout": 300, "maxRetries": 1}});
    let flow = Flow::new("late").node("a", "core.ai.callPrompt", node);
    let run = host.start(&flow, json!({})).await;
    host.models.reached(1).await;
    host.clock.ring(300).await;
    run.until("node.retried", "a").await;
    let between = &run.state(&flow).await.nodes[0];
    assert_eq!((between.phase, between.deadline, between.wake_at), (Phase::Retrying, None, Some(at(800))));
    host.clock.ring(800).await;
    let log = run.end().await;
    assert_eq!(log.output("a", "text").0, "second");
    assert_eq!(log.node("a").deadline, Some(at(1100)));
}

async fn delay(value: Value) -> Log {
    let inputs = json!({"delayMs": {"type": "static", "value": value}});
    let flow = Flow::new("delay").node("a", "core.delay", json!({ "inputs": inputs }));
    let host = TestHost::echoing();
    let run = host.start(&flow, json!({})).await;
    run.until("node.started", "a").await;
    host.clock.advance_to(30_000);
    run.end().await
}

#[tokio::test]
async fn delays_are_bounded() {
    for good in [json!(0), json!(1), json!(30_000), json!(12.9), json!(null)] {
        assert_eq!(delay(good.clone()).await.end(), "run.completed", "{good}");
    }
    for bad in [json!(-1), json!(30_001), json!(30_000.5), json!("10"), json!(true), json!([])] {
        let log = delay(bad.clone()).await;
        let expect = ("validation_error", "'delayMs' is a number of milliseconds from 0 to 30000");
        assert_eq!(log.error(), expect, "{bad}");
    }
}

#[tokio::test]
async fn a_delay_without_a_number_does_not_wait() {
    let log =
        TestHost::echoing().run(&Flow::new("delay").node("a", "core.delay", json!({})), json!({})).await;
    assert_eq!(log.payload("node.completed")["durationMs"], 0);
}

#[tokio::test]
async fn a_delay_lasts_as_long_as_it_says() {
    let host = TestHost::echoing();
    let run = host.start(&Flow::new("delay").delay("a", 1500), json!({})).await;
    host.clock.ring(1500).await;
    let log = run.end().await;
    assert_eq!(log.payload("node.completed")["durationMs"], 1500);
    assert_eq!(log.node("a").wake_at, Some(at(1500)));
    let shown = snapshot(&log.state);
    assert_eq!((shown.status, shown.completed_at), (RunStatus::Completed, Some(at(1500))));
}

/// A value that is nested so deep.
fn nested(levels: usize) -> Value {
    (0..levels).fold(json!("x"), |value, _| json!([value]))
}

#[tokio::test]
async fn a_value_has_no_more_levels_than_a_log_takes() {
    let flow = |levels: usize| {
        let inputs = json!({ "p": { "type": "static", "value": nested(levels) } });
        Flow::new("deep").node("a", "core.identity", json!({ "inputs": inputs }))
    };
    assert_eq!(TestHost::echoing().run(&flow(64), json!({})).await.end(), "run.completed");
    let log = TestHost::echoing().run(&flow(65), json!({})).await;
    assert_eq!((log.end(), log.error().0), ("run.failed", "node_failed"));
}

#[tokio::test]
async fn values_that_grow_from_node_to_node_end_the_run() {
    let node = |at: usize| {
        let before = if at == 0 { "1".to_owned() } else { format!("nodes.n{}.output", at - 1) };
        json!({ "inputs": { "p": { "type": "expression", "expression": before } } })
    };
    let flow = (0..80).fold(Flow::new("deep"), |flow, at| {
        let flow = flow.node(&format!("n{at}"), "core.identity", node(at));
        if at == 0 { flow } else { flow.edge(&format!("n{}", at - 1), &format!("n{at}")) }
    });
    let log = TestHost::echoing().run(&flow, json!({})).await;
    assert_eq!((log.end(), log.error().0), ("run.failed", "node_failed"));
}

#[tokio::test]
async fn an_answer_that_is_nested_too_deep_fails_its_node_and_is_asked_for_once() {
    let host = TestHost::answering(|_| Reply::text(nested(65).to_string()));
    let flow = Flow::new("deep").node(
        "a",
        "core.ai.callPrompt",
        json!({
            "config": { "userPrompt": "Say it.", "responseFormat": "json" }, "settings": { "maxRetries": 3 },
        }),
    );
    let log = host.run(&flow, json!({})).await;
    assert_eq!((log.end(), log.error().0), ("run.failed", "node_failed"));
    assert_eq!(host.models.asked().len(), 1);
}
