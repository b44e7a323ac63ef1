//! The table of holds: what each run keeps in place, and the scope that it works in.

use std::sync::Arc;

use cuebook_log::{Hold, LogError};
use cuebook_prompt::{ContentHash, Principal};
use cuebook_wire::RunId;
use rusqlite::{Connection, params};

use crate::blobs;
use crate::error::storage;
use crate::prompts::Shelf;
use crate::watchers::Key;

/// A hold as it is stored.
#[derive(Debug)]
pub(crate) struct Held {
    kind: &'static str,
    name: String,
    /// The body that comes with it.
    text: Option<Arc<str>>,
}

impl Held {
    pub(crate) fn of(hold: &Hold, principal: &Principal) -> Self {
        let (kind, name, text) = match hold {
            Hold::Body(text) => ("blob", ContentHash::of(text).as_str().to_owned(), Some(Arc::clone(text))),
            // Neither an id nor a version has a space.
            Hold::Template { template_id, version } => {
                ("template", format!("{template_id}@{version} {}", Shelf::of(principal).name()), None)
            }
            Hold::Run(run_id) => ("run", run_id.to_string(), None),
            Hold::Scope(scope) => ("scope", scope.clone(), None),
        };
        Self { kind, name, text }
    }
}

/// Has a run hold all of `held`.
pub(crate) fn take(connection: &Connection, run: &Key, held: &[Held]) -> Result<(), LogError> {
    let sql = "INSERT INTO holds (tenant, run_id, kind, name) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
    held.iter().try_for_each(|Held { kind, name, text }| {
        if let Some(text) = text {
            blobs::put(connection, &run.0, name, text)?;
        }
        let write = || connection.prepare_cached(sql)?.execute(params![run.0, run.1.as_str(), kind, name]);
        write().map(drop).map_err(|error| storage("write what a run holds", &error))
    })
}

/// The runs that hold a scope and have not ended.
pub(crate) fn in_scope(connection: &Connection, tenant: &str, scope: &str) -> Result<Vec<RunId>, LogError> {
    let sql = "SELECT run_id FROM holds JOIN unfinished USING (tenant, run_id) \
               WHERE tenant = ?1 AND kind = 'scope' AND name = ?2 ORDER BY run_id";
    let read = || {
        let mut statement = connection.prepare_cached(sql)?;
        let rows = statement.query_map(params![tenant, scope], |row| row.get::<_, String>(0))?;
        rows.map(|id| id.map(RunId::new)).collect::<Result<Vec<_>, _>>()
    };
    read().map_err(|error| storage("read who is in a scope", &error))
}
