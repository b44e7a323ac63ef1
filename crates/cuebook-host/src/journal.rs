//! The journal: a run's log as a file of JSON lines, for keeping and for explaining later.
//!
//! The first line holds the format's version and the workflow; every other line is a record. It has no secrets, as
//! the log has none.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cuebook_engine::{Compiled, Plan, RunState};
use cuebook_log::{Private, Record};
use cuebook_template::Diagnostic;
use cuebook_wire::{ErrorCode, RunEvent, Sequence, WorkflowDefinition};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use tempfile::NamedTempFile;

use crate::files::{read_text, shown};
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

/// A journal to be written. Its place is taken before the run, so that no run is lost to a path that cannot be written.
#[derive(Debug)]
pub struct JournalFile {
    path: PathBuf,
    file: NamedTempFile,
}

impl JournalFile {
    /// Makes sure that a journal can be written to `path`, which stays as it is until [`Self::write`].
    ///
    /// # Errors
    ///
    /// `file_unreadable` when `path` is a directory, or no file can be made beside it.
    pub fn create(path: &Path) -> Result<Self, Problems> {
        let directory =
            path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
        if path.is_dir() {
            return Err(problem(path, "it is a directory"));
        }
        if !directory.is_dir() {
            return Err(problem(path, &format!("there is no directory {}", shown(directory))));
        }
        let file = NamedTempFile::new_in(directory).map_err(|error| problem(path, &reason(&error)))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Writes a run's log, whole or not at all, in place of what was there.
    ///
    /// # Errors
    ///
    /// `file_unreadable` when the file cannot be written.
    pub fn write(mut self, plan: &Plan, records: &[Record]) -> Result<(), Problems> {
        let text = encode(plan, records).map_err(|error| problem(&self.path, &error.to_string()))?;
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.as_file().sync_all());
        let persisted =
            written.and_then(|()| self.file.persist(&self.path).map(drop).map_err(|error| error.error));
        persisted.map_err(|error| problem(&self.path, &reason(&error)))
    }
}

/// What is wrong, without the temporary name that the error may hold.
fn reason(error: &std::io::Error) -> String {
    error.kind().to_string()
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
    let header: Header = serde_json::from_str(first).map_err(|error| problem(path, &in_line(1, &error)))?;
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
        let Line { event, private } =
            serde_json::from_str(line).map_err(|error| problem(path, &in_line(at + 1, &error)))?;
        if event.sequence != Sequence(records.len() as u64) {
            return Err(problem(path, &out_of_turn(at + 1, records.len(), event.sequence)));
        }
        records.push(Record { event, private: Private::from_json(private) });
    }
    let state =
        RunState::of_log(&records, Arc::new(plan)).map_err(|error| problem(path, &error.to_string()))?;
    let state = state.ok_or_else(|| problem(path, "it holds no record"))?;
    Ok(Journal { records, state })
}

/// What is wrong with a line, by the number of that line in the file.
fn in_line(number: usize, error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or_default();
    format!("line {number}, column {}: {what}", error.column())
}

fn out_of_turn(line: usize, expected: usize, found: Sequence) -> String {
    format!("line {line}: record {expected} is expected here, and it is record {found}")
}

fn problem(path: &Path, reason: &str) -> Problems {
    let message = format!("the journal {} cannot be used: {reason}", shown(path));
    Diagnostic::error(ErrorCode::FileUnreadable.as_str(), message).into()
}
