//! The node types that this engine runs, and what each reads from its node's `config`.
//!
//! Strict only for the keys that a type owns; other keys are the author's. A key that looks like a slip of an owned
//! one is worth a warning.

use cuebook_prompt::{CONFIG_KEYS, NodePrompts};
use cuebook_wire::names::nearest;
use cuebook_wire::{ErrorCode, Fault, WorkflowNode};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::mock_agent::MockAgentConfig;

/// What a node does.
#[derive(Clone, Debug)]
pub enum NodeType {
    /// `core.noop`: nothing; no outputs.
    Noop,
    /// `core.identity`: its inputs are its outputs.
    Identity,
    /// `core.delay`: waits for its input `delayMs` milliseconds, 0 to 30 000.
    Delay,
    /// `core.fail`: fails.
    Fail(FailConfig),
    /// `core.ai.callPrompt` and `local.sample.demo.mock-ai`: composes a prompt and calls a model.
    Prompt(Box<PromptNode>),
    /// `core.conformance.mock-agent`: emits the agent events its config spells out (RFC 0023).
    MockAgent(Box<MockAgentConfig>),
}

/// The ids of all node types, for messages.
pub const NODE_TYPES: [&str; 7] = [
    "core.noop",
    "core.identity",
    "core.delay",
    "core.fail",
    "core.ai.callPrompt",
    "local.sample.demo.mock-ai",
    "core.conformance.mock-agent",
];

/// The longest that a `core.delay` waits, in milliseconds.
pub const MAX_DELAY_MS: u64 = 30_000;

/// The config of `core.fail`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailConfig {
    /// The error's code; `node_failed` when absent.
    pub code: Option<String>,
    /// The error's message.
    pub message: Option<String>,
}

/// A node that composes a prompt and calls a model.
#[derive(Clone, Debug)]
pub struct PromptNode {
    /// Layer 1 of the chain and the inline bodies.
    pub prompts: NodePrompts,
    /// What the config asks of the model.
    pub model: ModelChoice,
    /// The run variable that answers when there is no prompt at all (`local.sample.demo.mock-ai`).
    pub fallback_variable: Option<&'static str>,
}

/// Which model is wanted and how; the host maps it to a provider.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelChoice {
    /// `config.provider`: a provider of the host's configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// `config.model`, or `configurable.model` of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent whose manifest's model class decides when neither is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<cuebook_wire::AgentId>,
    /// Sampling temperature, 0 to 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The most tokens of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Whether the answer is to be JSON, which is then parsed into the output `json`.
    #[serde(default)]
    pub json: bool,
}

impl NodeType {
    /// Reads the type and config of `node`, which stands in the workflow `workflow_id`.
    ///
    /// # Errors
    ///
    /// Faults with paths below the node: an unknown type, a conformance type outside a `conformance-` workflow, and
    /// every owned config key that holds the wrong thing.
    pub fn read(node: &WorkflowNode, workflow_id: &str) -> Result<Self, Vec<Fault>> {
        match node.type_id.as_str() {
            "core.noop" => Ok(Self::Noop),
            "core.identity" => Ok(Self::Identity),
            "core.delay" => Ok(Self::Delay),
            "core.fail" => read_fail(&node.config).map(Self::Fail),
            "core.ai.callPrompt" => read_prompt(node, None),
            "local.sample.demo.mock-ai" => read_prompt(node, Some("prompt")),
            "core.conformance.mock-agent" if workflow_id.starts_with("conformance-") => {
                read_mock_agent(&node.config)
            }
            "core.conformance.mock-agent" => Err(vec![conformance_only(&node.type_id)]),
            other => Err(vec![unknown_type(other)]),
        }
    }

    /// Whether nodes of this type go through the prompt pipeline.
    pub fn takes_prompts(&self) -> bool {
        matches!(self, Self::Prompt(_))
    }

    /// The output ports that nodes of this type can have; `None` when that depends on their inputs.
    pub fn outputs(&self) -> Option<&'static [&'static str]> {
        match self {
            Self::Identity => None,
            Self::Prompt(prompt) if prompt.model.json => Some(&["text", "json"]),
            Self::Prompt(_) => Some(&["text"]),
            Self::Noop | Self::Delay | Self::Fail(_) | Self::MockAgent(_) => Some(&[]),
        }
    }

    /// Config keys that look like slips of keys this type owns.
    pub fn doubtful_keys<'a>(&self, config: &'a Map<String, Json>) -> Vec<(&'a str, &'static str)> {
        let owned: Vec<&'static str> = match self {
            Self::Prompt(_) => CONFIG_KEYS.into_iter().chain(MODEL_KEYS).collect(),
            _ => return Vec::new(),
        };
        let strangers = config.keys().filter(|key| !owned.contains(&key.as_str()));
        strangers.filter_map(|key| Some((key.as_str(), nearest(key, owned.iter().copied())?))).collect()
    }
}

