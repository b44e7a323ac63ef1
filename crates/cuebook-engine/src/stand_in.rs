//! The stand-in for model providers that a run may ask for: `configurable.mockProvider` with the id `stream-text`.
//!
//! It owns what the stand-in says: the tokens of its settings, and nothing else, so that it needs no call and a replay says
//! the same. It refuses to keep the pace that `delayMsPerToken` asks for; who may use it is decided by the host.

use cuebook_wire::payload::{ChunkMeta, FinishReason, TokenUsage};
use cuebook_wire::{ErrorCode, Fault, MockProvider};
use serde_json::Value as Json;

/// The ids of the stand-ins that there are.
pub const MOCK_PROVIDERS: [&str; 1] = [STREAM_TEXT];

/// The stand-in that streams the tokens it was given.
pub(crate) const STREAM_TEXT: &str = "stream-text";

/// What `stream-text` says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamText {
    /// The pieces of the answer, in order.
    pub tokens: Vec<String>,
    /// Why the answer ends; `stop` when it is not told.
    pub finish_reason: Option<FinishReason>,
    /// The tokens it claims to have used, of the prompt and of the answer.
    pub usage: Option<(u64, u64)>,
}

impl StreamText {
    /// Reads the stand-in that `mock` asks for.
    ///
    /// # Errors
    ///
    /// `unsupported_mock_provider` when there is none of this id; `validation_error` for every setting that holds the
    /// wrong thing. Paths are below `mock`.
    pub fn read(mock: &MockProvider) -> Result<Self, Vec<Fault>> {
        if mock.id != STREAM_TEXT {
            let message = format!("there is no such stand-in for a provider; there is '{STREAM_TEXT}'");
            return Err(vec![Fault::new("/id", ErrorCode::UnsupportedMockProvider, message)]);
        }
        let mut faults = Vec::new();
        let get = |key: &str| mock.config.as_ref().and_then(|config| config.get(key));
        let read = Self {
            tokens: or_fault(get("tokens"), "tokens", "a list of texts", read_tokens, &mut faults)
                .unwrap_or_default(),
            finish_reason: or_fault(
                get("finishReason"),
                "finishReason",
                "a reason of the wire's",
                read_reason,
                &mut faults,
            ),
            usage: or_fault(get("usage"), "usage", "an object of whole numbers", read_usage, &mut faults),
        };
        if faults.is_empty() { Ok(read) } else { Err(faults) }
    }

    /// What the last chunk says about the answer.
    pub(crate) fn meta(&self) -> ChunkMeta {
        let usage = self.usage.map(|(prompt, completion)| TokenUsage {
            prompt_tokens: Some(prompt),
            completion_tokens: Some(completion),
            total_tokens: Some(prompt.saturating_add(completion)),
        });
        ChunkMeta {
            finish_reason: Some(self.finish_reason.unwrap_or(FinishReason::Stop)),
            usage,
            ..ChunkMeta::default()
        }
    }
}

/// The setting, when it is there and holds what it should.
fn or_fault<T>(
    value: Option<&Json>,
    key: &str,
    expected: &str,
    read: impl Fn(&Json) -> Option<T>,
    faults: &mut Vec<Fault>,
) -> Option<T> {
    let value = value?;
    let read = read(value);
    if read.is_none() {
        let message = format!("'{key}' is {expected}");
        faults.push(Fault::new(format!("/config/{key}"), ErrorCode::ValidationError, message));
    }
    read
}

fn read_reason(value: &Json) -> Option<FinishReason> {
    serde_json::from_value(value.clone()).ok()
}

fn read_tokens(value: &Json) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|token| token.as_str().map(str::to_owned)).collect()
}

fn read_usage(value: &Json) -> Option<(u64, u64)> {
    let count = |key: &str| value.get(key).map_or(Some(0), Json::as_u64);
    value.as_object()?;
    Some((count("promptTokens")?, count("completionTokens")?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(mock: &Json, expect: Result<StreamText, &[(&str, ErrorCode)]>) {
        let mock: MockProvider = serde_json::from_value(mock.clone()).expect("a stand-in");
        let read = StreamText::read(&mock);
        let read = read.map_err(|faults| faults.into_iter().map(|it| (it.path, it.code)).collect::<Vec<_>>());
        let expect = expect.map_err(|faults| {
            faults.iter().map(|(path, code)| ((*path).to_owned(), *code)).collect::<Vec<_>>()
        });
        assert_eq!(read, expect, "of {mock:?}");
    }

    #[test]
    fn settings_are_read_with_their_defaults() {
        let plain = StreamText::default();
        check(&json!({ "id": "stream-text" }), Ok(plain.clone()));
        check(&json!({ "id": "stream-text", "config": { "delayMsPerToken": 10 } }), Ok(plain));
        let config = json!({
            "tokens": ["a", ""], "finishReason": "length", "usage": { "completionTokens": 4 },
        });
        let tokens = vec!["a".to_owned(), String::new()];
        let full = StreamText { tokens, finish_reason: Some(FinishReason::Length), usage: Some((0, 4)) };
        check(&json!({ "id": "stream-text", "config": config }), Ok(full));
    }

    #[test]
    fn everything_that_is_wrong_is_told() {
        let unknown = [("/id", ErrorCode::UnsupportedMockProvider)];
        check(&json!({ "id": "does-not-exist", "config": { "tokens": 1 } }), Err(&unknown));
        let config = json!({ "tokens": ["a", 1], "finishReason": 1, "usage": { "promptTokens": -1 } });
        let faults = ["/config/tokens", "/config/finishReason", "/config/usage"];
        let faults = faults.map(|path| (path, ErrorCode::ValidationError));
        check(&json!({ "id": "stream-text", "config": config }), Err(&faults));
    }
}
