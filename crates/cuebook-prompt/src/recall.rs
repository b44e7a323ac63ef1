//! Secrets that a run has used before: which they were, and how their values are had again.
//!
//! A host that takes a run up after a restart knows none of their values, but must mask them in whatever comes next. This
//! module owns what is kept of a use; it refuses to keep a value.

use cuebook_wire::{AgentId, ErrorCode, LibraryId, WorkflowId};
use serde::{Deserialize, Serialize};

use crate::bind::BoundValue;
use crate::compose::{Part, SecretValues};
use crate::failure::{PromptError, PromptErrors};
use crate::secret::{SecretId, SecretStore, SecretUse};

/// The use of a secret in a composition: enough to ask for its value again, under the same permission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsedSecret {
    /// The secret's id.
    pub id: String,
    /// The library of the template that named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<LibraryId>,
    /// The agent of the node that used it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
}

/// The secrets that `parts` bind, each use once; who the agent is stands outside of a composition.
pub(crate) fn used_secrets(parts: &[Part]) -> Vec<UsedSecret> {
    let mut used = Vec::new();
    for part in parts {
        for bound in &part.bindings.variables {
            let BoundValue::Secret(id) = &bound.value else { continue };
            let secret = UsedSecret { id: id.to_string(), library: part.pinned.library.clone(), agent: None };
            if !used.contains(&secret) {
                used.push(secret);
            }
        }
    }
    used
}

/// Fetches the values of `used` anew.
///
/// # Errors
///
/// `credential_unavailable` when one of them cannot be had; it does not say which.
pub(crate) async fn recall(
    store: &dyn SecretStore,
    workflow: &WorkflowId,
    used: &[UsedSecret],
) -> Result<SecretValues, PromptErrors> {
    let mut values = SecretValues::new();
    for secret in used {
        let by = SecretUse {
            agent: secret.agent.as_ref().map(AgentId::as_str),
            workflow: Some(workflow.as_str()),
            library: secret.library.as_ref().map(LibraryId::as_str),
        };
        let id = SecretId::parse(&secret.id).ok_or_else(out_of_reach)?;
        let value = store.fetch(&id, by).await.map_err(|_| out_of_reach())?;
        values.insert(id, value);
    }
    Ok(values)
}

fn out_of_reach() -> PromptErrors {
    let message = "a secret that the run used before the restart is not available here";
    PromptError::new(ErrorCode::CredentialUnavailable, message)
        .hint("see that its origin can be reached, and that [secrets] still declares and allows it")
        .into()
}
