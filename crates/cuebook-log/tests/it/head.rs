//! The rules of appending, and how refusals read.

use cuebook_log::{Append, Due, Head, LogError, Private, Record, RunEntry};
use cuebook_wire::{EventId, EventType, RunEvent, RunId, RunStatus, Sequence, Timestamp, WorkflowId};
use serde_json::json;

/// The head that every case is held against.
const HEAD: Head = Head { epoch: 2, next: Sequence(5), ended: false };

fn record(sequence: u64, event_type: &EventType) -> Record {
    let event = RunEvent {
        event_id: EventId::new(sequence.to_string()),
        run_id: RunId::new("run"),
        node_id: None,
        event_type: event_type.clone(),
        payload: json!({}),
        timestamp: Timestamp::from_millis(0),
        sequence: Sequence(sequence),
        schema_version: None,
        engine_version: None,
        causation_id: None,
    };
    Record { event, private: Private::NONE }
}

fn batch(records: &[(u64, EventType)]) -> Append {
    let run_id = RunId::new("run");
    let entry = RunEntry {
        run_id: run_id.clone(),
        workflow_id: WorkflowId::new("workflow"),
        status: RunStatus::Running,
        started_at: Timestamp::from_millis(0),
        updated_at: Timestamp::from_millis(0),
    };
    let records = records.iter().map(|(sequence, event_type)| record(*sequence, event_type)).collect();
    Append { run_id, epoch: 2, records, consumed: Vec::new(), holds: Vec::new(), entry, due: Due::Now }
}

/// Holds a batch against [`HEAD`]; `expect` is the head's next sequence and end, or the refusal as it reads.
#[track_caller]
fn check(batch: &Append, expect: Result<(u64, bool), &str>) {
    let admitted = HEAD.admit(batch);
    let shown = admitted.as_ref().map(|head| (head.next.0, head.ended)).map_err(ToString::to_string);
    assert_eq!(shown, expect.map_err(str::to_owned));
    assert!(admitted.is_ok_and(|head| head.epoch == 2) == expect.is_ok());
}

#[test]
fn batches_are_admitted_or_refused() {
    use EventType::{LogAppended as Note, RunFailed as End};
    let ended = "run 'run' has ended";
    check(&batch(&[]), Ok((5, false)));
    check(&batch(&[(5, Note)]), Ok((6, false)));
    check(&batch(&[(5, Note), (6, Note), (7, End)]), Ok((8, true)));
    check(&batch(&[(4, Note)]), Err("the log continues at 5, not at 4"));
    check(&batch(&[(u64::MAX, Note)]), Err("the log continues at 5, not at 18446744073709551615"));
    check(&batch(&[(6, Note), (5, Note)]), Err("the log continues at 5, not at 6"));
    check(&batch(&[(5, Note), (5, Note)]), Err("records are not numbered from 5 on"));
    check(&batch(&[(5, Note), (7, Note)]), Err("records are not numbered from 5 on"));
    check(&batch(&[(5, End), (6, Note)]), Err(ended));
    check(&batch(&[(5, End), (6, End)]), Err(ended));
}

#[test]
fn a_batch_of_another_epoch_or_run_is_refused() {
    let stale = Append { epoch: 1, ..batch(&[(5, EventType::LogAppended)]) };
    check(&stale, Err("writer epoch 1 has been replaced by 2"));
    let mut other = batch(&[(5, EventType::LogAppended), (6, EventType::LogAppended)]);
    other.records[1].event.run_id = RunId::new("other");
    check(&other, Err("a batch of run 'run' names run 'other'"));
    let mut other = batch(&[]);
    other.entry.run_id = RunId::new("third");
    check(&other, Err("a batch of run 'run' names run 'third'"));
}

#[test]
fn an_ended_log_admits_nothing() {
    let ended = Head { ended: true, ..HEAD };
    for records in [vec![], vec![(5, EventType::LogAppended)], vec![(9, EventType::RunFailed)]] {
        assert_eq!(ended.admit(&batch(&records)), Err(LogError::Ended(RunId::new("run"))));
    }
}

#[test]
fn a_takeover_replaces_the_epoch_alone() {
    let mut head = Head::new();
    assert_eq!(head, Head { epoch: 1, next: Sequence(0), ended: false });
    assert_eq!((head.take_over(), head.take_over()), (2, 3));
    assert_eq!(head, Head { epoch: 3, ..Head::new() });
}
