//! How long a text is: in bytes, which are limited, and in tokens, which are estimated.

use cuebook_template::Diagnostic;
use cuebook_wire::{ErrorCode, PromptTemplate};
use serde::Serialize;

use super::{Finding, warning};

/// The most bytes that the text of a template may have (`prompts.maxTemplateBytes`).
pub const MAX_TEMPLATE_BYTES: usize = 65_536;

/// From how many bytes on a text is told to be near the limit: nine tenths of it.
const NEAR_LIMIT: usize = MAX_TEMPLATE_BYTES / 10 * 9;

/// The length of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Size {
    /// Its bytes.
    pub bytes: usize,
    /// The most bytes that it may have.
    pub max_bytes: usize,
    /// About how many tokens it has, placeholders as they are written: exact for models with the encoding `o200k`, and of
    /// the right order for others, whose encodings are not published.
    pub estimated_tokens: usize,
}

impl Size {
    /// The size of `text`. The first call in a process reads the encoding's tables, which takes a moment.
    pub fn of(text: &str) -> Self {
        let estimated_tokens = bpe_openai::o200k_base().count(text);
        Self { bytes: text.len(), max_bytes: MAX_TEMPLATE_BYTES, estimated_tokens }
    }
}

/// What is to be said about the size of a template's text; it counts no tokens.
pub(super) fn finding(template: &PromptTemplate) -> Option<Finding> {
    let bytes = template.text.len();
    let limit = MAX_TEMPLATE_BYTES;
    let found = if bytes > limit {
        let message = format!("the text has {bytes} bytes; a library takes at most {limit}");
        Diagnostic::error(ErrorCode::PromptTooLarge.as_str(), message)
    } else if bytes >= NEAR_LIMIT {
        warning(
            ErrorCode::PromptNearLimit,
            format!("the text has {bytes} of the {limit} bytes that it may have"),
        )
    } else {
        return None;
    };
    Some(Finding::at("/text", found.with_hint("bind the long parts as variables, or split the template")))
}
