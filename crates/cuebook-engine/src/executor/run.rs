//! The task of one run.

use std::collections::HashMap;
use std::sync::Arc;

use cuebook_log::{Append, Due, Hold, Record, RunEntry};
use cuebook_prompt::{Dispatch, Pin, Prepared, Scrubber, UsedSecret};
use cuebook_wire::{ErrorCode, LibraryId, NodeId, PromptRef, RunError, Timestamp};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

use super::stream::ChunkStream;
use super::{Engine, EngineError, Residence, Rest, SignalBody};
use crate::decide::{Moment, decide};
use crate::effect::{Attempt, Effect, Input, ModelAnswer, Timer};
use crate::state::RunState;

/// A run that waits longer than this, in milliseconds, may be parked.
const PARK_AFTER_MS: u64 = 5_000;

/// What the tasks of a run report to it.
pub(super) enum Report {
    Prepared(Attempt, Box<Prepared>, bool),
    Piece(Attempt, String),
    Answered(Attempt, Result<ModelAnswer, RunError>),
    Woken(Timer),
}

/// A run under way: its state, and what must not be in its log.
pub(super) struct Run {
    pub(super) engine: Engine,
    pub(super) state: RunState,
    epoch: u64,
    /// Secrets used before the run was taken up whose values are not at hand yet.
    pub(super) forgotten: Vec<UsedSecret>,
    /// The sequence up to which the last checkpoint goes, as far as it is known.
    saved: u64,
    pub(super) scrubber: Scrubber,
    pub(super) dispatches: HashMap<Attempt, Arc<Dispatch>>,
    pub(super) streams: HashMap<Attempt, ChunkStream>,
    pub(super) work: JoinSet<()>,
    pub(super) under_way: HashMap<Id, Attempt>,
    pub(super) aborts: HashMap<NodeId, AbortHandle>,
    pub(super) timers: JoinSet<()>,
    reports: mpsc::UnboundedReceiver<Report>,
    pub(super) reporter: mpsc::UnboundedSender<Report>,
    poked: mpsc::UnboundedReceiver<()>,
}

impl Run {
    pub(super) fn new(
        engine: Engine,
        state: RunState,
        epoch: u64,
        poked: mpsc::UnboundedReceiver<()>,
    ) -> Self {
        let (reporter, reports) = mpsc::unbounded_channel();
        Self {
            engine,
            epoch,
            forgotten: state.secrets.clone(),
            saved: state.next.0,
            state,
            scrubber: Scrubber::new(),
            dispatches: HashMap::new(),
            streams: HashMap::new(),
            work: JoinSet::new(),
            under_way: HashMap::new(),
            aborts: HashMap::new(),
            timers: JoinSet::new(),
            reports,
            reporter,
            poked,
        }
    }

    /// Begins the run and takes it on.
    ///
    /// # Errors
    ///
    /// When the store fails.
    pub(super) async fn begin(mut self, residence: Residence) -> Result<Rest, EngineError> {
        self.step(Input::Start).await?;
        self.drive(residence).await
    }

    /// Goes on where the log ends, with what waits in the inbox, and takes the run on.
    ///
    /// # Errors
    ///
    /// When the store fails.
    pub(super) async fn take_up(mut self, residence: Residence) -> Result<Rest, EngineError> {
        self.recall().await;
        let agents = self.agent_prompts();
        self.step(Input::Resume(agents)).await?;
        self.take_signals().await?;
        self.drive(residence).await
    }

    /// Takes the run to its end, or until it may be parked; what is under way at the end is given up.
    ///
    /// In order: a signal comes before what the run itself has to say, and what a task reported before how it ended.
    async fn drive(mut self, residence: Residence) -> Result<Rest, EngineError> {
        while !self.state.status.is_terminal() {
            if residence == Residence::WhileBusy && self.may_be_parked() {
                return Ok(Rest::Parked);
            }
            tokio::select! {
                biased;
                Some(()) = self.poked.recv() => self.take_signals().await?,
                Some(report) = self.reports.recv() => self.take(report).await?,
                Some(ended) = self.work.join_next_with_id() => self.note_end(ended).await?,
            }
        }
        Ok(Rest::Ended(Box::new(self.state)))
    }

    /// Whether nothing is under way and nothing rings soon. A run whose clock stands behind its log stays, because nobody
    /// else would know for how long.
    fn may_be_parked(&self) -> bool {
        match self.state.due() {
            Due::Now => false,
            Due::OnSignal => true,
            Due::At(at) => {
                let now = self.engine.clock.now();
                at.millis_since(now) > PARK_AFTER_MS && now >= self.state.updated_at
            }
        }
    }

    /// The run's time: the clock's, but never before the last record.
    pub(super) fn now(&self) -> Timestamp {
        self.engine.clock.now().max(self.state.updated_at)
    }

    /// Decides about one input, makes the decision durable, then has its effects performed.
    async fn step(&mut self, input: Input) -> Result<(), EngineError> {
        self.step_consuming(input, Vec::new()).await
    }

