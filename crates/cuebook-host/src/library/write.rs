//! Writing the user library: create, replace, remove; who may, and what must hold.

use cuebook_log::{AddRule, Added, KeptPrompt, NewPrompt, PromptRemoval, Removed};
use cuebook_prompt::lint::{Finding, MAX_TEMPLATE_BYTES};
use cuebook_prompt::{ContentHash, Owner, Principal, UserLibrary as _, Wanted, reserved_prefix};
use cuebook_wire::template::TemplateOrigin;
use cuebook_wire::{ErrorCode, Fault, PromptTemplate, TemplateId, TemplateMeta, Timestamp, Version};
use serde_json::{Map, json};

use crate::host::{Host, new_ticket};
use crate::library::read;
use crate::refusal::Refusal;

/// On whose behalf something is written, and under which ticket a repetition is known again.
#[derive(Clone, Debug)]
pub struct PromptWrite<'a> {
    /// On whose behalf.
    pub principal: &'a Principal,
    /// The ticket of the request; a new one when absent.
    pub ticket: Option<String>,
    /// The hashes of which the document of the latest version must have one, if any are named; of no meaning to creation.
    pub condition: Option<Vec<ContentHash>>,
}

/// A template that was written, as it is kept, with what is doubtful about it.
#[derive(Clone, Debug)]
pub struct WrittenPrompt {
    /// The template with what the host stamps on it.
    pub template: PromptTemplate,
    /// What is doubtful about it, in places of its text.
    pub findings: Vec<Finding>,
}

/// The most variables of one template: each is looked for among all of them.
const MAX_VARIABLES: usize = 1_000;

impl Host {
    /// Refuses everybody when the user library may not be written here, or the store has too much to write.
    ///
    /// # Errors
    ///
    /// `capability_not_provided`, `service_unavailable`.
    pub fn check_mutable(&self) -> Result<(), Refusal> {
        if self.config.prompts.mutable_library {
            return self.admit_write();
        }
        let message = "this host does not provide prompts.mutableLibrary";
        let details = Map::from_iter([("capability".to_owned(), "prompts.mutableLibrary".into())]);
        Err(Refusal { details, ..Refusal::new(ErrorCode::CapabilityNotProvided, message) })
    }

    /// Adds a version of a template.
    ///
    /// # Errors
    ///
    /// `capability_not_provided`; `validation_error` and `unsupported_extract_path` with every fault; `forbidden` for an id of
    /// the host's library; `prompt_already_exists`; `service_unavailable`.
    pub async fn create_prompt(
        &self,
        write: PromptWrite<'_>,
        template: PromptTemplate,
    ) -> Result<WrittenPrompt, Refusal> {
        self.check_new(&template)?;
        let now = self.now();
        self.add_prompt(write, template, AddRule::Unused, (now, now)).await
    }

    /// Puts a higher version of a template in place; the ones before stay readable by their version.
    ///
    /// # Errors
    ///
    /// As [`Self::create_prompt`]; `not_found`; `forbidden` for templates of packs; `prompt_version_not_greater`;
    /// `precondition_failed`.
    pub async fn update_prompt(
        &self,
        write: PromptWrite<'_>,
        template_id: &TemplateId,
        template: PromptTemplate,
    ) -> Result<WrittenPrompt, Refusal> {
        self.check_new(&template)?;
        if template.template_id != *template_id {
            let message = format!("'templateId' is that of the path, '{template_id}'");
            return Err(Refusal::faults(&[Fault::new("/templateId", ErrorCode::ValidationError, message)]));
        }
        let now = self.now();
        let latest = self.user.find(write.principal, template_id, Wanted::Latest).await?;
        let created = latest.and_then(|entry| entry.template.meta.as_ref()?.created_at);
        let rule = AddRule::AboveAll { matching: write.condition.clone() };
        self.add_prompt(write, template, rule, (created.unwrap_or(now), now)).await
    }

    /// Removes a version of a template, or all of them; runs that are held to one keep it.
    ///
    /// # Errors
    ///
    /// `capability_not_provided`; `forbidden` for templates of the host and of packs; `not_found`; `precondition_failed`;
    /// `service_unavailable`.
    pub async fn delete_prompt(
        &self,
        write: PromptWrite<'_>,
        template_id: &TemplateId,
        version: Option<Version>,
    ) -> Result<(), Refusal> {
        self.check_mutable()?;
        self.check_owner(template_id)?;
        let removal = PromptRemoval {
            template_id: template_id.clone(),
            version,
            matching: write.condition.clone(),
            ticket: write.ticket.unwrap_or_else(new_ticket),
            at: self.now(),
        };
        match self.user.remove(write.principal, removal).await? {
            Removed::Gone => Ok(()),
            Removed::Unknown => Err(self.unknown(template_id)),
            Removed::Changed => Err(changed()),
        }
    }

    fn check_new(&self, template: &PromptTemplate) -> Result<(), Refusal> {
        self.check_mutable()?;
        let faults = faults(template);
        if !faults.is_empty() {
            return Err(Refusal { code: faults[0].code, ..Refusal::faults(&faults) });
        }
        self.check_owner(&template.template_id)
    }

