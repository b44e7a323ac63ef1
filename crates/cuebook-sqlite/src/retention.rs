//! Removal of what nobody needs: finished runs with all that is theirs, and what lies about outside of runs.

use cuebook_log::{Expired, Expiry, Freed, LogError, RunKey, Sweep};
use cuebook_wire::{RunId, Timestamp};
use rusqlite::{Connection, OptionalExtension, Params, Row, params};

use crate::error::storage;
use crate::runs::{signed_limit, status_list, unsigned};

/// No other run was forked from this one.
const NOT_FORKED: &str = "NOT EXISTS (SELECT 1 FROM holds WHERE holds.tenant = runs.tenant \
                          AND kind = 'run' AND name = runs.run_id)";

/// The first tenant that has runs, after `after`.
pub(crate) fn next_tenant(connection: &Connection, after: Option<&str>) -> Result<Option<String>, LogError> {
    let sql = "SELECT min(tenant) FROM runs WHERE ?1 IS NULL OR tenant > ?1";
    let read = || connection.prepare_cached(sql)?.query_row([after], |row| row.get(0));
    read().map_err(|error| storage("read the tenants", &error))
}

/// A page of the runs of a tenant that may go, by their end.
pub(crate) fn expired(
    connection: &Connection,
    tenant: &str,
    expiry: &Expiry,
    after: Option<&Expired>,
    limit: usize,
) -> Result<Vec<Expired>, LogError> {
    let read = || {
        let Some((end, last)) = last_to_go(connection, tenant, expiry.keep)? else { return Ok(Vec::new()) };
        let sql = format!(
            "SELECT run_id, updated_at, next FROM runs WHERE tenant = ?1 AND ended = 1 \
             AND (updated_at, run_id) > (?2, ?3) AND (updated_at, run_id) <= (?4, ?5) AND updated_at <= ?6 \
             AND (?7 IS NULL OR status IN (SELECT value FROM json_each(?7))) AND {NOT_FORKED} \
             ORDER BY updated_at, run_id LIMIT ?8"
        );
        let from = after.map_or((i64::MIN, ""), |run| (run.ended_at.as_millis(), run.run_id.as_str()));
        let by = expiry.ended_by.map_or(i64::MAX, Timestamp::as_millis);
        let statuses = status_list(&expiry.statuses);
        let asked = params![tenant, from.0, from.1, end, last, by, statuses, signed_limit(limit)];
        connection.prepare_cached(&sql)?.query_map(asked, to_expired)?.collect()
    };
    read().map_err(|error| storage("read which runs may go", &error))
}

fn to_expired(row: &Row<'_>) -> rusqlite::Result<Expired> {
    Ok(Expired {
        run_id: RunId::new(row.get::<_, String>(0)?),
        ended_at: Timestamp::from_millis(row.get(1)?),
        records: unsigned(row.get(2)?),
    })
}

/// The end and the id of the last run that is not among the `keep` that ended last.
fn last_to_go(connection: &Connection, tenant: &str, keep: usize) -> rusqlite::Result<Option<(i64, String)>> {
    let sql = "SELECT updated_at, run_id FROM runs WHERE tenant = ?1 AND ended = 1 \
               ORDER BY updated_at DESC, run_id DESC LIMIT 1 OFFSET ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let asked = params![tenant, signed_limit(keep)];
    statement.query_row(asked, |row| Ok((row.get(0)?, row.get(1)?))).optional()
}

/// Removes a run and the bodies that no other holds, in the transaction of `connection`; `None` when it has to stay.
pub(crate) fn remove_run(connection: &Connection, run: &RunKey) -> Result<Option<Freed>, LogError> {
    let remove = || {
        if !may_go(connection, run)? {
            return Ok(None);
        }
        let (records, bytes) = size(connection, run)?;
        let mut freed = remove_blobs(connection, run)?;
        freed += Freed { records, bytes, ..Freed::default() };
        for table in ["records", "signals", "checkpoints", "unfinished", "holds", "runs"] {
            let sql = format!("DELETE FROM {table} WHERE tenant = ?1 AND run_id = ?2");
            connection.prepare_cached(&sql)?.execute(params![run.tenant, run.run_id.as_str()])?;
        }
        Ok(Some(freed))
    };
    remove().map_err(|error| storage("remove a run", &error))
}

