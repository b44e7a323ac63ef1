//! Where the prompts of a test come from: libraries that can change, agents, and secrets.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use cuebook_prompt::{
    AgentBinding, Agents, Libraries, Library, LibraryDefaults, Owner, Principal, PromptError, SecretId,
    SecretStore, SecretText, SecretUnavailable, SecretUse, SharedPin, Source, StaticPlace, pin_intrinsic,
};
use cuebook_wire::{AgentId, AgentManifest, LibraryId, PromptRef, PromptTemplate, strict};
use futures_util::future::{self, BoxFuture};
use serde_json::Value;

/// One library of the host that grows while runs go on.
#[derive(Default)]
pub(crate) struct Shelf(Mutex<Vec<PromptTemplate>>);

impl Shelf {
    pub(crate) fn add(&self, template: &Value) {
        self.0.lock().unwrap().push(strict::read(template).unwrap());
    }

    fn libraries(&self) -> Libraries {
        let mut library = Library::new(LibraryId::host(), Owner::Host);
        for template in self.0.lock().unwrap().iter() {
            library.add(template.clone()).unwrap();
        }
        Libraries::new(vec![library])
    }
}

impl Source for Shelf {
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

/// Agents by id.
#[derive(Default)]
pub(crate) struct Cast(Mutex<BTreeMap<AgentId, Arc<AgentBinding>>>);

impl Cast {
    pub(crate) fn add(&self, manifest: &Value) {
        let manifest: AgentManifest = serde_json::from_value(manifest.clone()).unwrap();
        let id = manifest.agent_id.clone();
        let own = manifest.system_prompt.as_deref();
        let intrinsic =
            own.map(|text| Arc::new(pin_intrinsic(&id, "systemPrompt", text, StaticPlace::Field)));
        let library = LibraryDefaults::NotNamed;
        let binding = AgentBinding { manifest: Arc::new(manifest), intrinsic, library };
        self.0.lock().unwrap().insert(id, Arc::new(binding));
    }

    pub(crate) fn remove(&self, id: &str) {
        self.0.lock().unwrap().remove(&AgentId::new(id));
    }
}

impl Agents for Cast {
    fn binding(&self, _principal: &Principal, id: &AgentId) -> Option<Arc<AgentBinding>> {
        self.0.lock().unwrap().get(id).cloned()
    }
}

/// Secrets by id.
#[derive(Default)]
pub(crate) struct Vault(Mutex<BTreeMap<String, String>>);

impl Vault {
    pub(crate) fn remove(&self, id: &str) {
        self.0.lock().unwrap().remove(id);
    }

    pub(crate) fn set(&self, id: &str, value: &str) {
        self.0.lock().unwrap().insert(id.to_owned(), value.to_owned());
    }
}

impl SecretStore for Vault {
    fn fetch<'a>(
        &'a self,
        id: &'a SecretId,
        _by: SecretUse<'a>,
    ) -> BoxFuture<'a, Result<SecretText, SecretUnavailable>> {
        let value = self.0.lock().unwrap().get(id.as_str()).cloned().and_then(SecretText::new);
        Box::pin(future::ready(value.ok_or_else(|| SecretUnavailable { id: id.to_string() })))
    }
}