    fn check_owner(&self, template_id: &TemplateId) -> Result<(), Refusal> {
        if self.libraries.owns(Owner::Host, template_id) {
            return Err(forbidden(template_id, "the host"));
        }
        Ok(())
    }

    /// Why there is nothing of this id to be changed.
    fn unknown(&self, template_id: &TemplateId) -> Refusal {
        if self.libraries.owns(Owner::Pack, template_id) {
            return forbidden(template_id, "a pack");
        }
        Refusal::not_found("template")
    }

    async fn add_prompt(
        &self,
        write: PromptWrite<'_>,
        template: PromptTemplate,
        rule: AddRule,
        times: (Timestamp, Timestamp),
    ) -> Result<WrittenPrompt, Refusal> {
        let findings = self.findings_of(write.principal, &template).await?;
        let new = NewPrompt {
            content: content_of(&template),
            prompt: stamped(template, times),
            rule,
            ticket: write.ticket.unwrap_or_else(new_ticket),
            at: times.1,
        };
        let (template_id, version) = (new.prompt.template_id.clone(), new.prompt.version.clone());
        match self.user.add(write.principal, new).await? {
            Added::Kept(kept) => Ok(told(WrittenPrompt { template: read(&kept)?, findings })),
            Added::Taken => Err(taken(&template_id, &version)),
            Added::NotAbove(latest) => Err(not_above(&template_id, &version, &latest)),
            Added::Unknown => Err(self.unknown(&template_id)),
            Added::Changed => Err(changed()),
        }
    }
}

/// Tells the log what is doubtful about what was written: codes alone, never its text.
fn told(written: WrittenPrompt) -> WrittenPrompt {
    let codes: Vec<&str> = written.findings.iter().map(|finding| &*finding.diagnostic.code).collect();
    if !codes.is_empty() {
        let PromptTemplate { template_id, version, .. } = &written.template;
        tracing::warn!(%template_id, %version, ?codes, "a template was written that is doubtful");
    }
    written
}

/// What the schema does not see.
pub(super) fn faults(template: &PromptTemplate) -> Vec<Fault> {
    let mut faults = Vec::new();
    let id = template.template_id.as_str();
    if let Some(prefix) = reserved_prefix(id) {
        let message = format!("the id '{id}' begins with '{prefix}', which is reserved");
        faults.push(Fault::new("/templateId", ErrorCode::ValidationError, message));
    }
    if template.text.len() > MAX_TEMPLATE_BYTES {
        let message =
            format!("the text has {} bytes; at most {MAX_TEMPLATE_BYTES} are taken", template.text.len());
        faults.push(Fault::new("/text", ErrorCode::ValidationError, message));
    }
    if template.variables.len() > MAX_VARIABLES {
        let message = format!(
            "the template declares {} variables; at most {MAX_VARIABLES} are taken",
            template.variables.len()
        );
        faults.push(Fault::new("/variables", ErrorCode::ValidationError, message));
    }
    for (at, variable) in template.variables.iter().enumerate() {
        let path = variable.extract_path.as_deref();
        if let Some(error) = path.and_then(|path| cuebook_prompt::check_extract_path(path).err()) {
            let place = format!("/variables/{at}/extractPath");
            faults.push(Fault::new(place, ErrorCode::UnsupportedExtractPath, error.to_string()));
        }
    }
    faults
}

/// The hash of what the author decides: everything but where it came from and when.
pub(super) fn content_of(template: &PromptTemplate) -> ContentHash {
    ContentHash::of(&json!(PromptTemplate { meta: None, ..template.clone() }).to_string())
}

/// The template as it is kept: the host says where it came from and when, whatever its author said.
pub(super) fn stamped(
    mut template: PromptTemplate,
    (created, updated): (Timestamp, Timestamp),
) -> KeptPrompt {
    let author = template.meta.take().and_then(|meta| meta.author);
    template.meta = Some(TemplateMeta {
        author,
        created_at: Some(created),
        updated_at: Some(updated),
        source: Some(TemplateOrigin::User),
        ..TemplateMeta::default()
    });
    let document = json!(template).to_string();
    KeptPrompt { template_id: template.template_id, version: template.version, document }
}

fn forbidden(template_id: &TemplateId, owner: &str) -> Refusal {
    Refusal::new(ErrorCode::Forbidden, format!("'{template_id}' belongs to {owner} and cannot be changed"))
}

fn taken(template_id: &TemplateId, version: &Version) -> Refusal {
    let message = format!("'prompt:{template_id}@{version}' is there, or was there with other content");
    Refusal::new(ErrorCode::PromptAlreadyExists, message)
}

fn not_above(template_id: &TemplateId, version: &Version, latest: &Version) -> Refusal {
    let message = format!("version {version} of '{template_id}' is not above {latest}, which is stored");
    let details = Map::from_iter([("latestVersion".to_owned(), json!(latest))]);
    Refusal { details, ..Refusal::new(ErrorCode::PromptVersionNotGreater, message) }
}

fn changed() -> Refusal {
    Refusal::new(ErrorCode::PreconditionFailed, "the template is not the one that 'If-Match' names")
}
