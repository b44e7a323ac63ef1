//! The embedded executor: one task a run that decides, makes durable, and has effects performed.
//!
//! It owns what must not be in a log: dispatch texts and the scrubber, for as long as the run is under way. It refuses
//! to decide anything itself.

mod run;
mod stream;

use std::sync::Arc;

use cuebook_log::{LogError, Offered, Open, RunStore, Signal};
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
    },
}

impl From<SignalBody> for Input {
    fn from(body: SignalBody) -> Self {
        match body {
            SignalBody::Cancel { reason, by } => Self::Cancel { reason, by },
            SignalBody::Resolve { node, value } => Self::Resolve { node, value },
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
    pub async fn start(&self, facts: RunFacts, plan: Arc<Plan>) -> Result<RunHandle, EngineError> {
        let principal = facts.principal.clone();
        let run_id = facts.run_id.clone();
        let definition = serde_json::to_value(&*plan.definition).unwrap_or_default();
        self.store.put(&principal, &cuebook_prompt::Value::trusted(definition).text()).await?;
        let epoch = self.open(&principal, &run_id).await?;
        let first = started_record(&facts, &plan, self.clock.now());
        let state = RunState::begin(Arc::new(facts), plan, first.event.timestamp);
        let (pokes, signals) = mpsc::unbounded_channel();
        let run = run::Run::new(self.clone(), state, epoch, signals);
        run.commit(vec![first], Vec::new()).await?;
        let task = tokio::spawn(run.drive());
        let store = Arc::clone(&self.store);
        Ok(RunHandle { signals: RunSignals { run_id, principal, store, pokes }, task })
    }

    /// Makes this the writer of a run that was not started yet.
    async fn open(&self, principal: &Principal, run_id: &RunId) -> Result<u64, LogError> {
        let opened = self.store.open(principal, run_id, Open::New).await;
        let Err(LogError::RunExists(_)) = &opened else { return opened };
        let log = self.store.read(principal, run_id, Sequence(0), 1).await?;
        if log.is_empty() { self.store.open(principal, run_id, Open::TakeOver).await } else { opened }
    }
}

/// A run that is under way in this process.
pub struct RunHandle {
    signals: RunSignals,
    task: JoinHandle<Result<RunState, EngineError>>,
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

    /// Waits until the run has ended.
    ///
    /// # Errors
    ///
    /// When the store failed or the run's task was stopped.
    pub async fn wait(self) -> Result<RunState, EngineError> {
        self.task.await.map_err(|error| EngineError::Stopped(error.to_string()))?
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
        // A run that has ended no longer listens; its inbox is then read by nobody.
        let _ = self.pokes.send(());
        Ok(offered)
    }
}

/// Puts a signal into the inbox of a run that need not be under way in this process.
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
    let body = serde_json::to_value(body).unwrap_or_default();
    let signal = Signal { key: key.to_owned(), body };
    Ok(store.offer(principal, run_id, signal).await?)
}
