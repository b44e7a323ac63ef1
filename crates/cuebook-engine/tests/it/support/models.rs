//! Models that answer from a closure over what they are sent.

use std::sync::{Arc, Mutex};

use cuebook_engine::{InvocationId, ModelAnswer, ModelCall, ModelChoice, Models, PieceSink};
use cuebook_wire::{ErrorCode, RunError};
use futures_util::future::BoxFuture;
use tokio::sync::watch;

use super::clock::ManualClock;

/// What a model was sent.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// The system body, empty when there is none.
    pub(crate) system: String,
    /// The user body, empty when there is none.
    pub(crate) user: String,
    /// Which call this is, from 0.
    pub(crate) call: usize,
    /// The logical effect.
    pub(crate) invocation: InvocationId,
    /// Which model is wanted.
    pub(crate) choice: ModelChoice,
}

/// What a model says to it.
pub(crate) struct Reply {
    pieces: Vec<String>,
    result: Result<String, RunError>,
    gate: Option<Gate>,
    panics: bool,
    piece_ms: u64,
}

impl Reply {
    /// A text, without pieces.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self { pieces: Vec::new(), result: Ok(text.into()), gate: None, panics: false, piece_ms: 0 }
    }

    /// A text in pieces, 60 ms apart.
    pub(crate) fn pieces(pieces: &[&str]) -> Self {
        let owned = pieces.iter().map(|piece| (*piece).to_owned()).collect();
        Self { pieces: owned, piece_ms: 60, ..Self::text(pieces.concat()) }
    }

    /// A failure.
    pub(crate) fn failure(message: &str, retryable: bool) -> Self {
        let error =
            RunError { retryable: Some(retryable), ..RunError::new(ErrorCode::ProviderError, message) };
        Self { result: Err(error), ..Self::text("") }
    }

    /// A provider that breaks down.
    pub(crate) fn panic() -> Self {
        Self { panics: true, ..Self::text("") }
    }

    /// The same, after these pieces.
    pub(crate) fn after_pieces(self, pieces: &[&str]) -> Self {
        Self { pieces: Self::pieces(pieces).pieces, piece_ms: 60, ..self }
    }

    /// The same, once the gate opens.
    pub(crate) fn behind(self, gate: &Gate) -> Self {
        Self { gate: Some(gate.clone()), ..self }
    }
}

/// Holds answers back until it is opened.
#[derive(Clone)]
pub(crate) struct Gate(Arc<watch::Sender<bool>>);

impl Gate {
    pub(crate) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    pub(crate) fn open(&self) {
        self.0.send_replace(true);
    }

    async fn passed(&self) {
        self.0.subscribe().wait_for(|open| *open).await.unwrap();
    }
}

type Answer = Box<dyn Fn(&Asked) -> Reply + Send + Sync>;

/// The models of a test, with everything that they were asked.
pub(crate) struct TestModels {
    answer: Answer,
    clock: Arc<ManualClock>,
    asked: Mutex<Vec<Asked>>,
    count: watch::Sender<usize>,
}

impl TestModels {
    pub(crate) fn new(
        clock: Arc<ManualClock>,
        answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Self { answer: Box::new(answer), clock, asked: Mutex::default(), count: watch::Sender::new(0) }
    }

    /// Everything asked so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// Waits until `count` calls are under way or done.
    pub(crate) async fn reached(&self, count: usize) {
        self.count.subscribe().wait_for(|reached| *reached >= count).await.unwrap();
    }

    #[expect(clippy::disallowed_methods, reason = "a model of the test's own reads what it is sent")]
    fn note(&self, call: ModelCall<'_>) -> Asked {
        let mut all = self.asked.lock().unwrap();
        let asked = call.dispatch.expose(|text| Asked {
            system: text.system.unwrap_or_default().to_owned(),
            user: text.user.unwrap_or_default().to_owned(),
            call: all.len(),
            invocation: call.invocation.clone(),
            choice: call.choice.clone(),
        });
        all.push(asked.clone());
        asked
    }

    async fn answer(&self, asked: Asked, sink: PieceSink<'_>) -> Result<ModelAnswer, RunError> {
        let reply = (self.answer)(&asked);
        self.count.send_modify(|count| *count += 1);
        if let Some(gate) = &reply.gate {
            gate.passed().await;
        }
        for piece in &reply.pieces {
            self.clock.advance_by(reply.piece_ms);
            sink(piece);
            tokio::task::yield_now().await;
        }
        assert!(!reply.panics, "told to break down");
        let text = reply.result?;
        let (input, output) = (asked.system.len() + asked.user.len(), text.len());
        Ok(ModelAnswer {
            text,
            provider: "test".to_owned(),
            model: asked.choice.model.unwrap_or_else(|| "small".to_owned()),
            usage: Some((input as u64, output as u64)),
            finish: "stop",
        })
    }
}

impl Models for TestModels {
    fn call<'a>(
        &'a self,
        call: ModelCall<'a>,
        pieces: PieceSink<'a>,
    ) -> BoxFuture<'a, Result<ModelAnswer, RunError>> {
        let asked = self.note(call);
        Box::pin(self.answer(asked, pieces))
    }
}
