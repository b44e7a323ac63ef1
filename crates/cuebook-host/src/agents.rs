//! The agents that this host knows: from manifest files, from packs and from projects.

use std::collections::BTreeMap;
use std::sync::Arc;

use cuebook_engine::Plan;
use cuebook_project::{LiveProjects, ProjectAgent};
use cuebook_prompt::{AgentBinding, Agents, Libraries, LibraryDefaults, Principal, SharedPin};
use cuebook_template::nearest;
use cuebook_wire::{AgentId, AgentManifest, AgentModelClass, AgentRef, Version};
use serde_json::{Value as Json, json};

use crate::projects;

/// An agent as it was read, before its library is looked up.
#[derive(Debug)]
pub(crate) struct LoadedAgent {
    pub(crate) manifest: AgentManifest,
    pub(crate) intrinsic: Option<SharedPin>,
    /// Where it was read from.
    pub(crate) origin: String,
    /// The pack that it came with.
    pub(crate) pack: Option<(String, Version)>,
    /// Whether it is among those that are listed; those of the program's own packs are there unasked.
    pub(crate) is_listed: bool,
}

/// Every known agent by id.
#[derive(Debug, Default)]
pub struct AgentRegistry {
    agents: BTreeMap<AgentId, Known>,
    projects: Option<Arc<LiveProjects>>,
}

#[derive(Debug)]
struct Known {
    binding: Arc<AgentBinding>,
    origin: String,
    pack: Option<(String, Version)>,
    is_listed: bool,
}

impl AgentRegistry {
    /// Takes agents whose ids differ, and looks up their libraries.
    pub(crate) fn new(loaded: Vec<LoadedAgent>, libraries: &Libraries) -> Self {
        let known = loaded.into_iter().map(|agent| {
            let id = agent.manifest.agent_id.clone();
            let library = library_defaults(&agent.manifest, libraries);
            let binding =
                AgentBinding { manifest: Arc::new(agent.manifest), intrinsic: agent.intrinsic, library };
            (
                id,
                Known {
                    binding: Arc::new(binding),
                    origin: agent.origin,
                    pack: agent.pack,
                    is_listed: agent.is_listed,
                },
            )
        });
        Self { agents: known.collect(), projects: None }
    }

    /// The same registry with the agents of projects, each as its files are when it is asked for.
    pub(crate) fn with_projects(self, projects: Arc<LiveProjects>) -> Self {
        Self { projects: Some(projects), ..self }
    }

    /// The ids: those of manifests in order, then those of projects; not those of the program's own packs.
    pub fn ids(&self) -> Vec<AgentId> {
        let of_projects = self.projects.iter().flat_map(|projects| projects.agent_ids());
        let listed = self.agents.iter().filter(|(_, known)| known.is_listed);
        listed.map(|(id, _)| id.clone()).chain(of_projects).collect()
    }

    /// The id that is most like `given`, which is none.
    pub fn nearest(&self, given: &str) -> Option<AgentId> {
        let ids = self.ids();
        nearest(given, ids.iter().map(AgentId::as_str)).map(AgentId::new)
    }

    /// The binding of an agent, with its prompt.
    pub fn get(&self, id: &AgentId) -> Option<Arc<AgentBinding>> {
        match self.agents.get(id) {
            Some(known) => Some(Arc::clone(&known.binding)),
            None => projects::binding(self.projects.as_deref()?, id).map(Arc::new),
        }
    }

    /// The manifest of an agent; no prompt is read for it.
    pub fn manifest(&self, id: &AgentId) -> Option<Arc<AgentManifest>> {
        match self.agents.get(id) {
            Some(known) => Some(Arc::clone(&known.binding.manifest)),
            None => self.of_project(id).map(|agent| Arc::new(agent.manifest)),
        }
    }

    /// The file or pack that an agent was read from.
    pub fn origin(&self, id: &AgentId) -> Option<String> {
        match self.agents.get(id) {
            Some(known) => Some(known.origin.clone()),
            None => self.of_project(id).map(|agent| agent.origin),
        }
    }

    /// The name of an agent's model: the class of a manifest, the alias of a project.
    pub fn model(&self, id: &AgentId) -> Option<String> {
        match self.agents.get(id) {
            Some(known) => Some(known.binding.manifest.model_class.as_str().to_owned()),
            None => self.of_project(id).map(|agent| agent.model),
        }
    }

    fn of_project(&self, id: &AgentId) -> Option<ProjectAgent> {
        self.projects.as_deref()?.agent(id)
    }
}

impl AgentRegistry {
    /// Who the known agents are that the nodes of `plan` bind.
    pub(crate) fn identities(&self, plan: &Plan) -> BTreeMap<AgentId, AgentRef> {
        let known = |id: &AgentId| Some((id.clone(), identity(&*self.manifest(id)?)));
        plan.agents().into_iter().filter_map(known).collect()
    }
}

impl AgentRegistry {
    /// An agent as the inventory shows it: never its prompts. One of this host's own files is marked local.
    pub fn inventory(&self, id: &AgentId) -> Option<Json> {
        let manifest = self.manifest(id)?;
        let pack = self.agents.get(id).and_then(|known| known.pack.as_ref());
        let is_local = pack.is_none();
        let pack = pack.map(|(name, version)| (name.clone(), version.to_string()));
        let (pack_name, pack_version) = pack.unwrap_or_else(|| ("local".to_owned(), "0.0.0".to_owned()));
        let mut entry = json!({
            "agentId": id,
            "persona": manifest.persona,
            "label": manifest.label.as_ref().unwrap_or(&manifest.persona),
            "modelClass": manifest.model_class,
            "packName": pack_name,
            "packVersion": pack_version,
            "local": is_local,
            "toolAllowlist": manifest.tool_allowlist.clone().unwrap_or_default(),
            "hasHandoffSchemas": manifest.handoff.is_some(),
        });
        let optional = [
            ("description", manifest.description.as_ref().map(|it| json!(it))),
            ("memoryShape", manifest.memory_shape.as_ref().map(|it| json!(it))),
            (
                "confidenceThreshold",
                manifest.confidence.as_ref().and_then(|it| it.default_threshold).map(|it| json!(it)),
            ),
        ];
        for (key, value) in optional.into_iter().filter_map(|(key, value)| Some((key, value?))) {
            entry[key] = value;
        }
        Some(entry)
    }
}

/// The wire's projection of a manifest; a model class that the wire does not have is left out.
fn identity(manifest: &AgentManifest) -> AgentRef {
    AgentRef {
        name: Some(manifest.persona.clone()),
        model_class: AgentModelClass::from_manifest(manifest.model_class),
        source_manifest_id: Some(manifest.agent_id.to_string()),
        ..AgentRef::new(manifest.agent_id.clone())
    }
}

/// What the library that a manifest names has for it.
pub(crate) fn library_defaults(manifest: &AgentManifest, libraries: &Libraries) -> LibraryDefaults {
    match &manifest.prompt_library_ref {
        None => LibraryDefaults::NotNamed,
        Some(id) => match libraries.get(id) {
            Some(library) => LibraryDefaults::Installed(library.defaults()),
            None => LibraryDefaults::NotInstalled,
        },
    }
}

impl Agents for AgentRegistry {
    fn binding(&self, _principal: &Principal, id: &AgentId) -> Option<Arc<AgentBinding>> {
        self.get(id)
    }
}
