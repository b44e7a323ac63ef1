//! Previews at edit time: a node, an agent and a template as they are being written, through the one pipeline.
//!
//! It owns how a draft stands before what is kept. It refuses a way of its own: what is drafted becomes a workflow, a source
//! and an agent, and then goes where a run would go.

use std::sync::Arc;

use cuebook_engine::Plan;
use cuebook_prompt::{
    AgentBinding, Agents, Entry, Principal, PromptError, SharedPin, Source, StaticPlace, pin_intrinsic,
};
use cuebook_wire::template::VariableType;
use cuebook_wire::{
    AgentId, AgentManifest, ErrorCode, Fault, LibraryId, PromptKind, PromptRef, PromptTemplate,
    WorkflowDefinition, WorkflowId, strict,
};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value as Json, json};

use super::node::{NodePreview, PreviewNode};
use crate::agents::library_defaults;
use crate::host::{Host, StartRun};
use crate::refusal::Refusal;

/// The id of a node, and of its workflow, that is drafted alone.
const ALONE: &str = "preview";

/// What is drafted.
#[derive(Clone, Debug, Default)]
pub struct PreviewDraft {
    /// A workflow that is kept, and its node; without them the node is drafted alone.
    pub node: Option<(WorkflowId, String)>,
    /// The node's config, in place of the one that is kept.
    pub config: Option<Map<String, Json>>,
    /// A manifest in place of the agent of its id.
    pub agent: Option<AgentManifest>,
    /// The one kind whose chain is wanted.
    pub kind: Option<PromptKind>,
    /// Run variables.
    pub variables: Map<String, Json>,
    /// Values at the node's input ports.
    pub bindings: Map<String, Json>,
    /// A template in place of those of its id that are kept.
    pub template: Option<PromptTemplate>,
}

impl Host {
    /// Takes what is drafted through the pipeline, with what is kept beside it.
    ///
    /// # Errors
    ///
    /// `not_found` for the workflow and the node; `validation_error` and the faults of the config, each with its path. What is
    /// wrong with the prompt itself is in the preview.
    pub async fn preview_draft(
        &self,
        principal: &Principal,
        draft: PreviewDraft,
    ) -> Result<NodePreview, Refusal> {
        let plan = self.drafted_plan(principal, &draft).await?;
        let mut pipeline = (*self.pipeline).clone();
        if let Some(template) = &draft.template {
            let below = Arc::new(self.catalog.clone());
            pipeline = pipeline.with_library(Arc::new(Drafted::new(template, below)));
        }
        if let Some(agent) = draft.agent {
            pipeline = pipeline.with_agents(Arc::new(Understudy::new(agent, self)?));
        }
        let node = draft.node.as_ref().map_or(ALONE, |(_, node)| node);
        let start = StartRun {
            principal,
            plan: &plan,
            inputs: draft.variables,
            configurable: None,
            refuse_undeclared: false,
        };
        let preview = PreviewNode { start, node, ports: draft.bindings };
        let mut seen = self.preview_through(&pipeline, preview, draft.template.as_ref()).await?;
        seen.resolutions.retain(|resolution| draft.kind.is_none_or(|kind| resolution.kind == kind));
        Ok(seen)
    }

    async fn drafted_plan(&self, principal: &Principal, draft: &PreviewDraft) -> Result<Arc<Plan>, Refusal> {
        let Some((workflow, node)) = &draft.node else {
            return compile(&alone(draft)).map_err(|faults| Refusal::faults(&below_config(faults, 0)));
        };
        let plan = self.workflow_for(principal, workflow).await?;
        let Some(config) = &draft.config else { return Ok(plan) };
        let mut definition = json!(*plan.definition);
        let nodes = definition["nodes"].as_array_mut().map(Vec::as_mut_slice).unwrap_or_default();
        let Some(at) = nodes.iter().position(|it| it["id"] == node.as_str()) else { return Ok(plan) };
        nodes[at]["config"] = Json::Object(config.clone());
        compile(&definition).map_err(|faults| Refusal::faults(&below_config(faults, at)))
    }
}

