//! The projection of a run's state that the wire shows.

use cuebook_wire::{Configurable, RunSnapshot};
use serde_json::{Map, Value as Json, json};

use crate::decide::MASK;
use crate::inputs::plain;
use crate::state::{NodeState, Phase, RunState};

/// The version of the event log's format.
const LOG_SCHEMA_VERSION: u32 = 2;

/// Projects `state`; sensitive variables are masked.
pub fn snapshot(state: &RunState) -> RunSnapshot {
    let facts = &state.facts;
    let nodes = || state.plan.nodes.iter().zip(&state.nodes);
    let suspended = nodes().find(|(_, node)| node.phase == Phase::Suspended);
    let running = nodes().find(|(_, node)| node.phase.is_active());
    RunSnapshot {
        current_node_id: suspended.map(|(plan, _)| plan.id.clone()),
        started_at: Some(state.started_at),
        completed_at: state.status.is_terminal().then_some(state.updated_at),
        agent: running.and_then(|(_, node)| node.agent.clone()),
        node_states: nodes().map(|(plan, node)| (plan.id.clone(), node_state(node))).collect(),
        variables: variables(state),
        error: state.error.clone(),
        engine_version: Some(crate::ENGINE_VERSION.to_owned()),
        event_log_schema_version: Some(LOG_SCHEMA_VERSION),
        tags: facts.tags.clone(),
        metadata: facts.metadata.clone(),
        configurable: facts.configurable.as_ref().map(configurable).unwrap_or_default(),
        ..RunSnapshot::new(facts.run_id.clone(), facts.workflow_id.clone(), state.status)
    }
}

fn node_state(node: &NodeState) -> Json {
    let mut facts = json!({"status": node.phase.as_str(), "attempt": node.attempt});
    if let Some(started_at) = node.started_at {
        facts["startedAt"] = json!(started_at);
    }
    if let Some(error) = &node.error {
        facts["error"] = json!(error);
    }
    facts
}

fn variables(state: &RunState) -> Map<String, Json> {
    let mut variables = plain(&state.facts.variables);
    for variable in state.plan.definition.variables.iter().filter(|variable| variable.sensitive) {
        if let Some(value) = variables.get_mut(&variable.name) {
            *value = Json::from(MASK);
        }
    }
    variables
}

fn configurable(configurable: &Configurable) -> Map<String, Json> {
    match serde_json::to_value(configurable) {
        Ok(Json::Object(map)) => map,
        _ => Map::new(),
    }
}
