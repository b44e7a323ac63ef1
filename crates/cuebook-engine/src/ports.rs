//! The engine's own ports: models and time.

use cuebook_prompt::Dispatch;
use cuebook_wire::{RunError, Timestamp};
use futures_util::future::BoxFuture;

use crate::effect::{InvocationId, ModelAnswer};
use crate::node_type::ModelChoice;

/// One call of a model.
#[derive(Clone, Copy)]
pub struct ModelCall<'a> {
    /// What is sent.
    pub dispatch: &'a Dispatch,
    /// Which model is wanted.
    pub choice: &'a ModelChoice,
    /// The logical effect, for the provider's own deduplication.
    pub invocation: &'a InvocationId,
}

/// Takes the pieces of an answer as they come.
pub type PieceSink<'a> = &'a mut (dyn FnMut(&str) + Send);

/// Whoever answers prompts.
pub trait Models: Send + Sync {
    /// Calls a model; dropping the future gives the call up.
    ///
    /// # Errors
    ///
    /// The failure as the node's error, with `retryable` saying whether another attempt may help.
    fn call<'a>(
        &'a self,
        call: ModelCall<'a>,
        pieces: PieceSink<'a>,
    ) -> BoxFuture<'a, Result<ModelAnswer, RunError>>;
}

/// Time, as the host or a test has it.
pub trait Clock: Send + Sync {
    /// The present.
    fn now(&self) -> Timestamp;

    /// Waits until `at`; at once when that has passed.
    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()>;
}
