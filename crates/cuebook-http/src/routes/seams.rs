//! Test seams: the chain and the composition on facts given by a test. They answer only when the server was told to.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use crate::auth::{Caller, Scope};
use crate::body::JsonBody;
use crate::error::ApiError;
use crate::params::Path;
use crate::state::App;
use cuebook_host::wire::{RunId, Sequence};

/// Resolves a chain; the answer is the payload of `agent.promptResolved`.
pub(super) async fn resolve_prompt(
    State(app): State<App>,
    caller: Caller,
    body: JsonBody,
) -> Result<Json<Value>, ApiError> {
    open(&app)?;
    caller.principal(Scope::PromptsRead)?;
    Ok(Json(app.host.seam_resolve(&body.value)?))
}

/// Composes a template; the answer is the payload of `prompt.composed`.
pub(super) async fn compose_prompt(
    State(app): State<App>,
    caller: Caller,
    body: JsonBody,
) -> Result<Json<Value>, ApiError> {
    open(&app)?;
    let principal = caller.principal(Scope::PromptsRead)?;
    Ok(Json(app.host.seam_compose(&principal, &body.value).await?))
}

/// Every event of a run.
pub(super) async fn list_test_events(
    State(app): State<App>,
    caller: Caller,
    Path(run_id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    open(&app)?;
    let principal = caller.principal(Scope::RunsRead)?;
    let events = app.host.events(&principal, &RunId::new(run_id), Sequence(0), usize::MAX).await?;
    Ok(Json(json!({ "events": events })))
}

fn open(app: &App) -> Result<(), ApiError> {
    if app.options.test_seams { Ok(()) } else { Err(ApiError::not_found("route")) }
}
