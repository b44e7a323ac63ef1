//! The shape of a chat completion, whole or in pieces.
//!
//! It owns the reading of the one document that both have in common. It refuses to be strict: what is unknown is
//! passed over, and an error of the reader never quotes the document.

use serde::Deserialize;
use serde_json::Value;

use super::fault::{Fault, Reported};
use crate::port::{FinishReason, Usage};

/// A chat completion or a piece of one.
#[derive(Debug, Deserialize)]
pub(super) struct Completion {
    pub(super) model: Option<String>,
    pub(super) choices: Option<Vec<Choice>>,
    pub(super) usage: Option<TokenCount>,
}

/// One of the alternatives of an answer; only the first is ever asked for.
#[derive(Debug, Deserialize)]
pub(super) struct Choice {
    #[serde(default)]
    pub(super) index: u64,
    delta: Option<Message>,
    message: Option<Message>,
    pub(super) finish_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Message {
    #[serde(default)]
    content: Value,
}

/// The tokens a provider counted.
#[derive(Debug, Deserialize)]
pub(super) struct TokenCount {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

/// Reads a document; an error object in its place is a fault.
pub(super) fn parse(document: &str) -> Result<Completion, Fault> {
    let document: Value = serde_json::from_str(document).map_err(|error| {
        Fault::NotACompletion(format!("no JSON at line {}, column {}", error.line(), error.column()))
    })?;
    if let Some(reported) = Reported::in_answer(&document) {
        return Err(Fault::Reported(reported));
    }
    Completion::deserialize(document)
        .map_err(|_| Fault::NotACompletion("a field has another type than the protocol gives it".to_owned()))
}

impl Choice {
    /// The text of this piece: a string, or the text parts of a list.
    pub(super) fn text(&self) -> String {
        let part = |part: &Value| part["text"].as_str().map(str::to_owned);
        match self.delta.as_ref().or(self.message.as_ref()).map(|message| &message.content) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(parts)) => parts.iter().filter_map(part).collect(),
            _ => String::new(),
        }
    }
}

impl From<TokenCount> for Usage {
    fn from(count: TokenCount) -> Self {
        Self {
            input_tokens: count.prompt_tokens.unwrap_or_default(),
            output_tokens: count.completion_tokens.unwrap_or_default(),
        }
    }
}

/// Reads a finish reason; a name outside the protocol means that the model was done.
pub(super) fn finish_reason(name: &str) -> Result<FinishReason, Fault> {
    match name {
        "length" | "max_tokens" | "model_length" => Ok(FinishReason::Length),
        "tool_calls" | "function_call" => Ok(FinishReason::ToolCalls),
        "content_filter" => Ok(FinishReason::ContentFilter),
        "error" | "insufficient_system_resource" => Err(Fault::BrokeOff),
        _ => Ok(FinishReason::Stop),
    }
}
