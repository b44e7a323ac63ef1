//! What an author hands in: a context, and a stream in place of a file.
//!
//! It refuses to show what a context holds: its problems name a place and never quote the line.

use std::fs::File;
use std::io::{Read, stdin};
use std::path::Path;

use cuebook_template::{Diagnostic, Source};
use cuebook_wire::ErrorCode;
use serde_json::{Map, Value as Json};

use crate::document::Document;
use crate::files::{read_stream, read_text, shown, unreadable};
use crate::report::Problems;

/// The name of standard input in messages.
const STDIN: &str = "<stdin>";

/// Whether `file` stands for standard input: `-`.
pub fn is_stream(file: &Path) -> bool {
    file == Path::new("-")
}

/// The text of standard input.
pub(super) fn read_stdin() -> Result<Source, Problems> {
    read_stream(STDIN, stdin().lock())
}

/// Reads a context: a JSON object in a file, or on standard input for `-`.
///
/// # Errors
///
/// `file_unreadable`; `validation_error` when it is no JSON, no object, or has a key twice.
pub fn read_context(file: &Path) -> Result<Map<String, Json>, Problems> {
    let source = if is_stream(file) { read_stdin()? } else { read_text(file)? };
    let name = source.name().to_string();
    let document = Document::json(source).map_err(without_text)?;
    match document.value() {
        Json::Object(members) => Ok(members.clone()),
        other => {
            let message = format!("the context {name} is {}, not an object", kind_of(other));
            let problem = Diagnostic::error(ErrorCode::ValidationError.as_str(), message);
            Err(problem.with_hint("write { \"name\": value, … }").into())
        }
    }
}

/// Problems with their places in words, so that nothing of the text is drawn.
fn without_text(problems: Problems) -> Problems {
    let blind = |problem: Diagnostic| match problem.label {
        Some(place) => {
            Diagnostic { message: format!("{place}: {}", problem.message), label: None, ..problem }
        }
        None => problem,
    };
    problems.into_iter().map(blind).collect()
}

/// The kind of a value, with its article.
pub(super) fn kind_of(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

/// Opens a batch with the name that its lines go by: a file, or standard input for `-`.
///
/// # Errors
///
/// `file_unreadable` when it is not there or a directory.
pub fn open_batch(file: &Path) -> Result<(String, Box<dyn Read>), Problems> {
    if is_stream(file) {
        return Ok((STDIN.to_owned(), Box::new(stdin())));
    }
    if file.is_dir() {
        return Err(unreadable(file, "it is a directory"));
    }
    let opened = File::open(file).map_err(|error| unreadable(file, &error.to_string()))?;
    Ok((shown(file).to_string(), Box::new(opened)))
}
