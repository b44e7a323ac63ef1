//! On whose behalf something is asked: the key of every store and host call.

use serde::{Deserialize, Serialize};

/// A tenant and, within it, a workspace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Principal {
    /// The isolation boundary; another tenant's things do not exist.
    pub tenant: String,
    /// The workspace within the tenant, if the caller belongs to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
}

impl Principal {
    /// The one principal of a command line run: tenant `local`, no workspace.
    pub fn local() -> Self {
        Self { tenant: "local".to_owned(), workspace: None }
    }
}
