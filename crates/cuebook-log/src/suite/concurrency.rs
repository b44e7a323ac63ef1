//! Many writers at once, where a store may gather batches into one commit.

use cuebook_wire::Sequence;
use serde_json::json;

use super::Fixture;
use super::support::{Store, Writer, all, sequences};
use crate::ports::{Append, LogError};

/// How many writers there are at once.
const WRITERS: u64 = 16;

/// How many batches each of them appends.
const APPENDS: u64 = 500;

/// Writers of different runs do not hinder each other: nothing is lost, doubled or put into another log.
pub async fn many_writers_append_to_runs_of_their_own(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let mut tasks = Vec::new();
    for number in 0..WRITERS {
        let mut writer = Writer::begin(&store, &format!("run {number}")).await;
        tasks.push(tokio::spawn(async move {
            for _ in 0..APPENDS {
                writer.append(1).await;
                tokio::task::yield_now().await;
            }
            writer
        }));
    }
    for writer in all(tasks).await {
        let log = writer.log().await;
        assert_eq!(sequences(&log), (0..APPENDS).collect::<Vec<_>>());
        assert!(log.iter().all(|record| record.event.run_id == writer.run_id));
    }
}

/// Appends [`APPENDS`] records that bear `mark`, going on where the log does whenever another was first.
async fn insist(mut writer: Writer, mark: u64) {
    for turn in 0..APPENDS {
        loop {
            let mut batch = writer.batch(1);
            batch.records[0].event.payload = json!([mark, turn]);
            match writer.send(batch).await {
                Ok(()) => break,
                Err(LogError::Conflict { next, .. }) => writer.next = next.0,
                Err(error) => panic!("a writer with the run's epoch fails: {error}"),
            }
            tokio::task::yield_now().await;
        }
        writer.next += 1;
    }
}

/// Writers that share a run and its epoch all come through, each in its own order.
pub async fn many_writers_append_to_one_run(fixture: &impl Fixture) {
    let writer = Writer::begin(&fixture.open().await, "run").await;
    let tasks = (0..WRITERS).map(|mark| tokio::spawn(insist(writer.clone(), mark)));
    all(tasks.collect()).await;
    let log = writer.log().await;
    assert_eq!(sequences(&log), (0..WRITERS * APPENDS).collect::<Vec<_>>());
    for mark in 0..WRITERS {
        let of_mark = log.iter().map(|record| &record.event.payload).filter(|payload| payload[0] == mark);
        assert!(of_mark.eq((0..APPENDS).map(|turn| json!([mark, turn])).collect::<Vec<_>>().iter()));
    }
}

/// Of many batches for one place, one is taken; the others learn where the log goes on.
pub async fn one_of_many_equal_batches_wins(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    for round in 0..20 {
        let tasks = (0..WRITERS).map(|_| {
            let writer = writer.clone();
            tokio::spawn(async move { writer.send(writer.batch(2)).await })
        });
        let (won, lost): (Vec<_>, Vec<_>) = all(tasks.collect()).await.into_iter().partition(Result::is_ok);
        assert_eq!(won.len(), 1, "in round {round}");
        let expected = Sequence(writer.next);
        let refused = Err(LogError::Conflict { expected, next: Sequence(writer.next + 2) });
        assert!(lost.iter().all(|answer| *answer == refused), "{lost:?}");
        writer.next += 2;
    }
    assert_eq!(sequences(&writer.log().await), (0..40).collect::<Vec<_>>());
}

/// Appends good and bad batches in turn, so that they meet those of others in one commit.
async fn alternate(store: Store, number: u64) -> Writer {
    let mut writer = Writer::begin(&store, &format!("run {number}")).await;
    for turn in 0..50 {
        let key = turn.to_string();
        writer.offer(&key).await;
        let bad = Append { consumed: vec![key.clone()], ..writer.numbered([writer.next, writer.next + 2]) };
        assert!(matches!(writer.send(bad).await, Err(LogError::Misnumbered(_))));
        if turn % 2 == number % 2 {
            writer.commit(Append { consumed: vec![key], ..writer.batch(2) }).await;
        }
    }
    writer
}

/// A batch that is refused takes no other with it, whoever wrote it.
pub async fn a_refused_batch_spoils_no_other(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let tasks = (0..WRITERS).map(|number| tokio::spawn(alternate(store.clone(), number)));
    for (number, writer) in all(tasks.collect()).await.into_iter().enumerate() {
        assert_eq!(sequences(&writer.log().await), (0..50).collect::<Vec<_>>());
        let left: Vec<String> =
            (0..50).filter(|turn| turn % 2 != number % 2).map(|turn| turn.to_string()).collect();
        assert_eq!(writer.keys().await, left);
    }
}
