//! Models: a deterministic built-in one and any OpenAI-compatible endpoint.
//!
//! It owns the port through which the engine reaches a model, [`ModelPort`], and is the only crate that reads a
//! [`Dispatch`](cuebook_prompt::Dispatch). It refuses to log, to retry and to choose: when to try again and which
//! model to take is the caller's matter.

mod openai;
mod port;
mod read;
mod scripted;

pub use openai::{OpenAi, OpenAiOptions, OpenAiSetupError};
pub use port::{
    ChunkSink, FinishReason, ModelAnswer, ModelCall, ModelError, ModelErrorKind, ModelPort, ModelSettings,
    ResponseFormat, Usage,
};
pub use scripted::{Rule, Script, ScriptError, ScriptProblem, Scripted};
