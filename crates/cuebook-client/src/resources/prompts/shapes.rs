//! Owns the queries, bodies and answers of calls about prompts that are no published documents.

use std::collections::BTreeMap;

use cuebook_wire::payload::ContentTrust;
use cuebook_wire::template::TemplateOrigin;
use cuebook_wire::{LibraryId, PromptKind, PromptRef, PromptTemplate, Version};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::call::Call;
use crate::open::Open;

/// Which templates a list holds; every condition that is set must be met.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptQuery {
    /// Templates of this kind.
    pub kind: Option<PromptKind>,
    /// Templates with all these tags.
    pub tags: Vec<String>,
    /// Templates that suggest this class of model.
    pub model_class: Option<String>,
    /// Templates from there.
    pub source: Option<TemplateOrigin>,
    /// Where a page begins: the `next_cursor` of the one before.
    pub cursor: Option<String>,
    /// The most templates of a page, 1 to 200; the host's 50 when absent.
    pub limit: Option<u8>,
}

impl PromptQuery {
    pub(super) fn apply(&self, call: Call) -> Call {
        let wrong = self.limit.is_some_and(|limit| !(1..=200).contains(&limit));
        let call = self.tags.iter().fold(call, |call, tag| call.query("tag", Some(tag)));
        call.query("kind", self.kind)
            .query("modelClass", self.model_class.as_ref())
            .query("source", self.source)
            .query("cursor", self.cursor.as_ref())
            .query("limit", self.limit)
            .problem(wrong.then(|| "limit must be 1 to 200".to_owned()))
    }
}

/// Some templates of a library.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptPage {
    /// The templates.
    pub items: Vec<PromptTemplate>,
    /// Where the next page begins; none after the last.
    pub next_cursor: Option<String>,
}

/// Which state of a template is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptLookup {
    /// This version; the latest when absent.
    pub version: Option<Version>,
    /// From this library, where several have the template.
    pub library_id: Option<LibraryId>,
    /// Only if it is no longer the one with this entity tag (RFC 9110, section 13.1.2).
    pub if_none_match: Option<String>,
}

/// A template that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedPrompt {
    /// The template.
    pub template: PromptTemplate,
    /// The entity tag to ask with next time.
    pub etag: Option<String>,
}

/// What a host says about a template that was added; hosts differ in how much that is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedPrompt {
    /// Where it is, as the host says it.
    pub location: Option<String>,
    /// The template as stored.
    pub template: Option<PromptTemplate>,
}

/// A template to be composed, and the values to compose it with.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RenderPrompt {
    /// The template.
    #[serde(rename = "ref")]
    pub reference: PromptRef,
    /// The values by variable; of a secret variable the marker `[REDACTED:<id>]`.
    pub variables: Map<String, Value>,
    /// Whether the values come from outside; trusted when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_trust: Option<ContentTrust>,
}

impl RenderPrompt {
    /// The template `reference` with `variables`, trusted.
    pub fn new(reference: PromptRef, variables: Map<String, Value>) -> Self {
        Self { reference, variables, content_trust: None }
    }
}

/// A composed template.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RenderedPrompt {
    /// SHA-256 of the observed text, the same that a run's `prompt.composed` has.
    pub hash: String,
    /// The templates with their versions.
    #[serde(default)]
    pub refs: Vec<String>,
    /// SHA-256 of each value's text.
    #[serde(default)]
    pub variable_hashes: BTreeMap<String, String>,
    /// The observed text, where the host shows it.
    pub composed: Option<String>,
    /// Whether anything in it comes from outside.
    pub content_trust: Option<Open<ContentTrust>>,
    /// Every other field, as written.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}
