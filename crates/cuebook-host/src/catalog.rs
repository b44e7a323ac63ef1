//! The templates of all libraries as a list that is read page by page.

use cuebook_prompt::{Entry, Owner};
use cuebook_wire::template::TemplateOrigin;
use cuebook_wire::{LibraryId, PromptRef, PromptTemplate, TemplateId};

use crate::host::Host;
use crate::refusal::Refusal;

/// A place in the list: the library and the id after which a page begins.
pub type Place = (LibraryId, TemplateId);

impl Host {
    /// The latest version of each template that is `wanted`, by library and id, from `after` on; and where the next page
    /// begins, if there is one. Templates added behind the place of a reader are seen, those before it are not.
    pub fn list_templates(
        &self,
        after: Option<&Place>,
        limit: usize,
        wanted: impl Fn(&PromptTemplate, TemplateOrigin) -> bool,
    ) -> (Vec<PromptTemplate>, Option<Place>) {
        let found = self.libraries.latest_after(after);
        let mut found = found.filter(|(_, owner, entry)| wanted(&entry.template, owner.source()));
        let page: Vec<_> = found.by_ref().take(limit).collect();
        let place = |(library, _, entry): &(&LibraryId, Owner, &Entry)| {
            ((*library).clone(), entry.template.template_id.clone())
        };
        let next = found.next().and_then(|_| page.last().map(place));
        (page.into_iter().map(|(_, owner, entry)| with_provenance(owner, entry)).collect(), next)
    }

    /// The template that a ref means.
    ///
    /// # Errors
    ///
    /// `not_found`, or `prompt_ref_ambiguous`.
    pub fn template_of(&self, reference: &PromptRef) -> Result<PromptTemplate, Refusal> {
        let found = self.libraries.find_owned(reference);
        found.map(|(owner, entry)| with_provenance(owner, entry)).map_err(|error| {
            let code = match error.code() {
                cuebook_wire::ErrorCode::PromptTemplateNotFound => cuebook_wire::ErrorCode::NotFound,
                code => code,
            };
            Refusal::new(code, error.diagnostic().message.clone())
        })
    }
}

/// A template with the provenance that the wire shows; those of packs carry theirs since they were loaded.
fn with_provenance(owner: Owner, entry: &Entry) -> PromptTemplate {
    let mut template = (*entry.template).clone();
    if owner != Owner::Pack {
        template.meta.get_or_insert_default().source = Some(owner.source());
    }
    template
}
