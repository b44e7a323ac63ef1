//! Routes that the protocol names and this host does not offer: they answer properly.

use axum::extract::State;

use crate::auth::{Caller, Scope};
use crate::error::ApiError;
use crate::params::Path;
use crate::state::App;
use cuebook_host::wire::RunId;

/// Webhooks; this host has none.
pub(super) async fn webhooks(caller: Caller) -> Result<(), ApiError> {
    caller.principal(Scope::WebhooksManage)?;
    Err(ApiError::not_found("route on this host"))
}

/// The inventory of tools; this host has none.
pub(super) async fn tools(caller: Caller) -> Result<(), ApiError> {
    caller.principal(Scope::RunsRead)?;
    Err(ApiError::not_found("route on this host"))
}

/// A part of a run that this host does not keep.
pub(super) async fn run_part(
    State(app): State<App>,
    caller: Caller,
    Path(run_id): Path<String>,
) -> Result<(), ApiError> {
    let principal = caller.principal(Scope::RunsRead)?;
    app.host.run_entry(&principal, &RunId::new(run_id)).await?;
    Err(ApiError::not_found("part of the run on this host"))
}

/// An artifact; this host stores none.
pub(super) async fn artifact(
    State(app): State<App>,
    caller: Caller,
    Path((run_id, _)): Path<(String, String)>,
) -> Result<(), ApiError> {
    let principal = caller.principal(Scope::ArtifactsRead)?;
    app.host.run_entry(&principal, &RunId::new(run_id)).await?;
    Err(ApiError::not_found("artifact"))
}
