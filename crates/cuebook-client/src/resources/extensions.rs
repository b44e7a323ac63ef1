//! Owns endpoints outside the protocol. A host without them answers 403, 404 or 501; nothing here is promised by OpenWOP.

mod shapes;

use cuebook_wire::{PromptTemplate, TemplateId, WorkflowDefinition};
use serde_json::{Value, json};

pub use shapes::{ImportedPrompts, PromptVersion};

use super::handle;
use crate::call::Call;
use crate::error::ClientError;
use crate::mutation::Mutation;

handle! {
    /// Endpoints outside the protocol that some hosts have.
    Extensions
}

impl Extensions<'_> {
    /// Every version of a template, removed ones too: `GET /v1/host/cuebook/prompts/{templateId}/versions`, scope
    /// `prompts:read`.
    ///
    /// # Errors
    ///
    /// [`ClientError`]: `Api` with status 404 for a template that is not there and on hosts without the endpoint;
    /// `Transport`; `Decode`.
    pub async fn prompt_versions(
        self,
        id: &TemplateId,
        workspace: Option<&str>,
    ) -> Result<Vec<PromptVersion>, ClientError> {
        let call = Call::get("/v1/host/cuebook/prompts/{templateId}/versions");
        let call = call.id(id).query("workspaceId", workspace);
        Ok(self.client.reply(&call).await?.json::<shapes::Versions>()?.versions)
    }

    /// Adds templates to the library of users, all or none: `POST /v1/host/cuebook/prompts:import`, scope `prompts:write`.
    ///
    /// Refused with every fault of every template in `details.faults`, with paths from `/templates/<index>` on.
    pub fn import_prompts(
        self,
        templates: &[PromptTemplate],
        dry_run: bool,
        workspace: Option<&str>,
    ) -> Mutation<ImportedPrompts> {
        let body = json!({ "templates": templates, "dryRun": dry_run });
        let call = Call::post("/v1/host/cuebook/prompts:import").json(&body).query("workspaceId", workspace);
        Mutation::new(self.client, call, |reply| reply.json().map(ImportedPrompts::of))
    }

    /// Registers a workflow: `POST /v1/host/sample/workflows`.
    ///
    /// The answer is the host's own; JSON null when it sends none.
    pub fn register_workflow(self, workflow: &WorkflowDefinition) -> Mutation<Value> {
        let call = Call::post("/v1/host/sample/workflows").json(workflow);
        Mutation::new(
            self.client,
            call,
            |reply| if reply.is_empty() { Ok(Value::Null) } else { reply.json() },
        )
    }
}
