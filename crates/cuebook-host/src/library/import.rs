//! Importing templates into the user library: checked whole, then all of them or none.
//!
//! It owns the rule: a version that is there with the same content is left alone, any other must be above the latest one
//! that was there before. It refuses to begin before everything that is wrong has been told.

use std::collections::{BTreeMap, BTreeSet};

use cuebook_log::{AddRule, ImportedPrompts, NewPrompt, PromptImport, latest};
use cuebook_prompt::{Owner, Principal};
use cuebook_wire::{ErrorCode, Fault, PromptTemplate, TemplateId, Timestamp, Version};
use serde_json::{Value as Json, json};

use super::write::{content_of, faults, stamped};
use crate::host::{Host, new_ticket};
use crate::lint::{PromptLint, Versions};
use crate::refusal::Refusal;

/// The most templates that one import may have.
pub const MAX_IMPORT: usize = 20_000;
/// How often an import is checked again when somebody else writes meanwhile.
const ATTEMPTS: usize = 3;

/// What an import did, or would do.
#[derive(Clone, Debug, Default)]
pub struct ImportReport {
    /// The refs of the versions that were not there.
    pub added: Vec<String>,
    /// The refs of those that were, with the same content.
    pub unchanged: Vec<String>,
    /// What is doubtful about those that were added.
    pub lints: Vec<PromptLint>,
}

impl ImportReport {
    /// As JSON: `added`, `unchanged` and `templates`, the lint of each that was added.
    pub fn to_json(&self) -> Json {
        let templates: Vec<Json> = self.lints.iter().map(PromptLint::to_json).collect();
        json!({ "added": self.added, "unchanged": self.unchanged, "templates": templates })
    }
}

/// The versions of a template that are in the library.
struct Present {
    latest: Option<Version>,
    versions: BTreeMap<Version, PromptTemplate>,
}

impl Present {
    /// When the template was created, which its later versions keep.
    fn created_at(&self) -> Option<Timestamp> {
        self.versions.get(self.latest.as_ref()?)?.meta.as_ref()?.created_at
    }
}

impl Host {
    /// Imports `templates`; with `dry_run` it checks all and writes nothing.
    ///
    /// # Errors
    ///
    /// `capability_not_provided`; every fault of every template, each with a path that begins with `/templates/<index>`:
    /// as [`Self::create_prompt`], `prompt_already_exists` for a version that is there, or was, with other content or twice
    /// in the import, `prompt_version_not_greater`; `service_unavailable`. Nothing was written then.
    pub async fn import_prompts(
        &self,
        principal: &Principal,
        templates: &[PromptTemplate],
        dry_run: bool,
    ) -> Result<ImportReport, Refusal> {
        self.check_mutable()?;
        for _ in 0..ATTEMPTS {
            let present = self.present(principal, templates).await?;
            let (report, new) = self.checked(templates, &present)?;
            if dry_run || new.is_empty() {
                return Ok(report);
            }
            let created = |it: &PromptTemplate| present.get(&it.template_id).and_then(Present::created_at);
            let new = new.into_iter().map(|template| self.new_prompt(template, created(template))).collect();
            let seen = present.into_iter().map(|(id, present)| (id, present.latest)).collect();
            match self.user.import(principal, PromptImport { new, seen }).await? {
                ImportedPrompts::Kept(_) => return Ok(report),
                ImportedPrompts::Changed(_) => {}
                ImportedPrompts::Taken(id, version) => return Err(gone_before(templates, &id, &version)),
            }
        }
        Err(Refusal::new(ErrorCode::ServiceUnavailable, "others write the same templates at the moment"))
    }

    async fn present(
        &self,
        principal: &Principal,
        templates: &[PromptTemplate],
    ) -> Result<BTreeMap<TemplateId, Present>, Refusal> {
        let ids: BTreeSet<&TemplateId> = templates.iter().map(|template| &template.template_id).collect();
        let mut present = BTreeMap::new();
        for id in ids {
            let found = self.user_versions(principal, id).await?;
            let latest = latest(found.iter().map(|template| &template.version)).cloned();
            let versions = found.into_iter().map(|template| (template.version.clone(), template)).collect();
            present.insert(id.clone(), Present { latest, versions });
        }
        Ok(present)
    }

