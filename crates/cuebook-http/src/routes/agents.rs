//! The agents that this host knows: an inventory, never their prompts.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use crate::auth::{Caller, Scope};
use crate::error::ApiError;
use crate::params::Path;
use crate::state::App;
use cuebook_host::wire::AgentId;

/// Every agent.
pub(super) async fn list_agents(State(app): State<App>, caller: Caller) -> Result<Json<Value>, ApiError> {
    caller.principal(Scope::RunsRead)?;
    let agents: Vec<Value> =
        app.host.agents.ids().iter().filter_map(|id| app.host.agents.inventory(id)).collect();
    let total = agents.len();
    Ok(Json(json!({ "agents": agents, "total": total })))
}

/// One agent.
pub(super) async fn get_agent(
    State(app): State<App>,
    caller: Caller,
    Path(agent_id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    caller.principal(Scope::RunsRead)?;
    app.host.agents.inventory(&AgentId::new(agent_id)).map(Json).ok_or_else(|| ApiError::not_found("agent"))
}
