//! `[keys]`: who may call the host over HTTP. Kept as hashes: a key itself never stands in the file.

use cuebook_wire::{ErrorCode, Fault};
use schemars::JsonSchema;
use serde::Deserialize;

use super::Config;

/// A bearer key.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyConfig {
    /// The SHA-256 of the key, as 64 hexadecimal digits.
    pub sha256: String,
    /// The tenant it belongs to; `default` when absent.
    pub tenant: Option<String>,
    /// The workspaces of which its holder is a member.
    #[serde(default)]
    pub workspaces: Vec<String>,
    /// What it may do, such as `runs:create`; everything when absent.
    pub scopes: Option<Vec<String>>,
}

/// The scopes of the protocol (openwop-v1 §6.1).
const SCOPES: [&str; 9] = [
    "manifest:read",
    "runs:create",
    "runs:read",
    "runs:cancel",
    "artifacts:read",
    "webhooks:manage",
    "approvals:respond",
    "prompts:read",
    "prompts:write",
];

impl KeyConfig {
    /// The hash as bytes, when it is one.
    pub fn digest(&self) -> Option<[u8; 32]> {
        let digits = self.sha256.as_bytes();
        let nibble = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let mut hash = [0; 32];
        if digits.len() != 64 {
            return None;
        }
        for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
        }
        Some(hash)
    }
}

/// What the table must agree on.
pub(super) fn rules(config: &Config) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (name, key) in &config.keys {
        let fault = |path: &str, message: String| {
            Fault::new(format!("/keys/{name}{path}"), ErrorCode::ConfigInvalid, message)
        };
        let before = config.keys.iter().take_while(|(other, _)| *other != name);
        let twin = |digest| before.clone().find(|(_, other)| other.digest() == Some(digest));
        let wrong = match key.digest() {
            None => Some("'sha256' is the key's SHA-256 as 64 hexadecimal digits".to_owned()),
            Some(digest) => {
                twin(digest).map(|(other, _)| format!("this is the key of '{other}' too; each has its own"))
            }
        };
        faults.extend(wrong.map(|message| fault("/sha256", message)));
        for (at, scope) in
            key.scopes.iter().flatten().enumerate().filter(|(_, scope)| !SCOPES.contains(&scope.as_str()))
        {
            let near = cuebook_wire::names::nearest(scope, SCOPES);
            faults
                .push(fault(&format!("/scopes/{at}"), format!("there is no scope '{scope}'")).nearest(near));
        }
    }
    faults
}
