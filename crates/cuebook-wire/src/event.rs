//! Owns the event envelope of a run's log, closed when written. Reads tolerantly: an unknown
//! type and an unknown payload survive unchanged, unknown envelope keys are dropped.

mod types;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use types::EventType;

use crate::id::{EventId, NodeId, RunId, Sequence};
use crate::payload::EventPayload;
use crate::time::Timestamp;

/// One event of a run's log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct RunEvent {
    /// The event's id, unique everywhere.
    pub event_id: EventId,
    /// The run it belongs to.
    pub run_id: RunId,
    /// The node it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 128))]
    pub node_id: Option<NodeId>,
    /// What happened.
    #[serde(rename = "type")]
    pub event_type: EventType,
    /// The facts, shaped by the type.
    pub payload: Value,
    /// When it happened.
    pub timestamp: Timestamp,
    /// Its place in the log.
    pub sequence: Sequence,
    /// The version of the payload's shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema_version: Option<u32>,
    /// The engine that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine_version: Option<String>,
    /// The event that caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub causation_id: Option<EventId>,
}

/// Why an event's payload could not be read as asked.
#[derive(Debug, thiserror::Error)]
pub enum PayloadError {
    /// The event has another type than the payload asked for.
    #[error("the event is `{found}`, not `{expected}`")]
    OtherType {
        /// The type asked for.
        expected: EventType,
        /// The event's type.
        found: EventType,
    },
    /// The payload does not have the shape of its type.
    #[error("the payload of `{event_type}` at sequence {sequence} is malformed")]
    Malformed {
        /// The event's type.
        event_type: EventType,
        /// The event's place in its log.
        sequence: Sequence,
        /// What the reader stumbled over.
        #[source]
        source: serde_json::Error,
    },
}

impl RunEvent {
    /// The payload as the struct of this event's type.
    ///
    /// # Errors
    ///
    /// [`PayloadError::OtherType`] when the event is not of type `P::TYPE`, [`PayloadError::Malformed`] when a required
    /// field is missing or has another type. Unknown fields are ignored.
    pub fn payload_as<P: EventPayload>(&self) -> Result<P, PayloadError> {
        if self.event_type != P::TYPE {
            return Err(PayloadError::OtherType { expected: P::TYPE, found: self.event_type.clone() });
        }
        P::deserialize(&self.payload).map_err(|source| PayloadError::Malformed {
            event_type: self.event_type.clone(),
            sequence: self.sequence,
            source,
        })
    }
}
