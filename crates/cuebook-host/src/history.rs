//! The versions of a template, and what is different between two of them.

use cuebook_prompt::diff::TemplateDiff;
use cuebook_prompt::lint::changes;
use cuebook_prompt::{ContentHash, Library, Principal};
use cuebook_template::{Diagnostic, nearest};
use cuebook_wire::{ErrorCode, LibraryId, PromptTemplate, TemplateId, Timestamp, Version};
use serde::Serialize;

use crate::host::Host;
use crate::report::Problems;

/// A version as a history shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryEntry {
    /// The library that has it.
    pub library: LibraryId,
    /// The version.
    pub version: Version,
    /// The hash of kind, text and variables for a template from files, of the whole document for a user's.
    pub hash: ContentHash,
    /// When it was added; none for templates from files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added_at: Option<Timestamp>,
    /// When it was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_at: Option<Timestamp>,
}

impl Host {
    /// Every version of a template, by library and then by version.
    ///
    /// # Errors
    ///
    /// `prompt_template_not_found` with the nearest id; `service_unavailable` when the store cannot answer.
    pub async fn prompt_history(
        &self,
        principal: &Principal,
        template_id: &TemplateId,
    ) -> Result<Vec<HistoryEntry>, Problems> {
        let entries = self.libraries.iter().flat_map(Library::entries);
        let fixed = entries.filter(|entry| entry.template.template_id == *template_id);
        let mut history: Vec<HistoryEntry> = fixed
            .map(|entry| HistoryEntry {
                library: entry.library().clone(),
                version: entry.template.version.clone(),
                hash: entry.pinned().content_hash.clone(),
                added_at: None,
                removed_at: None,
            })
            .collect();
        let kept = self.store.prompt_versions(principal, template_id).await;
        let kept = kept
            .map_err(|error| Diagnostic::error(ErrorCode::ServiceUnavailable.as_str(), error.to_string()))?;
        history.extend(kept.into_iter().map(|kept| HistoryEntry {
            library: LibraryId::user(),
            version: kept.version,
            hash: kept.hash,
            added_at: Some(kept.added_at),
            removed_at: kept.removed_at,
        }));
        if history.is_empty() { Err(self.no_history(template_id).into()) } else { Ok(history) }
    }

    /// The library called `id`, of those that are fixed when the host is opened.
    ///
    /// # Errors
    ///
    /// `not_found` with the nearest id.
    pub fn library(&self, id: &LibraryId) -> Result<&Library, Problems> {
        self.libraries.get(id).ok_or_else(|| {
            let message = format!("there is no library '{id}'");
            let problem = Diagnostic::error(ErrorCode::NotFound.as_str(), message);
            let known = self.libraries.iter().map(|library| library.id().as_str());
            match nearest(id.as_str(), known) {
                Some(near) => problem.with_nearest(near).with_hint(format!("did you mean '{near}'?")),
                None => problem,
            }
            .into()
        })
    }

    fn no_history(&self, template_id: &TemplateId) -> Diagnostic {
        let message = format!("no library has a template '{template_id}'");
        let problem = Diagnostic::error(ErrorCode::PromptTemplateNotFound.as_str(), message);
        let entries = self.libraries.iter().flat_map(Library::entries);
        match nearest(template_id.as_str(), entries.map(|entry| entry.template.template_id.as_str())) {
            Some(near) => problem.with_hint(format!("did you mean '{near}'?")),
            None => problem,
        }
    }
}

/// What is different from `old` to `new`; and, as warnings, what breaks those who use the template although the major version
/// is the same.
pub fn diff_templates(old: &PromptTemplate, new: &PromptTemplate) -> (TemplateDiff, Problems) {
    let is_same = old.template_id == new.template_id;
    let broken = if is_same { changes(old, new) } else { Vec::new() };
    (TemplateDiff::of(old, new), broken.into_iter().map(|finding| finding.diagnostic).collect())
}
