//! The versions of templates that are looked at together, each held against the one before it.

use std::collections::BTreeMap;

use cuebook_prompt::lint::{self, Finding};
use cuebook_wire::{PromptTemplate, TemplateId, Version};

/// Templates by id.
pub(crate) struct Versions<'t>(BTreeMap<&'t TemplateId, Vec<&'t PromptTemplate>>);

impl<'t> Versions<'t> {
    pub(crate) fn of(templates: impl IntoIterator<Item = &'t PromptTemplate>) -> Self {
        let mut versions: BTreeMap<&TemplateId, Vec<&PromptTemplate>> = BTreeMap::new();
        for template in templates {
            versions.entry(&template.template_id).or_default().push(template);
        }
        Self(versions)
    }

    /// What `template` shows by itself, and what it breaks of the version before it.
    pub(crate) fn findings(&self, template: &PromptTemplate) -> Vec<Finding> {
        with_changes(self.before(template), template)
    }

    fn before(&self, template: &PromptTemplate) -> Option<&'t PromptTemplate> {
        let others = self.0.get(&template.template_id)?;
        let versions: Vec<&Version> = others.iter().map(|other| &other.version).collect();
        let found = lint::predecessor(&template.version, versions)?;
        others.iter().find(|other| other.version == *found).copied()
    }
}

/// What a template shows by itself, and what it breaks of the version before it.
pub(super) fn with_changes(before: Option<&PromptTemplate>, template: &PromptTemplate) -> Vec<Finding> {
    let mut found = lint::template(template);
    found.extend(before.into_iter().flat_map(|before| lint::changes(before, template)));
    found
}
