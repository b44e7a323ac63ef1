//! Owns the payloads of the agent events (RFC 0002 §B). These are open as published, so the RFC's own names stand beside the
//! published ones: `toolId`, `arguments`, `result`, `from`, `to`, `context`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::AgentRef;
use crate::id::AgentId;
use crate::names::wire_enum;
use crate::present;
use crate::snapshot::RunError;

wire_enum! {
    /// How much of an agent's reasoning is shown.
    pub enum Verbosity {
        /// A bounded summary.
        Summary = "summary",
        /// All of it.
        Full = "full",
        /// None of it.
        Off = "off",
    }
}

wire_enum! {
    /// How a tool call is made.
    pub enum ToolTransport {
        /// Over MCP.
        Mcp = "mcp",
        /// Over HTTP.
        Http = "http",
        /// Within the host.
        Native = "native",
    }
}

wire_enum! {
    /// How a tool call ended.
    pub enum ToolStatus {
        /// With an outcome.
        Ok = "ok",
        /// With an error.
        Error = "error",
        /// It was not allowed.
        Forbidden = "forbidden",
        /// It was refused for now.
        RateLimited = "rate_limited",
    }
}

/// `agent.reasoned`: what an agent thought.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentReasoned {
    /// The agent.
    pub agent_id: AgentId,
    /// Its reasoning, scrubbed of secrets.
    pub reasoning: String,
    /// How much of it this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verbosity: Option<Verbosity>,
    /// The host that caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub causation_host_id: Option<String>,
}

/// `agent.reasoning.delta`: a piece of reasoning as it arrives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentReasoningDelta {
    /// The agent.
    pub agent_id: AgentId,
    /// The piece.
    pub delta: String,
    /// Its place within the block, from 0.
    pub sequence: u64,
    /// How much of it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verbosity: Option<Verbosity>,
}

/// `agent.toolCalled`: an agent called a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentToolCalled {
    /// The agent.
    pub agent_id: AgentId,
    /// The tool.
    #[schemars(length(min = 1))]
    pub tool_name: String,
    /// The call, which its answer names.
    #[schemars(length(min = 1))]
    pub call_id: String,
    /// What the tool is given.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Value>,
    /// The hash of what the tool is given, redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args_hash: Option<String>,
    /// On whose behalf.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// How the call is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<ToolTransport>,
    /// The host that caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub causation_host_id: Option<String>,
    /// The tool, by RFC 0002's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_id: Option<String>,
    /// What the tool is given, by RFC 0002's name.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
}

impl AgentToolCalled {
    /// A call under both the published and RFC 0002's names.
    pub fn new(agent_id: AgentId, tool_name: String, call_id: String, inputs: Value) -> Self {
        Self {
            agent_id,
            tool_id: Some(tool_name.clone()),
            tool_name,
            call_id,
            arguments: Some(inputs.clone()),
            inputs: Some(inputs),
            args_hash: None,
            principal: None,
            transport: None,
            causation_host_id: None,
        }
    }
}

/// `agent.toolReturned`: a tool answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentToolReturned {
    /// The agent that called it.
    pub agent_id: AgentId,
    /// The tool.
    #[schemars(length(min = 1))]
    pub tool_name: String,
    /// The call.
    #[schemars(length(min = 1))]
    pub call_id: String,
    /// What the tool gave.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Value>,
    /// What went wrong instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<RunError>,
    /// How the call ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<ToolStatus>,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The host that caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub causation_host_id: Option<String>,
    /// The tool, by RFC 0002's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_id: Option<String>,
    /// What the tool gave, by RFC 0002's name.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
}

impl AgentToolReturned {
    /// An outcome or an error, under both the published and RFC 0002's names.
    pub fn new(
        agent_id: AgentId,
        tool_name: String,
        call_id: String,
        outcome: Result<Value, RunError>,
    ) -> Self {
        let (outcome, error) = match outcome {
            Ok(value) => (Some(value), None),
            Err(error) => (None, Some(error)),
        };
        Self {
            agent_id,
            tool_id: Some(tool_name.clone()),
            tool_name,
            call_id,
            status: Some(if error.is_none() { ToolStatus::Ok } else { ToolStatus::Error }),
            result: outcome.clone(),
            outcome,
            error,
            duration_ms: None,
            causation_host_id: None,
        }
    }
}

/// `agent.handoff`: one agent handed over to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentHandoff {
    /// The agent that hands over.
    pub from_agent_id: AgentId,
    /// The agent that takes over.
    pub to_agent_id: AgentId,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The host that caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub causation_host_id: Option<String>,
    /// The agent that hands over, by RFC 0002's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<AgentRef>,
    /// The agent that takes over, by RFC 0002's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<AgentRef>,
    /// What is handed over.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub context: Option<Value>,
}

impl AgentHandoff {
    /// A handoff under both the published and RFC 0002's names.
    pub fn new(from: AgentRef, to: AgentRef) -> Self {
        Self {
            from_agent_id: from.agent_id.clone(),
            to_agent_id: to.agent_id.clone(),
            reason: None,
            causation_host_id: None,
            from: Some(from),
            to: Some(to),
            context: None,
        }
    }
}

/// `agent.decided`: an agent decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentDecided {
    /// The agent.
    pub agent_id: AgentId,
    /// What it decided.
    pub decision: Value,
    /// How sure it is, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub confidence: Option<f64>,
    /// Why, scrubbed of secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// The host that caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub causation_host_id: Option<String>,
}