    async fn step_consuming(&mut self, input: Input, consumed: Vec<String>) -> Result<(), EngineError> {
        let moment = Moment { now: self.engine.clock.now(), scrubber: &self.scrubber };
        let pins = self.state.pins.len();
        let decision = decide(&mut self.state, input, &moment);
        let holds = self.state.pins[pins..].iter().filter_map(held_by_pin).collect();
        let is_sending = decision.effects.iter().any(|effect| matches!(effect, Effect::Call { .. }));
        // A call that needs no record is confirmed by an empty batch: a writer that was shut out sends nothing.
        if is_sending || !decision.records.is_empty() || !consumed.is_empty() {
            self.commit(decision.records, consumed, holds).await?;
        }
        for effect in decision.effects {
            self.perform(effect);
        }
        self.save().await;
        Ok(())
    }

    /// Keeps a checkpoint when enough records have come since the last one.
    async fn save(&mut self) {
        let (next, every) = (self.state.next.0, self.engine.checkpoint_every.get());
        if next / every <= self.saved / every {
            return;
        }
        self.saved = next;
        let facts = &self.state.facts;
        // It is derived: without it the next reader folds more records, and that is all.
        let _ = self.engine.store.keep(&facts.principal, &facts.run_id, self.state.checkpoint()).await;
    }

    pub(super) async fn commit(
        &self,
        records: Vec<Record>,
        consumed: Vec<String>,
        holds: Vec<Hold>,
    ) -> Result<(), EngineError> {
        let facts = &self.state.facts;
        let entry = RunEntry {
            run_id: facts.run_id.clone(),
            workflow_id: facts.workflow_id.clone(),
            status: self.state.status,
            started_at: self.state.started_at,
            updated_at: self.state.updated_at,
        };
        let run_id = facts.run_id.clone();
        let due = self.state.due();
        let batch = Append { run_id, epoch: self.epoch, records, consumed, holds, entry, due };
        Ok(self.engine.store.append(&facts.principal, batch).await?)
    }

    async fn take(&mut self, report: Report) -> Result<(), EngineError> {
        match report {
            Report::Prepared(attempt, prepared, is_again) => {
                let facts = self.keep_secrets(&attempt, *prepared, is_again);
                self.step(Input::Prepared(attempt, Box::new(facts))).await
            }
            Report::Piece(attempt, piece) => self.take_piece(attempt, &piece).await,
            Report::Answered(attempt, answer) => self.take_answer(attempt, answer).await,
            Report::Woken(timer) => self.step(Input::Woken(timer)).await,
        }
    }

    async fn take_piece(&mut self, attempt: Attempt, piece: &str) -> Result<(), EngineError> {
        let now = self.engine.clock.now();
        let stream = self.streams.entry(attempt.clone()).or_insert_with(|| ChunkStream::new(now));
        match stream.push(&self.scrubber, piece, now) {
            Some(text) => self.step(Input::Chunk { attempt, text, is_last: false }).await,
            None => Ok(()),
        }
    }

    /// Takes an answer after the rest of its stream; only a whole answer has a last piece.
    async fn take_answer(
        &mut self,
        attempt: Attempt,
        answer: Result<ModelAnswer, RunError>,
    ) -> Result<(), EngineError> {
        self.dispatches.remove(&attempt);
        if let Some(stream) = self.streams.remove(&attempt) {
            let text = stream.finish(&self.scrubber);
            let is_last = answer.is_ok();
            if is_last || !text.is_empty() {
                self.step(Input::Chunk { attempt: attempt.clone(), text, is_last }).await?;
            }
        }
        self.step(Input::Answered(attempt, answer)).await
    }

    async fn take_signals(&mut self) -> Result<(), EngineError> {
        let facts = Arc::clone(&self.state.facts);
        for signal in self.engine.store.pending(&facts.principal, &facts.run_id).await? {
            if self.state.status.is_terminal() {
                break;
            }
            match serde_json::from_value::<SignalBody>(signal.body) {
                Ok(body) => self.step_consuming(body.into(), vec![signal.key]).await?,
                // Nobody will ever be able to read it; it must not stand in the inbox for ever.
                Err(_) => self.commit(Vec::new(), vec![signal.key], Vec::new()).await?,
            }
        }
        Ok(())
    }

    /// A task that ended in a panic answers for its attempt.
    async fn note_end(&mut self, ended: Result<(Id, ()), JoinError>) -> Result<(), EngineError> {
        let (id, panicked) = match &ended {
            Ok((id, ())) => (*id, false),
            Err(error) => (error.id(), error.is_panic()),
        };
        match self.under_way.remove(&id).filter(|_| panicked) {
            None => Ok(()),
            Some(attempt) => {
                let error = RunError::new(ErrorCode::InternalError, "the work of the node broke down");
                self.take_answer(attempt, Err(error)).await
            }
        }
    }
}

/// What a pin has the run hold: the version, if it is of the library that is kept in the store.
fn held_by_pin(pin: &Pin) -> Option<Hold> {
    let is_elsewhere = pin.found_in.as_ref().is_some_and(|library| *library != LibraryId::user());
    let reference = PromptRef::parse(&pin.reference).ok().filter(|_| !is_elsewhere)?;
    Some(Hold::Template { template_id: reference.template_id, version: pin.version.clone() })
}
