//! Owns the edges of a workflow, their conditions and their trigger rules. Refuses nothing about a condition's meaning.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::NodeId;
use crate::names::wire_enum;
use crate::present;

wire_enum! {
    /// When a node with several incoming edges starts.
    #[derive(Default)]
    pub enum TriggerRule {
        /// Every source succeeded.
        #[default]
        AllSuccess = "all_success",
        /// At least one source succeeded.
        AnySuccess = "any_success",
        /// Every source ended, however.
        AllComplete = "all_complete",
        /// No source failed.
        NoneFailed = "none_failed",
        /// At least one source failed.
        AnyFailed = "any_failed",
    }
}

wire_enum! {
    /// How an edge's condition is tested.
    pub enum ConditionType {
        /// By the text of `expression`.
        Expression = "expression",
        /// `left` equals `right`.
        Equals = "equals",
        /// `left` differs from `right`.
        NotEquals = "notEquals",
        /// `left` contains `right`.
        Contains = "contains",
        /// `left` matches the pattern `right`.
        Regex = "regex",
    }
}

/// What must hold for an edge to be taken.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct EdgeCondition {
    /// How it is tested.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub condition_type: Option<ConditionType>,
    /// The path of the left operand, such as `output.approved`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<String>,
    /// The right operand; an explicit null is kept as a value.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub right: Option<Value>,
    /// The text of a condition of type `expression`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expression: Option<String>,
}

/// A way from one node to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct WorkflowEdge {
    /// The edge's id within the workflow.
    #[schemars(length(min = 1))]
    pub id: String,
    /// Where it starts.
    pub source_node_id: NodeId,
    /// The output port it starts at; `output` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_output: Option<String>,
    /// Where it ends.
    pub target_node_id: NodeId,
    /// The input port it ends at; `input` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_input: Option<String>,
    /// What must hold for it to be taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<EdgeCondition>,
    /// A label for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// When its target starts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub trigger_rule: TriggerRule,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference to the field")]
fn is_default(rule: &TriggerRule) -> bool {
    *rule == TriggerRule::default()
}
