//! The bodies that requests of this API carry and that are no documents of the protocol of their own: closed, and read
//! strictly; the OpenAPI document shows the same types.

use std::collections::BTreeMap;

use cuebook_host::wire::payload::ContentTrust;
use cuebook_host::wire::{Document, ErrorCode};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// The most runs that one bulk request may name.
pub(crate) const MAX_BULK: usize = 100;

/// Why a run is ended.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CancelRun {
    /// The reason, at most 512 characters.
    #[schemars(length(max = 512))]
    pub(crate) reason: Option<String>,
}

/// Which runs are ended, and why.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct BulkCancel {
    /// The runs, 1 to 100.
    #[schemars(length(min = 1, max = 100))]
    pub(crate) run_ids: Vec<String>,
    /// The reason, at most 512 characters.
    #[schemars(length(max = 512))]
    pub(crate) reason: Option<String>,
}

/// The answer to an interrupt.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct ResolveInterrupt {
    /// The answer, shaped by the interrupt.
    pub(crate) resume_value: Value,
}

/// What is rendered.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct RenderPrompt {
    /// The template, as a ref in either form.
    #[serde(rename = "ref")]
    pub(crate) reference: Value,
    /// The value of each variable; of a secret one its marker.
    pub(crate) variables: BTreeMap<String, Value>,
    /// The trust of values that carry no tag.
    #[schemars(with = "Option<Trust>")]
    pub(crate) content_trust: Option<ContentTrust>,
}

/// The trust of values.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase", inline)]
#[expect(dead_code, reason = "it describes a type of another crate for the schema alone")]
enum Trust {
    Trusted,
    Untrusted,
}

macro_rules! documents {
    ($($shape:ty),+) => {
        $(impl Document for $shape {
            const CODE: ErrorCode = ErrorCode::ValidationError;
        })+
    };
}

documents!(CancelRun, BulkCancel, ResolveInterrupt, RenderPrompt);
