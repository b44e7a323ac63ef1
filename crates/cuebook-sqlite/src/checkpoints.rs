//! The table of checkpoints, one for each run at most.

use cuebook_log::{Checkpoint, LogError};
use cuebook_wire::Sequence;
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::storage;
use crate::runs::{check_known, signed, unsigned};
use crate::watchers::Key;

/// Keeps a checkpoint whose state is `state`, unless the fold has one that goes further.
pub(crate) fn keep(
    connection: &Connection,
    run: &Key,
    checkpoint: &Checkpoint,
    state: &str,
) -> Result<(), LogError> {
    check_known(connection, run)?;
    let sql = "INSERT INTO checkpoints (tenant, run_id, next, fold, state) VALUES (?1, ?2, ?3, ?4, ?5) \
               ON CONFLICT (tenant, run_id) DO UPDATE \
               SET next = excluded.next, fold = excluded.fold, state = excluded.state \
               WHERE fold <> excluded.fold OR next <= excluded.next";
    let write = || {
        let next = signed(checkpoint.next.0);
        let row = params![run.0, run.1.as_str(), next, checkpoint.fold, state];
        connection.prepare_cached(sql)?.execute(row)
    };
    write().map(drop).map_err(|error| storage("write a checkpoint", &error))
}

/// The checkpoint of a run, if the fold `fold` made it. One that cannot be read is none.
pub(crate) fn latest(connection: &Connection, run: &Key, fold: u32) -> Result<Option<Checkpoint>, LogError> {
    let sql = "SELECT next, state FROM checkpoints WHERE tenant = ?1 AND run_id = ?2 AND fold = ?3";
    let read = || {
        let mut statement = connection.prepare_cached(sql)?;
        let row = statement.query_row(params![run.0, run.1.as_str(), fold], |row| {
            Ok((unsigned(row.get(0)?), row.get::<_, String>(1)?))
        });
        row.optional()
    };
    let Some((next, state)) = read().map_err(|error| storage("read a checkpoint", &error))? else {
        // Only then is it open whether the run is there.
        return check_known(connection, run).map(|()| None);
    };
    let state = serde_json::from_str(&state).ok();
    Ok(state.map(|state| Checkpoint { next: Sequence(next), fold, state }))
}

/// Deletes the checkpoint of a run.
pub(crate) fn forget(connection: &Connection, run: &Key) -> Result<(), LogError> {
    check_known(connection, run)?;
    let sql = "DELETE FROM checkpoints WHERE tenant = ?1 AND run_id = ?2";
    let write = || connection.prepare_cached(sql)?.execute(params![run.0, run.1.as_str()]);
    write().map(drop).map_err(|error| storage("delete a checkpoint", &error))
}
