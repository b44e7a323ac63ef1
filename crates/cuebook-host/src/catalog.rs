//! The templates of all libraries as a list that is read page by page.
//!
//! The list goes by library and id. The libraries that are fixed at the start are in memory; the user library is read from
//! the store in batches, and no page looks at more than [`MAX_LOOKED_AT`] of its templates: a page may be short, or empty,
//! and still tell where the next one begins.

use std::sync::Arc;

use cuebook_prompt::{Entry, Owner, Principal};
use cuebook_wire::template::TemplateOrigin;
use cuebook_wire::{ErrorCode, LibraryId, PromptRef, PromptTemplate, TemplateId};

use crate::host::Host;
use crate::library::read;
use crate::refusal::Refusal;

/// A place in the list: the library and the id after which a page begins.
pub type Place = (LibraryId, TemplateId);

/// The most templates of the user library that one page looks at.
const MAX_LOOKED_AT: usize = 2_000;
/// How many of them are read at once, at the least.
const BATCH: usize = 50;

/// A page of the list, in the making.
struct Page<'w, W> {
    limit: usize,
    wanted: &'w W,
    items: Vec<PromptTemplate>,
    /// The place of the last template that was looked at, and whether the page ends there.
    last: Option<Place>,
    is_full: bool,
}

impl<W: Fn(&PromptTemplate, TemplateOrigin) -> bool> Page<'_, W> {
    /// Takes a template when it is wanted; refuses it when the page has all it may.
    fn offer(&mut self, library: &LibraryId, origin: TemplateOrigin, template: PromptTemplate) -> bool {
        let is_wanted = (self.wanted)(&template, origin);
        if is_wanted && self.items.len() == self.limit {
            self.is_full = true;
            return false;
        }
        self.last = Some((library.clone(), template.template_id.clone()));
        if is_wanted {
            self.items.push(template);
        }
        true
    }
}

impl Host {
    /// The latest version of each template that is `wanted`, by library and id, from `after` on; and where the next page
    /// begins, if there is one. Templates added behind the place of a reader are seen, those before it are not.
    ///
    /// # Errors
    ///
    /// `service_unavailable` when the store cannot answer.
    pub async fn list_templates(
        &self,
        principal: &Principal,
        after: Option<&Place>,
        limit: usize,
        wanted: impl Fn(&PromptTemplate, TemplateOrigin) -> bool,
    ) -> Result<(Vec<PromptTemplate>, Option<Place>), Refusal> {
        let user = LibraryId::user();
        let mut page = Page { limit, wanted: &wanted, items: Vec::new(), last: None, is_full: false };
        self.offer_fixed(&mut page, after, |library| *library < user);
        if !page.is_full && after.is_none_or(|(library, _)| *library <= user) {
            let after = after.filter(|(library, _)| *library == user).map(|(_, id)| id.clone());
            self.offer_users(&mut page, principal, &user, after).await?;
        }
        if !page.is_full {
            self.offer_fixed(&mut page, after, |library| *library > user);
        }
        let next = page.last.filter(|_| page.is_full);
        Ok((page.items, next))
    }

    fn offer_fixed<W: Fn(&PromptTemplate, TemplateOrigin) -> bool>(
        &self,
        page: &mut Page<'_, W>,
        after: Option<&Place>,
        is_in: impl Fn(&LibraryId) -> bool,
    ) {
        let found = self.libraries.latest_after(after).filter(|(library, _, _)| is_in(library));
        for (library, owner, entry) in found {
            // Told apart before it is cloned: most of a long list may be unwanted.
            if !(page.wanted)(&entry.template, owner.source()) {
                continue;
            }
            if !page.offer(library, owner.source(), with_provenance(owner, entry)) {
                break;
            }
        }
    }

    async fn offer_users<W: Fn(&PromptTemplate, TemplateOrigin) -> bool>(
        &self,
        page: &mut Page<'_, W>,
        principal: &Principal,
        library: &LibraryId,
        mut after: Option<TemplateId>,
    ) -> Result<(), Refusal> {
        let mut looked_at = 0;
        loop {
            let batch = (page.limit - page.items.len() + 1).max(BATCH);
            let found = self.store.prompts(principal, after.as_ref(), batch).await?;
            let is_last = found.len() < batch;
            looked_at += found.len();
            for kept in found {
                let template = read(&kept)?;
                if !page.offer(library, TemplateOrigin::User, template) {
                    return Ok(());
                }
                after = Some(kept.template_id);
            }
            if is_last {
                return Ok(());
            }
            if looked_at >= MAX_LOOKED_AT {
                page.is_full = true;
                return Ok(());
            }
        }
    }

    /// The template that a ref means to `principal`.
    ///
    /// # Errors
    ///
    /// `not_found`, `prompt_ref_ambiguous`, or `service_unavailable`.
    pub async fn template_of(
        &self,
        principal: &Principal,
        reference: &PromptRef,
    ) -> Result<(Owner, PromptTemplate), Refusal> {
        let found = self.catalog.find(principal, reference).await;
        let found = found.map(|(owner, entry)| (owner, with_provenance(owner, &entry)));
        found.map_err(|error| match error.code() {
            ErrorCode::PromptTemplateNotFound => {
                Refusal::new(ErrorCode::NotFound, error.diagnostic().message.clone())
            }
            _ => error.into(),
        })
    }
}

/// A template with the provenance that the wire shows; those of packs and users carry theirs.
fn with_provenance(owner: Owner, entry: &Entry) -> PromptTemplate {
    let mut template = Arc::unwrap_or_clone(Arc::clone(&entry.template));
    if owner == Owner::Host {
        template.meta.get_or_insert_default().source = Some(owner.source());
    }
    template
}
