//! The shapes of OpenWOP v1: prompts, agents, workflows, events, errors.
//!
//! This crate owns what goes over the wire and into files, and nothing else: it neither resolves, composes nor runs. It
//! refuses I/O and async. Serde reads tolerantly here, so that documents of later hosts survive; [`strict::read`] is the
//! way in for documents handed to us, and reports every fault.

pub mod agent;
pub mod capabilities;
pub mod depth;
pub mod error;
pub mod event;
pub mod id;
pub mod kind;
pub mod manifest;
pub mod names;
pub mod options;
pub mod pack;
pub mod payload;
pub mod pointer;
pub mod range;
pub mod reference;
pub mod schema;
pub mod snapshot;
pub mod strict;
pub mod template;
mod text;
pub mod time;
pub mod version;
pub mod workflow;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

pub use agent::{AgentModelClass, AgentRef};
pub use capabilities::{Capabilities, Observability, PromptCapabilities};
pub use error::{ErrorCode, ErrorEnvelope};
pub use event::{EventType, PayloadError, RunEvent};
pub use id::{
    AgentId, EventId, IdError, InterruptId, LibraryId, NodeId, RunId, Sequence, TemplateId, WorkflowId,
};
pub use kind::PromptKind;
pub use manifest::{AgentManifest, ManifestOrigin, ModelClass};
pub use options::{Configurable, CreateRun, MockProvider, RunOptions};
pub use pack::{AgentPackManifest, PackSigning, PromptPackManifest};
pub use payload::EventPayload;
pub use range::{RangeError, VersionRange};
pub use reference::{PromptRef, PromptRefs, RefError};
pub use snapshot::{RunError, RunSnapshot, RunStatus};
pub use strict::{Document, Fault};
pub use template::{ModelHints, PromptTemplate, PromptVariable, TemplateMeta, VariableSource, VariableType};
pub use time::Timestamp;
pub use version::{Version, VersionError};
pub use workflow::{
    EdgeCondition, PortValue, TriggerRule, WorkflowDefinition, WorkflowEdge, WorkflowNode, WorkflowVariable,
};

/// Reads a free-form field so that an explicit null is a value and only absence is none.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
