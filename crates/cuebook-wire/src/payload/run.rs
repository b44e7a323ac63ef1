//! Owns the payloads about a run as a whole: its beginning and end, variables, log lines, pinned versions, limits. Refuses
//! levels and limits outside the published names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use crate::id::{NodeId, RunId, WorkflowId};
use crate::names::wire_enum;
use crate::present;
use crate::snapshot::RunError;

wire_enum! {
    /// How a run was asked for.
    pub enum Transport {
        /// The REST API.
        Rest = "rest",
        /// A tool call over MCP.
        Mcp = "mcp",
        /// Another agent.
        A2a = "a2a",
        /// A user interface.
        Ui = "ui",
    }
}

wire_enum! {
    /// How much a log line matters.
    pub enum LogLevel {
        /// For developers.
        Debug = "debug",
        /// For the record.
        Info = "info",
        /// Something to look at.
        Warn = "warn",
        /// Something failed.
        Error = "error",
    }
}

wire_enum! {
    /// The limit that was passed.
    pub enum CapKind {
        /// Rounds of questions.
        Clarification = "clarification",
        /// Rounds of schema repair.
        Schema = "schema",
        /// Envelopes of one turn.
        Envelopes = "envelopes",
        /// Node executions of one run.
        NodeExecutions = "node-executions",
        /// Memory of a WebAssembly node.
        WasmMemory = "wasm-memory",
        /// Fuel of a WebAssembly node.
        WasmFuel = "wasm-fuel",
        /// Time of a WebAssembly node.
        WasmExecutionTime = "wasm-execution-time",
        /// Time of one run.
        RunDuration = "run-duration",
        /// Rounds of one loop.
        LoopIterations = "loop-iterations",
        /// Tokens of one run.
        BudgetTokens = "budget-tokens",
        /// Cost of one run.
        BudgetCost = "budget-cost",
        /// Tool calls of one run.
        BudgetToolCalls = "budget-tool-calls",
        /// Retries of one run.
        BudgetRetries = "budget-retries",
        /// An escalation the agent opted out of (RFC 0002 §F); not in the published list.
        ConfidenceEscalationSuppressed = "confidence-escalation-suppressed",
    }
}

/// Who a run belongs to (RFC 0048).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Owner {
    /// The outermost boundary.
    #[schemars(length(min = 1))]
    pub tenant: String,
    /// The workspace within the tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub workspace: Option<String>,
    /// Who acts, as an opaque id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub principal: Option<String>,
}

/// `run.started`: a run began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunStarted {
    /// The workflow it runs.
    pub workflow_id: WorkflowId,
    /// The inputs, masked where declared sensitive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Map<String, Value>>,
    /// How it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<Transport>,
    /// The engine that runs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine_version: Option<String>,
    /// Who it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<Owner>,
    /// The caller's tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The caller's metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
}

/// `run.completed`: a run ended well.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunCompleted {
    /// What it gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Map<String, Value>>,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// `run.failed`: a run ended in an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunFailed {
    /// The error.
    pub error: RunError,
    /// The node it failed at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_node_id: Option<NodeId>,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// `run.cancelled`: a run was cancelled.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunCancelled {
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancelled_by: Option<String>,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The parent run whose end cancelled it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_run_id: Option<RunId>,
}

/// `run.paused`: a run was paused.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunPaused {
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `run.resumed`: a paused run goes on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunResumed {}

/// `variable.changed`: a run variable changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VariableChanged {
    /// The variable.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Its value before, absent when it had none.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub previous: Option<Value>,
    /// Its value now, absent when it was removed.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub next: Option<Value>,
    /// The node that changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub node_id: Option<NodeId>,
}

/// `log.appended`: a line in the run's log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogAppended {
    /// How much it matters.
    pub level: LogLevel,
    /// The line.
    pub message: String,
    /// The machine-readable code of a warning or host fact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The node it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub node_id: Option<NodeId>,
    /// The facts behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<Map<String, Value>>,
}

/// `version.pinned`: a version was fixed for the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VersionPinned {
    /// What was fixed.
    #[schemars(length(min = 1))]
    pub change_id: String,
    /// The version it is fixed at.
    pub version: u64,
    /// The node it is fixed for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub node_id: Option<NodeId>,
}

/// `cap.breached`: a limit was passed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CapBreached {
    /// Which limit.
    pub kind: CapKind,
    /// The limit, at least 0.
    #[schemars(range(min = 0))]
    pub limit: Number,
    /// What was observed, at least 0.
    #[schemars(range(min = 0))]
    pub observed: Number,
    /// The node that passed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub node_id: Option<NodeId>,
}
