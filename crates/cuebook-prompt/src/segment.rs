//! The source map of a composition: for every byte of the observed text, where it came from.

use std::sync::Arc;

use cuebook_template::Trust;
use cuebook_wire::VariableSource;
use serde::{Deserialize, Serialize};

/// A run of bytes of the composed text with one origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// The first byte in the composed text.
    pub start: usize,
    /// The byte after the last; equal to `start` for a variable that came out empty.
    pub end: usize,
    /// Where the bytes came from.
    pub origin: Origin,
}

/// Where a segment came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "kebab-case")]
pub enum Origin {
    /// The text of a library template.
    Template {
        /// The pinned ref.
        reference: Arc<str>,
        /// The 1-based line in the template's text where the segment begins.
        line: usize,
    },
    /// The text of a file.
    File {
        /// The path as the manifest or project names it.
        path: String,
        /// The 1-based line where the segment begins.
        line: usize,
        /// The layer in which the file was found, where there are layers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        layer: Option<Arc<str>>,
    },
    /// A text written in a field of a workflow or manifest.
    Inline {
        /// The field.
        field: String,
        /// The 1-based line within the field's text.
        line: usize,
    },
    /// The value of a variable.
    Variable {
        /// The variable's name.
        name: Arc<str>,
        /// Where its value came from.
        source: VariableSource,
        /// Whether the value may be trusted.
        trust: Trust,
        /// Whether it is a secret; then the bytes are its marker.
        secret: bool,
        /// The pinned ref of the template that asked for it.
        reference: Arc<str>,
        /// The 1-based line of the placeholder in that template, or in the file below.
        line: usize,
        /// The file that asked for it, where a template is made of files.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<Arc<str>>,
        /// The layer in which that file was found.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        layer: Option<Arc<str>>,
    },
    /// The blank line between two texts.
    Joint,
}

impl Origin {
    /// Whether the bytes come from a value that may not be trusted.
    pub fn is_untrusted(&self) -> bool {
        matches!(self, Self::Variable { trust, .. } if trust.is_untrusted())
    }
}
