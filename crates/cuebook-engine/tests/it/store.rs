//! What a run keeps in its store, and what becomes of it when the store says no.

use std::sync::Arc;

use cuebook_engine::{EngineError, Residence, RunState};
use cuebook_log::{Blobs, Inbox, LogError, Open, RunIndex, RunLog, Signal};
use cuebook_prompt::Principal;
use cuebook_wire::{RunId, RunStatus, WorkflowDefinition};
use serde_json::json;

use crate::support::clock::at;
use crate::support::{Flow, TestHost};

fn run_id() -> RunId {
    RunId::new("run_test")
}

#[tokio::test]
async fn the_first_record_is_durable_when_a_run_has_started() {
    let host = TestHost::echoing();
    let plan = Arc::new(Flow::new("start").noop("a").plan());
    let facts = host.facts(&plan, &json!({}));
    let handle = host.engine().start(facts.clone(), Arc::clone(&plan), Residence::ToTheEnd).await.unwrap();
    let records = host.records(&run_id()).await;
    assert_eq!(RunState::facts_of(&records[0]).unwrap(), facts);
    handle.wait().await.unwrap();
}

#[tokio::test]
async fn the_definition_is_kept_under_its_hash() {
    let host = TestHost::echoing();
    let flow = Flow::new("kept").noop("a");
    let log = host.run(&flow, json!({})).await;
    let text = host.store.get(&Principal::local(), &log.state.facts.definition).await.unwrap().unwrap();
    assert_eq!(serde_json::from_str::<WorkflowDefinition>(&text).unwrap(), flow.definition());
}

#[tokio::test]
async fn the_index_follows_the_run() {
    let host = TestHost::echoing();
    let run = host.start(&Flow::new("index").delay("a", 40), json!({})).await;
    run.until("node.started", "a").await;
    let entry = host.store.entry(&Principal::local(), &run_id()).await.unwrap();
    assert_eq!((entry.status, entry.started_at, entry.updated_at), (RunStatus::Running, at(0), at(0)));
    host.clock.ring(40).await;
    run.end().await;
    let entry = host.store.entry(&Principal::local(), &run_id()).await.unwrap();
    assert_eq!((entry.status, entry.updated_at), (RunStatus::Completed, at(40)));
}

#[tokio::test]
async fn a_run_id_is_used_once() {
    let host = TestHost::echoing();
    host.run(&Flow::new("once").noop("a"), json!({})).await;
    let plan = Arc::new(Flow::new("again").noop("b").plan());
    let facts = host.facts(&plan, &json!({}));
    let error = host.engine().start(facts, plan, Residence::ToTheEnd).await.err().unwrap();
    assert!(matches!(error, EngineError::Log(LogError::RunExists(id)) if id == run_id()));
}

#[tokio::test]
async fn a_writer_that_was_replaced_stops_and_writes_nothing_more() {
    let host = TestHost::echoing();
    let run = host.start(&Flow::new("stale").delay("a", 40), json!({})).await;
    run.until("node.started", "a").await;
    host.store.open(&Principal::local(), &run_id(), Open::TakeOver).await.unwrap();
    let before = run.records().await;
    host.clock.ring(40).await;
    let error = run.outcome().await.unwrap_err();
    assert!(matches!(error, EngineError::Log(LogError::StaleWriter { given: 1, current: 2 })), "{error}");
    assert_eq!(host.records(&run_id()).await, before);
}

#[tokio::test]
async fn signals_leave_the_inbox_even_when_nobody_can_read_them() {
    let host = TestHost::echoing();
    let run = host.start(&Flow::new("inbox").delay("a", 40), json!({})).await;
    run.until("node.started", "a").await;
    let strange = Signal { key: "strange".to_owned(), body: json!({"signal": "applaud"}) };
    host.store.offer(&Principal::local(), &run_id(), strange).await.unwrap();
    run.cancel("once").await;
    assert_eq!(run.end().await.end(), "run.cancelled");
    assert_eq!(host.store.pending(&Principal::local(), &run_id()).await.unwrap(), []);
}
