//! The table of runs: where each log stands, and the index.

use std::str::FromStr;

use cuebook_log::{Append, Head, LogError, Open, RunEntry};
use cuebook_wire::{RunId, RunStatus, Sequence, Timestamp, WorkflowId};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::error::{damaged, storage};
use crate::watchers::Key;

/// Opens a run as [`cuebook_log::RunLog::open`] promises, and gives the epoch.
pub(crate) fn open(connection: &Connection, run: &Key, how: Open) -> Result<u64, LogError> {
    match (find_head(connection, run)?, how) {
        (Some(_), Open::New) => Err(LogError::RunExists(run.1.clone())),
        (None, Open::TakeOver) => Err(unknown(run)),
        (None, Open::New) => insert(connection, run, &Head::new()),
        (Some(mut head), Open::TakeOver) => {
            let epoch = head.take_over();
            set_epoch(connection, run, epoch).map(|()| epoch)
        }
    }
}

/// Where the log of a run stands.
pub(crate) fn head(connection: &Connection, run: &Key) -> Result<Head, LogError> {
    find_head(connection, run)?.ok_or_else(|| unknown(run))
}

/// Whether the run is there, as an error when it is not.
pub(crate) fn check_known(connection: &Connection, run: &Key) -> Result<(), LogError> {
    head(connection, run).map(drop)
}

fn find_head(connection: &Connection, run: &Key) -> Result<Option<Head>, LogError> {
    let sql = "SELECT epoch, next, ended FROM runs WHERE tenant = ?1 AND run_id = ?2";
    let read = || {
        let mut statement = connection.prepare_cached(sql)?;
        statement.query_row(params![run.0, run.1.as_str()], to_head).optional()
    };
    read().map_err(|error| storage("read a run", &error))
}

fn to_head(row: &Row<'_>) -> rusqlite::Result<Head> {
    Ok(Head { epoch: unsigned(row.get(0)?), next: Sequence(unsigned(row.get(1)?)), ended: row.get(2)? })
}

fn insert(connection: &Connection, run: &Key, head: &Head) -> Result<u64, LogError> {
    let sql = "INSERT INTO runs (tenant, run_id, epoch, next, ended) VALUES (?1, ?2, ?3, ?4, ?5)";
    let write = || {
        let mut statement = connection.prepare_cached(sql)?;
        let (epoch, next) = (signed(head.epoch), signed(head.next.0));
        statement.execute(params![run.0, run.1.as_str(), epoch, next, head.ended])
    };
    write().map(|_| head.epoch).map_err(|error| storage("begin a run", &error))
}

fn set_epoch(connection: &Connection, run: &Key, epoch: u64) -> Result<(), LogError> {
    let sql = "UPDATE runs SET epoch = ?3 WHERE tenant = ?1 AND run_id = ?2";
    let write = || {
        let mut statement = connection.prepare_cached(sql)?;
        statement.execute(params![run.0, run.1.as_str(), signed(epoch)])
    };
    write().map(drop).map_err(|error| storage("take a run over", &error))
}

/// Writes where the log stands after `batch`, and how lists show the run from then on.
pub(crate) fn advance(
    connection: &Connection,
    tenant: &str,
    batch: &Append,
    head: &Head,
) -> Result<(), LogError> {
    let sql = "UPDATE runs SET next = ?3, ended = ?4, workflow_id = ?5, status = ?6, started_at = ?7, \
               updated_at = ?8 WHERE tenant = ?1 AND run_id = ?2";
    let write = || {
        let entry = &batch.entry;
        connection.prepare_cached(sql)?.execute(params![
            tenant,
            batch.run_id.as_str(),
            signed(head.next.0),
            head.ended,
            entry.workflow_id.as_str(),
            entry.status.as_str(),
            entry.started_at.as_millis(),
            entry.updated_at.as_millis(),
        ])
    };
    write().map(drop).map_err(|error| storage("write the entry of a run", &error))
}

/// The entry of a run that has one.
pub(crate) fn entry(connection: &Connection, run: &Key) -> Result<RunEntry, LogError> {
    let sql = "SELECT run_id, workflow_id, status, started_at, updated_at FROM runs \
               WHERE tenant = ?1 AND run_id = ?2 AND workflow_id IS NOT NULL";
    let read = || {
        let mut statement = connection.prepare_cached(sql)?;
        statement.query_row(params![run.0, run.1.as_str()], Columns::read).optional()
    };
    let columns = read().map_err(|error| storage("read the entry of a run", &error))?;
    columns.ok_or_else(|| unknown(run))?.entry()
}

/// The entries of a tenant, newest first; of these statuses, or of all when none is named.
pub(crate) fn list(
    connection: &Connection,
    tenant: &str,
    statuses: &[RunStatus],
    limit: usize,
) -> Result<Vec<RunEntry>, LogError> {
    let sql = "SELECT run_id, workflow_id, status, started_at, updated_at FROM runs \
               WHERE tenant = ?1 AND workflow_id IS NOT NULL \
               AND (?3 IS NULL OR status IN (SELECT value FROM json_each(?3))) \
               ORDER BY started_at DESC, run_id DESC LIMIT ?2";
    let read = || {
        let mut statement = connection.prepare_cached(sql)?;
        let asked = params![tenant, signed_limit(limit), status_list(statuses)];
        let rows = statement.query_map(asked, Columns::read)?;
        rows.collect::<Result<Vec<_>, _>>()
    };
    let rows = read().map_err(|error| storage("list runs", &error))?;
    rows.into_iter().map(Columns::entry).collect()
}

/// Statuses as a JSON array, which SQLite takes as a list; none when there is no choice to make.
pub(crate) fn status_list(statuses: &[RunStatus]) -> Option<String> {
    let names: Vec<&str> = statuses.iter().map(|status| status.as_str()).collect();
    (!names.is_empty()).then(|| serde_json::json!(names).to_string())
}

/// The columns of an entry, as they are stored.
struct Columns {
    run_id: String,
    workflow_id: String,
    status: String,
    started_at: i64,
    updated_at: i64,
}

impl Columns {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            run_id: row.get(0)?,
            workflow_id: row.get(1)?,
            status: row.get(2)?,
            started_at: row.get(3)?,
            updated_at: row.get(4)?,
        })
    }

    fn entry(self) -> Result<RunEntry, LogError> {
        let status = RunStatus::from_str(&self.status);
        Ok(RunEntry {
            status: status.map_err(|_| damaged(format_args!("the status of run '{}'", self.run_id)))?,
            run_id: RunId::new(self.run_id),
            workflow_id: WorkflowId::new(self.workflow_id),
            started_at: Timestamp::from_millis(self.started_at),
            updated_at: Timestamp::from_millis(self.updated_at),
        })
    }
}

pub(crate) fn unknown(run: &Key) -> LogError {
    LogError::UnknownRun(run.1.clone())
}

/// A number as SQLite holds it. Logs end long before the range does.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A limit as SQLite holds it.
pub(crate) fn signed_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// A number that this crate has stored.
pub(crate) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
