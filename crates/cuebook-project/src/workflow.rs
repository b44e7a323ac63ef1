//! Workflows of a project as OpenWOP workflows: steps become nodes, needs become edges.
//!
//! It owns the translation. It refuses every default: a step's prompt is exactly its files, and its user message exactly its
//! `with:` values.

use std::collections::HashMap;

use cuebook_layers::TemplateRef;
use cuebook_template::Diagnostic;
use cuebook_wire::{ErrorCode, WorkflowDefinition};
use serde_json::{Map, Value as Json, json};

use crate::names::{agent_id, workflow_id};
use crate::project::Project;
use crate::spec::{AnswerFormat, InputSpec, StepSpec, WorkflowSpec};
use crate::with;

/// The type of the nodes that steps become.
const NODE_TYPE: &str = "core.ai.callPrompt";
/// How far apart the nodes are drawn.
const DISTANCE: usize = 240;

/// A workflow of a project.
#[derive(Clone, Debug)]
pub struct ProjectWorkflow {
    /// Its name in the project file.
    pub name: String,
    /// Its id on the wire.
    pub id: String,
    /// The definition.
    pub definition: WorkflowDefinition,
    /// The data of each step that has any: its field and the names of the blocks.
    pub data: Vec<(String, Vec<String>)>,
}

/// Builds the workflow called `name`.
pub(crate) fn build(
    project: &Project,
    name: &str,
    spec: &WorkflowSpec,
) -> Result<ProjectWorkflow, Vec<Diagnostic>> {
    let id = workflow_id(project.slug(), name);
    let builder = Builder { project, name, formats: formats(spec) };
    let definition = json!({
        "id": id,
        "name": name,
        "description": spec.description,
        "version": "1",
        "nodes": spec.steps.iter().enumerate().map(|(at, step)| builder.node(at, step)).collect::<Vec<_>>(),
        "edges": spec.steps.iter().flat_map(edges).collect::<Vec<_>>(),
        "triggers": [],
        "variables": spec.inputs.iter().map(|(name, input)| variable(name, input)).collect::<Vec<_>>(),
        "metadata": { "project": project.slug() },
        "settings": {},
    });
    let definition = serde_json::from_value(definition).map_err(|error| vec![not_built(name, &error)])?;
    let data = spec.steps.iter().filter(|step| !step.with.is_empty());
    let data = data.map(|step| (builder.field(step, "with"), step.with.keys().cloned().collect())).collect();
    Ok(ProjectWorkflow { name: name.to_owned(), id, definition, data })
}

fn not_built(name: &str, error: &serde_json::Error) -> Diagnostic {
    let message = format!("workflow '{name}' cannot be built: {error}");
    Diagnostic::error(ErrorCode::WorkflowInvalid.as_str(), message)
}

fn formats(spec: &WorkflowSpec) -> HashMap<&str, AnswerFormat> {
    spec.steps.iter().map(|step| (step.id.as_str(), step.format)).collect()
}

struct Builder<'p> {
    project: &'p Project,
    name: &'p str,
    formats: HashMap<&'p str, AnswerFormat>,
}

impl Builder<'_> {
    fn field(&self, step: &StepSpec, key: &str) -> String {
        format!("workflows.{}.steps.{}.{key}", self.name, step.id)
    }

    fn reference(&self, step: &StepSpec, key: &str) -> String {
        format!("prompt:{}", self.project.template_id(&self.field(step, key)))
    }

    fn node(&self, at: usize, step: &StepSpec) -> Json {
        let agent = self.agent(step);
        json!({
            "id": step.id,
            "typeId": NODE_TYPE,
            "name": step.description.as_ref().unwrap_or(&step.id),
            "position": { "x": at * DISTANCE, "y": 0 },
            "config": self.config(step, &agent),
            "inputs": self.inputs(step),
            "agent": { "agentId": agent },
        })
    }

    fn agent(&self, step: &StepSpec) -> String {
        let owner = self.project.agent(&step.agent).map_or(self.project, |(owner, _)| owner);
        let path = step.agent.rsplit('/').next().unwrap_or(&step.agent);
        agent_id(owner.slug(), path)
    }

    fn config(&self, step: &StepSpec, agent: &str) -> Json {
        let limit = self.project.agent(&step.agent).and_then(|(_, agent)| agent.max_output_tokens);
        let optional = [
            ("userPromptRef", (!step.with.is_empty()).then(|| json!(self.reference(step, "with")))),
            ("maxTokens", limit.map(|limit| json!(limit))),
            ("responseFormat", (step.format == AnswerFormat::Json).then(|| json!("json"))),
        ];
        let mut config = json!({
            "agentId": agent,
            "systemPromptRef": self.system(step),
            "promptDefaults": false,
        });
        for (key, value) in optional.into_iter().filter_map(|(key, value)| Some((key, value?))) {
            config[key] = value;
        }
        config
    }

    /// The step's own prompt: its files, or a layered template.
    fn system(&self, step: &StepSpec) -> String {
        let layered = step.template.as_deref().and_then(|name| TemplateRef::parse(name).ok());
        layered.map_or_else(
            || self.reference(step, "prompt"),
            |template| format!("prompt:{}", template.template_id()),
        )
    }

    fn inputs(&self, step: &StepSpec) -> Json {
        let is_json = |id: &str| self.formats.get(id) == Some(&AnswerFormat::Json);
        let ports = step.with.iter().filter_map(|(key, value)| {
            let port = with::read(value).ok()?.port(&is_json);
            Some((key.clone(), serde_json::to_value(port).ok()?))
        });
        Json::Object(ports.collect::<Map<String, Json>>())
    }
}

fn edges(step: &StepSpec) -> impl Iterator<Item = Json> + '_ {
    step.needs.iter().map(
        |need| json!({ "id": format!("{need}-{}", step.id), "sourceNodeId": need, "targetNodeId": step.id }),
    )
}

fn variable(name: &str, input: &InputSpec) -> Json {
    let mut variable = json!({ "name": name, "type": input.value_type, "required": input.required });
    let optional = [
        ("defaultValue", input.default.clone()),
        ("description", input.description.as_ref().map(|text| json!(text))),
    ];
    for (key, value) in optional.into_iter().filter_map(|(key, value)| Some((key, value?))) {
        variable[key] = value;
    }
    variable
}
