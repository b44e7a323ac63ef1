//! Owns the reading of workflow definitions. Registration is no part of the protocol: see
//! [`Extensions`](crate::Extensions).

use cuebook_wire::{WorkflowDefinition, WorkflowId};

use super::handle;
use crate::call::Call;
use crate::error::ClientError;

handle! {
    /// Workflow definitions.
    Workflows
}

impl Workflows<'_> {
    /// One workflow: `GET /v1/workflows/{workflowId}`, scope `manifest:read`.
    ///
    /// # Errors
    ///
    /// [`ClientError`]: `Api` with status 404 when there is no such workflow or it may not be seen; `Config` for an id that no
    /// address can carry; `Transport`; `Decode`.
    pub async fn get(self, workflow: &WorkflowId) -> Result<WorkflowDefinition, ClientError> {
        self.client.reply(&Call::get("/v1/workflows/{workflowId}").id(workflow)).await?.json()
    }
}
