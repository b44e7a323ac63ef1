//! A run as it is explained: its nodes in the order they started, each with chain, composition and outcome.

use std::collections::BTreeMap;

use cuebook_engine::{ComposedPart, RunState, prompt_request};
use cuebook_log::Record;
use cuebook_prompt::{CompositionRecord, Pipeline, Secrets};
use cuebook_wire::payload::{AgentPromptResolved, LogAppended, PromptComposed};
use cuebook_wire::{EventType, NodeId, RunError, RunId, RunStatus, WorkflowId};
use serde::Serialize;
use serde_json::{Map, Value as Json};

/// A run, explained.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunView {
    /// The run.
    pub run_id: RunId,
    /// The workflow.
    pub workflow_id: WorkflowId,
    /// How it stands.
    pub status: RunStatus,
    /// What it gave.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub outputs: Map<String, Json>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<RunError>,
    /// Its duration in milliseconds.
    pub duration_ms: u64,
    /// The nodes in the order they started, then those that never did.
    pub nodes: Vec<NodeView>,
}

/// A node of a run, explained.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeView {
    /// The node.
    pub node_id: NodeId,
    /// Its type.
    pub type_id: String,
    /// The agent whose prompts it uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Its phase.
    pub status: &'static str,
    /// What the log warns of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<LogAppended>,
    /// Which ref applies for each kind, and why not the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resolutions: Vec<AgentPromptResolved>,
    /// What it was told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub composition: Option<CompositionView>,
    /// What it gave.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub outputs: Map<String, Json>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<RunError>,
}

/// A composition, explained.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompositionView {
    /// The payload of `prompt.composed`; absent when observability is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<PromptComposed>,
    /// The hash of the observed text.
    pub hash: String,
    /// `trusted` or `untrusted`.
    pub content_trust: &'static str,
    /// The observed text, from the log or composed again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub composed: Option<String>,
    /// Where the text comes from.
    pub text_source: TextSource,
    /// Segments, bodies, variables and pins.
    pub record: CompositionRecord,
}

/// Where an explanation's text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextSource {
    /// The log has it.
    Log,
    /// It was composed again and has the hash that the log has.
    ComposedAgain,
    /// It was composed again and differs: prompts have changed since.
    Changed,
    /// It was not asked for, and the log does not have it.
    NotShown,
}

impl RunView {
    /// Reads a run's log.
    pub fn of(state: &RunState, records: &[Record]) -> Self {
        let mut order: Vec<NodeId> = Vec::new();
        let mut views: BTreeMap<NodeId, NodeView> = BTreeMap::new();
        for record in records {
            let Some(id) = &record.event.node_id else { continue };
            let view = views.entry(id.clone()).or_insert_with(|| {
                order.push(id.clone());
                NodeView::new(state, id)
            });
            view.note(record);
        }
        let nodes = order.iter().filter_map(|id| views.remove(id)).collect();
        Self {
            run_id: state.facts.run_id.clone(),
            workflow_id: state.facts.workflow_id.clone(),
            status: state.status,
            outputs: state.outputs.clone(),
            error: state.error.clone(),
            duration_ms: state.updated_at.millis_since(state.started_at),
            nodes,
        }
    }

    /// Whether a prompt that was composed again is not what the log says.
    pub fn has_changed(&self) -> bool {
        let compositions = self.nodes.iter().filter_map(|node| node.composition.as_ref());
        compositions.into_iter().any(|composition| composition.text_source == TextSource::Changed)
    }

    /// Composes again what the log does not have, and holds its hash against the log's.
    pub async fn complete_texts(&mut self, state: &RunState, pipeline: &Pipeline) {
        for view in &mut self.nodes {
            let Some(composition) = view.composition.as_mut().filter(|it| it.composed.is_none()) else {
                continue;
            };
            let request = state.plan.index(&view.node_id).and_then(|node| prompt_request(state, node));
            let Some(request) = request else { continue };
            let prepared = pipeline.prepare(&state.facts.principal, &request, Secrets::Mark).await;
            match prepared.outcome {
                Ok(Some(again)) if again.observed.hash.as_str() == composition.hash => {
                    composition.composed = Some(again.observed.composed);
                    composition.text_source = TextSource::ComposedAgain;
                }
                _ => composition.text_source = TextSource::Changed,
            }
        }
    }
}

impl NodeView {
    fn new(state: &RunState, id: &NodeId) -> Self {
        let index = state.plan.index(id);
        let plan = index.map(|index| &state.plan.nodes[index]);
        let node = index.map(|index| &state.nodes[index]);
        Self {
            node_id: id.clone(),
            type_id: plan.map(|plan| plan.type_id.clone()).unwrap_or_default(),
            agent_id: plan.and_then(|plan| plan.agent_id.as_ref()).map(ToString::to_string),
            status: node.map_or("pending", |node| node.phase.as_str()),
            warnings: Vec::new(),
            resolutions: Vec::new(),
            composition: None,
            outputs: Map::new(),
            error: node.and_then(|node| node.error.clone()),
        }
    }

    fn note(&mut self, record: &Record) {
        let event = &record.event;
        match &event.event_type {
            EventType::LogAppended => self.warnings.extend(event.payload_as()),
            EventType::AgentPromptResolved => {
                self.resolutions.extend(event.payload_as::<AgentPromptResolved>());
                self.note_composition(record, None);
            }
            EventType::PromptComposed => self.note_composition(record, event.payload_as().ok()),
            EventType::NodeCompleted => {
                let outputs = event.payload.get("outputs").and_then(Json::as_object);
                self.outputs = outputs.cloned().unwrap_or_default();
            }
            _ => {}
        }
    }

    /// A later composition of the same node replaces the earlier one.
    fn note_composition(&mut self, record: &Record, event: Option<PromptComposed>) {
        let Ok(Some(part)) = record.private.read::<ComposedPart>() else { return };
        let composed = event.as_ref().and_then(|event| event.composed.clone());
        self.composition = Some(CompositionView {
            hash: part.hash.to_string(),
            content_trust: part.trust.as_str(),
            text_source: if composed.is_some() { TextSource::Log } else { TextSource::NotShown },
            composed,
            event,
            record: part.record,
        });
    }
}
