//! The library that users write: templates in the store, by tenant and workspace, with a bounded cache before it.
//!
//! It owns how a stored template is found and read. It refuses to hold what nobody asks for: texts are loaded on use, so
//! the memory it takes does not depend on how many templates there are.

mod cache;
mod import;
mod write;

use std::sync::Arc;

use cuebook_log::{
    Added, ImportedPrompts, KeptPrompt, LogError, NewPrompt, PromptImport, PromptRemoval, Removed, RunStore,
    Which,
};
use cuebook_prompt::{Entry, Principal, PromptError, UserLibrary, Wanted};
use cuebook_wire::{ErrorCode, LibraryId, PromptTemplate, TemplateId, Version};
use futures_util::future::BoxFuture;

use cache::{Cache, Looked};
pub use import::{ImportReport, MAX_IMPORT};
pub use write::{PromptWrite, WrittenPrompt};

/// The user library over a store.
pub(crate) struct UserTemplates {
    id: LibraryId,
    store: Arc<dyn RunStore>,
    cache: Arc<Cache>,
}

impl UserTemplates {
    /// The templates of `store`.
    pub(crate) fn new(store: Arc<dyn RunStore>) -> Self {
        Self { id: LibraryId::user(), store, cache: Arc::default() }
    }

    /// Adds a version; what was begun is brought to its end though the caller goes away, as readers wait for it.
    async fn add(&self, principal: &Principal, new: NewPrompt) -> Result<Added, LogError> {
        let writing = self.cache.write(principal, &new.prompt.template_id);
        let (store, principal) = (Arc::clone(&self.store), principal.clone());
        let task = tokio::spawn(async move {
            let added = store.add_prompt(&principal, new).await;
            drop(writing);
            added
        });
        task.await.unwrap_or_else(|_| Err(cut_short()))
    }

    /// Adds several versions or none, in the same way.
    async fn import(&self, principal: &Principal, import: PromptImport) -> Result<ImportedPrompts, LogError> {
        let writing: Vec<_> = import.seen.iter().map(|(id, _)| self.cache.write(principal, id)).collect();
        let (store, principal) = (Arc::clone(&self.store), principal.clone());
        let task = tokio::spawn(async move {
            let imported = store.import_prompts(&principal, import).await;
            drop(writing);
            imported
        });
        task.await.unwrap_or_else(|_| Err(cut_short()))
    }

    /// Removes a version or a template, in the same way.
    async fn remove(&self, principal: &Principal, removal: PromptRemoval) -> Result<Removed, LogError> {
        let writing = self.cache.write(principal, &removal.template_id);
        let (store, principal) = (Arc::clone(&self.store), principal.clone());
        let task = tokio::spawn(async move {
            let removed = store.remove_prompt(&principal, removal).await;
            drop(writing);
            removed
        });
        task.await.unwrap_or_else(|_| Err(cut_short()))
    }

    async fn cached(
        &self,
        principal: &Principal,
        template_id: &TemplateId,
        version: Option<&Version>,
    ) -> Result<Option<Arc<Entry>>, PromptError> {
        let missed = match self.cache.look(principal, template_id, version) {
            Looked::Found(found) => return Ok(found),
            Looked::Missed(missed) => missed,
        };
        let which = version.map_or(Which::Latest, |version| Which::Exact(version.clone()));
        let found = self.load(principal, template_id, &which).await?;
        if let Some(missed) = missed {
            self.cache.keep(principal, template_id, version, missed, found.clone());
        }
        Ok(found)
    }

    async fn load(
        &self,
        principal: &Principal,
        template_id: &TemplateId,
        which: &Which,
    ) -> Result<Option<Arc<Entry>>, PromptError> {
        let kept = self.store.prompt(principal, template_id, which).await.map_err(|error| unread(&error))?;
        kept.map(|kept| Ok(Arc::new(Entry::new(&self.id, read(&kept)?)))).transpose()
    }
}

impl UserLibrary for UserTemplates {
    fn id(&self) -> &LibraryId {
        &self.id
    }

    fn find<'a>(
        &'a self,
        principal: &'a Principal,
        template_id: &'a TemplateId,
        wanted: Wanted<'a>,
    ) -> BoxFuture<'a, Result<Option<Arc<Entry>>, PromptError>> {
        Box::pin(async move {
            let version = match wanted {
                Wanted::Latest => None,
                Wanted::Exact(version) | Wanted::Held(version) => Some(version),
            };
            match (self.cached(principal, template_id, version).await?, wanted) {
                (None, Wanted::Held(version)) => {
                    self.load(principal, template_id, &Which::Kept(version.clone())).await
                }
                (found, _) => Ok(found),
            }
        })
    }
}

/// The template of a document that this host has written.
pub(crate) fn read(kept: &KeptPrompt) -> Result<PromptTemplate, PromptError> {
    serde_json::from_str(&kept.document).map_err(|_| {
        let message = format!("the stored template '{}@{}' cannot be read", kept.template_id, kept.version);
        PromptError::new(ErrorCode::InternalError, message)
    })
}

fn cut_short() -> LogError {
    LogError::Storage("a write of a template was cut short".to_owned())
}

fn unread(error: &LogError) -> PromptError {
    tracing::error!(%error, "the store failed");
    PromptError::new(ErrorCode::ServiceUnavailable, "the store of templates cannot answer now")
}
