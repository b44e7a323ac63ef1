//! `core.conformance.mock-agent`: the agent events that its config spells out (RFC 0023); conformance workflows only.

use cuebook_wire::payload::{
    AgentDecided, AgentHandoff, AgentReasoned, AgentReasoningDelta, AgentToolCalled, AgentToolReturned,
    Verbosity,
};
use cuebook_wire::{AgentId, AgentRef, Document, ErrorCode, ErrorEnvelope, Fault, NodeId, RunError, strict};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

/// The config, closed as published.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MockAgentConfig {
    /// The agent id of the events; before the node's agent and a synthetic one.
    #[schemars(length(min = 3))]
    pub agent_id: Option<String>,
    /// What `agent.reasoned` says.
    pub mock_reasoning: Option<MockReasoning>,
    /// Calls and returns, in order.
    #[serde(default)]
    pub mock_tool_calls: Vec<MockToolCall>,
    /// The handoff.
    pub mock_handoff: Option<MockHandoff>,
    /// The decision.
    pub mock_decision: Option<MockDecision>,
    /// Short for a decision of no content with this confidence, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub mock_confidence: Option<f64>,
}

/// A reasoning trace, or whether there is one.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MockReasoning {
    /// `true` gives a fixed sentence.
    Flag(bool),
    /// A trace in full.
    Trace(MockTrace),
}

/// A reasoning trace.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MockTrace {
    /// The summary.
    pub summary: String,
    /// The long form.
    pub trace: Option<String>,
    /// Its claimed length.
    pub token_count: Option<u64>,
    /// One `agent.reasoning.delta` each; their concatenation is what the closing event says.
    #[serde(default)]
    pub stream_chunks: Vec<String>,
}

/// A tool call with its result or its error.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MockToolCall {
    /// `<scope>:<tool>`.
    pub tool_id: String,
    /// What the tool is given.
    pub arguments: Option<Json>,
    /// What it gives back; exclusive with `error`.
    pub result: Option<Json>,
    /// Why it failed.
    pub error: Option<ErrorEnvelope>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<u64>,
}

/// A handoff.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MockHandoff {
    /// The agent that takes over.
    #[schemars(length(min = 3))]
    pub to_agent_id: String,
    /// Why.
    pub reason: Option<String>,
    /// What is handed over.
    pub context: Option<Json>,
}

/// A decision.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MockDecision {
    /// What was decided.
    pub decision: Json,
    /// How sure, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: Option<f64>,
    /// Why.
    pub reasoning: Option<String>,
}

impl Document for MockAgentConfig {
    const CODE: ErrorCode = ErrorCode::WorkflowInvalid;

    fn rules(&self) -> Vec<Fault> {
        self.mock_tool_calls.iter().enumerate().filter_map(|(at, call)| call.fault(at)).collect()
    }
}

impl MockAgentConfig {
    /// Reads a config.
    ///
    /// # Errors
    ///
    /// Every fault with its path; a tool call needs exactly one of `result` and `error`.
    pub fn read(config: &Map<String, Json>) -> Result<Self, Vec<Fault>> {
        strict::read(&Json::Object(config.clone()))
    }

    /// The agent that the events are about.
    pub fn agent(&self, node: &NodeId, pinned: Option<&AgentId>) -> AgentId {
        let own = self.agent_id.clone().map(AgentId::new);
        own.or_else(|| pinned.cloned()).unwrap_or_else(|| AgentId::new(format!("host:mock-agent:{node}")))
    }

    /// The deltas and the closing trace, if there is reasoning.
    pub fn reasoning(&self, agent: &AgentId) -> Option<(Vec<AgentReasoningDelta>, AgentReasoned)> {
        let (chunks, text) = match self.mock_reasoning.as_ref()? {
            MockReasoning::Flag(false) => return None,
            MockReasoning::Flag(true) => (Vec::new(), "Considered the request.".to_owned()),
            MockReasoning::Trace(trace) if trace.stream_chunks.is_empty() => {
                (Vec::new(), trace.summary.clone())
            }
            MockReasoning::Trace(trace) => (trace.stream_chunks.clone(), trace.stream_chunks.concat()),
        };
        let delta = |(sequence, delta): (u64, String)| AgentReasoningDelta {
            agent_id: agent.clone(),
            delta,
            sequence,
            verbosity: Some(Verbosity::Summary),
        };
        let deltas = (0..).zip(chunks).map(delta).collect();
        let reasoned = AgentReasoned {
            agent_id: agent.clone(),
            reasoning: text,
            verbosity: Some(Verbosity::Summary),
            causation_host_id: None,
        };
        Some((deltas, reasoned))
    }

    /// The handoff, if there is one.
    pub fn handoff(&self, agent: &AgentId) -> Option<AgentHandoff> {
        let handoff = self.mock_handoff.as_ref()?;
        let to = AgentRef::new(AgentId::new(handoff.to_agent_id.as_str()));
        Some(AgentHandoff {
            reason: handoff.reason.clone(),
            context: handoff.context.clone(),
            ..AgentHandoff::new(AgentRef::new(agent.clone()), to)
        })
    }

    /// The decision, if there is one.
    pub fn decision(&self, agent: &AgentId) -> Option<AgentDecided> {
        let (decision, confidence, reasoning) = match (&self.mock_decision, self.mock_confidence) {
            (Some(mock), _) => (mock.decision.clone(), mock.confidence, mock.reasoning.clone()),
            (None, Some(confidence)) => (json!({"mock": true}), Some(confidence), None),
            (None, None) => return None,
        };
        Some(AgentDecided {
            agent_id: agent.clone(),
            decision,
            confidence,
            reasoning,
            causation_host_id: None,
        })
    }
}

impl MockToolCall {
    /// The call and its return, under the id that the host gives them.
    pub fn events(&self, agent: &AgentId, call_id: &str) -> (AgentToolCalled, AgentToolReturned) {
        let inputs = self.arguments.clone().unwrap_or_default();
        let called = AgentToolCalled::new(agent.clone(), self.tool_id.clone(), call_id.to_owned(), inputs);
        let outcome = match &self.error {
            None => Ok(self.result.clone().unwrap_or_default()),
            Some(error) => Err(RunError {
                code: error.error.clone(),
                message: error.message.clone(),
                details: error.details.clone(),
                retryable: None,
            }),
        };
        let returned = AgentToolReturned {
            duration_ms: self.duration_ms,
            ..AgentToolReturned::new(agent.clone(), self.tool_id.clone(), call_id.to_owned(), outcome)
        };
        (called, returned)
    }

    fn fault(&self, at: usize) -> Option<Fault> {
        let message = match (&self.result, &self.error) {
            (Some(_), None) | (None, Some(_)) => return None,
            (None, None) => "a mock tool call needs a 'result' or an 'error'",
            (Some(_), Some(_)) => "a mock tool call has either a 'result' or an 'error', not both",
        };
        Some(Fault::new(format!("/mockToolCalls/{at}"), ErrorCode::WorkflowInvalid, message))
    }
}
