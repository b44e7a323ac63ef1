//! The bodies that requests of this API carry and that are no documents of the protocol of their own: closed, and read
//! strictly; the OpenAPI document shows the same types.

use cuebook_host::PreviewDraft;
use cuebook_host::wire::payload::ContentTrust;
use cuebook_host::wire::{
    AgentManifest, Document, ErrorCode, Fault, PromptKind, PromptTemplate, WorkflowId, strict,
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// The most runs that one bulk request may name.
pub(crate) const MAX_BULK: usize = 100;

/// A body that may be read without its schema: of an object, serde by itself refuses all that the schema refuses.
pub(crate) trait AtOnce: Document {
    /// The body; `None` when it cannot be read so, and its schema must say what is wrong.
    fn read_at_once(bytes: &[u8]) -> Option<Self> {
        // Serde takes a list of the members for the object, too.
        let is_object = bytes.trim_ascii_start().starts_with(b"{");
        is_object.then(|| serde_json::from_slice(bytes).ok()).flatten()
    }
}

/// Why a run is ended.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CancelRun {
    /// The reason, at most 512 characters.
    #[schemars(length(max = 512))]
    pub(crate) reason: Option<String>,
}

/// Which runs are ended, and why.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct BulkCancel {
    /// The runs, 1 to 100.
    #[schemars(length(min = 1, max = 100))]
    pub(crate) run_ids: Vec<String>,
    /// The reason, at most 512 characters.
    #[schemars(length(max = 512))]
    pub(crate) reason: Option<String>,
}

/// The answer to an interrupt.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct ResolveInterrupt {
    /// The answer, shaped by the interrupt.
    pub(crate) resume_value: Value,
}

/// What is rendered.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct RenderPrompt {
    /// The template, as a ref in either form.
    #[serde(rename = "ref")]
    pub(crate) reference: Value,
    /// The value of each variable; of a secret one its marker.
    #[serde(deserialize_with = "crate::unique::members")]
    pub(crate) variables: Map<String, Value>,
    /// The trust of values that carry no tag.
    #[serde(default, deserialize_with = "read_given")]
    #[schemars(!default, with = "Option<Trust>")]
    pub(crate) content_trust: Option<ContentTrust>,
}

/// Reads a member that is there; null is no value for it, as its schema says too.
fn read_given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(given: D) -> Result<Option<T>, D::Error> {
    T::deserialize(given).map(Some)
}

/// Templates that are put into the library of users together.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct ImportPrompts {
    /// The templates, 1 to 20,000.
    #[schemars(length(min = 1, max = 20_000))]
    pub(crate) templates: Vec<Value>,
    /// Whether everything is checked and nothing is written.
    #[serde(default)]
    pub(crate) dry_run: bool,
}

/// A node to look at before any run: one of a workflow, or one that stands here.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct PreviewPrompt {
    /// The workflow that the node belongs to; without it the node is alone in one of its own.
    pub(crate) workflow_id: Option<String>,
    /// The node of the workflow.
    pub(crate) node_id: Option<String>,
    /// The config of the node; in place of its own when it is one of a workflow.
    pub(crate) config: Option<Map<String, Value>>,
    /// A manifest in place of the agent of its id.
    pub(crate) agent: Option<Value>,
    /// The one kind whose chain is answered; all when absent.
    pub(crate) kind: Option<String>,
    /// Run variables, as a run's inputs.
    #[serde(default)]
    pub(crate) variables: Map<String, Value>,
    /// Values at the node's input ports, in place of what earlier nodes would give.
    #[serde(default)]
    pub(crate) bindings: Map<String, Value>,
    /// A template in place of the stored ones of its id.
    pub(crate) template: Option<Value>,
}

impl PreviewPrompt {
    /// What is to be looked at.
    ///
    /// # Errors
    ///
    /// Every fault of the documents in it, and of what does not go together.
    pub(crate) fn read(self) -> Result<PreviewDraft, Vec<Fault>> {
        let mut faults = Vec::new();
        let agent = part::<AgentManifest>(self.agent.as_ref(), "/agent", &mut faults);
        let template = part::<PromptTemplate>(self.template.as_ref(), "/template", &mut faults);
        let kind = self.kind.as_deref().map(str::parse::<PromptKind>).transpose();
        let kind = kind.map_err(|unknown| {
            Fault::new("/kind", ErrorCode::ValidationError, "'kind' is a prompt kind")
                .nearest(unknown.nearest)
        });
        let kind = kind.unwrap_or_else(|fault| {
            faults.push(fault);
            None
        });
        if self.workflow_id.is_some() != self.node_id.is_some() {
            let message = "'workflowId' and 'nodeId' come together";
            faults.push(Fault::new("/nodeId", ErrorCode::ValidationError, message));
        }
        if self.workflow_id.is_none() && self.config.is_none() {
            let message = "a node is named by 'workflowId' and 'nodeId', or given by its 'config'";
            faults.push(Fault::new("/config", ErrorCode::ValidationError, message));
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(PreviewDraft {
            node: self.workflow_id.map(WorkflowId::new).zip(self.node_id),
            config: self.config,
            agent,
            kind,
            variables: self.variables,
            bindings: self.bindings,
            template,
        })
    }
}

/// A document within a body.
fn part<T: Document>(value: Option<&Value>, place: &str, faults: &mut Vec<Fault>) -> Option<T> {
    match strict::read::<T>(value?) {
        Ok(read) => Some(read),
        Err(found) => {
            faults.extend(found.into_iter().map(|fault| fault.below(place)));
            None
        }
    }
}

/// The trust of values.
#[derive(JsonSchema)]
#[schemars(rename_all = "lowercase", inline)]
#[expect(dead_code, reason = "it describes a type of another crate for the schema alone")]
enum Trust {
    Trusted,
    Untrusted,
}

macro_rules! documents {
    ($($shape:ty),+) => {
        $(impl Document for $shape {
            const CODE: ErrorCode = ErrorCode::ValidationError;
        })+
    };
}

documents!(CancelRun, BulkCancel, ResolveInterrupt, RenderPrompt, ImportPrompts, PreviewPrompt);

impl AtOnce for RenderPrompt {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Holds what is read at once against what the schema says.
    #[track_caller]
    fn check(body: &Value, expect: bool) {
        let at_once = RenderPrompt::read_at_once(body.to_string().as_bytes());
        assert_eq!(at_once.is_some(), expect, "of {body}");
        assert_eq!(strict::read::<RenderPrompt>(body).is_ok(), expect, "by its schema: {body}");
    }

    #[test]
    fn reading_at_once_refuses_what_the_schema_refuses() {
        for good in [
            json!({ "ref": "prompt:a", "variables": {} }),
            json!({ "ref": null, "variables": { "x": [1], "y": null } }),
            json!({ "ref": {}, "variables": { "": "" }, "contentTrust": "untrusted" }),
        ] {
            check(&good, true);
        }
        for bad in [
            json!({}),
            json!([]),
            json!(["prompt:a", {}, null]),
            json!("prompt:a"),
            json!({ "ref": "prompt:a" }),
            json!({ "variables": {} }),
            json!({ "ref": "prompt:a", "variables": null }),
            json!({ "ref": "prompt:a", "variables": [] }),
            json!({ "ref": "prompt:a", "variables": {}, "contentTrust": "Trusted" }),
            json!({ "ref": "prompt:a", "variables": {}, "contentTrust": 1 }),
            json!({ "ref": "prompt:a", "variables": {}, "contentTrust": null }),
            json!({ "ref": "prompt:a", "variables": {}, "more": 1 }),
        ] {
            check(&bad, false);
        }
    }
}
