//! The table of signals: the inboxes of runs, and the keys that they know.

use cuebook_log::{LogError, Offered, Signal};
use cuebook_wire::RunId;
use rusqlite::{Connection, params};

use crate::error::storage;
use crate::json::from_body;
use crate::runs::{check_known, signed_limit};
use crate::watchers::Key;

/// Puts a signal at the end of an inbox, unless its key is known or `room` signals wait.
pub(crate) fn offer(
    connection: &Connection,
    run: &Key,
    key: &str,
    body: &str,
    room: usize,
) -> Result<Offered, LogError> {
    let sql = "INSERT INTO signals (tenant, run_id, key, place, body) \
               SELECT ?1, ?2, ?3, (SELECT coalesce(max(place), 0) + 1 FROM signals \
                                   WHERE tenant = ?1 AND run_id = ?2), ?4 \
               WHERE (SELECT count(*) FROM (SELECT 1 FROM signals \
                      WHERE tenant = ?1 AND run_id = ?2 AND consumed = 0 LIMIT ?5)) < ?5 \
               ON CONFLICT (tenant, run_id, key) DO NOTHING";
    let write = || {
        let row = params![run.0, run.1.as_str(), key, body, signed_limit(room)];
        connection.prepare_cached(sql)?.execute(row)
    };
    match write().map_err(|error| storage("write a signal", &error))? {
        0 if is_known(connection, run, key)? => Ok(Offered::Duplicate),
        0 => Ok(Offered::Full),
        _ => Ok(Offered::Accepted),
    }
}

fn is_known(connection: &Connection, run: &Key, key: &str) -> Result<bool, LogError> {
    let sql = "SELECT 1 FROM signals WHERE tenant = ?1 AND run_id = ?2 AND key = ?3";
    let read = || connection.prepare_cached(sql)?.exists(params![run.0, run.1.as_str(), key]);
    read().map_err(|error| storage("look for a signal", &error))
}

/// Takes the signals of `keys` out of an inbox; keys that do not wait are passed over.
pub(crate) fn consume(
    connection: &Connection,
    tenant: &str,
    run_id: &RunId,
    keys: &[String],
) -> Result<(), LogError> {
    let sql = "UPDATE signals SET consumed = 1 \
               WHERE tenant = ?1 AND run_id = ?2 AND key = ?3 AND consumed = 0";
    let write = || {
        let mut statement = connection.prepare_cached(sql)?;
        keys.iter().try_for_each(|key| statement.execute(params![tenant, run_id.as_str(), key]).map(drop))
    };
    write().map_err(|error| storage("consume signals", &error))
}

/// The signals that wait, oldest first.
pub(crate) fn pending(connection: &Connection, run: &Key) -> Result<Vec<Signal>, LogError> {
    let rows = waiting(connection, run).map_err(|error| storage("read signals", &error))?;
    if rows.is_empty() {
        // Only then is it open whether the run is there.
        check_known(connection, run)?;
    }
    let signal = |(key, body): (String, String)| Ok(Signal { key, body: from_body(&run.1, &body)? });
    rows.into_iter().map(signal).collect()
}

fn waiting(connection: &Connection, run: &Key) -> rusqlite::Result<Vec<(String, String)>> {
    let sql = "SELECT key, body FROM signals \
               WHERE tenant = ?1 AND run_id = ?2 AND consumed = 0 ORDER BY place";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params![run.0, run.1.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}