    /// What the import comes to and the templates that it adds; or everything that is wrong.
    fn checked<'t>(
        &self,
        templates: &'t [PromptTemplate],
        present: &BTreeMap<TemplateId, Present>,
    ) -> Result<(ImportReport, Vec<&'t PromptTemplate>), Refusal> {
        let (mut all, mut new, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
        let mut report = ImportReport::default();
        for (at, template) in templates.iter().enumerate() {
            let PromptTemplate { template_id, version, .. } = template;
            let is_first = seen.insert((template_id, version));
            let found = if is_first { self.import_faults(template, present) } else { vec![twice(template)] };
            let is_known = is_same(template, present);
            all.extend(found.into_iter().map(|fault| fault.below(&format!("/templates/{at}"))));
            if is_known {
                report.unchanged.push(reference(template));
            } else {
                report.added.push(reference(template));
                new.push(template);
            }
        }
        if let Some(first) = all.first() {
            return Err(Refusal { code: first.code, ..Refusal::faults(&all) });
        }
        report.lints = self.import_lints(&new, present);
        Ok((report, new))
    }

    /// What is doubtful about each of `new`, held against the version before it in the library or among them.
    fn import_lints(
        &self,
        new: &[&PromptTemplate],
        present: &BTreeMap<TemplateId, Present>,
    ) -> Vec<PromptLint> {
        let kept = present.values().flat_map(|present| present.versions.values());
        let versions = Versions::of(kept.chain(new.iter().copied()));
        new.iter().map(|it| self.severe(PromptLint::of(it, versions.findings(it)))).collect()
    }

    fn import_faults(
        &self,
        template: &PromptTemplate,
        present: &BTreeMap<TemplateId, Present>,
    ) -> Vec<Fault> {
        let mut found = faults(template);
        if self.libraries.owns(Owner::Host, &template.template_id) {
            let message = format!("'{}' belongs to the host and cannot be changed", template.template_id);
            found.push(Fault::new("/templateId", ErrorCode::Forbidden, message));
        }
        if !is_same(template, present) {
            found.extend(present.get(&template.template_id).and_then(|present| against(template, present)));
        }
        found
    }

    fn new_prompt(&self, template: &PromptTemplate, created: Option<Timestamp>) -> NewPrompt {
        let now = self.now();
        NewPrompt {
            content: content_of(template),
            prompt: stamped(template.clone(), (created.unwrap_or(now), now)),
            rule: AddRule::Unused,
            ticket: new_ticket(),
            at: now,
        }
    }
}

/// Whether the library has the version with this content.
fn is_same(template: &PromptTemplate, present: &BTreeMap<TemplateId, Present>) -> bool {
    let versions = present.get(&template.template_id).map(|present| &present.versions);
    let kept = versions.and_then(|versions| versions.get(&template.version));
    kept.is_some_and(|kept| content_of(kept) == content_of(template))
}

/// What the versions that are there have against another one.
fn against(template: &PromptTemplate, present: &Present) -> Option<Fault> {
    let PromptTemplate { template_id, version, .. } = template;
    if present.versions.contains_key(version) {
        let message = format!("'prompt:{template_id}@{version}' is there with other content");
        let fault = Fault::new("/version", ErrorCode::PromptAlreadyExists, message);
        return Some(fault.hint("raise the version"));
    }
    let latest = present.latest.as_ref().filter(|latest| !version.precedence(latest).is_gt())?;
    let message = format!("version {version} of '{template_id}' is not above {latest}, which is stored");
    Some(Fault::new("/version", ErrorCode::PromptVersionNotGreater, message).hint("raise the version"))
}

fn twice(template: &PromptTemplate) -> Fault {
    let message = format!("'{}' is in the import twice", reference(template));
    Fault::new("/version", ErrorCode::PromptAlreadyExists, message)
}

/// The refusal of a version that was removed and had other content.
fn gone_before(templates: &[PromptTemplate], id: &TemplateId, version: &Version) -> Refusal {
    let at = templates.iter().position(|it| it.template_id == *id && it.version == *version);
    let message = format!("'prompt:{id}@{version}' was there with other content");
    let place = format!("/templates/{}/version", at.unwrap_or_default());
    let fault = Fault::new(place, ErrorCode::PromptAlreadyExists, message).hint("raise the version");
    Refusal { code: fault.code, ..Refusal::faults(&[fault]) }
}

fn reference(template: &PromptTemplate) -> String {
    format!("prompt:{}@{}", template.template_id, template.version)
}