const MODEL_KEYS: [&str; 6] = ["agentId", "provider", "model", "temperature", "maxTokens", "responseFormat"];

fn unknown_type(type_id: &str) -> Fault {
    let fault =
        Fault::new("/typeId", ErrorCode::NodeTypeUnknown, format!("there is no node type '{type_id}'"));
    fault.nearest(nearest(type_id, NODE_TYPES)).hint(format!("this host runs {}", NODE_TYPES.join(", ")))
}

fn conformance_only(type_id: &str) -> Fault {
    let message = format!("'{type_id}' runs only in workflows whose id begins with 'conformance-'");
    Fault::new("/typeId", ErrorCode::CapabilityRequired, message)
}

fn read_fail(config: &Map<String, Json>) -> Result<FailConfig, Vec<Fault>> {
    let mut keys = Keys { config, faults: Vec::new() };
    let fail = FailConfig { code: keys.text("code"), message: keys.text("message") };
    keys.done(fail)
}

fn read_mock_agent(config: &Map<String, Json>) -> Result<NodeType, Vec<Fault>> {
    MockAgentConfig::read(config)
        .map(|config| NodeType::MockAgent(Box::new(config)))
        .map_err(|faults| faults.into_iter().map(|fault| fault.below("/config")).collect())
}

fn read_prompt(node: &WorkflowNode, fallback_variable: Option<&'static str>) -> Result<NodeType, Vec<Fault>> {
    let mut faults = Vec::new();
    let mut collect = |found: Vec<Fault>| faults.extend(found);
    let prompts = NodePrompts::read(&node.config)
        .map_err(|found| found.into_iter().map(|fault| fault.below("/config")).collect::<Vec<_>>());
    let prompts = prompts.unwrap_or_else(|found| {
        collect(found);
        NodePrompts::default()
    });
    let model = read_model(&node.config).unwrap_or_else(|found| {
        collect(found);
        ModelChoice::default()
    });
    let is_sample = fallback_variable.is_some();
    let provider = model.provider.clone().or_else(|| is_sample.then(|| "scripted".to_owned()));
    let model = ModelChoice { provider, ..model };
    let ready = NodeType::Prompt(Box::new(PromptNode { prompts, model, fallback_variable }));
    if faults.is_empty() { Ok(ready) } else { Err(faults) }
}

fn read_model(config: &Map<String, Json>) -> Result<ModelChoice, Vec<Fault>> {
    let mut keys = Keys { config, faults: Vec::new() };
    let choice = ModelChoice {
        provider: keys.text("provider"),
        model: keys.text("model"),
        agent_id: keys.text("agentId").map(cuebook_wire::AgentId::new),
        temperature: keys.temperature(),
        max_tokens: keys.max_tokens(),
        json: keys.is_json(),
    };
    keys.done(choice)
}

/// Reads owned keys of a config and collects what is wrong with them.
struct Keys<'a> {
    config: &'a Map<String, Json>,
    faults: Vec<Fault>,
}

impl<'a> Keys<'a> {
    fn get(&self, key: &str) -> Option<&'a Json> {
        self.config.get(key).filter(|value| !value.is_null())
    }

    fn text(&mut self, key: &str) -> Option<String> {
        let value = self.get(key)?;
        let text = value.as_str().map(str::to_owned);
        if text.is_none() {
            self.fault(key, format!("'{key}' is a string"));
        }
        text
    }

    fn temperature(&mut self) -> Option<f64> {
        let value = self.get("temperature")?;
        let number = value.as_f64().filter(|number| (0.0..=2.0).contains(number));
        if number.is_none() {
            self.fault("temperature", "'temperature' is a number from 0 to 2".to_owned());
        }
        number
    }

    fn max_tokens(&mut self) -> Option<u32> {
        let value = self.get("maxTokens")?;
        let number =
            value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0);
        if number.is_none() {
            self.fault("maxTokens", "'maxTokens' is a whole number from 1 on".to_owned());
        }
        number
    }

    fn is_json(&mut self) -> bool {
        match self.get("responseFormat").map(Json::as_str) {
            None | Some(Some("text")) => false,
            Some(Some("json")) => true,
            Some(_) => {
                self.fault("responseFormat", "'responseFormat' is \"text\" or \"json\"".to_owned());
                false
            }
        }
    }

    fn fault(&mut self, key: &str, message: String) {
        self.faults.push(Fault::new(format!("/config/{key}"), ErrorCode::WorkflowInvalid, message));
    }

    fn done<T>(self, value: T) -> Result<T, Vec<Fault>> {
        if self.faults.is_empty() { Ok(value) } else { Err(self.faults) }
    }
}
