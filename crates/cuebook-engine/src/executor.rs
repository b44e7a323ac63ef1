//! The embedded executor: one task a run that decides, makes durable, and has effects performed.
//!
//! It owns what must not be in a log: dispatch texts and the scrubber, for as long as the run is under way. It refuses
//! to decide anything itself.

mod perform;
mod run;
mod stream;

use std::num::NonZeroU64;
use std::sync::Arc;

use cuebook_log::{Hold, LogError, Offered, Open, RunStore, Signal};
use cuebook_prompt::{Pipeline, Principal};
use cuebook_wire::{NodeId, RunId, Sequence};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::decide::started_record;
use crate::effect::Input;
use crate::facts::RunFacts;
use crate::fold::FoldError;
use crate::plan::Plan;
use crate::ports::{Clock, Models};
use crate::state::RunState;
use crate::stored::StoredRun;

/// Runs workflows on a store, a pipeline, models and a clock.
#[derive(Clone)]
pub struct Engine {
    /// Where logs are kept.
    pub store: Arc<dyn RunStore>,
    /// Where prompts come from.
    pub pipeline: Arc<Pipeline>,
    /// Who answers them.
    pub models: Arc<dyn Models>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// How many records a run writes from one checkpoint to the next; [`CHECKPOINT_EVERY`](crate::CHECKPOINT_EVERY) for a host.
    pub checkpoint_every: NonZeroU64,
}

/// How long the task of a run stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residence {
    /// Until the run has ended.
    ToTheEnd,
    /// As long as something is under way; a run that only waits is left to its rows.
    WhileBusy,
}

/// Why the task of a run has ended.
#[derive(Debug)]
pub enum Rest {
    /// The run has ended.
    Ended(Box<RunState>),
    /// The run waits; the store's agenda says for what.
    Parked,
}

/// A run that was taken over, as it stood then.
#[derive(Debug)]
pub struct Claim {
    epoch: u64,
    stored: StoredRun,
}

impl Claim {
    /// What was fixed when the run started; `definition` says which plan [`Engine::resume`] needs.
    pub fn facts(&self) -> &RunFacts {
        self.stored.facts()
    }
}

/// Why a run cannot go on here; what the log has stays valid.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The store refused or failed.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The log cannot be read.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// A later engine has written to the log.
    #[error("record {sequence} was written by engine version {written}, this is version {own}")]
    Newer {
        /// The version that wrote.
        written: u64,
        /// The version of this engine.
        own: u64,
        /// The record.
        sequence: Sequence,
    },
    /// The run's task ended without an answer.
    #[error("the run's task stopped: {0}")]
    Stopped(String),
}

