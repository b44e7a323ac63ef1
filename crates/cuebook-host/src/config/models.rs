//! `[models]` and `[providers]`: who answers prompts.

use cuebook_wire::names::nearest;
use cuebook_wire::{ErrorCode, Fault, ModelClass};
use schemars::JsonSchema;
use serde::Deserialize;

use super::Config;

/// The name of the provider that is always there.
pub(crate) const SCRIPTED: &str = "scripted";

/// A model of a provider.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelTarget {
    /// The provider's name.
    pub provider: String,
    /// The model's name at the provider.
    pub model: String,
    /// The temperature when a node names none, 0 to 2.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: Option<f64>,
    /// The most tokens of an answer when a node names none.
    #[schemars(range(min = 1))]
    pub max_tokens: Option<u32>,
}

/// A provider of models.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderConfig {
    /// What the provider speaks.
    pub kind: ProviderKind,
    /// `openai`: the URL that `/chat/completions` is appended to.
    pub base_url: Option<String>,
    /// `openai`: the id of the secret that holds the key.
    pub api_key: Option<String>,
    /// `openai`: how long one answer may take, in milliseconds; 300 000 when absent.
    #[schemars(range(min = 1))]
    pub timeout_ms: Option<u64>,
    /// `scripted`: a file of replies, relative to the configuration.
    pub script: Option<String>,
}

/// The kinds of providers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(transform = super::words)]
pub enum ProviderKind {
    /// Built in and deterministic; answers from the prompt.
    Scripted,
    /// Any OpenAI-compatible endpoint.
    #[serde(rename = "openai")]
    OpenAi,
}

/// What the tables must agree on.
pub(super) fn rules(config: &Config) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (class, target) in &config.models {
        faults.extend(class_fault(class));
        faults.extend(provider_fault(config, class, target));
    }
    for (name, provider) in &config.providers {
        faults.extend(provider_rules(config, name, provider));
    }
    faults
}

fn fault(path: String, message: impl Into<String>) -> Fault {
    Fault::new(path, ErrorCode::ConfigInvalid, message)
}

fn class_fault(class: &str) -> Option<Fault> {
    let known = || std::iter::once("default").chain(ModelClass::ALL.into_iter().map(ModelClass::as_str));
    // Projects call their models by aliases of their own; only what looks like a slip of a class is one.
    let near = nearest(class, known()).filter(|near| *near != class)?;
    let fault = fault(format!("/models/{class}"), format!("'{class}' is no model class"));
    Some(fault.nearest(Some(near)))
}

fn provider_fault(config: &Config, class: &str, target: &ModelTarget) -> Option<Fault> {
    let known = || std::iter::once(SCRIPTED).chain(config.providers.keys().map(String::as_str));
    if known().any(|name| name == target.provider) {
        return None;
    }
    let message = format!("there is no provider '{}'", target.provider);
    Some(fault(format!("/models/{class}/provider"), message).nearest(nearest(&target.provider, known())))
}

fn provider_rules(config: &Config, name: &str, provider: &ProviderConfig) -> Vec<Fault> {
    let path = |key: &str| format!("/providers/{name}/{key}");
    let mut faults = Vec::new();
    match provider.kind {
        ProviderKind::OpenAi => {
            if name == SCRIPTED {
                faults.push(fault(path("kind"), "the provider called 'scripted' is the built-in one"));
            }
            if provider.base_url.is_none() {
                let fault = fault(format!("/providers/{name}"), "an 'openai' provider needs a base_url");
                faults.push(fault.hint("for example base_url = \"http://localhost:11434/v1\""));
            }
            if provider.script.is_some() {
                faults.push(fault(path("script"), "'script' belongs to 'scripted' providers"));
            }
        }
        ProviderKind::Scripted => {
            let strangers = [
                ("base_url", provider.base_url.is_some()),
                ("api_key", provider.api_key.is_some()),
                ("timeout_ms", provider.timeout_ms.is_some()),
            ];
            let strangers = strangers.into_iter().filter(|(_, there)| *there);
            faults.extend(
                strangers.map(|(key, _)| fault(path(key), format!("'{key}' belongs to 'openai' providers"))),
            );
        }
    }
    if let Some(id) = provider.api_key.as_ref().filter(|id| !config.secrets.contains_key(*id)) {
        let message = format!("there is no secret '{id}' under [secrets]");
        faults.push(
            fault(path("api_key"), message).nearest(nearest(id, config.secrets.keys().map(String::as_str))),
        );
    }
    faults
}
