//! Bearer keys: who they stand for. Kept as SHA-256; compared in constant time.

use std::collections::BTreeSet;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq as _;

use crate::auth::Scope;

/// A key as it is kept.
#[derive(Clone, Debug)]
pub struct Key {
    hash: [u8; 32],
    /// The name that logs use.
    pub name: String,
    /// The tenant it belongs to.
    pub tenant: String,
    /// The workspaces of which its holder is a member.
    pub workspaces: BTreeSet<String>,
    /// What it may do.
    pub scopes: BTreeSet<Scope>,
}

impl Key {
    /// Keeps `secret` as its hash, for `tenant`, with every scope.
    pub fn new(name: &str, secret: &str, tenant: &str) -> Self {
        Self::of_hash(name, digest(secret), tenant)
    }

    /// A key whose hash is known.
    pub fn of_hash(name: &str, hash: [u8; 32], tenant: &str) -> Self {
        Self {
            hash,
            name: name.to_owned(),
            tenant: tenant.to_owned(),
            workspaces: BTreeSet::new(),
            scopes: Scope::ALL.into_iter().collect(),
        }
    }

    /// The same key with these scopes alone.
    pub fn with_scopes(self, scopes: impl IntoIterator<Item = Scope>) -> Self {
        Self { scopes: scopes.into_iter().collect(), ..self }
    }

    /// The same key as a member of these workspaces.
    pub fn with_workspaces(self, workspaces: impl IntoIterator<Item = String>) -> Self {
        Self { workspaces: workspaces.into_iter().collect(), ..self }
    }
}

/// Every key of a host.
#[derive(Clone, Debug, Default)]
pub struct Keys(Vec<Arc<Key>>);

impl Keys {
    /// Takes the keys.
    pub fn new(keys: Vec<Key>) -> Self {
        Self(keys.into_iter().map(Arc::new).collect())
    }

    /// The key that `secret` is; all are compared, so that time tells nothing.
    pub fn find(&self, secret: &str) -> Option<&Arc<Key>> {
        let hash = digest(secret);
        self.0
            .iter()
            .fold(None, |found, key| if bool::from(key.hash.ct_eq(&hash)) { Some(key) } else { found })
    }
}

/// A key nobody has had before: `cbk_` and 64 hexadecimal digits of the system's randomness.
pub fn fresh_key() -> String {
    format!("cbk_{}{}", uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple())
}

fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}
