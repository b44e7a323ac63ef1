//! `[packs]`: what packs must show before they are used.

use std::collections::BTreeMap;

use cuebook_wire::{ErrorCode, Fault, LibraryId};
use schemars::JsonSchema;
use serde::Deserialize;

use super::Config;
use crate::packs::{Integrity, PackPolicy, PublicKey};

/// `[packs]`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PacksConfig {
    /// Takes only packs that are signed by one of `trusted_keys`.
    pub require_signature: bool,
    /// Takes only packs that have a hash, in `integrity` or in their own `pack.integrity`.
    pub require_integrity: bool,
    /// The Ed25519 public keys whose signatures count, each in base64; all do when there are none.
    pub trusted_keys: Vec<String>,
    /// The hashes that packs must have: `"name@version" = "sha256-…"`.
    pub integrity: BTreeMap<String, String>,
}

impl PacksConfig {
    /// The conditions that the loader of packs holds them to; what is malformed is reported by the rules.
    pub(crate) fn policy(&self, host_library: &LibraryId) -> PackPolicy {
        let pinned = self.integrity.iter();
        PackPolicy {
            require_signature: self.require_signature,
            require_integrity: self.require_integrity,
            trusted_keys: self.trusted_keys.iter().filter_map(|key| PublicKey::parse(key)).collect(),
            host_library: Some(host_library.clone()),
            integrity: pinned
                .filter_map(|(pack, hash)| Some((pack.clone(), Integrity::parse(hash)?)))
                .collect(),
        }
    }
}

/// What the table must agree on.
pub(super) fn rules(config: &Config) -> Vec<Fault> {
    let packs = &config.packs;
    let fault = |path: String, message: &str| Fault::new(path, ErrorCode::ConfigInvalid, message);
    let mut faults = Vec::new();
    if packs.require_signature && packs.trusted_keys.is_empty() {
        let message = "'require_signature' needs 'trusted_keys': anybody can sign with a key of their own";
        faults.push(fault("/packs/require_signature".to_owned(), message));
    }
    for (at, _) in packs.trusted_keys.iter().enumerate().filter(|(_, key)| PublicKey::parse(key).is_none()) {
        let message = "a trusted key is an Ed25519 public key in base64";
        faults.push(fault(format!("/packs/trusted_keys/{at}"), message));
    }
    for (pack, _) in packs.integrity.iter().filter(|(_, hash)| Integrity::parse(hash).is_none()) {
        let message = "a pack's hash is sha256- and the base64 of 32 bytes";
        faults.push(fault(format!("/packs/integrity/{pack}"), message));
    }
    faults
}
