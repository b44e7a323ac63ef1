//! The table of blobs: bodies by content hash.

use cuebook_log::LogError;
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::storage;

/// Stores `text` under `hash`, which is its own, unless it is there.
pub(crate) fn put(connection: &Connection, tenant: &str, hash: &str, text: &str) -> Result<(), LogError> {
    let sql = "INSERT INTO blobs (tenant, hash, text) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
    let write = || connection.prepare_cached(sql)?.execute(params![tenant, hash, text]);
    write().map(drop).map_err(|error| storage("write a blob", &error))
}

/// The text under `hash`.
pub(crate) fn get(connection: &Connection, tenant: &str, hash: &str) -> Result<Option<String>, LogError> {
    let sql = "SELECT text FROM blobs WHERE tenant = ?1 AND hash = ?2";
    let read = || {
        let mut statement = connection.prepare_cached(sql)?;
        statement.query_row(params![tenant, hash], |row| row.get(0)).optional()
    };
    read().map_err(|error| storage("read a blob", &error))
}
