//! What one batch may hold, and that it is all or nothing.

use cuebook_wire::{EventType, RunId, RunStatus, Sequence};
use futures_util::FutureExt;

use super::Fixture;
use super::support::{Writer, length_in, record, sequences, signal, woken};
use crate::ports::{Append, LogError, Open};

/// Records are numbered from 0 without gaps, however they are cut into batches.
pub async fn sequences_are_dense_from_zero(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    for count in [1, 3, 1, 120] {
        writer.append(count).await;
    }
    let log = writer.log().await;
    assert_eq!(sequences(&log), (0..125).collect::<Vec<_>>());
    let written: Vec<_> = (0..125).map(|place| record(&writer.run_id, place)).collect();
    assert_eq!(log, written, "records stand in their own places");
}

/// A batch that begins elsewhere is refused, and the refusal says where the log goes on.
pub async fn an_append_expects_the_next_sequence(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    for (first, next) in [(1, 0), (u64::MAX, 0), (0, 3), (2, 3), (4, 3), (u64::MAX, 3)] {
        if writer.next < next {
            writer.append(next - writer.next).await;
        }
        let refused = writer.send(writer.numbered([first])).await;
        assert_eq!(refused, Err(LogError::Conflict { expected: Sequence(first), next: Sequence(next) }));
        assert_eq!(writer.length().await, next);
    }
}

/// Within a batch the numbers go up by one.
pub async fn records_are_numbered_within_their_batch(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    writer.append(3).await;
    for numbers in [vec![3, 3], vec![3, 5], vec![3, 4, 3], vec![3, 2], vec![3, 4, 6], vec![3, u64::MAX]] {
        let refused = writer.send(writer.numbered(numbers.clone())).await;
        assert_eq!(refused, Err(LogError::Misnumbered(Sequence(3))), "{numbers:?}");
        assert_eq!(writer.length().await, 3, "{numbers:?}");
    }
}

/// Once a terminal event is in the log, no writer adds anything.
pub async fn nothing_follows_a_terminal_event(fixture: &impl Fixture) {
    let store = fixture.open().await;
    for terminal in [EventType::RunCompleted, EventType::RunFailed, EventType::RunCancelled] {
        let mut writer = Writer::begin(&store, terminal.as_str()).await;
        writer.append(2).await;
        writer.offer("late").await;
        let mut ending = writer.batch(2);
        ending.records[1].event.event_type = terminal;
        writer.commit(ending).await;
        let ended = writer.view().await;
        let taking_note = Append { consumed: vec!["late".to_owned()], ..writer.batch(0) };
        for batch in [writer.batch(1), writer.ending(), writer.batch(0), taking_note, writer.numbered([9])] {
            assert_eq!(writer.send(batch).await, Err(LogError::Ended(writer.run_id.clone())));
        }
        assert_eq!(writer.view().await, ended);
    }
}

/// A batch that goes on after a terminal event is refused as a whole, and does not end the run.
pub async fn a_terminal_event_is_the_last_of_its_batch(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    writer.append(1).await;
    let before = writer.view().await;
    for place in [0, 1] {
        let mut batch = writer.batch(3);
        batch.records[place].event.event_type = EventType::RunFailed;
        assert_eq!(writer.send(batch).await, Err(LogError::Ended(writer.run_id.clone())));
        assert_eq!(writer.view().await, before);
    }
    writer.append(1).await;
    writer.commit(writer.ending()).await;
    assert_eq!(writer.length().await, 3);
}

/// A batch cannot write into another run's log or index entry.
pub async fn a_batch_speaks_of_its_own_run(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let mut other = Writer::begin(&store, "other").await;
    other.append(1).await;
    let mut writer = Writer::begin(&store, "run").await;
    writer.append(1).await;
    let before = (writer.view().await, other.view().await);
    let mut with_record = writer.batch(2);
    with_record.records[1].event.run_id = other.run_id.clone();
    let mut with_entry = writer.batch(1);
    with_entry.entry.run_id = other.run_id.clone();
    let refused = LogError::OtherRun { expected: writer.run_id.clone(), found: other.run_id.clone() };
    for batch in [with_record, with_entry] {
        assert_eq!(writer.send(batch).await, Err(refused.clone()));
        assert_eq!((writer.view().await, other.view().await), before);
    }
}

/// Every kind of batch that must be refused in the present state of `writer`, with its name.
fn refusable(writer: &Writer) -> Vec<(&'static str, Append)> {
    let next = writer.next;
    let mut past_the_end = writer.batch(2);
    past_the_end.records[0].event.event_type = EventType::RunCompleted;
    let mut of_another_run = writer.batch(2);
    of_another_run.records[1].event.run_id = RunId::new("another");
    vec![
        ("behind", writer.numbered([next - 1, next])),
        ("ahead", writer.numbered([next + 1, next + 2])),
        ("with a gap at its end", writer.numbered([next, next + 1, next + 3])),
        ("stale", Append { epoch: writer.epoch - 1, ..writer.batch(2) }),
        ("of no epoch yet", Append { epoch: writer.epoch + 1, ..writer.batch(2) }),
        ("past the end", past_the_end),
        ("of another run", of_another_run),
    ]
}

