//! Owns the answers to interrupts: by run and node with the caller's key, or by a signed token without one. Refuses to say
//! who decided: that is the host's to find out.

use cuebook_wire::payload::InterruptKind;
use cuebook_wire::{NodeId, RunId, RunStatus};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::handle;
use crate::call::Call;
use crate::error::ClientError;
use crate::mutation::Mutation;
use crate::open::Open;
use crate::reply::Reply;

/// What an interrupt asks for.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Interrupt {
    /// Its kind.
    pub kind: Open<InterruptKind>,
    /// Its name within the run, the same in every replay.
    pub key: String,
    /// What is asked, shaped by the kind.
    #[serde(default)]
    pub data: Value,
    /// The JSON Schema that an answer must fit.
    pub resume_schema: Option<Value>,
    /// How long it stays open, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Every other field, as written.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What became of a run whose interrupt was answered; hosts differ in how much they say.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resolved {
    /// The run.
    pub run_id: Option<RunId>,
    /// The node that goes on.
    pub node_id: Option<NodeId>,
    /// How the run stands now.
    pub status: Option<Open<RunStatus>>,
    /// Every other field, as written.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    resume_value: &'a Value,
}

handle! {
    /// Interrupts that wait for an answer.
    Interrupts
}

impl Interrupts<'_> {
    /// Answers the interrupt of a node: `POST /v1/runs/{runId}/interrupts/{nodeId}`, scope `approvals:respond`.
    ///
    /// Refused with `interrupt_not_found` (404), `interrupt_already_resolved` (409), `interrupt_expired` (410),
    /// `interrupt_cancelled` (422), or `validation_error` (400) for a value that does not fit the interrupt's schema.
    pub fn resolve(self, run: &RunId, node: &NodeId, value: &Value) -> Mutation<Resolved> {
        let call = Call::post("/v1/runs/{runId}/interrupts/{nodeId}").id(run).id(node);
        Mutation::new(self.client, call.json(&Answer { resume_value: value }), resolved)
    }

    /// Answers the interrupt of a signed token: `POST /v1/interrupts/{token}`; the token stands for the key.
    ///
    /// Refused as [`resolve`](Self::resolve) is, and with 403 for a token that may only look.
    pub fn resolve_by_token(self, token: &str, value: &Value) -> Mutation<Resolved> {
        let call = Call::post("/v1/interrupts/{token}").id(token).anonymous();
        Mutation::new(self.client, call.json(&Answer { resume_value: value }), resolved)
    }

    /// What the interrupt of a signed token asks for: `GET /v1/interrupts/{token}`; the token stands for the key.
    ///
    /// # Errors
    ///
    /// [`ClientError`]: `Api` with status 404, 409 when it is answered, or 410 when it has expired; `Config` for a token that
    /// no address can carry; `Transport`; `Decode`.
    pub async fn inspect(self, token: &str) -> Result<Interrupt, ClientError> {
        self.client.reply(&Call::get("/v1/interrupts/{token}").id(token).anonymous()).await?.json()
    }
}

fn resolved(reply: &Reply) -> Result<Resolved, ClientError> {
    if reply.is_empty() { Ok(Resolved::default()) } else { reply.json() }
}
