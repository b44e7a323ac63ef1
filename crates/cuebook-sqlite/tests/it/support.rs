//! Batches to append, and processes that are killed: this binary, asked for one test, in another role.

use std::path::{Path, PathBuf};
use std::process::Command;

use cuebook_log::{Append, Due, LogError, Open, Private, Record, RunEntry, RunLog};
use cuebook_prompt::Principal;
use cuebook_sqlite::{Options, SqliteStore};
use cuebook_wire::{EventId, EventType, RunEvent, RunId, RunStatus, Sequence, Timestamp, WorkflowId};
use serde_json::json;

/// Names the data directory of a child process.
const ROLE: &str = "CUEBOOK_SQLITE_CHILD";

pub(crate) fn acme() -> Principal {
    Principal { tenant: "acme".to_owned(), workspace: None }
}

pub(crate) fn open(path: impl Into<PathBuf>) -> SqliteStore {
    SqliteStore::open(path, &Options::default()).expect("a store can be opened")
}

/// A record that tells its place.
pub(crate) fn record(run_id: &RunId, sequence: u64) -> Record {
    let event = RunEvent {
        event_id: EventId::new(format!("{run_id}:{sequence}")),
        run_id: run_id.clone(),
        node_id: None,
        event_type: EventType::LogAppended,
        payload: json!({ "place": sequence }),
        timestamp: Timestamp::from_millis(1_000),
        sequence: Sequence(sequence),
        schema_version: None,
        engine_version: None,
        causation_id: None,
    };
    Record { event, private: Private::from_json(Some(json!({ "inside": sequence }))) }
}

pub(crate) fn entry(run_id: &RunId) -> RunEntry {
    RunEntry {
        run_id: run_id.clone(),
        workflow_id: WorkflowId::new("newsroom"),
        status: RunStatus::Running,
        started_at: Timestamp::from_millis(0),
        updated_at: Timestamp::from_millis(1_000),
    }
}

/// A batch of `count` records from `first` on, of the run's first writer.
pub(crate) fn batch(run_id: &RunId, first: u64, count: u64) -> Append {
    let records = (first..first + count).map(|sequence| record(run_id, sequence)).collect();
    let (run_id, consumed, entry) = (run_id.clone(), Vec::new(), entry(run_id));
    Append { run_id, epoch: 1, records, consumed, holds: Vec::new(), entry, due: Due::Now }
}

pub(crate) async fn begin(store: &SqliteStore, run_id: &RunId) {
    let epoch = RunLog::open(store, &acme(), run_id, Open::New).await;
    assert_eq!(epoch, Ok(1));
}

/// The whole log of a run.
pub(crate) async fn log(store: &SqliteStore, run_id: &RunId) -> Result<Vec<Record>, LogError> {
    store.read(&acme(), run_id, Sequence(0), usize::MAX).await
}

/// Holds the log of a run against the first `length` records that [`batch`] makes.
pub(crate) async fn assert_log(store: &SqliteStore, run_id: &RunId, length: u64) {
    let expect: Vec<Record> = (0..length).map(|sequence| record(run_id, sequence)).collect();
    assert_eq!(log(store, run_id).await, Ok(expect), "the log of {run_id}");
}

/// Where this process is to work when it is the child of a test.
pub(crate) fn child_directory() -> Option<PathBuf> {
    std::env::var_os(ROLE).map(PathBuf::from)
}

/// The command that runs the test `name` of this binary as a child that works in `directory`, started through a shell
/// that first does `setup`.
pub(crate) fn child(name: &str, directory: &Path, setup: &str) -> Command {
    let binary = std::env::current_exe().expect("a test knows its binary");
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{setup}; exec \"$0\" \"$@\"")]).arg(binary);
    command.args(["--exact", name, "--nocapture", "--test-threads=1"]).env(ROLE, directory);
    command
}
