//! The lint of templates in the libraries of a host, each held against the version before it.

use cuebook_log::Which;
use cuebook_prompt::lint::{self, Finding};
use cuebook_prompt::{Owner, Principal};
use cuebook_wire::{LibraryId, PromptRef, PromptTemplate, TemplateId};

use super::versions::{Versions, with_changes};
use super::{PromptCheck, PromptLint, check_templates};
use crate::host::Host;
use crate::library::read;
use crate::refusal::Refusal;

/// How many templates of the user library are asked for at once.
const BATCH: usize = 100;

impl Host {
    /// What is doubtful about the template that a ref means to `principal`.
    ///
    /// # Errors
    ///
    /// As [`Self::template_of`].
    pub async fn lint_prompt(
        &self,
        principal: &Principal,
        reference: &PromptRef,
    ) -> Result<PromptLint, Refusal> {
        let (owner, template) = self.template_of(principal, reference).await?;
        let findings = match owner {
            Owner::User => self.findings_of(principal, &template).await?,
            Owner::Host | Owner::Pack => self.findings_of_fixed(owner, &template),
        };
        Ok(self.severe(PromptLint::of(&template, findings)))
    }

    /// What is doubtful about every version of every template of the user library that `principal` sees.
    ///
    /// # Errors
    ///
    /// `service_unavailable` when the store cannot answer.
    pub async fn lint_user_library(&self, principal: &Principal) -> Result<PromptCheck, Refusal> {
        Ok(check_templates(&self.user_templates(principal).await?))
    }

    /// Every version of every template of the user library that `principal` sees, by id and then by version.
    ///
    /// # Errors
    ///
    /// `service_unavailable` when the store cannot answer.
    pub async fn user_templates(&self, principal: &Principal) -> Result<Vec<PromptTemplate>, Refusal> {
        let mut found = Vec::new();
        let mut after: Option<TemplateId> = None;
        loop {
            let page = self.store.prompts(principal, after.as_ref(), BATCH).await?;
            for kept in &page {
                found.extend(self.user_versions(principal, &kept.template_id).await?);
            }
            after = page.last().map(|kept| kept.template_id.clone());
            if page.len() < BATCH {
                return Ok(found);
            }
        }
    }

    /// Every version of a template of the user library that was not removed, in order.
    pub(crate) async fn user_versions(
        &self,
        principal: &Principal,
        template_id: &TemplateId,
    ) -> Result<Vec<PromptTemplate>, Refusal> {
        let mut found = Vec::new();
        let versions = self.store.prompt_versions(principal, template_id).await?;
        for version in versions.into_iter().filter(|version| version.removed_at.is_none()) {
            let which = Which::Exact(version.version);
            if let Some(kept) = self.store.prompt(principal, template_id, &which).await? {
                found.push(read(&kept)?);
            }
        }
        Ok(found)
    }

    /// The findings of a template of the user library, there or on its way in.
    pub(crate) async fn findings_of(
        &self,
        principal: &Principal,
        template: &PromptTemplate,
    ) -> Result<Vec<Finding>, Refusal> {
        let versions = self.store.prompt_versions(principal, &template.template_id).await?;
        let present = versions.iter().filter(|it| it.removed_at.is_none()).map(|it| &it.version);
        let Some(before) = lint::predecessor(&template.version, present) else {
            return Ok(lint::template(template));
        };
        let which = Which::Exact(before.clone());
        let before = self.store.prompt(principal, &template.template_id, &which).await?;
        let before = before.map(|kept| read(&kept)).transpose()?;
        Ok(with_changes(before.as_ref(), template))
    }

    fn findings_of_fixed(&self, owner: Owner, template: &PromptTemplate) -> Vec<Finding> {
        let id = template.meta.as_ref().and_then(|meta| LibraryId::parse(meta.pack_name.as_ref()?).ok());
        let id = id.filter(|_| owner == Owner::Pack).unwrap_or_else(|| self.config.prompts.library.clone());
        let entries = self.libraries.get(&id).into_iter().flat_map(cuebook_prompt::Library::entries);
        let templates = entries.map(|entry| &*entry.template);
        Versions::of(templates.filter(|other| other.template_id == template.template_id)).findings(template)
    }

    /// The findings as severe as this host takes them.
    pub(crate) fn severe(&self, lint: PromptLint) -> PromptLint {
        if self.config.prompts.strict_placeholders { lint.strictly() } else { lint }
    }
}
