//! Interrupts: answers of people to runs that wait.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use cuebook_host::wire::{ErrorCode, NodeId, RunId};
use serde_json::json;

use crate::auth::{Caller, Scope};
use crate::body::JsonBody;
use crate::error::ApiError;
use crate::idempotency::{Attempt, once};
use crate::params::Path;
use crate::shapes::ResolveInterrupt;
use crate::state::App;

/// Answers the interrupt of a node.
pub(super) async fn resolve_by_node(
    State(app): State<App>,
    caller: Caller,
    Path((run_id, node_id)): Path<(String, String)>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Response, ApiError> {
    let principal = caller.principal(Scope::ApprovalsRespond)?;
    let endpoint = format!("POST /v1/runs/{run_id}/interrupts/{node_id}");
    let attempt = Attempt::new(&principal, &endpoint, &headers, &body);
    let (worker, request) = (app.clone(), body.read::<ResolveInterrupt>());
    let act = move |ticket| async move {
        let (run_id, node_id) = (RunId::new(run_id), NodeId::new(node_id));
        let value = request?.resume_value;
        let status = worker.host.resolve_interrupt(&principal, &run_id, &node_id, value, ticket).await?;
        Ok(Json(json!({ "runId": run_id, "nodeId": node_id, "status": status })).into_response())
    };
    Ok(once(&app.host, attempt, act).await)
}

/// Tokens are not given out by this host, so none is known.
pub(super) async fn by_token(Path(_token): Path<String>) -> ApiError {
    ApiError::new(ErrorCode::InterruptNotFound, "there is no interrupt for this token")
}
