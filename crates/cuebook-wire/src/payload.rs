//! Owns the payloads of the events a host of ours writes, one struct for each type. Where a published payload is open, the
//! names of RFC 0002 are carried beside the published ones; closed payloads carry exactly the published fields.

mod agent;
mod node;
mod orchestration;
mod output;
mod prompt;
mod run;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

pub use agent::{
    AgentDecided, AgentHandoff, AgentReasoned, AgentReasoningDelta, AgentToolCalled, AgentToolReturned,
    ToolStatus, ToolTransport, Verbosity,
};
pub use node::{
    InterruptKind, InterruptRequested, InterruptResolved, NodeCancelled, NodeCompleted, NodeFailed,
    NodeResumed, NodeRetried, NodeSkipped, NodeStarted, NodeSuspended,
};
pub use orchestration::{
    DivergenceKind, NodeDispatched, OrchestratorDecision, ReplayDiverged, RunOrchestratorDecided,
};
pub use output::{
    ArtifactCreated, ArtifactRegistration, ChannelWritten, ChunkMeta, FinishReason, OutputChunk,
    ProviderUsage, TokenUsage,
};
pub use prompt::{
    AgentPromptResolved, ChainEntry, ChainLayer, CompositionKind, ContentTrust, HASH_PATTERN, PromptComposed,
};
pub use run::{
    CapBreached, CapKind, LogAppended, LogLevel, Owner, RunCancelled, RunCompleted, RunFailed, RunPaused,
    RunResumed, RunStarted, Transport, VariableChanged, VersionPinned,
};

use crate::event::EventType;

/// The payload of one event type.
pub trait EventPayload: Serialize + DeserializeOwned {
    /// The type of the events that carry it.
    const TYPE: EventType;

    /// The payload as it stands in an event.
    ///
    /// # Errors
    ///
    /// Only when a number in a free-form field cannot be written as JSON, which no value read from JSON has.
    fn to_value(&self) -> Result<Value, serde_json::Error> {
        serde_json::to_value(self)
    }
}

/// Ties each payload struct to its event type.
macro_rules! payloads {
    ($($name:ident,)+) => {
        $(impl EventPayload for $name {
            const TYPE: EventType = EventType::$name;
        })+

        /// The JSON Schema of every payload: `$defs`, and under `_typeIndex` which event type has which.
        pub fn schema() -> Value {
            let settings = SchemaSettings::draft2020_12().with_transform(RecursiveTransform(crate::schema::tidy));
            let mut generator = settings.into_generator();
            let index: Map<String, Value> = [$(
                (EventType::$name.to_string(), generator.subschema_for::<$name>().to_value()),
            )+]
            .into_iter()
            .collect();
            let mut definitions = generator.take_definitions(true);
            definitions.insert("_typeIndex".to_owned(), json!({ "type": "object", "properties": index }));
            json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "title": "RunEventPayloads",
                "type": "object",
                "$defs": definitions,
            })
        }
    };
}

payloads! {
    RunStarted, RunCompleted, RunFailed, RunCancelled, RunPaused, RunResumed,
    VariableChanged, LogAppended, VersionPinned, CapBreached,
    NodeStarted, NodeCompleted, NodeFailed, NodeRetried, NodeSkipped, NodeCancelled, NodeSuspended, NodeResumed,
    InterruptRequested, InterruptResolved,
    PromptComposed, AgentPromptResolved,
    AgentReasoned, AgentReasoningDelta, AgentToolCalled, AgentToolReturned, AgentHandoff, AgentDecided,
    OutputChunk, ProviderUsage, ChannelWritten, ArtifactCreated,
    ReplayDiverged, RunOrchestratorDecided, NodeDispatched,
}
