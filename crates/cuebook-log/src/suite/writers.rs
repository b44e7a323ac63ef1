//! Who may write: opening runs, taking them over, and shutting earlier writers out.

use std::sync::Arc;

use cuebook_wire::RunId;

use super::Fixture;
use super::support::{Writer, all, sequences, tenant};
use crate::ports::{Append, LogError, Open};

/// How many tasks compete.
const TASKS: usize = 16;

/// A run's id is taken from the moment it is opened; a refusal leaves its writer in place.
pub async fn a_run_is_opened_as_new_once(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let mut writer = Writer::begin(&store, "run").await;
    assert_eq!(writer.epoch, 1);
    for _ in 0..2 {
        let again = store.open(&writer.principal, &writer.run_id, Open::New).await;
        assert_eq!(again, Err(LogError::RunExists(writer.run_id.clone())));
        writer.append(1).await;
    }
    writer.commit(writer.ending()).await;
    let after_the_end = store.open(&writer.principal, &writer.run_id, Open::New).await;
    assert_eq!(after_the_end, Err(LogError::RunExists(writer.run_id.clone())));
}

/// Only the epoch of the last takeover writes; neither earlier ones do, nor epochs that were never given out.
pub async fn taking_over_shuts_out_earlier_writers(fixture: &impl Fixture) {
    let mut writers = vec![Writer::begin(&fixture.open().await, "run").await];
    writers[0].append(2).await;
    for _ in 0..3 {
        let newest = writers[writers.len() - 1].take_over().await;
        assert!(writers.iter().all(|earlier| earlier.epoch < newest.epoch), "epochs go up");
        writers.push(newest);
    }
    let mut newest = writers.pop().expect("there is a newest writer");
    writers.push(Writer { epoch: 0, ..newest.clone() });
    writers.push(Writer { epoch: newest.epoch + 1, ..newest.clone() });
    for writer in &writers {
        let refused = LogError::StaleWriter { given: writer.epoch, current: newest.epoch };
        for batch in [writer.batch(1), writer.batch(0), writer.ending()] {
            assert_eq!(writer.send(batch).await, Err(refused.clone()));
        }
    }
    assert_eq!(newest.length().await, 2);
    newest.append(1).await;
}

/// A run that has ended may change hands, but stays as it is.
pub async fn an_ended_run_can_be_taken_over(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    writer.commit(writer.ending()).await;
    let second = writer.take_over().await;
    assert!(second.epoch > writer.epoch);
    assert_eq!(second.send(second.batch(1)).await, Err(LogError::Ended(second.run_id.clone())));
    assert!(matches!(writer.send(writer.batch(1)).await, Err(LogError::StaleWriter { .. })));
    assert_eq!(second.length().await, 1);
}

/// Of many who open one id as new at once, one becomes its writer.
pub async fn one_of_many_openers_wins(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let tasks = (0..TASKS).map(|_| {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.open(&tenant("acme"), &RunId::new("run"), Open::New).await })
    });
    let (won, lost): (Vec<_>, Vec<_>) = all(tasks.collect()).await.into_iter().partition(Result::is_ok);
    assert_eq!(won, [Ok(1)]);
    let refused = Err(LogError::RunExists(RunId::new("run")));
    assert!(lost.iter().all(|answer| *answer == refused), "{lost:?}");
}

/// Of many who take a run over at once, each has an epoch of its own, and the greatest writes.
pub async fn every_takeover_has_its_own_epoch(fixture: &impl Fixture) {
    let first = Writer::begin(&fixture.open().await, "run").await;
    let tasks = (0..TASKS).map(|_| {
        let first = first.clone();
        tokio::spawn(async move { first.take_over().await })
    });
    let mut writers = all(tasks.collect()).await;
    writers.push(first);
    writers.sort_by_key(|writer| writer.epoch);
    writers.dedup_by_key(|writer| writer.epoch);
    assert_eq!(writers.len(), TASKS + 1, "no epoch is given out twice");
    let mut newest = writers.pop().expect("there is a newest writer");
    for writer in writers {
        assert!(matches!(writer.send(writer.batch(1)).await, Err(LogError::StaleWriter { .. })));
    }
    newest.append(1).await;
}

/// Appends until it is shut out, and gives the sequences that it was told are in the log.
async fn write_until_shut_out(mut writer: Writer) -> Vec<u64> {
    loop {
        match writer.send(writer.batch(1)).await {
            Ok(()) => writer.next += 1,
            Err(LogError::StaleWriter { .. }) => return (0..writer.next).collect(),
            Err(error) => panic!("a writer of its own run fails: {error}"),
        }
        tokio::task::yield_now().await;
    }
}

/// When a takeover returns, nothing more comes from the writer before, and what it was told is there.
pub async fn a_takeover_holds_while_others_write(fixture: &impl Fixture) {
    let store = fixture.open().await;
    for round in 0..10 {
        let earlier = Writer::begin(&store, &format!("run {round}")).await;
        let earlier_task = tokio::spawn(write_until_shut_out(earlier.clone()));
        while earlier.length().await < 5 {
            tokio::task::yield_now().await;
        }
        let mut later = earlier.take_over().await;
        let found = later.log().await;
        later.next = found.len() as u64;
        later.commit(Append { consumed: vec!["none".to_owned()], ..later.batch(2) }).await;
        let acknowledged = earlier_task.await.expect("the earlier writer is shut out");
        assert_eq!(acknowledged, sequences(&found), "what was acknowledged is what the takeover found");
        assert_eq!(later.length().await, later.next);
    }
}
