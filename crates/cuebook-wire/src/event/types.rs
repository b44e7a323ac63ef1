//! Owns the list of published event types. Refuses none when reading: an unknown type is kept as written.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Declares the published event types.
macro_rules! event_types {
    ($( $(#[doc = $doc:literal])+ $variant:ident = $wire:literal, )+) => {
        /// The type of an event, which decides the shape of its payload.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum EventType {
            $( $(#[doc = $doc])+ $variant, )+
            /// A type this version does not know, kept as written.
            Other(String),
        }

        impl EventType {
            /// The name of every published type, in published order.
            pub const NAMES: [&'static str; [$($wire),+].len()] = [$($wire),+];

            /// The name on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $wire,)+
                    Self::Other(name) => name,
                }
            }
        }

        impl From<&str> for EventType {
            fn from(name: &str) -> Self {
                match name {
                    $($wire => Self::$variant,)+
                    other => Self::Other(other.to_owned()),
                }
            }
        }
    };
}

event_types! {
    /// A run began.
    RunStarted = "run.started",
    /// A run ended well; the last event.
    RunCompleted = "run.completed",
    /// A run ended in an error; the last event.
    RunFailed = "run.failed",
    /// A run was cancelled; the last event.
    RunCancelled = "run.cancelled",
    /// A run is about to go on.
    RunResuming = "run.resuming",
    /// A run was paused.
    RunPaused = "run.paused",
    /// A run goes on.
    RunResumed = "run.resumed",
    /// A run's state came from a snapshot.
    RunRestoredFromSnapshot = "run.restored-from-snapshot",
    /// A run was given up.
    RunDeadLettered = "run.dead_lettered",
    /// A node began.
    NodeStarted = "node.started",
    /// A node ended well.
    NodeCompleted = "node.completed",
    /// A node ended in an error.
    NodeFailed = "node.failed",
    /// A node waits for something.
    NodeSuspended = "node.suspended",
    /// A node could not be made to wait.
    NodeSuspendFailed = "node.suspend-failed",
    /// A node goes on.
    NodeResumed = "node.resumed",
    /// A node will be tried again.
    NodeRetried = "node.retried",
    /// A node was passed over.
    NodeSkipped = "node.skipped",
    /// A node was cancelled.
    NodeCancelled = "node.cancelled",
    /// An approval was asked for.
    ApprovalRequested = "approval.requested",
    /// An approval was answered.
    ApprovalReceived = "approval.received",
    /// An approval was given.
    ApprovalGranted = "approval.granted",
    /// An approval was refused.
    ApprovalRejected = "approval.rejected",
    /// An approval was overridden.
    ApprovalOverridden = "approval.overridden",
    /// A question was asked.
    ClarificationRequested = "clarification.requested",
    /// A question was answered.
    ClarificationResolved = "clarification.resolved",
    /// An interrupt was raised.
    InterruptRequested = "interrupt.requested",
    /// An interrupt was resolved.
    InterruptResolved = "interrupt.resolved",
    /// A channel was written.
    ChannelWritten = "channel.written",
    /// An artifact was made.
    ArtifactCreated = "artifact.created",
    /// A piece of a node's output arrived.
    OutputChunk = "output.chunk",
    /// A run variable changed.
    VariableChanged = "variable.changed",
    /// A log line of the run.
    LogAppended = "log.appended",
    /// A version was fixed for the run.
    VersionPinned = "version.pinned",
    /// A workflow's state came from a snapshot.
    WorkflowRestored = "workflow.restored",
    /// A loop came round too often.
    WorkflowLoopbackLimit = "workflow.loopback-limit",
    /// A run makes no progress.
    WorkflowStalled = "workflow.stalled",
    /// A limit was passed.
    CapBreached = "cap.breached",
    /// A lease was taken.
    LeaseAcquired = "lease.acquired",
    /// A lease was extended.
    LeaseRenewed = "lease.renewed",
    /// A lease was lost.
    LeaseLost = "lease.lost",
    /// A lease was handed over.
    LeaseHandedOff = "lease.handed-off",
    /// A replay differs from its source.
    ReplayDiverged = "replay.diverged",
    /// A replay differs from its source in a refusal.
    ReplayDivergedAtRefusal = "replay.divergedAtRefusal",
    /// An agent reasoned.
    AgentReasoned = "agent.reasoned",
    /// A piece of an agent's reasoning arrived.
    AgentReasoningDelta = "agent.reasoning.delta",
    /// What a model call used.
    ProviderUsage = "provider.usage",
    /// A prompt was composed.
    PromptComposed = "prompt.composed",
    /// The prompt of one kind was resolved.
    AgentPromptResolved = "agent.promptResolved",
    /// Another model stood in for the one asked for.
    ModelCapabilitySubstituted = "model.capability.substituted",
    /// No model could do what was asked.
    ModelCapabilityInsufficient = "model.capability.insufficient",
    /// An envelope was tried again.
    EnvelopeRetryAttempted = "envelope.retry.attempted",
    /// An envelope was given up.
    EnvelopeRetryExhausted = "envelope.retry.exhausted",
    /// A model refused.
    EnvelopeRefusal = "envelope.refusal",
    /// A model's answer was cut.
    EnvelopeTruncated = "envelope.truncated",
    /// Plain text was turned into the format.
    EnvelopeNlToFormatEngaged = "envelope.nlToFormat.engaged",
    /// A broken envelope was repaired.
    EnvelopeRecoveryApplied = "envelope.recovery.applied",
    /// An agent called a tool.
    AgentToolCalled = "agent.toolCalled",
    /// A tool answered an agent.
    AgentToolReturned = "agent.toolReturned",
    /// One agent handed over to another.
    AgentHandoff = "agent.handoff",
    /// An agent decided.
    AgentDecided = "agent.decided",
    /// An agent's work was checked.
    AgentVerified = "agent.verified",
    /// An agent was invoked.
    AgentInvocationStarted = "agent.invocation.started",
    /// An invocation of an agent ended.
    AgentInvocationCompleted = "agent.invocation.completed",
    /// An evaluation began.
    EvalStarted = "eval.started",
    /// An evaluation gave a score.
    EvalScored = "eval.scored",
    /// An evaluation ended.
    EvalCompleted = "eval.completed",
    /// A deployment was promoted.
    DeploymentPromoted = "deployment.promoted",
    /// A deployment was taken back.
    DeploymentRolledBack = "deployment.rolled-back",
    /// A canary's share changed.
    DeploymentCanaryAdjusted = "deployment.canary.adjusted",
    /// A deployment's state changed.
    DeploymentStateChanged = "deployment.state.changed",
    /// A roster started a run.
    RosterRunInitiated = "roster.run.initiated",
    /// A tool session was opened.
    ToolSessionOpened = "tool.session.opened",
    /// A tool session was closed.
    ToolSessionClosed = "tool.session.closed",
    /// An outgoing request was allowed or refused.
    EgressDecided = "egress.decided",
    /// A trigger's subscription changed.
    TriggerSubscriptionStateChanged = "trigger.subscription.state.changed",
    /// A trigger's delivery was tried.
    TriggerDeliveryAttempted = "trigger.delivery.attempted",
    /// Budget was set aside.
    BudgetReserved = "budget.reserved",
    /// Budget was used.
    BudgetConsumed = "budget.consumed",
    /// A share of the budget was passed.
    BudgetThresholdCrossed = "budget.threshold.crossed",
    /// The budget is used up.
    BudgetExhausted = "budget.exhausted",
    /// The orchestrator decided.
    RunOrchestratorDecided = "runOrchestrator.decided",
    /// A child run was started.
    NodeDispatched = "node.dispatched",
    /// A conversation was opened.
    ConversationOpened = "conversation.opened",
    /// A turn was exchanged.
    ConversationExchanged = "conversation.exchanged",
    /// A conversation was closed.
    ConversationClosed = "conversation.closed",
    /// Memory was compacted.
    MemoryCompacted = "memory.compacted",
    /// Memory was written.
    MemoryWritten = "memory.written",
    /// An agent's memory was consolidated.
    AgentMemoryConsolidated = "agent.memory.consolidated",
    /// A commitment came due.
    CommitmentFired = "commitment.fired",
    /// A workspace changed.
    WorkspaceUpdated = "workspace.updated",
    /// A workflow chain reported.
    WorkflowChainEvent = "core.workflowChain.event",
    /// A workflow chain escalated.
    WorkflowChainConfidenceEscalated = "core.workflowChain.confidence-escalated",
    /// A connector was authorised.
    ConnectorAuthorized = "connector.authorized",
    /// A connector's authorisation ended.
    ConnectorAuthExpired = "connector.auth_expired",
    /// An authorisation was decided.
    AuthorizationDecided = "authorization.decided",
}

impl EventType {
    /// Whether this type ends a run.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::RunCompleted | Self::RunFailed | Self::RunCancelled)
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for EventType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for EventType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|name| Self::from(name.as_str()))
    }
}

impl JsonSchema for EventType {
    fn schema_name() -> Cow<'static, str> {
        "EventType".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "The type of an event, which decides the shape of its payload.",
            "enum": Self::NAMES.as_slice(),
        })
    }
}
