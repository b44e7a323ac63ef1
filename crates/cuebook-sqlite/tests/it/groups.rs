//! Group commit as seen from outside: fewer commits than requests, and a store that outlives what goes wrong.

use std::sync::Arc;
use std::time::Duration;

use cuebook_log::{LogError, RunLog};
use cuebook_sqlite::{Options, SqliteStore};
use cuebook_wire::RunId;
use futures_util::future::join_all;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::support::{acme, assert_log, batch, begin, open};

fn run(number: u64) -> RunId {
    RunId::new(format!("run {number}"))
}

/// Another program's hold on the database, until it is dropped.
fn hold(directory: &TempDir) -> Connection {
    let connection = Connection::open(directory.path().join("cuebook.db")).expect("a database can be opened");
    connection.execute_batch("BEGIN IMMEDIATE").expect("a database can be held");
    connection
}

#[tokio::test]
async fn appends_that_wait_share_a_commit() {
    let directory = TempDir::new().expect("a temporary directory");
    let store = open(directory.path());
    for number in 0..32 {
        begin(&store, &run(number)).await;
    }
    let before = store.stats();
    let held = hold(&directory);
    let (acme, release) = (acme(), async { drop(held) });
    let appends = join_all((0..32).map(|number| store.append(&acme, batch(&run(number), 0, 2))));
    // Polled in this order: all appends are queued before the hold is let go.
    let (answers, ()) = tokio::join!(biased; appends, release);
    assert_eq!(answers, vec![Ok(()); 32]);
    let after = store.stats();
    assert_eq!(after.requests - before.requests, 32);
    assert!(after.commits - before.commits <= 2, "{} commits", after.commits - before.commits);
    for number in 0..32 {
        assert_log(&store, &run(number), 2).await;
    }
}

#[tokio::test]
async fn a_database_held_by_another_program_is_an_error_and_not_the_end() {
    let directory = TempDir::new().expect("a temporary directory");
    let options = Options { busy_timeout: Duration::from_millis(1), ..Options::default() };
    let store = SqliteStore::open(directory.path(), &options).expect("a store can be opened");
    begin(&store, &run(0)).await;
    begin(&store, &run(1)).await;
    let held = hold(&directory);
    let acme = acme();
    let appends = join_all((0..2).map(|number| store.append(&acme, batch(&run(number), 0, 2)))).await;
    let busy = "cannot begin a transaction: database is locked (another program holds the database; end it)";
    assert_eq!(appends, vec![Err(LogError::Storage(busy.to_owned())); 2]);
    assert_log(&store, &run(0), 0).await;
    drop(held);
    assert_eq!(store.append(&acme, batch(&run(0), 0, 2)).await, Ok(()));
    assert_log(&store, &run(0), 2).await;
    assert_log(&store, &run(1), 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_readers_share_few_connections() {
    let directory = TempDir::new().expect("a temporary directory");
    let store = Arc::new(open(directory.path()));
    begin(&store, &run(0)).await;
    assert_eq!(store.append(&acme(), batch(&run(0), 0, 100)).await, Ok(()));
    let tasks = (0..200).map(|_| {
        let store = Arc::clone(&store);
        tokio::spawn(async move { assert_log(&store, &run(0), 100).await })
    });
    for task in join_all(tasks).await {
        task.expect("every reader is served");
    }
}
