//! Owns the strict reading of documents that are handed to us: every fault at once, each with its place, what was expected
//! and the nearest valid thing. Refuses unknown keys wherever the schema is closed, and never quotes a long value.

mod cache;
mod explain;
mod rules;

use std::any::type_name;
use std::cmp::Ordering;
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::ErrorCode;
use crate::pointer;
use crate::text::shorten;

/// One fault of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Where in the document, as a JSON Pointer (RFC 6901); empty for the document itself.
    pub path: String,
    /// The code of the fault.
    pub code: ErrorCode,
    /// What is wrong and what was expected, in one fragment.
    pub message: String,
    /// The nearest valid key, value or reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Fault {
    /// The fault `message` at `path`.
    pub fn new(path: impl Into<String>, code: ErrorCode, message: impl Into<String>) -> Self {
        Self { path: path.into(), code, message: message.into(), nearest: None, hint: None }
    }

    /// The same fault with the nearest valid thing, if there is one.
    pub fn nearest(self, nearest: Option<impl Into<String>>) -> Self {
        Self { nearest: nearest.map(Into::into), ..self }
    }

    /// The same fault with a hint.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// What to do about it in one sentence: the nearest valid thing, else the hint.
    pub fn advice(&self) -> Option<String> {
        let near = self.nearest.as_ref().map(|near| format!("did you mean '{near}'?"));
        near.or_else(|| self.hint.clone())
    }

    /// The same fault seen from outside: `prefix`, a JSON Pointer, leads to the part that it was found in.
    pub fn below(self, prefix: &str) -> Self {
        Self { path: format!("{prefix}{}", self.path), ..self }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.path.is_empty() { "the document" } else { &self.path };
        write!(f, "{place}: {}", self.message)?;
        if let Some(nearest) = &self.nearest {
            write!(f, " (did you mean `{nearest}`?)")?;
        }
        match &self.hint {
            Some(hint) => write!(f, "; hint: {hint}"),
            None => Ok(()),
        }
    }
}

/// A type that documents are read into strictly.
pub trait Document: JsonSchema + DeserializeOwned + 'static {
    /// The code of faults that have no more specific one.
    const CODE: ErrorCode;

    /// The faults that a schema cannot express.
    fn rules(&self) -> Vec<Fault> {
        Vec::new()
    }
}

/// Reads `value` as a `T` and reports every fault, in the order of the document's places.
///
/// # Errors
///
/// The faults, at least one: every violation of the schema of `T`; what only reading finds, such as a version with leading
/// zeros, when the schema holds; and what `T::rules` finds, when the value can be read at all.
///
/// # Example
///
/// ```
/// use cuebook_wire::{PromptTemplate, strict};
/// use serde_json::json;
///
/// let document = json!({ "templateId": "writer", "version": "1.0.0", "kind": "sytem", "txt": "You write." });
/// let faults = strict::read::<PromptTemplate>(&document).unwrap_err();
/// assert_eq!(faults.len(), 3);
/// assert_eq!(faults[1].path, "/kind");
/// assert_eq!(faults[1].nearest.as_deref(), Some("system"));
/// ```
pub fn read<T: Document>(value: &Value) -> Result<T, Vec<Fault>> {
    let compiled = cache::compiled::<T>();
    sound(compiled.as_deref().ok(), value).map_or_else(|| read_with_faults(compiled, value), Ok)
}

/// What `schema`, which came with a document, finds wrong with `value`; the faults carry `code`.
///
/// # Errors
///
/// Why the schema is none.
pub fn against(schema: Value, value: &Value, code: ErrorCode) -> Result<Vec<Fault>, String> {
    Ok(in_order(cache::Compiled::of(schema)?.faults(value, code)))
}

/// The document of a value with which nothing is wrong; nothing is kept of where faults would be.
fn sound<T: Document>(compiled: Option<&cache::Compiled>, value: &Value) -> Option<T> {
    compiled.filter(|compiled| compiled.allows(value))?;
    T::deserialize(value).ok().filter(|document| document.rules().is_empty())
}

fn read_with_faults<T: Document>(compiled: cache::Entry, value: &Value) -> Result<T, Vec<Fault>> {
    let mut faults = match compiled {
        Ok(compiled) => compiled.faults(value, T::CODE),
        Err(reason) => vec![broken_schema::<T>(&reason)],
    };
    let document = serde_path_to_error::deserialize::<_, T>(value);
    match &document {
        Ok(document) => faults.extend(document.rules()),
        Err(error) if faults.is_empty() => faults.push(unreadable(T::CODE, error)),
        Err(_) => {}
    }
    match document {
        Ok(document) if faults.is_empty() => Ok(document),
        _ => Err(in_order(faults)),
    }
}

fn broken_schema<T>(reason: &str) -> Fault {
    let message = format!("the schema of {} does not compile: {}", type_name::<T>(), shorten(reason));
    Fault::new("", ErrorCode::InternalError, message)
}

/// What serde stumbled over after the schema had no objection.
fn unreadable(code: ErrorCode, error: &serde_path_to_error::Error<serde_json::Error>) -> Fault {
    let path: String = error.path().iter().filter_map(step).collect();
    Fault::new(path, code, error.inner().to_string().chars().take(120).collect::<String>())
}

fn step(segment: &serde_path_to_error::Segment) -> Option<String> {
    use serde_path_to_error::Segment::{Enum, Map, Seq, Unknown};
    match segment {
        Seq { index } => Some(format!("/{index}")),
        Map { key } => Some(pointer::step(key)),
        Enum { .. } | Unknown => None,
    }
}

/// Sorts by place, indices by number, and drops repetitions.
fn in_order(mut faults: Vec<Fault>) -> Vec<Fault> {
    faults.sort_by(|left, right| {
        by_place(&left.path, &right.path).then_with(|| left.message.cmp(&right.message))
    });
    faults.dedup();
    faults
}

fn by_place(left: &str, right: &str) -> Ordering {
    let steps = left.split('/').zip(right.split('/'));
    let by_step = steps.map(|(left, right)| match (left.parse::<u64>(), right.parse::<u64>()) {
        (Ok(left), Ok(right)) => left.cmp(&right),
        _ => left.cmp(right),
    });
    by_step.fold(Ordering::Equal, Ordering::then).then_with(|| left.len().cmp(&right.len()))
}
