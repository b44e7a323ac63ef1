//! Processes that are killed or run out of space. Each test starts this binary again, asked for the same test; there it
//! finds itself in the other role.

use std::fmt::Arguments;
use std::io::{BufRead, BufReader, Write, stdout};
use std::path::Path;
use std::process::{Child, Stdio};

use cuebook_log::{LogError, RunLog};
use cuebook_sqlite::{OpenError, Options, SqliteStore};
use cuebook_wire::RunId;
use futures_util::future::try_join_all;
use serde_json::json;
use tempfile::TempDir;

use crate::support::{acme, assert_log, batch, begin, child, child_directory, log, open};

const WRITERS: usize = 16;

fn run(number: u64) -> RunId {
    RunId::new(format!("run {number}"))
}

/// Tells the parent of this process.
fn report(what: Arguments<'_>) {
    let mut out = stdout();
    writeln!(out, "{what}").and_then(|()| out.flush()).expect("the parent listens");
}

/// Appends to a run for ever, and prints how long its log is after each acknowledgement.
async fn append_for_ever(store: &SqliteStore, number: u64) -> Result<(), LogError> {
    let mut length = log(store, &run(number)).await?.len() as u64;
    loop {
        let size = 1 + length % 3;
        store.append(&acme(), batch(&run(number), length, size)).await?;
        length += size;
        report(format_args!("acknowledged {number} {length}"));
    }
}

async fn work_until_killed(directory: &Path) {
    let store = open(directory);
    report(format_args!("opened"));
    let work = try_join_all((0..).take(WRITERS).map(|number| append_for_ever(&store, number))).await;
    panic!("appending ended by itself: {work:?}");
}

/// Kills `child` after `count` acknowledgements, and gives the last of each writer.
fn kill_after(mut child: Child, count: usize, acknowledged: &mut [u64]) {
    let lines = BufReader::new(child.stdout.take().expect("a child has an output")).lines();
    let mut seen = 0;
    for line in lines.map_while(Result::ok) {
        let Some((number, length)) = line.strip_prefix("acknowledged ").and_then(|it| it.split_once(' '))
        else {
            continue;
        };
        let number: usize = number.parse().expect("a writer has a number");
        acknowledged[number] = length.parse().expect("a log has a length");
        seen += 1;
        if seen == count {
            child.kill().expect("a child can be killed");
        }
    }
    child.wait().expect("a child ends");
    assert!(seen >= count, "the child ended by itself after {seen}");
}

#[tokio::test]
async fn a_killed_process_has_lost_nothing_acknowledged() {
    if let Some(directory) = child_directory() {
        return work_until_killed(&directory).await;
    }
    let directory = TempDir::new().expect("a temporary directory");
    let store = open(directory.path());
    for number in (0..).take(WRITERS) {
        begin(&store, &run(number)).await;
    }
    drop(store);
    let mut acknowledged = [0; WRITERS];
    // Of all kills one comes when 16 writers have appended 500 times each; the counters go on where they stood.
    for count in [1, 40, 7, WRITERS * 500, 23, 90] {
        let name = "crash::a_killed_process_has_lost_nothing_acknowledged";
        let child = child(name, directory.path(), ":").stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        kill_after(child.expect("a child can be started"), count, &mut acknowledged);
        let store = open(directory.path());
        for (number, acknowledged) in (0..).zip(acknowledged) {
            let length = log(&store, &run(number)).await.expect("the run is there").len() as u64;
            assert!(length >= acknowledged, "{length} of {acknowledged} records of run {number}");
            assert!(length <= acknowledged + 3, "at most the batch under way came on top");
            assert_log(&store, &run(number), length).await;
        }
    }
}

#[tokio::test]
async fn a_second_process_is_told_who_holds_the_directory() {
    if let Some(directory) = child_directory() {
        return work_until_killed(&directory).await;
    }
    let directory = TempDir::new().expect("a temporary directory");
    begin(&open(directory.path()), &run(0)).await;
    let name = "crash::a_second_process_is_told_who_holds_the_directory";
    let started = child(name, directory.path(), ":").stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = started.expect("a child can be started");
    let mut lines = BufReader::new(child.stdout.take().expect("a child has an output")).lines();
    assert!(lines.any(|line| line.is_ok_and(|line| line.ends_with("opened"))), "the child opens the store");
    let refused = SqliteStore::open(directory.path(), &Options::default()).map(drop);
    child.kill().expect("a child can be killed");
    child.wait().expect("a child ends");
    let Err(OpenError::Held { holder, .. }) = refused else { panic!("{refused:?}") };
    assert!(holder.starts_with(&format!("process {}, running since 2", child.id())), "{holder}");
    drop(open(directory.path()));
}

/// Appends large records until one fails, and holds the store against what was acknowledged.
async fn fill(directory: &Path) {
    let store = open(directory);
    begin(&store, &run(0)).await;
    let mut length = 0;
    let failure = loop {
        let mut large = batch(&run(0), length, 1);
        large.records[0].event.payload = json!("x".repeat(50_000));
        match store.append(&acme(), large).await {
            Ok(()) => length += 1,
            Err(error) => break error,
        }
        assert!(length < 1_000, "files are limited");
    };
    report(format_args!("failed after {length}: {failure}"));
    assert_eq!(log(&store, &run(0)).await.map(|log| log.len() as u64), Ok(length), "reading goes on");
}

/// A limit on the size of files stands in for a full disk: a write beyond it fails.
#[cfg(unix)]
#[tokio::test]
async fn a_full_disk_is_a_clear_error_and_nothing_is_lost() {
    if let Some(directory) = child_directory() {
        return fill(&directory).await;
    }
    let directory = TempDir::new().expect("a temporary directory");
    let name = "crash::a_full_disk_is_a_clear_error_and_nothing_is_lost";
    let limited = child(name, directory.path(), "trap '' XFSZ; ulimit -f 2048").output();
    let output = limited.expect("a child can be started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let (_, report) = text.split_once("failed after ").expect("the child reports");
    let (acknowledged, failure) = report.split_once(": ").expect("a report has two parts");
    let expect = "storage failed: cannot commit: disk I/O error \
                  (check the disk of the data directory and the limits of this process)";
    assert_eq!(failure.lines().next(), Some(expect));
    let store = open(directory.path());
    let length = log(&store, &run(0)).await.expect("the run is there").len();
    assert_eq!(Ok(length), acknowledged.parse(), "what was refused is not there");
    assert!(length > 0);
    let next = batch(&run(0), length as u64, 1);
    assert_eq!(store.append(&acme(), next).await, Ok(()), "with space, it goes on");
}
