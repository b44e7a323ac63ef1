//! `[layers]` and `[projects]`: layered templates, and whose overlays take part.

use std::collections::BTreeSet;

use cuebook_layers::{HeadingMatch, Own, PersonaCaps, TemplateRef};
use cuebook_wire::{ErrorCode, Fault};
use schemars::JsonSchema;
use serde::Deserialize;

use super::Config;

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
    /// The limits that agents are told of.
    pub caps: PersonaCaps,
    /// How required headings are looked for, in place of what the contract of the packs says.
    pub heading_match: Option<HeadingMatch>,
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

/// Names that are none.
pub(super) fn rules(config: &Config) -> Vec<Fault> {
    let fault = |key: &str, at: usize, message: String| {
        Fault::new(format!("/layers/{key}/{at}"), ErrorCode::ConfigInvalid, message)
    };
    let owns = config.layers.owns.iter().enumerate();
    let owns = owns.filter_map(|(at, own)| Some(fault("owns", at, Own::parse(own).err()?.to_string())));
    let disabled = config.layers.disabled.iter().enumerate();
    let disabled = disabled
        .filter_map(|(at, name)| Some(fault("disabled", at, TemplateRef::parse(name).err()?.to_string())));
    owns.chain(disabled).collect()
}
