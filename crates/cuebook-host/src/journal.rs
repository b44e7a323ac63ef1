//! The journal: a run's log as a file of JSON lines, for keeping and for explaining later.
//!
//! The first line holds the format's version and the workflow; every other line is a record. It has no secrets, as
//! the log has none.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use cuebook_engine::{Compiled, Plan, RunState};
use cuebook_log::{Private, Record};
use cuebook_template::Diagnostic;
use cuebook_wire::{ErrorCode, RunEvent, WorkflowDefinition};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::files::read_text;
use crate::report::Problems;

/// The version of the format that is written; only it is read.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Header {
    #[serde(rename = "cuebookJournal")]
    version: u32,
    workflow: WorkflowDefinition,
}

#[derive(Serialize, Deserialize)]
struct Line {
    event: RunEvent,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    private: Option<Json>,
}

/// A journal that was read: the log, and the state it folds to.
#[derive(Debug)]
pub struct Journal {
    /// The records.
    pub records: Vec<Record>,
    /// The state after the last of them.
    pub state: RunState,
}

/// Writes a run's log to `path`, whole or not at all.
///
/// # Errors
///
/// `file_unreadable` when the file cannot be written.
pub fn write(path: &Path, plan: &Plan, records: &[Record]) -> Result<(), Problems> {
    let text = encode(plan, records).map_err(|error| problem(path, &error.to_string()))?;
    let directory = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let persist = || -> std::io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path).map(drop).map_err(|error| error.error)
    };
    persist().map_err(|error| problem(path, &error.to_string()))
}

fn encode(plan: &Plan, records: &[Record]) -> serde_json::Result<String> {
    let header = Header { version: VERSION, workflow: (*plan.definition).clone() };
    let mut text = serde_json::to_string(&header)? + "\n";
    for record in records {
        let line = Line { event: record.event.clone(), private: record.private.as_json().cloned() };
        text.push_str(&serde_json::to_string(&line)?);
        text.push('\n');
    }
    Ok(text)
}

/// Reads a journal.
///
/// # Errors
///
/// When the file cannot be read, is of another version, or holds a record that cannot be folded, with its line.
pub fn read(path: &Path) -> Result<Journal, Problems> {
    let source = read_text(path)?;
    let mut lines = source.text().lines().enumerate();
    let (_, first) = lines.next().ok_or_else(|| problem(path, "it is empty"))?;
    let header: Header =
        serde_json::from_str(first).map_err(|error| problem(path, &format!("line 1: {error}")))?;
    if header.version != VERSION {
        return Err(problem(
            path,
            &format!("it has version {}; this program reads {VERSION}", header.version),
        ));
    }
    let Compiled { plan, .. } =
        Plan::compile(header.workflow).map_err(|faults| problem(path, &format!("line 1: {}", faults[0])))?;
    let mut records = Vec::new();
    for (at, line) in lines {
        let Line { event, private } = serde_json::from_str(line)
            .map_err(|error| problem(path, &format!("line {}: {error}", at + 1)))?;
        records.push(Record { event, private: Private::from_json(private) });
    }
    let state =
        RunState::of_log(&records, Arc::new(plan)).map_err(|error| problem(path, &error.to_string()))?;
    let state = state.ok_or_else(|| problem(path, "it holds no record"))?;
    Ok(Journal { records, state })
}

fn problem(path: &Path, reason: &str) -> Problems {
    let message = format!("the journal {} cannot be used: {reason}", path.display());
    Diagnostic::error(ErrorCode::FileUnreadable.as_str(), message).into()
}
