//! What readers see while others write: whole batches, in order, everywhere at once.

use super::Fixture;
use super::support::{Writer, all, length_in, sequences};
use crate::ports::{Append, LogError};

/// How many readers look on.
const READERS: usize = 4;

/// How many batches are appended before their eyes.
const BATCHES: u64 = 200;

/// How many records a batch has.
const SIZE: u64 = 7;

/// Whoever reads after an append has returned sees it, through any reader that the store keeps.
pub async fn an_append_is_visible_when_it_returns(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    for round in 0..50 {
        writer.offer(&round.to_string()).await;
        let consumed = vec![round.to_string()];
        writer.commit(Append { consumed, ..writer.batch(2) }).await;
        let tasks = (0..READERS).map(|_| {
            let writer = writer.clone();
            tokio::spawn(async move { writer.view().await })
        });
        for view in all(tasks.collect()).await {
            assert_eq!(view.records.len() as u64, writer.next);
            assert_eq!(view.entry.map(|entry| length_in(&entry)), Ok(writer.next));
            assert!(view.pending.is_empty());
        }
    }
}

async fn write_all(mut writer: Writer) {
    for _ in 0..BATCHES {
        writer.append(SIZE).await;
        tokio::task::yield_now().await;
    }
}

/// Reads on in pages of at most `limit` until the log is complete, and gives the length of every page.
async fn follow(writer: Writer, limit: usize) -> Vec<usize> {
    let mut seen = 0;
    let mut lengths = Vec::new();
    while seen < BATCHES * SIZE {
        let page = writer.read(seen, limit).await;
        let end = seen + page.len() as u64;
        assert_eq!(
            sequences(&page),
            (seen..end).collect::<Vec<_>>(),
            "a page goes on where the last one ended"
        );
        lengths.push(page.len());
        seen = end;
        tokio::task::yield_now().await;
    }
    lengths
}

/// At no moment does a reader see a part of a batch, or a later record before an earlier one.
pub async fn readers_see_whole_batches_in_order(fixture: &impl Fixture) {
    let writer = Writer::begin(&fixture.open().await, "run").await;
    let whole = (0..READERS).map(|_| tokio::spawn(follow(writer.clone(), usize::MAX))).collect();
    let paged = (0..READERS).map(|_| tokio::spawn(follow(writer.clone(), 3))).collect();
    write_all(writer).await;
    for length in all(whole).await.concat() {
        assert_eq!(length as u64 % SIZE, 0, "{length} records were seen at once");
    }
    all(paged).await;
}

/// How long the log is, as the index, the inbox or the log itself shows it.
struct Lengths {
    index: u64,
    inbox: u64,
    log: u64,
}

impl Lengths {
    async fn in_index(writer: &Writer) -> u64 {
        match writer.entry().await {
            Ok(entry) => length_in(&entry),
            Err(LogError::UnknownRun(_)) => 0,
            Err(error) => panic!("the index fails: {error}"),
        }
    }

    async fn in_inbox(writer: &Writer) -> u64 {
        (BATCHES - writer.pending().await.len() as u64) * SIZE
    }

    /// Looks into index and inbox, then into the log.
    async fn log_last(writer: &Writer) -> Self {
        let index = Self::in_index(writer).await;
        let inbox = Self::in_inbox(writer).await;
        Self { index, inbox, log: writer.length().await }
    }

    /// Looks into the log, then into index and inbox.
    async fn log_first(writer: &Writer) -> Self {
        let log = writer.length().await;
        Self { log, index: Self::in_index(writer).await, inbox: Self::in_inbox(writer).await }
    }
}

/// Compares what can be seen until the log is complete: what is looked at later is never behind.
async fn compare(writer: Writer) {
    loop {
        let seen = Lengths::log_last(&writer).await;
        assert!(seen.log >= seen.index, "the index is ahead: {} of {}", seen.index, seen.log);
        assert!(seen.log >= seen.inbox, "the inbox is ahead: {} of {}", seen.inbox, seen.log);
        let seen = Lengths::log_first(&writer).await;
        assert!(seen.log <= seen.index, "the index is behind: {} of {}", seen.index, seen.log);
        assert!(seen.log <= seen.inbox, "the inbox is behind: {} of {}", seen.inbox, seen.log);
        if seen.log == BATCHES * SIZE {
            return;
        }
        tokio::task::yield_now().await;
    }
}

/// Records, the index entry and the consumption of signals become visible at one moment.
pub async fn log_index_and_inbox_move_together(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    for batch in 0..BATCHES {
        writer.offer(&batch.to_string()).await;
    }
    let readers = (0..READERS).map(|_| tokio::spawn(compare(writer.clone()))).collect();
    for batch in 0..BATCHES {
        writer.commit(Append { consumed: vec![batch.to_string()], ..writer.batch(SIZE) }).await;
        tokio::task::yield_now().await;
    }
    all(readers).await;
}
