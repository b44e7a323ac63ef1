//! Interrupts: answers of people to runs that wait.

use axum::Json;
use axum::extract::State;
use cuebook_host::wire::{ErrorCode, NodeId, RunId};
use serde_json::Value;

use crate::auth::{Caller, Scope};
use crate::body::JsonBody;
use crate::error::ApiError;
use crate::params::Path;
use crate::state::App;

/// Answers the interrupt of a node.
pub(super) async fn resolve_by_node(
    State(app): State<App>,
    caller: Caller,
    Path((run_id, node_id)): Path<(String, String)>,
    body: JsonBody,
) -> Result<Json<Value>, ApiError> {
    let principal = caller.principal(Scope::ApprovalsRespond)?;
    let Some(value) = body.value.get("resumeValue") else {
        return Err(ApiError::invalid("'resumeValue' is needed"));
    };
    let (run_id, node_id) = (RunId::new(run_id), NodeId::new(node_id));
    let status = app.host.resolve_interrupt(&principal, &run_id, &node_id, value.clone()).await?;
    Ok(Json(serde_json::json!({ "runId": run_id, "nodeId": node_id, "status": status })))
}

/// Tokens are not given out by this host, so none is known.
pub(super) async fn by_token(Path(_token): Path<String>) -> ApiError {
    ApiError::new(ErrorCode::InterruptNotFound, "there is no interrupt for this token")
}
