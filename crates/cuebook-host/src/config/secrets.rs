//! `[secrets]`: where secrets come from and who may use them.

use std::collections::BTreeMap;

use cuebook_prompt::SecretId;
use cuebook_wire::{ErrorCode, Fault};
use schemars::JsonSchema;
use serde::Deserialize;

use super::Config;

/// A declared secret.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SecretConfig {
    /// `env:NAME`, `file:PATH` or `command:LINE`.
    pub from: String,
    /// Who may use it; everybody when absent.
    pub allow: Option<Allow>,
}

/// Who may use a secret; a list that is absent allows all of its kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Allow {
    /// Agent ids.
    pub agents: Option<Vec<String>>,
    /// Workflow ids.
    pub workflows: Option<Vec<String>>,
    /// Library ids.
    pub libraries: Option<Vec<String>>,
}

/// Where a secret comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretOrigin {
    /// An environment variable.
    Env(String),
    /// A file that only its owner may read; one final line end is not part of the secret.
    File(String),
    /// What a command prints; one final line end is not part of the secret.
    Command(String),
}

impl SecretOrigin {
    /// Reads `env:`, `file:` or `command:` and what follows.
    pub fn parse(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once(':').filter(|(_, rest)| !rest.is_empty())?;
        match scheme {
            "env" => Some(Self::Env(rest.to_owned())),
            "file" => Some(Self::File(rest.to_owned())),
            "command" => Some(Self::Command(rest.to_owned())),
            _ => None,
        }
    }
}

/// What the table must agree on.
pub(super) fn rules(config: &Config) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut users: BTreeMap<&str, &str> = BTreeMap::new();
    for (id, secret) in &config.secrets {
        let fault = |key: &str, message: String| {
            Fault::new(format!("/secrets/{id}{key}"), ErrorCode::ConfigInvalid, message)
        };
        if SecretId::parse(id).is_none() {
            faults.push(fault("", format!("'{id}' is no secret id: 1 to 128 of A-Z a-z 0-9 . _ -")));
        }
        match SecretOrigin::parse(&secret.from) {
            None => {
                let message = "'from' is env:NAME, file:PATH or command:LINE".to_owned();
                faults.push(fault("/from", message));
            }
            Some(SecretOrigin::Env(_)) => {
                if let Some(other) = users.insert(&secret.from, id) {
                    faults.push(fault("/from", format!("'{}' is already the secret '{other}'", secret.from)));
                }
            }
            Some(_) => {}
        }
    }
    faults
}
