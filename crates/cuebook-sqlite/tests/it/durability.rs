//! What was acknowledged is there, however the store ended.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use cuebook_log::RunLog;
use cuebook_wire::RunId;
use futures_util::FutureExt;
use futures_util::future::join_all;
use tempfile::TempDir;

use crate::support::{acme, assert_log, batch, begin, log, open};

const WRITERS: u64 = 16;

const APPENDS: u64 = 500;

fn run(number: u64) -> RunId {
    RunId::new(format!("run {number}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_acknowledged_append_of_many_writers_is_there() {
    let directory = TempDir::new().expect("a temporary directory");
    let store = Arc::new(open(directory.path()));
    let tasks = (0..WRITERS).map(|number| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            begin(&store, &run(number)).await;
            for turn in 0..APPENDS {
                assert_eq!(store.append(&acme(), batch(&run(number), turn, 1)).await, Ok(()));
            }
        })
    });
    for task in join_all(tasks).await {
        task.expect("every append is taken");
    }
    let stats = store.stats();
    assert_eq!(stats.requests, WRITERS * (APPENDS + 1));
    assert!(stats.commits < stats.requests, "{stats:?}");
    drop(Arc::into_inner(store).expect("no task has the store any more"));
    let store = open(directory.path());
    for number in 0..WRITERS {
        assert_log(&store, &run(number), APPENDS).await;
    }
}

#[tokio::test]
async fn what_is_queued_is_done_when_the_store_is_dropped() {
    let directory = TempDir::new().expect("a temporary directory");
    let store = open(directory.path());
    for number in 0..100 {
        begin(&store, &run(number)).await;
    }
    for number in 0..100 {
        // Its caller goes away as soon as it is queued.
        let answer = store.append(&acme(), batch(&run(number), 0, 2)).now_or_never();
        assert!(answer.is_none_or(|answer| answer == Ok(())));
    }
    drop(store);
    let store = open(directory.path());
    for number in 0..100 {
        assert_log(&store, &run(number), 2).await;
    }
}

/// Files as a process leaves them that is killed: the database, and the write-ahead log with `batches` in it.
struct Killed {
    database: Vec<u8>,
    wal: Vec<u8>,
    /// For each batch, how many bytes the write-ahead log had when it was acknowledged, and how many records the run.
    acknowledged: Vec<(usize, u64)>,
}

async fn killed() -> Killed {
    let directory = TempDir::new().expect("a temporary directory");
    let store = open(directory.path());
    begin(&store, &run(0)).await;
    // Closed in good order, so that the write-ahead log has the batches alone.
    drop(store);
    let store = open(directory.path());
    let file = |name: &str| fs::read(directory.path().join(name)).expect("a file can be read");
    let (mut acknowledged, mut length) = (Vec::new(), 0);
    for size in [1, 7, 2, 60, 1, 1, 30, 4] {
        assert_eq!(store.append(&acme(), batch(&run(0), length, size)).await, Ok(()));
        length += size;
        acknowledged.push((file("cuebook.db-wal").len(), length));
    }
    Killed { database: file("cuebook.db"), wal: file("cuebook.db-wal"), acknowledged }
}

impl Killed {
    /// The length of the log that must be found when the write-ahead log is good up to `cut` only.
    fn expect(&self, cut: usize) -> u64 {
        let whole = self.acknowledged.iter().take_while(|(end, _)| *end <= cut);
        whole.last().map_or(0, |(_, length)| *length)
    }

    /// How many bytes of `torn` are as they were written.
    fn good(&self, torn: &[u8]) -> usize {
        self.wal.iter().zip(torn).take_while(|(written, found)| written == found).count()
    }

    /// Where to cut: around the end of every batch, and at odd places between.
    fn cuts(&self) -> Vec<usize> {
        let around =
            self.acknowledged.iter().flat_map(|(end, _)| [end - 24, end - 1, *end, end + 1, end + 24]);
        let between = (0..self.wal.len()).step_by(7_919);
        around.chain(between).filter(|cut| *cut <= self.wal.len()).collect()
    }

    fn restore(&self, directory: &Path, wal: &[u8]) {
        fs::write(directory.join("cuebook.db"), &self.database).expect("a file can be written");
        fs::write(directory.join("cuebook.db-wal"), wal).expect("a file can be written");
    }
}

/// Bytes that never reached the disk are missing, or zeros, or what was there before; whatever follows them is void.
#[tokio::test]
async fn a_torn_write_ahead_log_gives_whole_batches() {
    let killed = killed().await;
    let mut found = Vec::new();
    for cut in killed.cuts() {
        let good = &killed.wal[..cut];
        let missing = killed.wal.len() - cut;
        let zeros = [good, &vec![0; missing]].concat();
        let mut garbled = killed.wal.clone();
        garbled[cut..].iter_mut().take(8).for_each(|byte| *byte = !*byte);
        for torn in [good, &zeros, &garbled] {
            let directory = TempDir::new().expect("a temporary directory");
            killed.restore(directory.path(), torn);
            let store = open(directory.path());
            let length = log(&store, &run(0)).await.expect("the run is there").len() as u64;
            let expect = killed.expect(killed.good(torn));
            assert_eq!(length, expect, "cut at {cut} of {}", killed.wal.len());
            assert_log(&store, &run(0), length).await;
            assert_eq!(store.append(&acme(), batch(&run(0), length, 3)).await, Ok(()), "it goes on");
            found.push(length);
        }
    }
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), killed.acknowledged.len() + 1, "every number of batches was found: {found:?}");
}