/// What a signal in a run's inbox says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "signal", rename_all = "kebab-case")]
pub enum SignalBody {
    /// End the run.
    Cancel {
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// Who.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// Answer the interrupt of a node.
    Resolve {
        /// The node.
        node: NodeId,
        /// The answer.
        value: serde_json::Value,
        /// The request that brings it, by a name that no other has.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
}

impl From<SignalBody> for Input {
    fn from(body: SignalBody) -> Self {
        match body {
            SignalBody::Cancel { reason, by } => Self::Cancel { reason, by },
            SignalBody::Resolve { node, value, by } => Self::Resolve { node, value, by },
        }
    }
}

impl Engine {
    /// Starts a run: its first record is durable when this returns.
    ///
    /// A run that was opened and got no record, because its process was cut off, is started as if it were new.
    ///
    /// # Errors
    ///
    /// [`LogError::RunExists`] when the store has a run of this id that was started; when the store fails.
    pub async fn start(
        &self,
        facts: RunFacts,
        plan: Arc<Plan>,
        residence: Residence,
    ) -> Result<RunHandle, EngineError> {
        let principal = facts.principal.clone();
        let run_id = facts.run_id.clone();
        let holds = first_holds(&facts, &plan);
        let epoch = self.open(&principal, &run_id).await?;
        let first = started_record(&facts, &plan, self.clock.now());
        let state = RunState::begin(Arc::new(facts), plan, first.event.timestamp);
        let (pokes, listener) = mpsc::unbounded_channel();
        let run = run::Run::new(self.clone(), state, epoch, listener);
        run.commit(vec![first], Vec::new(), holds).await?;
        let signals = self.signals(principal, run_id, pokes);
        Ok(RunHandle { signals, task: tokio::spawn(run.begin(residence)) })
    }

    /// Takes a run over: whoever wrote its log before is shut out from now on.
    ///
    /// # Errors
    ///
    /// When the store does not know the run, or fails; when the log cannot be read.
    pub async fn claim(&self, principal: &Principal, run_id: &RunId) -> Result<Claim, EngineError> {
        let epoch = self.store.open(principal, run_id, Open::TakeOver).await?;
        let stored = StoredRun::read(&*self.store, principal, run_id).await?;
        Ok(Claim { epoch, stored })
    }

    /// Takes a run up where its log ends, on the plan that its facts name; one that has ended stays as it is.
    ///
    /// # Errors
    ///
    /// When the log cannot be folded on `plan`.
    pub fn resume(
        &self,
        claim: Claim,
        plan: Arc<Plan>,
        residence: Residence,
    ) -> Result<RunHandle, EngineError> {
        let state = claim.stored.fold(plan)?;
        let (principal, run_id) = (state.facts.principal.clone(), state.facts.run_id.clone());
        let (pokes, listener) = mpsc::unbounded_channel();
        let run = run::Run::new(self.clone(), state, claim.epoch, listener);
        let signals = self.signals(principal, run_id, pokes);
        Ok(RunHandle { signals, task: tokio::spawn(run.take_up(residence)) })
    }

    fn signals(&self, principal: Principal, run_id: RunId, pokes: mpsc::UnboundedSender<()>) -> RunSignals {
        RunSignals { run_id, principal, store: Arc::clone(&self.store), pokes }
    }

    /// Makes this the writer of a run that was not started yet.
    async fn open(&self, principal: &Principal, run_id: &RunId) -> Result<u64, LogError> {
        let opened = self.store.open(principal, run_id, Open::New).await;
        let Err(LogError::RunExists(_)) = &opened else { return opened };
        let log = self.store.read(principal, run_id, Sequence(0), 1).await?;
        if log.is_empty() { self.store.open(principal, run_id, Open::TakeOver).await } else { opened }
    }
}

/// What a run holds from its first record on: its definition, and its scope.
fn first_holds(facts: &RunFacts, plan: &Plan) -> Vec<Hold> {
    let definition = serde_json::to_value(&*plan.definition).unwrap_or_default();
    let definition = cuebook_prompt::Value::trusted(definition);
    let text = definition.text();
    let scope = facts.scope.clone().map(Hold::Scope);
    std::iter::once(Hold::Body(text.as_ref().into())).chain(scope).collect()
}

/// A run that is under way in this process.
pub struct RunHandle {
    signals: RunSignals,
    task: JoinHandle<Result<Rest, EngineError>>,
}

impl RunHandle {
    /// The run.
    pub fn run_id(&self) -> &RunId {
        &self.signals.run_id
    }

    /// The way to send signals to the run, for those who do not wait for it.
    pub fn signals(&self) -> &RunSignals {
        &self.signals
    }

    /// As [`RunSignals::send`].
    ///
    /// # Errors
    ///
    /// When the store fails.
    pub async fn signal(&self, key: &str, body: &SignalBody) -> Result<Offered, EngineError> {
        self.signals.send(key, body).await
    }

    /// Waits until the task of the run has ended.
    ///
    /// # Errors
    ///
    /// When the store failed or the task was stopped.
    pub async fn rest(self) -> Result<Rest, EngineError> {
        self.task.await.map_err(|error| EngineError::Stopped(error.to_string()))?
    }

    /// Waits until the run has ended.
    ///
    /// # Errors
    ///
    /// As [`Self::rest`], and when the run was parked before its end.
    pub async fn wait(self) -> Result<RunState, EngineError> {
        match self.rest().await? {
            Rest::Ended(state) => Ok(*state),
            Rest::Parked => Err(EngineError::Stopped("the run waits and was parked".to_owned())),
        }
    }
}

/// The inbox of a run that is under way, and the means to let the run look into it.
#[derive(Clone)]
pub struct RunSignals {
    run_id: RunId,
    principal: Principal,
    store: Arc<dyn RunStore>,
    pokes: mpsc::UnboundedSender<()>,
}

impl RunSignals {
    /// Puts a signal into the run's inbox, where it is durable, and lets the run look.
    ///
    /// # Errors
    ///
    /// When the store fails.
    pub async fn send(&self, key: &str, body: &SignalBody) -> Result<Offered, EngineError> {
        let offered = offer(&*self.store, &self.principal, &self.run_id, key, body).await?;
        self.poke();
        Ok(offered)
    }

    /// Lets the run look into its inbox.
    pub fn poke(&self) {
        // A run whose task has ended no longer listens; whoever takes it up looks by itself.
        let _ = self.pokes.send(());
    }
}

/// Puts a signal into the inbox of a run that need not be under way in this process, however many wait there.
///
/// # Errors
///
/// When the store does not know the run, or fails.
pub async fn offer(
    store: &dyn RunStore,
    principal: &Principal,
    run_id: &RunId,
    key: &str,
    body: &SignalBody,
) -> Result<Offered, EngineError> {
    offer_within(store, principal, run_id, (key, body), usize::MAX).await
}

/// As [`offer`], unless `room` signals wait already; the signal is its key and its body.
///
/// # Errors
///
/// When the store does not know the run, or fails.
pub async fn offer_within(
    store: &dyn RunStore,
    principal: &Principal,
    run_id: &RunId,
    (key, body): (&str, &SignalBody),
    room: usize,
) -> Result<Offered, EngineError> {
    let body = serde_json::to_value(body).unwrap_or_default();
    let signal = Signal { key: key.to_owned(), body };
    Ok(store.offer_within(principal, run_id, signal, room).await?)
}
