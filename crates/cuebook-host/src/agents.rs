//! The agents that this host knows: from manifest files and from packs.

use std::collections::BTreeMap;
use std::sync::Arc;

use cuebook_engine::Plan;
use cuebook_prompt::{AgentBinding, Agents, Libraries, LibraryDefaults, Principal, SharedPin};
use cuebook_wire::{AgentId, AgentManifest, AgentModelClass, AgentRef, ModelClass, Version};
use serde_json::{Value as Json, json};

/// An agent as it was read, before its library is looked up.
#[derive(Debug)]
pub(crate) struct LoadedAgent {
    pub(crate) manifest: AgentManifest,
    pub(crate) intrinsic: Option<SharedPin>,
    /// Where it was read from.
    pub(crate) origin: String,
    /// The pack that it came with.
    pub(crate) pack: Option<(String, Version)>,
}

/// Every known agent by id.
#[derive(Debug, Default)]
pub struct AgentRegistry {
    agents: BTreeMap<AgentId, Known>,
}

#[derive(Debug)]
struct Known {
    binding: Arc<AgentBinding>,
    origin: String,
    pack: Option<(String, Version)>,
}

impl AgentRegistry {
    /// Takes agents whose ids differ, and looks up their libraries.
    pub(crate) fn new(loaded: Vec<LoadedAgent>, libraries: &Libraries) -> Self {
        let known = loaded.into_iter().map(|agent| {
            let id = agent.manifest.agent_id.clone();
            let library = library_defaults(&agent.manifest, libraries);
            let binding =
                AgentBinding { manifest: Arc::new(agent.manifest), intrinsic: agent.intrinsic, library };
            (id, Known { binding: Arc::new(binding), origin: agent.origin, pack: agent.pack })
        });
        Self { agents: known.collect() }
    }

    /// The ids in order.
    pub fn ids(&self) -> impl Iterator<Item = &AgentId> {
        self.agents.keys()
    }

    /// The binding of an agent.
    pub fn get(&self, id: &AgentId) -> Option<&Arc<AgentBinding>> {
        self.agents.get(id).map(|known| &known.binding)
    }

    /// The file or pack that an agent was read from.
    pub fn origin(&self, id: &AgentId) -> Option<&str> {
        self.agents.get(id).map(|known| known.origin.as_str())
    }

    /// The model class of an agent.
    pub fn model_class(&self, id: &AgentId) -> Option<ModelClass> {
        self.get(id).map(|binding| binding.manifest.model_class)
    }
}

impl AgentRegistry {
    /// Who the known agents are that the nodes of `plan` bind.
    pub(crate) fn identities(&self, plan: &Plan) -> BTreeMap<AgentId, AgentRef> {
        let bound = plan.nodes.iter().filter_map(|node| node.agent_id.as_ref());
        bound.filter_map(|id| Some((id.clone(), identity(&self.get(id)?.manifest)))).collect()
    }
}

impl AgentRegistry {
    /// An agent as the inventory shows it: never its prompts. One of this host's own files is marked local.
    pub fn inventory(&self, id: &AgentId) -> Option<Json> {
        let known = self.agents.get(id)?;
        let manifest = &known.binding.manifest;
        let pack = known.pack.as_ref().map(|(name, version)| (name.clone(), version.to_string()));
        let (pack_name, pack_version) = pack.unwrap_or_else(|| ("local".to_owned(), "0.0.0".to_owned()));
        let mut entry = json!({
            "agentId": id,
            "persona": manifest.persona,
            "label": manifest.label.as_ref().unwrap_or(&manifest.persona),
            "modelClass": manifest.model_class,
            "packName": pack_name,
            "packVersion": pack_version,
            "local": known.pack.is_none(),
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

fn library_defaults(manifest: &AgentManifest, libraries: &Libraries) -> LibraryDefaults {
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
        self.get(id).cloned()
    }
}
