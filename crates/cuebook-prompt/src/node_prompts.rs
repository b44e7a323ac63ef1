//! What a node's own config says about prompts: layer 1 of the chain, and the inline bodies beside it (RFC 0027 §C).

use cuebook_wire::{ErrorCode, Fault, PromptKind, PromptRef};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// The prompt keys of a node's config, read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodePrompts {
    /// `systemPromptRef`.
    pub system: Option<PromptRef>,
    /// `userPromptRef`.
    pub user: Option<PromptRef>,
    /// `schemaHintPromptRef`.
    pub schema_hint: Option<PromptRef>,
    /// `fewShotPromptRefs`, one slot an entry.
    pub few_shot: Vec<PromptRef>,
    /// `additionalPromptRefs`; they take no part in the chain.
    pub additional: Vec<PromptRef>,
    /// `systemPrompt`, an inline body.
    pub inline_system: Option<String>,
    /// `userPrompt`, an inline body.
    pub inline_user: Option<String>,
    /// `promptDefaults: false`: the defaults of workflow and host take no part.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refuses_defaults: bool,
}

/// The config keys that this module owns; other keys belong to the node type.
pub const CONFIG_KEYS: [&str; 8] = [
    "systemPromptRef",
    "userPromptRef",
    "schemaHintPromptRef",
    "fewShotPromptRefs",
    "additionalPromptRefs",
    "systemPrompt",
    "userPrompt",
    "promptDefaults",
];

impl NodePrompts {
    /// Reads the prompt keys of `config`.
    ///
    /// # Errors
    ///
    /// One fault for every key that holds no ref (or array of refs, or string), with its path below `config`.
    pub fn read(config: &Map<String, Json>) -> Result<Self, Vec<Fault>> {
        let mut reader = Reader { config, faults: Vec::new() };
        let prompts = Self {
            system: reader.reference("systemPromptRef"),
            user: reader.reference("userPromptRef"),
            schema_hint: reader.reference("schemaHintPromptRef"),
            few_shot: reader.references("fewShotPromptRefs"),
            additional: reader.references("additionalPromptRefs"),
            inline_system: reader.text("systemPrompt"),
            inline_user: reader.text("userPrompt"),
            refuses_defaults: !reader.flag("promptDefaults", true),
        };
        if reader.faults.is_empty() { Ok(prompts) } else { Err(reader.faults) }
    }

    /// The candidate of layer 1 for one kind and few-shot slot.
    pub fn candidate(&self, kind: PromptKind, slot: usize) -> Option<&PromptRef> {
        match kind {
            PromptKind::System => self.system.as_ref(),
            PromptKind::User => self.user.as_ref(),
            PromptKind::SchemaHint => self.schema_hint.as_ref(),
            PromptKind::FewShot => self.few_shot.get(slot),
        }
    }

    /// The inline body of one kind.
    pub fn inline(&self, kind: PromptKind) -> Option<&str> {
        match kind {
            PromptKind::System => self.inline_system.as_deref(),
            PromptKind::User => self.inline_user.as_deref(),
            PromptKind::FewShot | PromptKind::SchemaHint => None,
        }
    }

    /// The kinds for which both an inline body and a ref are there; the ref wins.
    pub fn superseded_inline(&self) -> impl Iterator<Item = PromptKind> + '_ {
        PromptKind::ALL
            .into_iter()
            .filter(|kind| self.inline(*kind).is_some() && self.candidate(*kind, 0).is_some())
    }
}

struct Reader<'a> {
    config: &'a Map<String, Json>,
    faults: Vec<Fault>,
}

impl Reader<'_> {
    fn reference(&mut self, key: &str) -> Option<PromptRef> {
        let value = self.config.get(key).filter(|value| !value.is_null())?;
        self.read_reference(&format!("/{key}"), value)
    }

    fn references(&mut self, key: &str) -> Vec<PromptRef> {
        match self.config.get(key) {
            None | Some(Json::Null) => Vec::new(),
            Some(Json::Array(items)) => items
                .iter()
                .enumerate()
                .filter_map(|(index, item)| self.read_reference(&format!("/{key}/{index}"), item))
                .collect(),
            Some(_) => {
                self.fault(format!("/{key}"), format!("'{key}' holds an array of prompt refs"));
                Vec::new()
            }
        }
    }

    fn text(&mut self, key: &str) -> Option<String> {
        match self.config.get(key) {
            None | Some(Json::Null) => None,
            Some(Json::String(text)) => Some(text.clone()),
            Some(_) => {
                self.fault(format!("/{key}"), format!("'{key}' holds the text of a prompt"));
                None
            }
        }
    }

    fn flag(&mut self, key: &str, default: bool) -> bool {
        match self.config.get(key) {
            None | Some(Json::Null) => default,
            Some(Json::Bool(flag)) => *flag,
            Some(_) => {
                self.fault(format!("/{key}"), format!("'{key}' is true or false"));
                default
            }
        }
    }

    fn read_reference(&mut self, path: &str, value: &Json) -> Option<PromptRef> {
        match cuebook_wire::strict::read::<PromptRef>(value) {
            Ok(reference) => Some(reference),
            Err(faults) => {
                self.faults.extend(faults.into_iter().map(|fault| fault.below(path)));
                None
            }
        }
    }

    fn fault(&mut self, path: String, message: String) {
        self.faults.push(Fault::new(path, ErrorCode::PromptRefInvalid, message));
    }
}
