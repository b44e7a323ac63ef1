//! The port of the prompt library, as one line each to its tables.

use cuebook_log::{
    Added, Answer, ImportedPrompts, KeptPrompt, NewPrompt, PromptImport, PromptLibrary, PromptRemoval,
    PromptVersion, Removed, Which,
};
use cuebook_prompt::{ContentHash, Principal};
use cuebook_wire::TemplateId;
use rusqlite::Connection;

use crate::prompts::{self, Shelf};
use crate::store::SqliteStore;
use crate::writer::Done;

impl PromptLibrary for SqliteStore {
    fn add_prompt<'a>(&'a self, principal: &'a Principal, new: NewPrompt) -> Answer<'a, Added> {
        Box::pin(async move {
            let (of, hash) = (Shelf::of(principal), ContentHash::of(&new.prompt.document));
            let work =
                move |connection: &Connection| prompts::add(connection, &of, new, &hash).map(Done::quiet);
            self.writer.ask(work).await
        })
    }

    fn import_prompts<'a>(
        &'a self,
        principal: &'a Principal,
        import: PromptImport,
    ) -> Answer<'a, ImportedPrompts> {
        Box::pin(async move {
            let of = Shelf::of(principal);
            let work =
                move |connection: &Connection| prompts::import(connection, &of, import).map(Done::quiet);
            self.writer.ask(work).await
        })
    }

    fn prompt<'a>(
        &'a self,
        principal: &'a Principal,
        template_id: &'a TemplateId,
        which: &'a Which,
    ) -> Answer<'a, Option<KeptPrompt>> {
        Box::pin(async move {
            let (of, id, which) = (Shelf::of(principal), template_id.clone(), which.clone());
            self.readers.ask(move |connection| prompts::find(connection, &of, &id, &which)).await
        })
    }

    fn prompt_versions<'a>(
        &'a self,
        principal: &'a Principal,
        template_id: &'a TemplateId,
    ) -> Answer<'a, Vec<PromptVersion>> {
        Box::pin(async move {
            let (of, id) = (Shelf::of(principal), template_id.clone());
            self.readers.ask(move |connection| prompts::versions(connection, &of, &id)).await
        })
    }

    fn prompts<'a>(
        &'a self,
        principal: &'a Principal,
        after: Option<&'a TemplateId>,
        limit: usize,
    ) -> Answer<'a, Vec<KeptPrompt>> {
        Box::pin(async move {
            let (of, after) = (Shelf::of(principal), after.cloned());
            let work = move |connection: &Connection| prompts::page(connection, &of, after.as_ref(), limit);
            self.readers.ask(work).await
        })
    }

    fn remove_prompt<'a>(&'a self, principal: &'a Principal, removal: PromptRemoval) -> Answer<'a, Removed> {
        Box::pin(async move {
            let of = Shelf::of(principal);
            let work =
                move |connection: &Connection| prompts::remove(connection, &of, &removal).map(Done::quiet);
            self.writer.ask(work).await
        })
    }
}
