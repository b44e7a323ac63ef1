//! The table of records.

use cuebook_log::{LogError, Record};
use cuebook_wire::{RunId, Sequence};
use rusqlite::{Connection, params};

use crate::error::storage;
use crate::json::{Row, from_row};
use crate::runs::{check_known, signed, signed_limit, unsigned};
use crate::watchers::Key;

/// Writes `rows` into the log of a run, whose head has admitted them.
pub(crate) fn insert(
    connection: &Connection,
    tenant: &str,
    run_id: &RunId,
    rows: &[Row],
) -> Result<(), LogError> {
    let sql = "INSERT INTO records (tenant, run_id, sequence, event, private) VALUES (?1, ?2, ?3, ?4, ?5)";
    let write = || {
        let mut statement = connection.prepare_cached(sql)?;
        rows.iter().try_for_each(|row| {
            let sequence = signed(row.sequence.0);
            statement.execute(params![tenant, run_id.as_str(), sequence, row.event, row.private]).map(drop)
        })
    };
    write().map_err(|error| storage("write records", &error))
}

/// A page of the log of a run.
pub(crate) fn page(
    connection: &Connection,
    run: &Key,
    from: Sequence,
    limit: usize,
) -> Result<Vec<Record>, LogError> {
    let rows = rows(connection, run, from, limit).map_err(|error| storage("read records", &error))?;
    if rows.is_empty() {
        // Only then is it open whether the run is there.
        check_known(connection, run)?;
    }
    rows.iter().map(|row| from_row(&run.1, row)).collect()
}

fn rows(connection: &Connection, run: &Key, from: Sequence, limit: usize) -> rusqlite::Result<Vec<Row>> {
    let sql = "SELECT sequence, event, private FROM records \
               WHERE tenant = ?1 AND run_id = ?2 AND sequence >= ?3 ORDER BY sequence LIMIT ?4";
    let mut statement = connection.prepare_cached(sql)?;
    let from = signed(from.0);
    let rows = statement.query_map(params![run.0, run.1.as_str(), from, signed_limit(limit)], |row| {
        Ok(Row { sequence: Sequence(unsigned(row.get(0)?)), event: row.get(1)?, private: row.get(2)? })
    })?;
    rows.collect()
}
