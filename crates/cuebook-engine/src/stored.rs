//! A run as its store has it: the last checkpoint and the records after it.
//!
//! Whoever wants the state of a run reads it here, so that nobody folds a whole log where a checkpoint would do. It refuses
//! to know plans: the run's facts say which one is needed.

use std::sync::Arc;

use cuebook_log::{LogError, Record, RunStore};
use cuebook_prompt::Principal;
use cuebook_wire::{RunId, Sequence};

use crate::ENGINE_VERSION;
use crate::checkpoint::{FOLD_VERSION, Image};
use crate::executor::EngineError;
use crate::facts::RunFacts;
use crate::plan::Plan;
use crate::state::RunState;

/// How many records are read at once.
const PAGE: usize = 1024;

/// What a store has of a run, not folded yet.
#[derive(Debug)]
pub struct StoredRun {
    base: Base,
    records: Vec<Record>,
}

#[derive(Debug)]
enum Base {
    Beginning(Arc<RunFacts>),
    Checkpoint(Box<Image>),
}

impl StoredRun {
    /// Reads a run.
    ///
    /// # Errors
    ///
    /// What the store answers; [`LogError::UnknownRun`] also for a run without records; when the first record cannot be read;
    /// [`EngineError::Newer`] when another version of the engine wrote it.
    pub async fn read(
        store: &dyn RunStore,
        principal: &Principal,
        run_id: &RunId,
    ) -> Result<Self, EngineError> {
        let checkpoint = store.checkpoint(principal, run_id, FOLD_VERSION).await?;
        let (base, records) = if let Some(image) = checkpoint.and_then(Image::read) {
            let records = read_on(store, principal, run_id, image.next()).await?;
            (Base::Checkpoint(Box::new(image)), records)
        } else {
            let records = read_on(store, principal, run_id, Sequence(0)).await?;
            let first = records.first().ok_or_else(|| LogError::UnknownRun(run_id.clone()))?;
            (Base::Beginning(Arc::new(RunState::facts_of(first)?)), records)
        };
        records.iter().try_for_each(check_version)?;
        Ok(Self { base, records })
    }

    /// What was fixed when the run started; `definition` says which plan it needs.
    pub fn facts(&self) -> &RunFacts {
        match &self.base {
            Base::Beginning(facts) => facts,
            Base::Checkpoint(image) => &image.facts,
        }
    }

    /// Folds what was read.
    ///
    /// # Errors
    ///
    /// When a record cannot be read, or `plan` is not the run's.
    pub fn fold(self, plan: Arc<Plan>) -> Result<RunState, EngineError> {
        let run_id = self.facts().run_id.clone();
        let state = match self.base {
            Base::Beginning(_) => RunState::of_log(&self.records, plan)?,
            Base::Checkpoint(image) => match image.on(plan) {
                None => None,
                Some(mut state) => {
                    self.records.iter().try_for_each(|record| state.fold(record))?;
                    Some(state)
                }
            },
        };
        state.ok_or(EngineError::Log(LogError::UnknownRun(run_id)))
    }
}

/// All records from `from` on.
async fn read_on(
    store: &dyn RunStore,
    principal: &Principal,
    run_id: &RunId,
    from: Sequence,
) -> Result<Vec<Record>, LogError> {
    let mut records: Vec<Record> = Vec::new();
    loop {
        let next = records.last().map_or(from, |record| record.event.sequence.next());
        let page = store.read(principal, run_id, next, PAGE).await?;
        let is_last = page.len() < PAGE;
        records.extend(page);
        if is_last {
            return Ok(records);
        }
    }
}

/// Records of a later engine are not understood (openwop-v1 §6.4).
fn check_version(record: &Record) -> Result<(), EngineError> {
    let number = |version: &str| version.parse::<u64>().ok();
    let written = record.event.engine_version.as_deref();
    match (written.and_then(number), number(ENGINE_VERSION)) {
        (Some(written), Some(own)) if written > own => {
            Err(EngineError::Newer { written, own, sequence: record.event.sequence })
        }
        _ => Ok(()),
    }
}
