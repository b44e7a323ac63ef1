//! Owns what a caller says about one run: the body of `POST /v1/runs`, its options and the `configurable` overlay. Refuses
//! undeclared keys at the top; keys of `configurable` that are not reserved are kept as written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::{AgentId, WorkflowId};
use crate::present;

/// A deterministic stand-in for model providers; test keys only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct MockProvider {
    /// Which stand-in, 1 to 128 characters.
    #[schemars(length(min = 1, max = 128))]
    pub id: String,
    /// Its settings, shaped by the stand-in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<Map<String, Value>>,
}

/// The overlay of one run: reserved keys are typed, others are kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Configurable {
    /// The most node executions, at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub recursion_limit: Option<u64>,
    /// The model to use instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub model: Option<String>,
    /// The sampling temperature to use instead, 0 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 2))]
    pub temperature: Option<f64>,
    /// The ceiling of answer tokens to use instead, at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_tokens: Option<u64>,
    /// Text by prompt id, or a reference by kind where the host takes the run's own layer (RFC 0029 §A).
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    pub prompt_overrides: Map<String, Value>,
    /// A stand-in for model providers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mock_provider: Option<MockProvider>,
    /// The confidence below which a decision escalates, 0 to 1 (RFC 0002 §F); kept as written.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub escalation_threshold: Option<Value>,
    /// Every other key, as written.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Configurable {
    /// The confidence below which a decision escalates, when it is a number from 0 to 1.
    pub fn threshold(&self) -> Option<f64> {
        let threshold = self.escalation_threshold.as_ref()?.as_f64()?;
        (0.0..=1.0).contains(&threshold).then_some(threshold)
    }
}

/// The options of one run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct RunOptions {
    /// The overlay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configurable: Option<Configurable>,
    /// Tags, at most 100 of 1 to 256 characters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100), inner(length(min = 1, max = 256)))]
    pub tags: Vec<String>,
    /// Metadata of the caller's own.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

/// The body of `POST /v1/runs`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct CreateRun {
    /// The workflow to run.
    pub workflow_id: WorkflowId,
    /// The run's inputs; undeclared ones are accepted.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub inputs: Map<String, Value>,
    /// The tenant it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The project it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope_id: Option<String>,
    /// Where its end is to be reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callback_url: Option<String>,
    /// The overlay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configurable: Option<Configurable>,
    /// Tags, at most 100 of 1 to 256 characters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 100), inner(length(min = 1, max = 256)))]
    pub tags: Vec<String>,
    /// Metadata of the caller's own.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// The agent to run it with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
}

impl CreateRun {
    /// A plain run of `workflow_id`.
    pub fn new(workflow_id: WorkflowId) -> Self {
        Self {
            workflow_id,
            inputs: Map::new(),
            tenant_id: None,
            scope_id: None,
            callback_url: None,
            configurable: None,
            tags: Vec::new(),
            metadata: Map::new(),
            agent_id: None,
        }
    }
}
