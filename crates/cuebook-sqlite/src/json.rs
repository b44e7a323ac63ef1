//! Records and signals as JSON text, and back.
//!
//! It refuses to write what could not be read again. Text is made on the caller's thread, so that the one that writes
//! has only to write.

use cuebook_log::{LogError, Private, Record};
use cuebook_wire::depth::is_within;
use cuebook_wire::{RunId, Sequence};
use serde_json::Value as Json;

use crate::error::damaged;

/// A record as it stands in its row.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) sequence: Sequence,
    pub(crate) event: String,
    pub(crate) private: Option<String>,
}

/// The rows of `records`.
///
/// # Errors
///
/// [`LogError::Storage`] when a payload or private part is nested deeper than [`Record::MAX_DEPTH`].
pub(crate) fn to_rows(records: &[Record]) -> Result<Vec<Row>, LogError> {
    records.iter().map(to_row).collect()
}

fn to_row(record: &Record) -> Result<Row, LogError> {
    let sequence = record.event.sequence;
    check_depth(&record.event.payload, || format!("the payload of record {sequence}"))?;
    let private = record.private.as_json();
    if let Some(json) = private {
        check_depth(json, || format!("the private part of record {sequence}"))?;
    }
    let event = serde_json::to_string(&record.event);
    let event = event.map_err(|_| LogError::Storage(format!("record {sequence} has no JSON form")))?;
    Ok(Row { sequence, event, private: private.map(Json::to_string) })
}

/// The record of a row of `run_id`.
///
/// # Errors
///
/// [`LogError::Storage`] when the row does not hold what [`to_rows`] makes.
pub(crate) fn from_row(run_id: &RunId, row: &Row) -> Result<Record, LogError> {
    let broken = |_| damaged(format_args!("record {} of run '{run_id}'", row.sequence));
    let event = serde_json::from_str(&row.event).map_err(broken)?;
    let private = row.private.as_deref().map(serde_json::from_str).transpose().map_err(broken)?;
    Ok(Record { event, private: Private::from_json(private) })
}

/// The text of a signal's body.
///
/// # Errors
///
/// [`LogError::Storage`] when it is nested deeper than [`Record::MAX_DEPTH`].
pub(crate) fn to_body(body: &Json) -> Result<String, LogError> {
    check_depth(body, || "the body of a signal".to_owned())?;
    Ok(body.to_string())
}

/// The body of a signal of `run_id`.
///
/// # Errors
///
/// [`LogError::Storage`] when the text is not what [`to_body`] makes.
pub(crate) fn from_body(run_id: &RunId, text: &str) -> Result<Json, LogError> {
    serde_json::from_str(text).map_err(|_| damaged(format_args!("a signal of run '{run_id}'")))
}

fn check_depth(json: &Json, what: impl FnOnce() -> String) -> Result<(), LogError> {
    if is_within(json, Record::MAX_DEPTH) {
        return Ok(());
    }
    Err(LogError::Storage(format!("{} is nested deeper than {} levels", what(), Record::MAX_DEPTH)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_damaged_is_named_and_not_shown() {
        let run_id = RunId::new("run");
        let row = Row { sequence: Sequence(7), event: "\"canary\"".to_owned(), private: None };
        let error = from_row(&run_id, &row).expect_err("no event");
        assert_eq!(
            error.to_string(),
            "storage failed: record 7 of run 'run' is damaged; restore the database from a copy"
        );
        let error = from_body(&run_id, "canary").expect_err("no JSON");
        assert_eq!(
            error.to_string(),
            "storage failed: a signal of run 'run' is damaged; restore the database from a copy"
        );
    }

    #[test]
    fn what_is_too_deep_is_refused_by_name() {
        let deep = (0..Record::MAX_DEPTH).fold(json!([]), |inner, _| json!([inner]));
        let error = to_body(&deep).expect_err("too deep");
        assert_eq!(
            error.to_string(),
            "storage failed: the body of a signal is nested deeper than 100 levels"
        );
    }
}
