//! Owns the error envelope and the list of error codes. Refuses free-form codes of our own: every code a host of ours sends
//! or logs is a row of one table, with its meaning and a hint.

mod codes;
mod document;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use codes::{CodePlace, ErrorCode};
pub use document::errors_markdown;

/// The body of every answer that is not a success; a closed shape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct ErrorEnvelope {
    /// The machine-readable code.
    #[schemars(length(min = 1))]
    pub error: String,
    /// The explanation, scrubbed of secrets.
    #[schemars(length(min = 1))]
    pub message: String,
    /// The facts behind it, shaped by the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Map<String, Value>>,
}

impl ErrorEnvelope {
    /// The envelope of `code` with its explanation.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { error: code.as_str().to_owned(), message: message.into(), details: None }
    }

    /// The same envelope with one fact more.
    pub fn with(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.details.get_or_insert_default().insert(key.into(), value.into());
        self
    }
}
