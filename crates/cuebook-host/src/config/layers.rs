//! `[layers]` and `[projects]`: layered templates, and whose overlays take part.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;

/// `[layers]`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LayersConfig {
    /// The directory of the host's own overlay, above those of projects; relative to the file.
    pub site: Option<String>,
    /// Which of several packs wins a name: `vendor/pack:partials/tone.md`.
    pub owns: Vec<String>,
    /// Names that no pack brings: `partials/tone.md`.
    pub disabled: Vec<String>,
    /// The tools that this host has for agents; without the key, all that an agent's own file names.
    pub tools: Option<BTreeSet<String>>,
}

/// `[projects]`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProjectsConfig {
    /// Whether the overlays of projects take part.
    pub trust: bool,
    /// Directories of projects whose overlays take no part all the same; relative to the file.
    pub untrusted: Vec<String>,
}

impl Default for ProjectsConfig {
    fn default() -> Self {
        Self { trust: true, untrusted: Vec::new() }
    }
}