fn may_go(connection: &Connection, run: &RunKey) -> rusqlite::Result<bool> {
    let sql = format!("SELECT 1 FROM runs WHERE tenant = ?1 AND run_id = ?2 AND ended = 1 AND {NOT_FORKED}");
    connection.prepare_cached(&sql)?.exists(params![run.tenant, run.run_id.as_str()])
}

/// How many records a run has, and the bytes of their texts.
fn size(connection: &Connection, run: &RunKey) -> rusqlite::Result<(u64, u64)> {
    let sql = "SELECT count(*), coalesce(sum(octet_length(event) + coalesce(octet_length(private), 0)), 0) \
               FROM records WHERE tenant = ?1 AND run_id = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_row(params![run.tenant, run.run_id.as_str()], |row| {
        Ok((unsigned(row.get(0)?), unsigned(row.get(1)?)))
    })
}

fn remove_blobs(connection: &Connection, run: &RunKey) -> rusqlite::Result<Freed> {
    let sql = "DELETE FROM blobs WHERE tenant = ?1 \
               AND hash IN (SELECT name FROM holds WHERE tenant = ?1 AND run_id = ?2 AND kind = 'blob') \
               AND NOT EXISTS (SELECT 1 FROM holds WHERE holds.tenant = blobs.tenant AND kind = 'blob' \
                               AND name = blobs.hash AND run_id <> ?2) \
               RETURNING octet_length(text)";
    let (blobs, bytes) = removed(connection, sql, params![run.tenant, run.run_id.as_str()])?;
    Ok(Freed { blobs, bytes, ..Freed::default() })
}

/// Removes what lies about outside of runs, in the transaction of `connection`.
pub(crate) fn sweep(connection: &Connection, sweep: &Sweep) -> Result<Freed, LogError> {
    let blobs = "DELETE FROM blobs WHERE rowid IN (SELECT rowid FROM blobs WHERE NOT EXISTS \
                     (SELECT 1 FROM holds WHERE holds.tenant = blobs.tenant AND kind = 'blob' \
                      AND name = blobs.hash) LIMIT ?1) RETURNING octet_length(text)";
    let templates = "DELETE FROM prompt_versions WHERE rowid IN (SELECT rowid FROM prompt_versions \
                         WHERE removed_at <= ?2 AND NOT EXISTS (SELECT 1 FROM holds \
                         WHERE holds.tenant = prompt_versions.tenant AND kind = 'template' \
                         AND name = template_id || '@' || version || ' ' || shelf) LIMIT ?1) \
                     RETURNING octet_length(document)";
    let requests = "DELETE FROM requests WHERE rowid IN (SELECT rowid FROM requests \
                        WHERE claimed_at <= ?2 LIMIT ?1) RETURNING coalesce(octet_length(reply), 0)";
    let limit = signed_limit(sweep.limit);
    let remove = || {
        let of_blobs = removed(connection, blobs, params![limit])?;
        let of_templates = removed(connection, templates, params![limit, sweep.removed_by.as_millis()])?;
        let of_requests = removed(connection, requests, params![limit, sweep.claimed_by.as_millis()])?;
        Ok(Freed {
            records: 0,
            blobs: of_blobs.0,
            templates: of_templates.0,
            requests: of_requests.0,
            bytes: of_blobs.1 + of_templates.1 + of_requests.1,
        })
    };
    remove().map_err(|error| storage("sweep up", &error))
}

/// How many rows a statement has removed, and the sum of what it tells of each.
fn removed(connection: &Connection, sql: &str, asked: impl Params) -> rusqlite::Result<(u64, u64)> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(asked, |row| row.get::<_, i64>(0))?;
    rows.map(|bytes| bytes.map(unsigned))
        .try_fold((0, 0), |(count, sum), bytes| Ok((count + 1, sum + bytes?)))
}
