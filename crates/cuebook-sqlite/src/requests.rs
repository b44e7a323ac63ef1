//! The table of requests that are done once.

use std::sync::Arc;

use cuebook_log::{Claim, Claimed, Ending, LogError, Reply, RequestKey};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::error::{damaged, storage};

/// Claims a request, and forgets what is too old.
pub(crate) fn claim(connection: &Connection, tenant: &str, claim: &Claim) -> Result<Claimed, LogError> {
    let failed = |error| storage("claim a request", &error);
    forget(connection, tenant, claim).map_err(failed)?;
    match find(connection, tenant, &claim.request).map_err(failed)? {
        None => {
            insert(connection, tenant, claim).map(|()| Claimed::Yours(claim.ticket.clone())).map_err(failed)
        }
        Some(known) => known.again(connection, tenant, claim),
    }
}

/// Ends the attempt of a request that is under way.
pub(crate) fn settle(
    connection: &Connection,
    tenant: &str,
    request: &RequestKey,
    ending: &Ending,
) -> Result<(), LogError> {
    let ended = match ending {
        Ending::Answered(reply) => answer(connection, tenant, request, reply),
        Ending::Abandoned => own(connection, tenant, request, None),
        Ending::Forgotten => remove(connection, tenant, request),
    };
    ended.map_err(|error| storage("end a request", &error))
}

fn forget(connection: &Connection, tenant: &str, claim: &Claim) -> rusqlite::Result<()> {
    let sql = "DELETE FROM requests WHERE tenant = ?1 AND claimed_at <= ?2";
    connection.prepare_cached(sql)?.execute(params![tenant, claim.forgotten.as_millis()]).map(drop)
}

fn insert(connection: &Connection, tenant: &str, claim: &Claim) -> rusqlite::Result<()> {
    let sql = "INSERT INTO requests (tenant, endpoint, key, body, owner, ticket, claimed_at) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let Claim { request: RequestKey { endpoint, key }, body, owner, ticket, at, .. } = claim;
    let row = params![tenant, endpoint, key, body.as_str(), owner, ticket, at.as_millis()];
    connection.prepare_cached(sql)?.execute(row).map(drop)
}

fn own(
    connection: &Connection,
    tenant: &str,
    request: &RequestKey,
    owner: Option<&str>,
) -> rusqlite::Result<()> {
    let sql = "UPDATE requests SET owner = ?4 \
               WHERE tenant = ?1 AND endpoint = ?2 AND key = ?3 AND status IS NULL";
    let row = params![tenant, request.endpoint, request.key, owner];
    connection.prepare_cached(sql)?.execute(row).map(drop)
}

fn answer(
    connection: &Connection,
    tenant: &str,
    request: &RequestKey,
    reply: &Reply,
) -> rusqlite::Result<()> {
    let sql = "UPDATE requests SET status = ?4, headers = ?5, reply = ?6 \
               WHERE tenant = ?1 AND endpoint = ?2 AND key = ?3 AND status IS NULL";
    let headers = serde_json::to_string(&reply.headers).unwrap_or_default();
    let row = params![tenant, request.endpoint, request.key, reply.status, headers, &*reply.body];
    connection.prepare_cached(sql)?.execute(row).map(drop)
}

fn remove(connection: &Connection, tenant: &str, request: &RequestKey) -> rusqlite::Result<()> {
    let sql = "DELETE FROM requests WHERE tenant = ?1 AND endpoint = ?2 AND key = ?3 AND status IS NULL";
    connection.prepare_cached(sql)?.execute(params![tenant, request.endpoint, request.key]).map(drop)
}

fn find(connection: &Connection, tenant: &str, request: &RequestKey) -> rusqlite::Result<Option<Known>> {
    let sql = "SELECT body, owner, ticket, status, headers, reply FROM requests \
               WHERE tenant = ?1 AND endpoint = ?2 AND key = ?3";
    let mut statement = connection.prepare_cached(sql)?;
    statement.query_row(params![tenant, request.endpoint, request.key], Known::read).optional()
}

/// A request that was claimed, as it is stored.
struct Known {
    body: String,
    owner: Option<String>,
    ticket: String,
    reply: Option<(u16, String, Arc<str>)>,
}

impl Known {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let reply = match row.get::<_, Option<u16>>(3)? {
            None => None,
            Some(status) => Some((status, row.get(4)?, row.get(5)?)),
        };
        Ok(Self { body: row.get(0)?, owner: row.get(1)?, ticket: row.get(2)?, reply })
    }

    /// What a later claim is told; it takes over what nobody is at.
    fn again(self, connection: &Connection, tenant: &str, claim: &Claim) -> Result<Claimed, LogError> {
        if self.body != claim.body.as_str() {
            return Ok(Claimed::Mismatch);
        }
        if let Some((status, headers, body)) = self.reply {
            let headers = serde_json::from_str(&headers).map_err(|_| damaged("the answer of a request"))?;
            return Ok(Claimed::Answered(Reply { status, headers, body }));
        }
        if self.owner.as_ref() == Some(&claim.owner) {
            return Ok(Claimed::InFlight);
        }
        own(connection, tenant, &claim.request, Some(&claim.owner))
            .map_err(|error| storage("take a request over", &error))?;
        Ok(Claimed::Yours(self.ticket))
    }
}
