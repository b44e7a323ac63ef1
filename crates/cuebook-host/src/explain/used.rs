//! The templates that a prepared prompt stands on, with what is doubtful about them and about where they stand.

use cuebook_prompt::lint::slot;
use cuebook_prompt::{Prepared, Principal, Winner};
use cuebook_wire::{PromptKind, PromptRef, PromptTemplate};

use super::draft::is_meant;
use crate::host::Host;
use crate::lint::PromptLint;
use crate::report::Problems;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Used {
    /// Templates in places for another kind.
    pub(super) slots: Problems,
    /// Each template once, in the order of their places.
    pub(super) templates: Vec<PromptLint>,
}

impl Host {
    /// Looks at every template that won a place, and at those that stand beside the chain; what cannot be found is told by
    /// the composition.
    pub(super) async fn used(
        &self,
        principal: &Principal,
        prepared: &Prepared,
        additional: &[PromptRef],
        draft: Option<&PromptTemplate>,
    ) -> Used {
        let chosen = prepared.resolutions.iter().filter_map(|resolution| match &resolution.winner {
            Some(Winner::Ref(reference, _)) => Some((reference.clone(), Some(resolution.kind))),
            _ => None,
        });
        let beside = additional.iter().map(|reference| (reference.clone(), None));
        let refs: Vec<(PromptRef, Option<PromptKind>)> = chosen.chain(beside).collect();
        let mut used = Used::default();
        for (reference, wanted) in refs {
            let Some(template) = self.meant(principal, &reference, draft).await else { continue };
            let written = reference.to_string();
            used.slots.extend(wanted.and_then(|wanted| slot(&written, template.kind, wanted)));
            used.take(self.lint_of(principal, &reference, &template, draft).await);
        }
        used
    }

    async fn meant(
        &self,
        principal: &Principal,
        reference: &PromptRef,
        draft: Option<&PromptTemplate>,
    ) -> Option<PromptTemplate> {
        match draft.filter(|draft| is_meant(draft, reference)) {
            Some(draft) => Some(draft.clone()),
            None => self.template_of(principal, reference).await.ok().map(|(_, template)| template),
        }
    }

    async fn lint_of(
        &self,
        principal: &Principal,
        reference: &PromptRef,
        template: &PromptTemplate,
        draft: Option<&PromptTemplate>,
    ) -> Option<PromptLint> {
        if draft.is_none_or(|draft| !is_meant(draft, reference)) {
            return self.lint_prompt(principal, reference).await.ok();
        }
        let findings = self.findings_of(principal, template).await.ok()?;
        Some(self.severe(PromptLint::of(template, findings)))
    }
}

impl Used {
    fn take(&mut self, lint: Option<PromptLint>) {
        let lint = lint.filter(|lint| self.templates.iter().all(|known| known.reference != lint.reference));
        self.templates.extend(lint);
    }
}
