//! Who calls, and what they may do.
//!
//! Every route that is not public takes a [`Caller`], and asks it for the scope that the route needs. No scope implies
//! another (openwop-v1 §6.1).

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use cuebook_host::prompt::Principal;
use cuebook_host::wire::ErrorCode;

use crate::error::ApiError;
use crate::keys::Key;
use crate::state::App;

/// What a key may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Read workflow definitions.
    ManifestRead,
    /// Start runs, and register workflows.
    RunsCreate,
    /// Read runs, events and agents.
    RunsRead,
    /// End runs.
    RunsCancel,
    /// Read artifacts.
    ArtifactsRead,
    /// Manage webhooks.
    WebhooksManage,
    /// Answer interrupts.
    ApprovalsRespond,
    /// Read and render prompts.
    PromptsRead,
    /// Write prompts.
    PromptsWrite,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 9] = [
        Self::ManifestRead,
        Self::RunsCreate,
        Self::RunsRead,
        Self::RunsCancel,
        Self::ArtifactsRead,
        Self::WebhooksManage,
        Self::ApprovalsRespond,
        Self::PromptsRead,
        Self::PromptsWrite,
    ];

    /// The scope's name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ManifestRead => "manifest:read",
            Self::RunsCreate => "runs:create",
            Self::RunsRead => "runs:read",
            Self::RunsCancel => "runs:cancel",
            Self::ArtifactsRead => "artifacts:read",
            Self::WebhooksManage => "webhooks:manage",
            Self::ApprovalsRespond => "approvals:respond",
            Self::PromptsRead => "prompts:read",
            Self::PromptsWrite => "prompts:write",
        }
    }

    /// The scope of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }
}

/// The holder of a key that was presented and is known.
#[derive(Clone, Debug)]
pub struct Caller {
    key: Arc<Key>,
}

impl Caller {
    /// The principal on whose behalf the host acts, when the key has `scope`.
    ///
    /// # Errors
    ///
    /// `forbidden` naming the scope.
    pub fn principal(&self, scope: Scope) -> Result<Principal, ApiError> {
        if self.key.scopes.contains(&scope) {
            return Ok(Principal { tenant: self.key.tenant.clone(), workspace: None });
        }
        let message = format!("the key has no scope '{}'", scope.as_str());
        Err(ApiError::new(ErrorCode::Forbidden, message).with("scopeRequired", scope.as_str()))
    }

    /// The principal within a workspace that the caller must be a member of.
    ///
    /// # Errors
    ///
    /// As [`Self::principal`]; `workspace_membership_required`.
    pub fn principal_in(&self, scope: Scope, workspace: Option<&str>) -> Result<Principal, ApiError> {
        let principal = self.principal(scope)?;
        match workspace {
            None => Ok(principal),
            Some(name) if self.key.workspaces.contains(name) => {
                Ok(Principal { workspace: Some(name.to_owned()), ..principal })
            }
            Some(_) => {
                let message = "the caller is not a member of the workspace";
                Err(ApiError::new(ErrorCode::WorkspaceMembershipRequired, message))
            }
        }
    }

    /// The name of the key, as the log shows who did something.
    pub fn name(&self) -> &str {
        &self.key.name
    }
}

impl FromRequestParts<App> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let header = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let secret = header.and_then(bearer).ok_or_else(|| unauthenticated("a bearer key is needed"))?;
        match app.keys.find(secret) {
            Some(key) => Ok(Self { key: Arc::clone(key) }),
            None => Err(unauthenticated("the key is not known")),
        }
    }
}

fn bearer(header: &str) -> Option<&str> {
    let (scheme, secret) = header.split_once(' ')?;
    let secret = secret.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !secret.is_empty()).then_some(secret)
}

fn unauthenticated(message: &str) -> ApiError {
    ApiError::new(ErrorCode::Unauthenticated, message)
}
