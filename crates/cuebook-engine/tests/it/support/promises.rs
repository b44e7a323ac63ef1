//! What holds for every log of every run.

use std::collections::HashSet;
use std::sync::Arc;

use cuebook_engine::{RunState, snapshot};
use cuebook_log::Record;

use super::schemas;

/// Holds a whole log against all of it; `live` is the state that the run ended in.
#[track_caller]
pub(crate) fn check(records: &[Record], live: &RunState) {
    check_order(records);
    check_causes(records);
    check_fold(records, live);
    for record in records {
        schemas::check(&record.event);
    }
    schemas::check_snapshot(&snapshot(live));
}

/// Dense from 0, and exactly one terminal event, the last.
#[track_caller]
fn check_order(records: &[Record]) {
    for (record, expected) in records.iter().zip(0..) {
        assert_eq!(record.event.sequence.0, expected, "{:?}", record.event);
    }
    let terminal: Vec<u64> = records
        .iter()
        .filter(|record| record.event.event_type.is_terminal())
        .map(|record| record.event.sequence.0)
        .collect();
    assert_eq!(terminal, [records.len() as u64 - 1], "terminal events");
}

/// Every cause stands earlier in the log, and no two events share an id.
#[track_caller]
fn check_causes(records: &[Record]) {
    let mut seen = HashSet::new();
    for event in records.iter().map(|record| &record.event) {
        if let Some(cause) = &event.causation_id {
            assert!(seen.contains(cause), "{event:?} is caused by nothing before it");
        }
        assert!(seen.insert(event.event_id.clone()), "{event:?} has an id of another event");
    }
}

/// The fold of the log is the state that the run ended in.
#[track_caller]
pub(crate) fn check_fold(records: &[Record], live: &RunState) {
    let folded = RunState::of_log(records, Arc::clone(&live.plan)).unwrap().unwrap();
    assert_eq!(view(&folded), view(live));
}

/// All of a state except the plan, which both sides share.
pub(crate) fn view(state: &RunState) -> String {
    let RunState {
        facts,
        plan: _,
        status,
        next,
        started_at,
        updated_at,
        nodes,
        executions,
        pins,
        secrets,
        agent_prompts,
        error,
        outputs,
    } = state;
    format!(
        "{facts:#?}\n{status} {next} {started_at} {updated_at} {executions}\n{nodes:#?}\n{pins:#?}\n{secrets:#?}\n{agent_prompts:#?}\n{error:#?}\n{outputs:#?}"
    )
}
