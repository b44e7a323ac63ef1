//! Where the prompts of a simulated host come from: a library that grows, an agent that is edited, a secret that can go.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use cuebook_prompt::{
    AgentBinding, Agents, BindPolicy, Libraries, Library, LibraryDefaults, Owner, Pipeline, Principal,
    PromptError, PromptPolicy, SecretId, SecretStore, SecretText, SecretUnavailable, SecretUse, SharedPin,
    Source, SourceSet, StaticPlace, pin_intrinsic,
};
use cuebook_wire::{AgentId, AgentManifest, LibraryId, PromptRef, PromptRefs, PromptTemplate};
use futures_util::future::{self, BoxFuture};
use serde_json::json;

/// The agent that nodes may speak as.
pub(crate) const AGENT: &str = "local.sim.writer";
/// The id of the one secret.
pub(crate) const SECRET_ID: &str = "sim-key";
/// The secret that must be nowhere but in what models are sent.
pub(crate) const CANARY: &str = "canary \"4711\" secret";

/// The live texts of a host, which outlive its crashes.
#[derive(Debug, Default)]
pub(crate) struct Prompts {
    edits: AtomicU64,
    secrets_gone: AtomicBool,
}

impl Prompts {
    /// Edits the agent's own prompt and adds a version to every template.
    pub(crate) fn edit(&self) {
        self.edits.fetch_add(1, Ordering::Relaxed);
    }

    /// Puts the secrets out of reach, or back.
    pub(crate) fn put_secrets_away(&self, gone: bool) {
        self.secrets_gone.store(gone, Ordering::Relaxed);
    }

    /// The one pipeline over them.
    pub(crate) fn pipeline(self: &Arc<Self>) -> Pipeline {
        let policy = PromptPolicy {
            host_defaults: PromptRefs::default(),
            host_library: LibraryId::host(),
            agent_bindings: true,
            run_overrides: false,
            bind: BindPolicy::default(),
        };
        let sources = SourceSet::new(Arc::clone(self) as Arc<dyn Source>);
        Pipeline::new(sources, Arc::clone(self) as _, Arc::clone(self) as _, policy)
    }

    fn edition(&self) -> u64 {
        self.edits.load(Ordering::Relaxed)
    }

    fn libraries(&self) -> Libraries {
        let mut library = Library::new(LibraryId::host(), Owner::Host);
        for edition in 0..=self.edition() {
            for (id, is_secret) in [("plain", false), ("with-secret", true)] {
                if let Some(template) = template(id, edition, is_secret) {
                    // A version that cannot be added is one that a run then does not find.
                    let _ = library.add(template);
                }
            }
        }
        Libraries::new(vec![library])
    }
}

fn template(id: &str, edition: u64, is_secret: bool) -> Option<PromptTemplate> {
    let input = |name: &str, required: bool| json!({"name": name, "type": "string", "required": required, "source": "input"});
    let mut variables = vec![input("id", true), input("topic", false), input("seen", false)];
    let mut text = format!("{{{{id}}}} edition {edition}: {{{{topic}}}} / {{{{seen}}}}");
    if is_secret {
        variables.push(json!({"name": "key", "type": "string", "required": true, "source": "secret"}));
        text.push_str(" with {{key}}");
    }
    let version = format!("1.{edition}.0");
    let template =
        json!({"templateId": id, "version": version, "kind": "user", "text": text, "variables": variables});
    serde_json::from_value(template).ok()
}

impl Source for Prompts {
    fn pin<'a>(
        &'a self,
        _principal: &'a Principal,
        reference: &'a PromptRef,
        within: Option<&'a LibraryId>,
    ) -> BoxFuture<'a, Result<SharedPin, PromptError>> {
        let found = self.libraries().find(reference, within).map(|entry| Arc::clone(entry.pinned()));
        Box::pin(future::ready(found))
    }
}

impl Agents for Prompts {
    fn binding(&self, _principal: &Principal, id: &AgentId) -> Option<Arc<AgentBinding>> {
        let text = format!("You write; edition {}.", self.edition());
        let manifest =
            json!({"agentId": AGENT, "persona": "Writer", "modelClass": "general", "systemPrompt": text});
        let manifest: AgentManifest = serde_json::from_value(manifest).ok()?;
        let intrinsic = Arc::new(pin_intrinsic(id, "systemPrompt", &text, StaticPlace::Field));
        let library = LibraryDefaults::NotNamed;
        (id.as_str() == AGENT).then(|| {
            Arc::new(AgentBinding { manifest: Arc::new(manifest), intrinsic: Some(intrinsic), library })
        })
    }
}

impl SecretStore for Prompts {
    fn fetch<'a>(
        &'a self,
        id: &'a SecretId,
        _by: SecretUse<'a>,
    ) -> BoxFuture<'a, Result<SecretText, SecretUnavailable>> {
        let is_there = id.as_str() == SECRET_ID && !self.secrets_gone.load(Ordering::Relaxed);
        let value = is_there.then(|| SecretText::new(CANARY.to_owned())).flatten();
        Box::pin(future::ready(value.ok_or_else(|| SecretUnavailable { id: id.to_string() })))
    }
}
