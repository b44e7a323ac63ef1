//! The table of runs that have not ended, and when each needs its writer next.

use cuebook_log::{Due, LogError, RunKey, Unfinished};
use cuebook_wire::{RunId, Timestamp};
use rusqlite::{Connection, Row, params};

use crate::error::storage;
use crate::runs::signed_limit;

/// How [`Due::Now`] is stored; times are greater.
const NOW: i64 = 0;

/// Writes when a run is due; an ended one is taken out. A row that says so already is not written.
pub(crate) fn write(
    connection: &Connection,
    tenant: &str,
    run_id: &RunId,
    due: Option<Due>,
) -> Result<(), LogError> {
    let delete = "DELETE FROM unfinished WHERE tenant = ?1 AND run_id = ?2";
    let upsert = "INSERT INTO unfinished (tenant, run_id, due) VALUES (?1, ?2, ?3) \
                  ON CONFLICT (tenant, run_id) DO UPDATE SET due = excluded.due \
                  WHERE due IS NOT excluded.due";
    let write = || match due {
        None => connection.prepare_cached(delete)?.execute(params![tenant, run_id.as_str()]),
        Some(due) => {
            connection.prepare_cached(upsert)?.execute(params![tenant, run_id.as_str(), column(due)])
        }
    };
    write().map(drop).map_err(|error| storage("write when a run is due", &error))
}

fn column(due: Due) -> Option<i64> {
    match due {
        Due::Now => Some(NOW),
        Due::At(at) => Some(at.as_millis().max(NOW + 1)),
        Due::OnSignal => None,
    }
}

fn due_of(column: Option<i64>) -> Due {
    match column {
        None => Due::OnSignal,
        Some(NOW) => Due::Now,
        Some(millis) => Due::At(Timestamp::from_millis(millis)),
    }
}

/// A page of the runs that have not ended, by key.
pub(crate) fn unfinished(
    connection: &Connection,
    after: Option<&RunKey>,
    limit: usize,
) -> Result<Vec<Unfinished>, LogError> {
    let sql = "SELECT tenant, run_id, due, updated_at, EXISTS (SELECT 1 FROM signals \
                   WHERE signals.tenant = runs.tenant AND signals.run_id = runs.run_id AND consumed = 0) \
               FROM unfinished JOIN runs USING (tenant, run_id) \
               WHERE ?1 IS NULL OR (tenant, run_id) > (?1, ?2) ORDER BY tenant, run_id LIMIT ?3";
    let read = || {
        let mut statement = connection.prepare_cached(sql)?;
        let (tenant, run_id) = parts(after);
        let rows = statement.query_map(params![tenant, run_id, signed_limit(limit)], |row| {
            Ok(Unfinished {
                key: key(row, 0)?,
                due: due_of(row.get(2)?),
                updated_at: Timestamp::from_millis(row.get(3)?),
                is_signalled: row.get(4)?,
            })
        })?;
        rows.collect::<Result<Vec<_>, _>>()
    };
    read().map_err(|error| storage("read what remains to be done", &error))
}

/// A page of the runs that are due at a time, earliest first.
pub(crate) fn due(
    connection: &Connection,
    after: Option<&(Timestamp, RunKey)>,
    limit: usize,
) -> Result<Vec<(Timestamp, RunKey)>, LogError> {
    let sql = "SELECT due, tenant, run_id FROM unfinished \
               WHERE due > 0 AND (due, tenant, run_id) > (?1, ?2, ?3) ORDER BY due, tenant, run_id LIMIT ?4";
    let read = || {
        let mut statement = connection.prepare_cached(sql)?;
        let at = after.map_or(i64::MIN, |(at, _)| at.as_millis());
        let (tenant, run_id) = parts(after.map(|(_, key)| key));
        let from = params![at, tenant.unwrap_or_default(), run_id.unwrap_or_default(), signed_limit(limit)];
        let rows =
            statement.query_map(from, |row| Ok((Timestamp::from_millis(row.get(0)?), key(row, 1)?)))?;
        rows.collect::<Result<Vec<_>, _>>()
    };
    read().map_err(|error| storage("read what is due", &error))
}

fn parts(key: Option<&RunKey>) -> (Option<&str>, Option<&str>) {
    key.map(|key| (key.tenant.as_str(), key.run_id.as_str())).unzip()
}

fn key(row: &Row<'_>, first: usize) -> rusqlite::Result<RunKey> {
    Ok(RunKey { tenant: row.get(first)?, run_id: RunId::new(row.get::<_, String>(first + 1)?) })
}
