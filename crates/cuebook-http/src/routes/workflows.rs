//! Workflow definitions.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use cuebook_host::wire::{WorkflowDefinition, WorkflowId};
use serde_json::json;

use crate::auth::{Caller, Scope};
use crate::body::JsonBody;
use crate::error::ApiError;
use crate::idempotency::{Attempt, once};
use crate::params::Path;
use crate::state::App;

/// One definition.
pub(super) async fn get_workflow(
    State(app): State<App>,
    caller: Caller,
    Path(workflow_id): Path<String>,
) -> Result<Json<WorkflowDefinition>, ApiError> {
    let principal = caller.principal(Scope::ManifestRead)?;
    let file = app.host.workflow_for(&principal, &WorkflowId::new(workflow_id)).await?;
    Ok(Json((*file.definition).clone()))
}

/// Registers a definition for the caller's tenant, in place of one with its id.
pub(super) async fn register_workflow(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, ApiError> {
    let principal = caller.principal(Scope::RunsCreate)?;
    let attempt = Attempt::new(&principal, "POST /v1/host/sample/workflows", &headers, &body);
    let (worker, definition) = (app.clone(), body.read::<WorkflowDefinition>());
    let act = move |_| async move {
        let definition = definition?;
        let id = definition.id.clone();
        worker.host.register_workflow(&principal, definition).await?;
        Ok((StatusCode::CREATED, Json(json!({ "workflowId": id }))).into_response())
    };
    Ok(once(&app.host, attempt, act).await)
}