/// A refused batch leaves log, index, inbox and watchers as they were, and uses no number.
pub async fn a_refused_batch_changes_nothing(fixture: &impl Fixture) {
    let first = Writer::begin(&fixture.open().await, "run").await;
    let mut writer = first.take_over().await;
    writer.append(4).await;
    writer.offer("one").await;
    writer.offer("two").await;
    let before = writer.view().await;
    let watch = writer.watch().await;
    for (name, mut batch) in refusable(&writer) {
        batch.consumed = vec!["one".to_owned()];
        batch.entry.status = RunStatus::Failed;
        batch.entry.started_at = super::support::millis(99);
        assert!(writer.send(batch).await.is_err(), "a batch {name} is refused");
        assert_eq!(writer.view().await, before, "after a batch {name}");
        assert!(!woken(&watch), "after a batch {name}");
    }
    writer.commit(Append { consumed: vec!["one".to_owned()], ..writer.batch(2) }).await;
    assert_eq!(sequences(&writer.log().await), [0, 1, 2, 3, 4, 5]);
    assert_eq!(writer.keys().await, ["two"]);
}

/// A batch that is wrong in several ways is refused for the first of them, in the order that `Head::admit` states.
pub async fn refusals_have_one_order(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    writer.append(1).await;
    let mut batch = writer.numbered([5, 7]);
    batch.epoch = 0;
    batch.entry.run_id = RunId::new("another");
    batch.records[0].event.event_type = EventType::RunFailed;
    assert!(matches!(writer.send(batch.clone()).await, Err(LogError::StaleWriter { given: 0, current: 1 })));
    batch.epoch = writer.epoch;
    assert!(matches!(writer.send(batch.clone()).await, Err(LogError::OtherRun { .. })));
    batch.entry.run_id = writer.run_id.clone();
    assert!(matches!(writer.send(batch.clone()).await, Err(LogError::Conflict { .. })));
    batch.records[0].event.sequence = Sequence(1);
    assert_eq!(writer.send(batch.clone()).await, Err(LogError::Misnumbered(Sequence(1))));
    batch.records[1].event.sequence = Sequence(2);
    assert_eq!(writer.send(batch.clone()).await, Err(LogError::Ended(writer.run_id.clone())));
    writer.commit(writer.ending()).await;
    batch.entry.run_id = RunId::new("another");
    assert_eq!(writer.send(batch.clone()).await, Err(LogError::Ended(writer.run_id.clone())));
    batch.epoch = 0;
    assert!(matches!(writer.send(batch).await, Err(LogError::StaleWriter { .. })));
}

/// A batch may have more records and more consumed keys than a statement of a database has parameters.
pub async fn a_batch_of_any_size_is_whole(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    writer.offer("39999").await;
    writer.offer("other").await;
    let mut batch = writer.batch(5_000);
    batch.consumed = (0..40_000).map(|key| key.to_string()).collect();
    writer.commit(batch).await;
    assert_eq!(sequences(&writer.log().await), (0..5_000).collect::<Vec<_>>());
    assert_eq!(writer.keys().await, ["other"]);
}

/// Signals that lead to no record are taken note of all the same, and the index entry with them.
pub async fn a_batch_without_records_takes_note_of_signals(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    writer.append(2).await;
    writer.offer("one").await;
    let mut batch = Append { consumed: vec!["one".to_owned()], ..writer.batch(0) };
    batch.entry.status = RunStatus::Paused;
    writer.commit(batch).await;
    assert_eq!(writer.length().await, 2);
    assert!(writer.keys().await.is_empty());
    assert_eq!(writer.entry().await.map(|entry| entry.status), Ok(RunStatus::Paused));
    writer.append(1).await;
}

/// A future that nobody polls has no effect.
pub async fn a_call_that_is_not_awaited_does_nothing(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    writer.append(1).await;
    let before = writer.view().await;
    let (store, principal) = (&writer.store, &writer.principal);
    let unopened = RunId::new("unopened");
    drop(store.append(principal, writer.batch(1)));
    drop(store.offer(principal, &writer.run_id, signal("one")));
    drop(store.open(principal, &writer.run_id, Open::TakeOver));
    drop(store.open(principal, &unopened, Open::New));
    drop(store.put(principal, "text"));
    assert_eq!(writer.view().await, before);
    let hash = cuebook_prompt::ContentHash::of("text");
    assert_eq!(store.get(principal, &hash).await, Ok(None));
    let opened = store.open(principal, &unopened, Open::TakeOver).await;
    assert_eq!(opened, Err(LogError::UnknownRun(unopened.clone())));
    writer.append(1).await;
}

/// An append whose caller goes away midway has happened as a whole or not at all.
pub async fn a_dropped_append_is_whole_or_nothing(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    writer.append(1).await;
    for round in 0..50 {
        let key = round.to_string();
        writer.offer(&key).await;
        let batch = Append { consumed: vec![key.clone()], ..writer.batch(3) };
        let polled_once = writer.store.append(&writer.principal, batch).now_or_never();
        // After a takeover the batch is in the log or never will be.
        let next = writer.take_over().await;
        let length = next.length().await;
        let was_taken = length == writer.next + 3;
        assert!(was_taken || length == writer.next, "{length} records after {}", writer.next);
        assert!(was_taken || polled_once.is_none(), "a batch that was acknowledged is there");
        assert_eq!(next.entry().await.map(|entry| length_in(&entry)), Ok(length));
        assert_eq!(next.keys().await.contains(&key), !was_taken);
        writer = Writer { next: length, ..next };
        writer.commit(Append { consumed: vec![key], ..writer.batch(1) }).await;
    }
}
