//! A node's prompt before any run: the same chain and composition, on values given by hand.

use cuebook_engine::{PlanNode, RunState, prompt_request};
use cuebook_prompt::{Pipeline, Prepared, PromptErrors, Scope, Secrets, Trust, Value};
use cuebook_template::{Diagnostic, nearest};
use cuebook_wire::payload::{AgentPromptResolved, LogAppended, LogLevel};
use cuebook_wire::{ErrorCode, NodeId, Observability, PromptTemplate};
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::run::{CompositionView, TextSource};
use crate::host::{Host, StartRun};
use crate::lint::PromptLint;
use crate::report::Problems;

/// The members of `prompt.composed` that hold text or values.
const TEXTS: [&str; 4] = ["composed", "systemPrompt", "userPrompt", "variableBindings"];

/// A node to look at.
#[derive(Clone, Debug)]
pub struct PreviewNode<'a> {
    /// The run that the node would belong to.
    pub start: StartRun<'a>,
    /// The node.
    pub node: &'a str,
    /// Values at its input ports, in place of what earlier nodes would give.
    pub ports: Map<String, Json>,
}

/// What a node would be told.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodePreview {
    /// The node.
    pub node_id: NodeId,
    /// What a run would warn of.
    pub warnings: Vec<LogAppended>,
    /// Which ref applies for each kind, and why not the others.
    pub resolutions: Vec<AgentPromptResolved>,
    /// What it would be told; `None` when it has no prompt or something is wrong with it.
    pub composition: Option<CompositionView>,
    /// What is wrong with its prompt.
    #[serde(skip)]
    pub problems: Problems,
    /// Templates that stand in a place for another kind.
    #[serde(skip)]
    pub slots: Problems,
    /// What is doubtful about each template that it would be told.
    #[serde(skip)]
    pub templates: Vec<PromptLint>,
}

impl NodePreview {
    /// As JSON, with what is wrong and what is doubtful; the text and the values only when `shows_text` is set.
    pub fn to_json(&self, shows_text: bool) -> Json {
        let mut facts = json!(self);
        facts["problems"] = self.problems.to_json();
        facts["slots"] = self.slots.to_json();
        facts["templates"] = self.templates.iter().map(PromptLint::to_json).collect();
        if !shows_text && let Some(composition) = facts["composition"].as_object_mut() {
            composition.remove("composed");
            if let Some(event) = composition.get_mut("event").and_then(Json::as_object_mut) {
                event.retain(|key, _| !TEXTS.contains(&key.as_str()));
            }
        }
        facts
    }
}

impl Host {
    /// Takes a node through the pipeline without a run; secrets show as their markers.
    ///
    /// # Errors
    ///
    /// When there is no such node or port, it takes no prompts, or the run's inputs are wrong. What is wrong with the prompt
    /// itself is in the preview.
    pub async fn preview(&self, preview: PreviewNode<'_>) -> Result<NodePreview, Problems> {
        self.preview_through(&self.pipeline, preview, None).await
    }

    /// As [`Self::preview`], through a pipeline that may know a `draft` in place of the stored templates of its id.
    pub(super) async fn preview_through(
        &self,
        pipeline: &Pipeline,
        preview: PreviewNode<'_>,
        draft: Option<&PromptTemplate>,
    ) -> Result<NodePreview, Problems> {
        let plan = std::sync::Arc::clone(preview.start.plan);
        let index = plan.index(&NodeId::new(preview.node)).ok_or_else(|| no_node(&plan, preview.node))?;
        let facts = self.facts(&preview.start)?;
        let state = RunState::begin(std::sync::Arc::new(facts), std::sync::Arc::clone(&plan), self.now());
        let mut request = prompt_request(&state, index)
            .ok_or_else(|| no_prompts(&plan.nodes[index].type_id, preview.node))?;
        unknown_ports(&plan.nodes[index], &preview.ports).or(())?;
        if let Scope::Node { inputs, .. } = &mut request.scope {
            *inputs = state.known_port_values(index);
            let given = preview
                .ports
                .into_iter()
                .map(|(port, json)| (port, Value::from_tagged(json, Trust::Trusted)));
            inputs.extend(given);
        }
        let principal = preview.start.principal;
        let prepared = pipeline.prepare(principal, &request, Secrets::Mark).await;
        let used = self.used(principal, &prepared, &request.node.additional, draft).await;
        Ok(NodePreview {
            slots: used.slots,
            templates: used.templates,
            ..view(NodeId::new(preview.node), prepared)
        })
    }
}

fn view(node_id: NodeId, prepared: Prepared) -> NodePreview {
    let (composition, problems) = match prepared.outcome {
        Err(errors) => (None, prompt_problems(&errors)),
        Ok(None) => (None, Problems::new()),
        Ok(Some(composition)) => {
            let observed = composition.observed;
            let view = CompositionView {
                event: observed.to_payload(&node_id, Observability::Full),
                hash: observed.hash.to_string(),
                content_trust: observed.content_trust.as_str(),
                text_source: TextSource::Log,
                record: observed.to_record(prepared.pins),
                composed: Some(observed.composed),
            };
            (Some(view), Problems::new())
        }
    };
    NodePreview {
        warnings: prepared.warnings.into_iter().map(|warning| log_line(&node_id, warning)).collect(),
        resolutions: prepared.resolutions.iter().map(|resolution| resolution.to_payload(&node_id)).collect(),
        composition,
        problems,
        slots: Problems::new(),
        templates: Vec::new(),
        node_id,
    }
}

fn log_line(node_id: &NodeId, warning: cuebook_prompt::Warning) -> LogAppended {
    LogAppended {
        level: LogLevel::Warn,
        message: warning.message,
        code: Some(warning.code.as_str().to_owned()),
        node_id: Some(node_id.clone()),
        fields: None,
    }
}

/// The errors of a prompt as problems.
pub(crate) fn prompt_problems(errors: &PromptErrors) -> Problems {
    errors.iter().map(|error| error.diagnostic().clone()).collect()
}

fn no_node(plan: &cuebook_engine::Plan, name: &str) -> Problems {
    let message = format!("workflow '{}' has no node '{name}'", plan.definition.id);
    let problem = Diagnostic::error(ErrorCode::NotFound.as_str(), message);
    match nearest(name, plan.nodes.iter().map(|node| node.id.as_str())) {
        Some(near) => problem.with_hint(format!("did you mean '{near}'?")),
        None => problem,
    }
    .into()
}

/// Ports that neither the node nor an edge to it has.
fn unknown_ports(node: &PlanNode, given: &Map<String, Json>) -> Problems {
    let carried =
        node.incoming.iter().filter_map(|edge| edge.carries.as_ref().map(|(_, port)| port.as_str()));
    let known: Vec<&str> = node.inputs.iter().map(|(port, _)| port.as_str()).chain(carried).collect();
    let strangers = given.keys().filter(|port| !known.contains(&port.as_str()));
    let problem = |port: &String| {
        let message = format!("node '{}' has no input port '{port}'", node.id);
        let problem = Diagnostic::error(ErrorCode::ValidationError.as_str(), message);
        match nearest(port, known.iter().copied()) {
            Some(near) => problem.with_hint(format!("did you mean '{near}'?")),
            None => problem,
        }
    };
    strangers.map(problem).collect()
}

fn no_prompts(type_id: &str, name: &str) -> Problems {
    let message = format!("node '{name}' is a '{type_id}', which takes no prompts");
    Diagnostic::error(ErrorCode::ValidationError.as_str(), message).into()
}
