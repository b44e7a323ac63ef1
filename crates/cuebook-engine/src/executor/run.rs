//! The task of one run.

use std::collections::HashMap;
use std::sync::Arc;

use cuebook_log::{Append, Record, RunEntry};
use cuebook_prompt::{Dispatch, Observed, Prepared, PromptRequest, Scrubber, Secrets};
use cuebook_wire::{ErrorCode, NodeId, Observability, RunError};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

use super::stream::ChunkStream;
use super::{Engine, EngineError, SignalBody};
use crate::decide::{Moment, decide};
use crate::effect::{Attempt, Composed, Effect, Input, InvocationId, ModelAnswer, PreparedFacts, Timer};
use crate::facts::ComposedPart;
use crate::node_type::ModelChoice;
use crate::ports::ModelCall;
use crate::state::RunState;

/// What the tasks of a run report to it.
enum Report {
    Prepared(Attempt, Box<Prepared>),
    Piece(Attempt, String),
    Answered(Attempt, Result<ModelAnswer, RunError>),
    Woken(Timer),
}

/// A run under way: its state, and what must not be in its log.
pub(super) struct Run {
    engine: Engine,
    state: RunState,
    epoch: u64,
    scrubber: Scrubber,
    dispatches: HashMap<Attempt, Arc<Dispatch>>,
    streams: HashMap<Attempt, ChunkStream>,
    work: JoinSet<()>,
    under_way: HashMap<Id, Attempt>,
    aborts: HashMap<NodeId, AbortHandle>,
    timers: JoinSet<()>,
    reports: mpsc::UnboundedReceiver<Report>,
    reporter: mpsc::UnboundedSender<Report>,
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
            state,
            epoch,
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

    /// Takes the run to its end; what is still under way then is given up.
    ///
    /// In order: a signal comes before what the run itself has to say, and what a task reported before how it ended.
    pub(super) async fn drive(mut self) -> Result<RunState, EngineError> {
        self.step(Input::Start).await?;
        while !self.state.status.is_terminal() {
            tokio::select! {
                biased;
                Some(()) = self.poked.recv() => self.take_signals().await?,
                Some(report) = self.reports.recv() => self.take(report).await?,
                Some(ended) = self.work.join_next_with_id() => self.note_end(ended).await?,
            }
        }
        Ok(self.state)
    }

    /// Decides about one input, makes the decision durable, then has its effects performed.
    async fn step(&mut self, input: Input) -> Result<(), EngineError> {
        self.step_consuming(input, Vec::new()).await
    }

    async fn step_consuming(&mut self, input: Input, consumed: Vec<String>) -> Result<(), EngineError> {
        let moment = Moment { now: self.engine.clock.now(), scrubber: &self.scrubber };
        let decision = decide(&mut self.state, input, &moment);
        self.commit(decision.records, consumed).await?;
        for effect in decision.effects {
            self.perform(effect);
        }
        Ok(())
    }

    pub(super) async fn commit(
        &self,
        records: Vec<Record>,
        consumed: Vec<String>,
    ) -> Result<(), EngineError> {
        if records.is_empty() && consumed.is_empty() {
            return Ok(());
        }
        let facts = &self.state.facts;
        let entry = RunEntry {
            run_id: facts.run_id.clone(),
            workflow_id: facts.workflow_id.clone(),
            status: self.state.status,
            started_at: self.state.started_at,
            updated_at: self.state.updated_at,
        };
        let run_id = facts.run_id.clone();
        let batch = Append { run_id, epoch: self.epoch, records, consumed, entry, due: cuebook_log::Due::Now };
        Ok(self.engine.store.append(&facts.principal, batch).await?)
    }

