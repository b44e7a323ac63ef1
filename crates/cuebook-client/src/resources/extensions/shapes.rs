//! Owns the answers of endpoints outside the protocol.

use cuebook_wire::{LibraryId, Timestamp, Version};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A version as a history shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptVersion {
    /// The library that has it.
    pub library: LibraryId,
    /// The version.
    pub version: Version,
    /// The hash of its content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// When it was added, where the host knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added_at: Option<Timestamp>,
    /// When it was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_at: Option<Timestamp>,
}

#[derive(Deserialize)]
pub(super) struct Versions {
    pub(super) versions: Vec<PromptVersion>,
}

/// What an import did, or would do.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedPrompts {
    /// The refs of the versions that were not there.
    pub added: Vec<String>,
    /// The refs of those that were, with the same content.
    pub unchanged: Vec<String>,
    /// The whole answer.
    pub json: Value,
}

impl ImportedPrompts {
    pub(super) fn of(json: Value) -> Self {
        let refs = |key: &str| {
            let listed = json.get(key).and_then(Value::as_array).into_iter().flatten();
            listed.filter_map(|it| it.as_str().map(str::to_owned)).collect()
        };
        Self { added: refs("added"), unchanged: refs("unchanged"), json }
    }

    /// What is doubtful about the templates that were added: each finding's code, and a sentence that names its template.
    pub fn findings(&self) -> impl Iterator<Item = (&str, String)> {
        let templates = self.json.get("templates").and_then(Value::as_array).into_iter().flatten();
        templates.flat_map(|template| {
            let name = template.get("ref").and_then(Value::as_str).unwrap_or_default();
            let findings = template.get("findings").and_then(Value::as_array).into_iter().flatten();
            findings.filter_map(move |finding| {
                let text = |key: &str| finding.get(key).and_then(Value::as_str);
                let place = text("path").unwrap_or_default();
                Some((text("code")?, format!("{} (at {place} of {name})", text("message")?)))
            })
        })
    }
}
