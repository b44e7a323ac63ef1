//! Agents of a project as manifests.
//!
//! It owns the rules by which a project's agent gets what a manifest needs: an id, a persona, a model class. It refuses to
//! put any text into a manifest: an agent's prompt is composed from its files when it is used.

use cuebook_layers::TemplateRef;
use cuebook_wire::{AgentId, AgentManifest, ModelClass, PromptRefs};
use serde_json::Value as Json;

use crate::names::{PRIMARY, agent_id};
use crate::project::Project;
use crate::spec::AgentSpec;

/// An agent of a project.
#[derive(Clone, Debug)]
pub struct ProjectAgent {
    /// Its path: `primary`, or the names below it joined by dots.
    pub path: String,
    /// The field of its prompt, such as `primary.subagents.writer.system_prompt`.
    pub field: String,
    /// The layered template that it has in place of files.
    pub template: Option<TemplateRef>,
    /// The alias of its model.
    pub model: String,
    /// Its manifest.
    pub manifest: AgentManifest,
    /// The project file that defines it.
    pub origin: String,
}

/// The agents of `project`, the primary one first.
pub(crate) fn agents(project: &Project) -> Vec<ProjectAgent> {
    let mut agents = Vec::new();
    collect(project, &project.spec().primary, PRIMARY, PRIMARY, &mut agents);
    agents
}

fn collect(project: &Project, spec: &AgentSpec, path: &str, field: &str, agents: &mut Vec<ProjectAgent>) {
    agents.push(ProjectAgent {
        path: path.to_owned(),
        field: format!("{field}.system_prompt"),
        template: spec.template.as_deref().and_then(|name| TemplateRef::parse(name).ok()),
        model: spec.model.clone(),
        manifest: manifest(project, spec, path),
        origin: project.place("/primary").source.name().to_string(),
    });
    for (name, below) in &spec.subagents {
        let path = if path == PRIMARY { name.clone() } else { format!("{path}.{name}") };
        collect(project, below, &path, &format!("{field}.subagents.{name}"), agents);
    }
}

fn manifest(project: &Project, spec: &AgentSpec, path: &str) -> AgentManifest {
    AgentManifest {
        agent_id: AgentId::from(agent_id(project.slug(), path)),
        persona: persona(project, path),
        model_class: spec.model.parse().unwrap_or(ModelClass::General),
        system_prompt: None,
        system_prompt_ref: None,
        eval_suite_ref: None,
        tool_allowlist: spec.tools.as_ref().map(|tools| enabled(tools).map(str::to_owned).collect()),
        memory_shape: None,
        confidence: None,
        handoff: None,
        label: None,
        description: spec.description.clone(),
        prompt_library_ref: None,
        prompt_overrides: PromptRefs::default(),
    }
}

/// The last name of the path; for the primary agent that of the project.
fn persona(project: &Project, path: &str) -> String {
    let name = path.rsplit('.').next().unwrap_or(path);
    if path == PRIMARY { project.slug().to_owned() } else { name.to_owned() }
}

/// The tools that are not switched off.
pub(crate) fn enabled(tools: &serde_json::Map<String, Json>) -> impl Iterator<Item = &str> {
    let is_on = |settings: &Json| {
        settings.get("enabled") != Some(&Json::Bool(false)) && *settings != Json::Bool(false)
    };
    tools.iter().filter(move |(_, settings)| is_on(settings)).map(|(name, _)| name.as_str())
}
