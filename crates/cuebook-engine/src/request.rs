//! What a node asks of the prompt pipeline: its own prompts, its scope of values, and the versions fixed so far.

use cuebook_prompt::{PromptRequest, Scope, Value, Values};
use cuebook_wire::PromptRefs;

use crate::node_type::NodeType;
use crate::state::RunState;

/// The request of a node in the present state of a run; `None` for a node type that takes no prompts, or no such node.
pub fn prompt_request(state: &RunState, node: usize) -> Option<PromptRequest> {
    let plan = state.plan.nodes.get(node)?;
    let NodeType::Prompt(prompt) = &plan.node_type else { return None };
    Some(PromptRequest {
        node: prompt.prompts.clone(),
        agent_id: plan.agent_id.clone(),
        workflow_id: Some(state.facts.workflow_id.clone()),
        workflow_defaults: state.plan.definition.defaults.prompt_refs.clone(),
        run_overrides: run_overrides(state),
        scope: Scope::Node {
            inputs: state.nodes[node].inputs.clone(),
            variables: state.facts.variables.clone(),
            context: context(state, node),
        },
        pins: state.pins.clone(),
    })
}

/// The refs of `configurable.promptOverrides`. The host has checked them before the run began; whether they take part at all
/// is the pipeline's policy.
fn run_overrides(state: &RunState) -> PromptRefs {
    let overrides = state.facts.configurable.as_ref().map(|overlay| overlay.prompt_overrides.clone());
    overrides.and_then(|refs| serde_json::from_value(refs.into()).ok()).unwrap_or_default()
}

/// The context facts of a node, fixed for the run except for the node's id.
fn context(state: &RunState, node: usize) -> Values {
    let facts = &state.facts;
    let entries = [
        ("runId", Some(facts.run_id.to_string())),
        ("workflowId", Some(facts.workflow_id.to_string())),
        ("workflowName", Some(state.plan.definition.name.clone())),
        ("nodeId", Some(state.plan.nodes[node].id.to_string())),
        ("currentUserId", facts.user.clone()),
        ("tenantId", Some(facts.principal.tenant.clone())),
        ("now", Some(facts.now.to_string())),
    ];
    entries
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), Value::trusted(value?.into()))))
        .collect()
}
