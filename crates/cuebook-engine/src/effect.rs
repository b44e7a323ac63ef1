//! What goes into a decision and what comes out of it: plain data.
//!
//! An effect names a composition by its hash; it never carries its text.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cuebook_prompt::{ContentHash, IntrinsicHashes, Principal, PromptRequest, Warning};
use cuebook_wire::payload::{AgentPromptResolved, PromptComposed};
use cuebook_wire::{NodeId, RunError, RunId, Timestamp};
use sha2::{Digest, Sha256};

use crate::facts::ComposedPart;
use crate::node_type::ModelChoice;

/// The id of one logical effect, the same however often it is attempted (openwop-v1 §6.3, recipe v2).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InvocationId(String);

impl InvocationId {
    /// The id of the `ordinal`th effect of a node through `provider`.
    pub fn derive(principal: &Principal, run: &RunId, node: &NodeId, ordinal: u32, provider: &str) -> Self {
        let ordinal = ordinal.to_string();
        let parts =
            ["openwop:activity:v2", &principal.tenant, run.as_str(), node.as_str(), &ordinal, provider];
        Self(URL_SAFE_NO_PAD.encode(Sha256::digest(parts.join("\0").as_bytes())))
    }

    /// The id as 43 characters of base64url.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One attempt of one node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attempt {
    /// The node.
    pub node: NodeId,
    /// Counted from 0.
    pub number: u32,
}

/// What happened, for the engine to decide about.
#[derive(Debug)]
pub enum Input {
    /// The run begins.
    Start,
    /// Somebody has taken the run up after a restart, or after it was left to wait; with the own prompts of its agents as they
    /// are now.
    Resume(IntrinsicHashes),
    /// The pipeline is done with a node's prompt.
    Prepared(Attempt, Box<PreparedFacts>),
    /// A piece of a model's answer, already scrubbed.
    Chunk {
        /// The attempt.
        attempt: Attempt,
        /// The text; empty only for the last piece.
        text: String,
        /// Whether the answer is complete with it.
        is_last: bool,
    },
    /// A model's answer, or why there is none.
    Answered(Attempt, Result<ModelAnswer, RunError>),
    /// A timer rang.
    Woken(Timer),
    /// Somebody wants the run to end.
    Cancel {
        /// Why.
        reason: Option<String>,
        /// Who.
        by: Option<String>,
    },
    /// Somebody answers the interrupt of a node.
    Resolve {
        /// The node.
        node: NodeId,
        /// The answer.
        value: serde_json::Value,
        /// The request that brings it.
        by: Option<String>,
    },
}

/// What the pipeline found out, without any secret.
#[derive(Debug)]
pub struct PreparedFacts {
    /// Whether the effect said so: a composition of this attempt may have been sent before the run was taken up.
    pub is_again: bool,
    /// The payloads of `agent.promptResolved`.
    pub resolutions: Vec<AgentPromptResolved>,
    /// Facts worth a warning.
    pub warnings: Vec<Warning>,
    /// The composition's facts; `None` when the node has no prompt at all.
    pub outcome: Result<Option<Composed>, RunError>,
}

/// A composition as the log will know it.
#[derive(Debug)]
pub struct Composed {
    /// The payload of `prompt.composed`; `None` when observability is off.
    pub payload: Option<PromptComposed>,
    /// The private part.
    pub part: ComposedPart,
}

/// A model's answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelAnswer {
    /// The whole text.
    pub text: String,
    /// The provider that gave it.
    pub provider: String,
    /// The model that gave it.
    pub model: String,
    /// Input and output tokens, if the provider counts them.
    pub usage: Option<(u64, u64)>,
    /// Why the model stopped, in the wire's words: `stop`, `length`, `tool_calls`, `content_filter`.
    pub finish: &'static str,
}

/// Something to be done outside.
#[derive(Debug)]
pub enum Effect {
    /// Take a node's request through the pipeline.
    Prepare {
        /// The attempt that asks.
        attempt: Attempt,
        /// The request.
        request: Box<PromptRequest>,
        /// Whether it may have been prepared, and sent, before the run was taken up.
        is_again: bool,
    },
    /// Send a composition to a model.
    Call {
        /// The attempt that asks.
        attempt: Attempt,
        /// The logical effect.
        invocation: InvocationId,
        /// The composition, by the hash of its observed text.
        composition: ContentHash,
        /// The model.
        choice: Box<ModelChoice>,
    },
    /// Ring at a time.
    Ring(Timer, Timestamp),
    /// Stop what is under way for a node.
    Abort(NodeId),
}

/// A timer's name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Timer {
    /// The run has taken too long.
    Run,
    /// A delay is over, or a retry is due.
    Wake(Attempt),
    /// An attempt has taken too long.
    Deadline(Attempt),
}
