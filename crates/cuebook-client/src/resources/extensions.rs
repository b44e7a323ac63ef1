//! Owns endpoints outside the protocol. A host without them answers 403, 404 or 501; nothing here is promised by OpenWOP.

use cuebook_wire::WorkflowDefinition;
use serde_json::Value;

use super::handle;
use crate::call::Call;
use crate::mutation::Mutation;

handle! {
    /// Endpoints outside the protocol that some hosts have.
    Extensions
}

impl Extensions<'_> {
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
