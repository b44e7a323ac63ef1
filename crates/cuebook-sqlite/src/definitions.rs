//! The table of workflow definitions.

use cuebook_log::{Definition, LogError};
use cuebook_prompt::ContentHash;
use cuebook_wire::WorkflowId;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::error::{damaged, storage};
use crate::runs::signed_limit;

/// Registers `definition` in place of an earlier one of its workflow.
pub(crate) fn put(connection: &Connection, tenant: &str, definition: &Definition) -> Result<(), LogError> {
    let sql = "INSERT INTO definitions (tenant, workflow_id, hash, text) VALUES (?1, ?2, ?3, ?4) \
               ON CONFLICT (tenant, workflow_id) DO UPDATE SET hash = excluded.hash, text = excluded.text";
    let write = || {
        let Definition { workflow_id, hash, text } = definition;
        connection.prepare_cached(sql)?.execute(params![tenant, workflow_id.as_str(), hash.as_str(), text])
    };
    write().map(drop).map_err(|error| storage("write a workflow definition", &error))
}

/// The definition of a workflow.
pub(crate) fn get(
    connection: &Connection,
    tenant: &str,
    workflow_id: &WorkflowId,
) -> Result<Option<Definition>, LogError> {
    let sql = "SELECT workflow_id, hash, text FROM definitions WHERE tenant = ?1 AND workflow_id = ?2";
    let read = || {
        let mut statement = connection.prepare_cached(sql)?;
        statement.query_row(params![tenant, workflow_id.as_str()], Columns::read).optional()
    };
    let columns = read().map_err(|error| storage("read a workflow definition", &error))?;
    columns.map(Columns::definition).transpose()
}

/// A page of the definitions of a tenant, in the order of their ids.
pub(crate) fn page(
    connection: &Connection,
    tenant: &str,
    after: Option<&WorkflowId>,
    limit: usize,
) -> Result<Vec<Definition>, LogError> {
    // Without `after` the page begins at the least text there is, and nothing is left out.
    let sql = "SELECT workflow_id, hash, text FROM definitions \
               WHERE tenant = ?1 AND workflow_id >= coalesce(?2, '') AND workflow_id IS NOT ?2 \
               ORDER BY workflow_id LIMIT ?3";
    let read = || {
        let mut statement = connection.prepare_cached(sql)?;
        let after = after.map(WorkflowId::as_str);
        let rows = statement.query_map(params![tenant, after, signed_limit(limit)], Columns::read)?;
        rows.collect::<Result<Vec<_>, _>>()
    };
    let rows = read().map_err(|error| storage("list workflow definitions", &error))?;
    rows.into_iter().map(Columns::definition).collect()
}

/// The columns of a definition, as they are stored.
struct Columns {
    workflow_id: String,
    hash: String,
    text: String,
}

impl Columns {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self { workflow_id: row.get(0)?, hash: row.get(1)?, text: row.get(2)? })
    }

    fn definition(self) -> Result<Definition, LogError> {
        let hash = ContentHash::of(&self.text);
        if hash.as_str() != self.hash {
            return Err(damaged(format_args!("the definition of workflow '{}'", self.workflow_id)));
        }
        Ok(Definition { workflow_id: WorkflowId::new(self.workflow_id), hash, text: self.text })
    }
}