/// A workflow of one node that has a port for each binding and a variable for each value.
fn alone(draft: &PreviewDraft) -> Json {
    let port = |name: &String| (name.clone(), json!({ "type": "static", "value": null }));
    let variable = |(name, value): (&String, &Json)| {
        let value_type = VariableType::of(untagged(value)).unwrap_or(VariableType::String);
        json!({ "name": name, "type": value_type, "required": false })
    };
    let node = json!({
        "id": ALONE, "typeId": "core.ai.callPrompt", "name": ALONE, "position": { "x": 0, "y": 0 },
        "config": draft.config.clone().unwrap_or_default(),
        "inputs": draft.bindings.keys().map(port).collect::<Map<String, Json>>(),
    });
    json!({
        "id": ALONE, "name": ALONE, "version": "1.0.0", "nodes": [node], "edges": [], "triggers": [],
        "variables": draft.variables.iter().map(variable).collect::<Vec<Json>>(),
        "metadata": {}, "settings": {},
    })
}

/// The value within a tag of trust.
fn untagged(value: &Json) -> &Json {
    value.get("value").filter(|_| value.get("meta").is_some()).unwrap_or(value)
}

fn compile(definition: &Json) -> Result<Arc<Plan>, Vec<Fault>> {
    let definition = strict::read::<WorkflowDefinition>(definition)?;
    Plan::compile(definition).map(|compiled| Arc::new(compiled.plan))
}

/// Faults of the node's config as faults of the request, which has the config at its top.
fn below_config(faults: Vec<Fault>, node: usize) -> Vec<Fault> {
    let prefix = format!("/nodes/{node}");
    let shorten = |fault: Fault| Fault {
        path: fault.path.strip_prefix(&prefix).unwrap_or(&fault.path).to_owned(),
        ..fault
    };
    faults.into_iter().map(shorten).collect()
}

/// Whether a ref means the draft: by its id and, where it names them, version and library.
pub(super) fn is_meant(draft: &PromptTemplate, reference: &PromptRef) -> bool {
    draft.template_id == reference.template_id
        && reference.version.as_ref().is_none_or(|version| *version == draft.version)
        && reference.library_id.as_ref().is_none_or(|library| *library == LibraryId::user())
}

/// A template that is being written, before everything that is kept.
struct Drafted {
    template: PromptTemplate,
    pin: SharedPin,
    below: Arc<dyn Source>,
}

impl Drafted {
    fn new(template: &PromptTemplate, below: Arc<dyn Source>) -> Self {
        let entry = Entry::new(&LibraryId::user(), template.clone());
        Self { template: template.clone(), pin: Arc::clone(entry.pinned()), below }
    }
}

impl Source for Drafted {
    fn pin<'a>(
        &'a self,
        principal: &'a Principal,
        reference: &'a PromptRef,
        within: Option<&'a LibraryId>,
    ) -> BoxFuture<'a, Result<SharedPin, PromptError>> {
        if is_meant(&self.template, reference) {
            return Box::pin(std::future::ready(Ok(Arc::clone(&self.pin))));
        }
        self.below.pin(principal, reference, within)
    }
}

/// An agent that is being written, in the place of the one of its id.
struct Understudy {
    id: AgentId,
    binding: Arc<AgentBinding>,
    others: Arc<dyn Agents>,
}

impl Understudy {
    /// # Errors
    ///
    /// `validation_error` when the manifest's own prompt is a file, which a draft does not have.
    fn new(manifest: AgentManifest, host: &Host) -> Result<Self, Refusal> {
        if manifest.system_prompt_ref.is_some() {
            let message = "a draft has no files: write the text of the prompt under 'systemPrompt'";
            let fault = Fault::new("/agent/systemPromptRef", ErrorCode::ValidationError, message);
            return Err(Refusal::faults(&[fault]));
        }
        let id = manifest.agent_id.clone();
        let text = manifest.system_prompt.as_deref();
        let own = text.map(|text| Arc::new(pin_intrinsic(&id, "systemPrompt", text, StaticPlace::Field)));
        let library = library_defaults(&manifest, &host.libraries);
        let binding = AgentBinding { manifest: Arc::new(manifest), intrinsic: own, library };
        Ok(Self { id, binding: Arc::new(binding), others: Arc::clone(&host.agents) as _ })
    }
}

impl Agents for Understudy {
    fn binding(&self, principal: &Principal, id: &AgentId) -> Option<Arc<AgentBinding>> {
        if *id == self.id { Some(Arc::clone(&self.binding)) } else { self.others.binding(principal, id) }
    }
}
