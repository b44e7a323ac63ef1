//! What a host asks of packs before it uses them.

use std::collections::BTreeMap;

use cuebook_wire::LibraryId;

use super::integrity::Integrity;
use super::signature::PublicKey;

/// The host's conditions for packs.
#[derive(Clone, Debug, Default)]
pub struct PackPolicy {
    /// Refuses packs without a signature.
    pub require_signature: bool,
    /// Refuses packs that have no hash, neither in `integrity` nor in a file of their own.
    pub require_integrity: bool,
    /// The keys whose signatures count; all do when there are none.
    pub trusted_keys: Vec<PublicKey>,
    /// The id of the host's own library, which no pack may have.
    pub host_library: Option<LibraryId>,
    /// The hashes that packs must have, by `name@version`.
    pub integrity: BTreeMap<String, Integrity>,
}

impl PackPolicy {
    pub(super) fn trusts(&self, key: PublicKey) -> bool {
        self.trusted_keys.is_empty() || self.trusted_keys.contains(&key)
    }
}
