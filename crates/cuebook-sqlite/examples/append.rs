//! Measures appends: `cargo run -p cuebook-sqlite --example append --profile ci [DIRECTORY]`.
//!
//! For 1, 16 and 64 writers, each with a run of its own and one record to a batch: how many appends a second come through
//! the store, how many of them share a commit, and the floor, which is bare rusqlite in one loop that writes the same rows
//! in groups of the same size. The ratio is what the checks, the savepoints and the way between threads leave of the floor.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use cuebook_log::{Append, Due, Open, Private, Record, RunEntry, RunLog};
use cuebook_prompt::Principal;
use cuebook_sqlite::{Options, SqliteStore};
use cuebook_wire::{EventId, EventType, RunEvent, RunId, RunStatus, Sequence, Timestamp, WorkflowId};
use rusqlite::{Connection, params};
use tokio::task::JoinSet;

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// How many appends all writers of one measurement make together.
const APPENDS: u32 = 16_000;

/// What the payload of each record weighs, in bytes.
const PAYLOAD: usize = 300;

fn main() -> Outcome<()> {
    let directory = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let runtime = tokio::runtime::Builder::new_multi_thread().build()?;
    let mut out = std::io::stdout();
    writeln!(out, "writers  appends/s  requests/commit  floor/s  ratio")?;
    for writers in [1, 16, 64] {
        let place = tempfile::tempdir_in(&directory)?;
        let store = runtime.block_on(through_the_store(place.path(), writers))?;
        let place = tempfile::tempdir_in(&directory)?;
        let floor = bare(place.path(), writers, store.group())?;
        writeln!(
            out,
            "{writers:7}  {:9.0}  {:15.1}  {floor:7.0}  {:5.2}",
            store.rate,
            store.requests_per_commit,
            store.rate / floor
        )?;
    }
    Ok(())
}

/// What was measured of the store.
struct Measured {
    rate: f64,
    requests_per_commit: f64,
}

impl Measured {
    /// The group size that the floor uses: what the store reached.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a group is a small positive number"
    )]
    fn group(&self) -> u32 {
        self.requests_per_commit.round() as u32
    }
}

fn principal() -> Principal {
    Principal { tenant: "acme".to_owned(), workspace: None }
}

fn run(number: u32) -> RunId {
    RunId::new(format!("run_0197f0a4-7b1e-7cc3-9f00-{number:012}"))
}

fn batch(run_id: &RunId, sequence: u32) -> Append {
    let event = RunEvent {
        event_id: EventId::new(format!("{run_id}:{sequence}")),
        run_id: run_id.clone(),
        node_id: None,
        event_type: EventType::LogAppended,
        payload: "x".repeat(PAYLOAD).into(),
        timestamp: Timestamp::from_millis(0),
        sequence: Sequence(sequence.into()),
        schema_version: None,
        engine_version: None,
        causation_id: None,
    };
    let entry = RunEntry {
        run_id: run_id.clone(),
        workflow_id: WorkflowId::new("newsroom"),
        status: RunStatus::Running,
        started_at: Timestamp::from_millis(0),
        updated_at: Timestamp::from_millis(0),
    };
    let records = vec![Record { event, private: Private::NONE }];
    let (run_id, consumed) = (run_id.clone(), Vec::new());
    Append { run_id, epoch: 1, records, consumed, holds: Vec::new(), entry, due: Due::Now }
}

async fn through_the_store(path: &Path, writers: u32) -> Outcome<Measured> {
    let store = Arc::new(SqliteStore::open(path, &Options::default())?);
    for number in 0..writers {
        RunLog::open(&*store, &principal(), &run(number), Open::New).await?;
    }
    let before = store.stats();
    let begun = Instant::now();
    let mut tasks = JoinSet::new();
    for number in 0..writers {
        tasks.spawn(write(Arc::clone(&store), number, APPENDS / writers));
    }
    while let Some(task) = tasks.join_next().await {
        task??;
    }
    let seconds = begun.elapsed().as_secs_f64();
    let commits = u32::try_from(store.stats().commits - before.commits)?;
    Ok(Measured {
        rate: f64::from(APPENDS) / seconds,
        requests_per_commit: f64::from(APPENDS) / f64::from(commits),
    })
}

async fn write(store: Arc<SqliteStore>, number: u32, appends: u32) -> Outcome<()> {
    let (principal, run_id) = (principal(), run(number));
    for sequence in 0..appends {
        store.append(&principal, batch(&run_id, sequence)).await?;
    }
    Ok(())
}

/// The rows of the same appends, written by one loop without checks, savepoints or threads, `group` to a commit.
fn bare(path: &Path, writers: u32, group: u32) -> Outcome<f64> {
    let connection = Connection::open(path.join("floor.db"))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.execute_batch(include_str!("../schema.sql"))?;
    let mut insert_run = connection
        .prepare("INSERT INTO runs (tenant, run_id, epoch, next, ended) VALUES ('acme', ?1, 1, 0, 0)")?;
    for number in 0..writers {
        insert_run.execute([run(number).as_str()])?;
    }
    let begun = Instant::now();
    let places: Vec<(u32, u32)> =
        (0..APPENDS / writers).flat_map(|turn| (0..writers).map(move |number| (number, turn))).collect();
    for group in places.chunks(usize::try_from(group)?) {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        group.iter().try_for_each(|(number, sequence)| bare_append(&connection, *number, *sequence))?;
        connection.execute_batch("COMMIT")?;
    }
    Ok(f64::from(APPENDS) / begun.elapsed().as_secs_f64())
}

fn bare_append(connection: &Connection, number: u32, sequence: u32) -> Outcome<()> {
    let run_id = run(number);
    let batch = batch(&run_id, sequence);
    let event = serde_json::to_string(&batch.records[0].event)?;
    connection
        .prepare_cached("INSERT INTO records (tenant, run_id, sequence, event) VALUES ('acme', ?1, ?2, ?3)")?
        .execute(params![run_id.as_str(), sequence, event])?;
    connection
        .prepare_cached(
            "UPDATE runs SET next = ?2, workflow_id = 'newsroom', status = 'running', started_at = 0, \
             updated_at = 0 WHERE tenant = 'acme' AND run_id = ?1",
        )?
        .execute(params![run_id.as_str(), sequence + 1])?;
    Ok(())
}
