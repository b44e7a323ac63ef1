//! The host's configuration, `cuebook.toml`: typed, strict, with a JSON Schema.
//!
//! It owns the keys and what they must agree on. It refuses unknown keys, and reports every fault at once.

mod keys;
mod layers;
mod limits;
mod models;
mod packs;
mod paths;
mod retention;
mod secrets;

use std::collections::BTreeMap;

use cuebook_prompt::{BindPolicy, PromptPolicy};
use cuebook_wire::{Document, ErrorCode, Fault, LibraryId, Observability, PromptRefs};
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::Value as Json;

pub use keys::KeyConfig;
pub use layers::{LayersConfig, ProjectsConfig};
pub use limits::LimitsConfig;
pub(crate) use models::SCRIPTED;
pub use models::{ModelTarget, ProviderConfig, ProviderKind};
pub use packs::PacksConfig;
pub use paths::PathsConfig;
pub use retention::{Age, RetentionConfig};
pub use secrets::{Allow, SecretConfig, SecretOrigin};

/// The whole file; every table may be left out.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How prompts are resolved, composed and observed.
    pub prompts: PromptsConfig,
    /// Which model answers for which model class; `default` answers for all others.
    pub models: BTreeMap<String, ModelTarget>,
    /// The providers by name; `scripted` is always there.
    pub providers: BTreeMap<String, ProviderConfig>,
    /// The secrets by id.
    pub secrets: BTreeMap<String, SecretConfig>,
    /// The bearer keys of callers over HTTP, by name.
    pub keys: BTreeMap<String, KeyConfig>,
    /// What packs must show before they are used.
    pub packs: PacksConfig,
    /// Layered templates: the site's overlay, and which packs win.
    pub layers: LayersConfig,
    /// Whether overlays of projects take part.
    pub projects: ProjectsConfig,
    /// Bounds on runs, on the host, and on what callers may ask at once.
    pub limits: LimitsConfig,
    /// How long finished runs are kept.
    pub retention: RetentionConfig,
    /// What `cuebook run` does without being told.
    pub run: RunConfig,
    /// Where the files of the project are.
    pub paths: PathsConfig,
}

/// `[prompts]`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own in the file")]
pub struct PromptsConfig {
    /// How much of a composition may be logged: `off`, `hashed` or `full`.
    pub observability: Observability,
    /// Makes a placeholder that no variable declares an error.
    pub strict_placeholders: bool,
    /// The trust of run inputs that carry no tag: `trusted` or `untrusted`.
    pub untagged_inputs: UntaggedInputs,
    /// Whether agents' prompts take part in the chain.
    pub agent_bindings: bool,
    /// Whether `configurable.promptOverrides` takes part as the top layer.
    pub run_overrides: bool,
    /// Whether prompts may be created, changed and removed over HTTP.
    pub mutable_library: bool,
    /// The id of the host's own library; `user` is that of the library written over HTTP.
    pub library: LibraryId,
    /// The host's default refs by kind, layer 4 of the chain.
    pub defaults: PromptRefs,
}

impl Default for PromptsConfig {
    fn default() -> Self {
        Self {
            observability: Observability::default(),
            strict_placeholders: false,
            untagged_inputs: UntaggedInputs::Trusted,
            agent_bindings: true,
            run_overrides: false,
            mutable_library: true,
            library: LibraryId::host(),
            defaults: PromptRefs::default(),
        }
    }
}

/// The trust of inputs without a tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(transform = words)]
pub enum UntaggedInputs {
    /// They are trusted.
    #[default]
    Trusted,
    /// They are untrusted.
    Untrusted,
}

/// `[run]`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RunConfig {
    /// The workflow that runs when none is named.
    pub workflow: Option<String>,
}

/// Makes the schema of an enum a plain list of its words, so that a wrong one is answered with all of them.
fn words(schema: &mut Schema) {
    let branches = schema.remove("oneOf").unwrap_or_default();
    let words = branches.as_array().into_iter().flatten().flat_map(|branch| match &branch["enum"] {
        Json::Array(several) => several.clone(),
        _ => vec![branch["const"].clone()],
    });
    let words: Vec<Json> = words.collect();
    schema.insert("type".to_owned(), "string".into());
    schema.insert("enum".to_owned(), words.into());
}

impl Document for Config {
    const CODE: ErrorCode = ErrorCode::ConfigInvalid;

    fn rules(&self) -> Vec<Fault> {
        let mut faults = models::rules(self);
        faults.extend(secrets::rules(self));
        faults.extend(keys::rules(self));
        faults.extend(packs::rules(self));
        faults.extend(layers::rules(self));
        faults.extend(retention::rules(self));
        faults.extend(prompt_rules(&self.prompts));
        faults
    }
}

/// The host's library is not called as the user library is.
fn prompt_rules(prompts: &PromptsConfig) -> Option<Fault> {
    let message = "'user' is the id of the library that is written over HTTP";
    let fault = || Fault::new("/prompts/library", ErrorCode::ConfigInvalid, message);
    (prompts.library == LibraryId::user()).then(fault)
}

impl Config {
    /// The choices that the prompt pipeline follows.
    pub fn prompt_policy(&self) -> PromptPolicy {
        PromptPolicy {
            host_defaults: self.prompts.defaults.clone(),
            host_library: self.prompts.library.clone(),
            agent_bindings: self.prompts.agent_bindings,
            run_overrides: self.prompts.run_overrides,
            bind: BindPolicy { strict_placeholders: self.prompts.strict_placeholders, tell_missing: false },
        }
    }

    /// The trust of run inputs that carry no tag.
    pub fn untagged_trust(&self) -> cuebook_prompt::Trust {
        match self.prompts.untagged_inputs {
            UntaggedInputs::Trusted => cuebook_prompt::Trust::Trusted,
            UntaggedInputs::Untrusted => cuebook_prompt::Trust::Untrusted,
        }
    }

    /// The JSON Schema of the file.
    pub fn schema() -> Json {
        schemars::schema_for!(Config).to_value()
    }
}
