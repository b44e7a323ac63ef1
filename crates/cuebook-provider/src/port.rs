//! The port through which a model is called, and the shapes that pass it.
//!
//! It owns no model. It refuses to carry prompt text in anything but a [`Dispatch`], and no error here may hold a
//! key, a prompt or more than a short piece of a provider's own message.

use std::fmt;
use std::time::Duration;

use cuebook_prompt::Dispatch;
use futures_util::future::BoxFuture;

/// What is asked of a model besides the prompt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelSettings {
    /// The model's name as the provider knows it.
    pub model: String,
    /// Sampling temperature, commonly 0 to 2; `None` leaves it to the provider.
    pub temperature: Option<f64>,
    /// The most tokens the answer may have; `None` leaves it to the provider.
    pub max_tokens: Option<u32>,
    /// The form of the answer.
    pub response_format: ResponseFormat,
}

/// The form in which a model is to answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ResponseFormat {
    /// Free text.
    #[default]
    Text,
    /// One JSON object.
    Json,
}

/// One call of a model.
///
/// It has no `Debug`, since the dispatch face has none.
#[derive(Clone, Copy)]
pub struct ModelCall<'a> {
    /// What the model gets, secrets included.
    pub dispatch: &'a Dispatch,
    /// What is asked besides.
    pub settings: &'a ModelSettings,
    /// The invocation id: the same for every attempt at the same call, sent as an idempotency key.
    pub invocation: &'a str,
}

/// Takes the pieces of an answer as they arrive.
pub trait ChunkSink: Send {
    /// Takes the next piece, never empty; all pieces of a call joined are the answer's text.
    fn chunk(&mut self, text: &str);
}

/// What a model answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelAnswer {
    /// The whole text; empty when the model gave none.
    pub text: String,
    /// The model that answered, as the provider names it; the requested name when it does not say.
    pub model: String,
    /// The tokens used, when the provider says.
    pub usage: Option<Usage>,
    /// Why the answer ended.
    pub finish: FinishReason,
}

/// How many tokens one call used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the prompt.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FinishReason {
    /// The model was done.
    Stop,
    /// A token limit cut it off.
    Length,
    /// The model asks for tools to be called.
    ToolCalls,
    /// The provider's content filter held the rest back.
    ContentFilter,
}

impl FinishReason {
    /// The reason's name in snake case, as `gen_ai.response.finish_reasons` has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolCalls => "tool_calls",
            Self::ContentFilter => "content_filter",
        }
    }
}

impl fmt::Display for FinishReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a call gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What went wrong, for the caller to act on.
    pub kind: ModelErrorKind,
    /// What went wrong, for people: the provider, what happened, what to do. No key, no prompt, no answer.
    pub message: String,
}

/// The ways in which a call can fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelErrorKind {
    /// The provider did not accept the key (HTTP 401 or 403).
    Unauthenticated,
    /// The provider asks to slow down (HTTP 429).
    RateLimited {
        /// How long the provider asks to wait, when it says.
        retry_after: Option<Duration>,
    },
    /// The provider cannot be reached, is failing (HTTP 408 or 5xx), took too long, or broke off.
    Unavailable,
    /// The provider refused the request as it is (any other HTTP 3xx or 4xx).
    Rejected,
    /// The provider answered with something that is not a chat completion.
    Malformed,
    /// The key could not be fetched from the secret store; nothing was sent.
    CredentialUnavailable,
}

impl ModelError {
    /// Makes an error.
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Whether the same call may succeed later with nothing changed.
    pub fn retryable(&self) -> bool {
        self.kind.retryable()
    }
}

impl ModelErrorKind {
    /// Whether the same call may succeed later with nothing changed.
    pub fn retryable(&self) -> bool {
        matches!(self, Self::RateLimited { .. } | Self::Unavailable)
    }
}

/// A model that can be called.
pub trait ModelPort: Send + Sync {
    /// The name under which the host configured it.
    fn name(&self) -> &str;

    /// Makes one call; there are no retries inside. Dropping the future cancels the request.
    ///
    /// # Errors
    ///
    /// [`ModelError`] with the kind that fits. Pieces given to `chunks` before an error stay given; they are no
    /// answer.
    fn call<'a>(
        &'a self,
        call: ModelCall<'a>,
        chunks: &'a mut dyn ChunkSink,
    ) -> BoxFuture<'a, Result<ModelAnswer, ModelError>>;
}