    async fn take(&mut self, report: Report) -> Result<(), EngineError> {
        match report {
            Report::Prepared(attempt, prepared) => {
                let facts = self.keep_secrets(&attempt, *prepared);
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
                Err(_) => self.commit(Vec::new(), vec![signal.key]).await?,
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

    /// Keeps the dispatch text and teaches the scrubber; what is left may be written down.
    fn keep_secrets(&mut self, attempt: &Attempt, prepared: Prepared) -> PreparedFacts {
        for (id, secret) in &prepared.secrets {
            self.scrubber.learn(id, secret);
        }
        let observability = self.state.facts.observability;
        let outcome = match prepared.outcome {
            Err(errors) => Err(errors.to_run_error()),
            Ok(None) => Ok(None),
            Ok(Some(composition)) => {
                self.dispatches.insert(attempt.clone(), Arc::new(composition.dispatch));
                Ok(Some(composed(&attempt.node, &composition.observed, observability, prepared.pins)))
            }
        };
        PreparedFacts {
            resolutions: prepared.resolutions.iter().map(|one| one.to_payload(&attempt.node)).collect(),
            warnings: prepared.warnings,
            outcome,
        }
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Prepare { attempt, request } => self.prepare(attempt, request),
            Effect::Call { attempt, invocation, choice, .. } => self.call(attempt, invocation, choice),
            Effect::Ring(timer, at) => {
                let sleep = self.engine.clock.sleep_until(at);
                let reporter = self.reporter.clone();
                self.timers.spawn(async move {
                    sleep.await;
                    report(&reporter, Report::Woken(timer));
                });
            }
            Effect::Abort(node) => self.abort(&node),
        }
    }

    /// Stops the work for a node and forgets what it was made of.
    fn abort(&mut self, node: &NodeId) {
        if let Some(abort) = self.aborts.remove(node) {
            abort.abort();
        }
        self.dispatches.retain(|attempt, _| attempt.node != *node);
        self.streams.retain(|attempt, _| attempt.node != *node);
    }

    fn prepare(&mut self, attempt: Attempt, request: Box<PromptRequest>) {
        let pipeline = Arc::clone(&self.engine.pipeline);
        let principal = self.state.facts.principal.clone();
        let reporter = self.reporter.clone();
        self.spawn(attempt.clone(), async move {
            let prepared = pipeline.prepare(&principal, &request, Secrets::Fetch).await;
            report(&reporter, Report::Prepared(attempt, Box::new(prepared)));
        });
    }

    fn call(&mut self, attempt: Attempt, invocation: InvocationId, choice: Box<ModelChoice>) {
        let Some(dispatch) = self.dispatches.get(&attempt).cloned() else {
            let error = RunError::new(ErrorCode::InternalError, "the composition is not in memory");
            return report(&self.reporter, Report::Answered(attempt, Err(error)));
        };
        let models = Arc::clone(&self.engine.models);
        let reporter = self.reporter.clone();
        self.spawn(attempt.clone(), async move {
            let mut sink = |piece: &str| report(&reporter, Report::Piece(attempt.clone(), piece.to_owned()));
            let call = ModelCall { dispatch: &dispatch, choice: &choice, invocation: &invocation };
            let answer = models.call(call, &mut sink).await;
            report(&reporter, Report::Answered(attempt.clone(), answer));
        });
    }

    fn spawn(&mut self, attempt: Attempt, work: impl Future<Output = ()> + Send + 'static) {
        let abort = self.work.spawn(work);
        self.under_way.insert(abort.id(), attempt.clone());
        self.aborts.insert(attempt.node, abort);
    }
}

/// Reports to a run; one that has ended no longer listens.
fn report(reporter: &mpsc::UnboundedSender<Report>, report: Report) {
    let _ = reporter.send(report);
}

fn composed(
    node: &NodeId,
    observed: &Observed,
    observability: Observability,
    pins: Vec<cuebook_prompt::Pin>,
) -> Composed {
    Composed {
        payload: observed.to_payload(node, observability),
        part: ComposedPart {
            hash: observed.hash.clone(),
            trust: observed.content_trust,
            record: observed.to_record(pins),
        },
    }
}
