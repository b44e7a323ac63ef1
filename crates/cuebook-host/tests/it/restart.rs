//! Hosts that end and begin again on the same data directory.

use std::sync::Arc;

use cuebook_host::Host;
use cuebook_host::log::{Append, Due, Open, Private, Record, RunEntry};
use cuebook_host::prompt::Principal;
use cuebook_host::wire::{ErrorCode, NodeId, RunId, RunStatus, Sequence};
use serde_json::json;

use crate::support::Project;
use crate::support::life::{create, life, rest, until};

fn project() -> Project {
    let config = json!({"mockDecision": {"decision": "go", "confidence": 0.1}});
    let node = json!({
        "id": "judge", "typeId": "core.conformance.mock-agent", "name": "Judge", "position": {"x": 0, "y": 0},
        "inputs": {}, "config": config,
    });
    let workflow = json!({
        "id": "conformance-unsure", "name": "Unsure", "version": "1.0.0", "nodes": [node], "edges": [],
        "triggers": [], "variables": [], "metadata": {}, "settings": {},
    });
    Project::new().with("workflows/unsure.json", &workflow.to_string())
}

async fn types(host: &Host, run_id: &RunId) -> Vec<String> {
    let records = host.store.read(&Principal::local(), run_id, Sequence(0), usize::MAX).await.unwrap();
    records.iter().map(|record| record.event.event_type.to_string()).collect()
}

#[test]
fn a_run_that_waits_for_a_person_is_answered_by_a_later_host() {
    let project = project();
    let run_id = life(&project, async |host| {
        let run_id = create(&host, "conformance-unsure").await;
        until(&host, &run_id, RunStatus::WaitingApproval).await;
        rest(&host).await;
        run_id
    });
    life(&project, async |host| {
        host.take_up_runs();
        let (principal, judge) = (Principal::local(), NodeId::new("judge"));
        let answer = host.resolve_interrupt(&principal, &run_id, &judge, json!("yes"), None).await;
        assert_eq!(answer.map_err(|refusal| refusal.message), Ok(RunStatus::Running));
        until(&host, &run_id, RunStatus::Completed).await;
        let types = types(&host, &run_id).await;
        assert_eq!(types.iter().filter(|it| *it == "run.started").count(), 1);
        assert_eq!(types.last().map(String::as_str), Some("run.completed"));
    });
}

#[test]
fn an_answer_is_known_again_by_the_request_that_brought_it() {
    let project = project();
    let (principal, judge) = (Principal::local(), NodeId::new("judge"));
    let resolve = async |host: &Arc<Host>, run_id: &RunId, ticket: Option<&str>| {
        let ticket = ticket.map(str::to_owned);
        let answer = host.resolve_interrupt(&principal, run_id, &judge, json!("yes"), ticket).await;
        answer.map_err(|refusal| refusal.code)
    };
    let run_id = life(&project, async |host| {
        let run_id = create(&host, "conformance-unsure").await;
        until(&host, &run_id, RunStatus::WaitingApproval).await;
        assert_eq!(resolve(&host, &run_id, Some("first")).await, Ok(RunStatus::Running));
        // It may be in the inbox still, or a record already.
        assert_eq!(resolve(&host, &run_id, Some("first")).await, Ok(RunStatus::Running));
        until(&host, &run_id, RunStatus::Completed).await;
        run_id
    });
    life(&project, async |host| {
        assert_eq!(resolve(&host, &run_id, Some("first")).await, Ok(RunStatus::Running));
        for other in [Some("second"), None] {
            assert_eq!(resolve(&host, &run_id, other).await, Err(ErrorCode::InterruptAlreadyResolved));
        }
    });
}

#[test]
fn a_waiting_run_is_cancelled_by_a_later_host() {
    let project = project();
    let run_id = life(&project, async |host| {
        let run_id = create(&host, "conformance-unsure").await;
        until(&host, &run_id, RunStatus::WaitingApproval).await;
        run_id
    });
    life(&project, async |host| {
        let cancelled = host.cancel_run(&Principal::local(), &run_id, None, "tester").await;
        assert_eq!(cancelled.map_err(|refusal| refusal.message), Ok(RunStatus::Cancelling));
        until(&host, &run_id, RunStatus::Cancelled).await;
        rest(&host).await;
        assert!(host.store.unfinished(None, 9).await.unwrap().is_empty());
    });
}

/// The first record of a run, as that of another run.
fn renamed(first: &Record, run_id: &RunId) -> Record {
    let mut record = first.clone();
    record.event.run_id = run_id.clone();
    let mut facts = record.private.as_json().unwrap().clone();
    facts["run_id"] = json!(run_id);
    record.private = Private::from_json(Some(facts));
    record
}

#[test]
fn runs_that_were_under_way_go_on_at_the_next_start() {
    let project = project();
    let runs: Vec<RunId> = (0..40).map(|number| RunId::new(format!("run_going{number}"))).collect();
    life(&project, async |host| {
        let principal = Principal::local();
        let template = create(&host, "ask").await;
        until(&host, &template, RunStatus::Completed).await;
        let first = host.store.read(&principal, &template, Sequence(0), 1).await.unwrap().remove(0);
        let entry = host.store.entry(&principal, &template).await.unwrap();
        for run_id in &runs {
            let entry = RunEntry { run_id: run_id.clone(), status: RunStatus::Running, ..entry.clone() };
            let epoch = host.store.open(&principal, run_id, Open::New).await.unwrap();
            let (records, consumed) = (vec![renamed(&first, run_id)], Vec::new());
            let batch = Append {
                run_id: run_id.clone(),
                epoch,
                records,
                consumed,
                holds: Vec::new(),
                entry,
                due: Due::Now,
            };
            host.store.append(&principal, batch).await.unwrap();
        }
    });
    life(&project, async |host| {
        host.take_up_runs();
        for run_id in &runs {
            until(&host, run_id, RunStatus::Completed).await;
        }
        let types = types(&host, &runs[0]).await;
        assert_eq!(types.iter().filter(|it| *it == "node.completed").count(), 1, "{types:?}");
    });
}

#[test]
fn waiting_runs_have_no_task() {
    let project = project();
    life(&project, async |host| {
        for _ in 0..50 {
            create(&host, "conformance-unsure").await;
        }
        rest(&host).await;
        assert_eq!(host.store.unfinished(None, 99).await.unwrap().len(), 50);
    });
}
