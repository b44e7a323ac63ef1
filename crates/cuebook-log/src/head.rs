//! Where the log of a run stands, and whether a batch may follow there.
//!
//! It owns the rules of appending, so that every store refuses the same batches with the same errors. It refuses to
//! know how a log is kept: a store loads a [`Head`], asks it, and writes in one transaction.

use cuebook_wire::{RunId, Sequence};

use crate::ports::{Append, LogError};

/// Where the log of a run stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The epoch of the writer that holds the run, from 1.
    pub epoch: u64,
    /// The sequence that comes next.
    pub next: Sequence,
    /// Whether the last record is a terminal event.
    pub ended: bool,
}

impl Head {
    /// The head of a run that has just been opened.
    pub fn new() -> Self {
        Self { epoch: 1, next: Sequence(0), ended: false }
    }

    /// Shuts out the present writer and gives the epoch of the one that replaces it.
    pub fn take_over(&mut self) -> u64 {
        self.epoch += 1;
        self.epoch
    }

    /// The head after `batch`, when `batch` may be appended.
    ///
    /// # Errors
    ///
    /// The first of these that holds:
    /// 1. [`LogError::StaleWriter`] when the batch is of another epoch;
    /// 2. [`LogError::Ended`] when the log has its terminal event;
    /// 3. [`LogError::OtherRun`] when a record or the index entry names another run than the batch;
    /// 4. [`LogError::Conflict`] when the first record has another sequence than the next one;
    /// 5. [`LogError::Misnumbered`] when the records after it leave a gap, repeat a number or go back;
    /// 6. [`LogError::Ended`] when a record follows a terminal one within the batch.
    pub fn admit(&self, batch: &Append) -> Result<Self, LogError> {
        if batch.epoch != self.epoch {
            return Err(LogError::StaleWriter { given: batch.epoch, current: self.epoch });
        }
        if self.ended {
            return Err(LogError::Ended(batch.run_id.clone()));
        }
        check_run(batch)?;
        let next = self.number(batch)?;
        Ok(Self { epoch: self.epoch, next, ended: ends(batch)? })
    }

    /// The sequence after `batch`, when its records are numbered from the next one on.
    fn number(&self, batch: &Append) -> Result<Sequence, LogError> {
        let mut next = self.next;
        for record in &batch.records {
            let given = record.event.sequence;
            if given != next && next == self.next {
                return Err(LogError::Conflict { expected: given, next });
            }
            if given != next {
                return Err(LogError::Misnumbered(self.next));
            }
            next = next.next();
        }
        Ok(next)
    }
}

impl Default for Head {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether `batch` ends its run, which only its last record may do.
fn ends(batch: &Append) -> Result<bool, LogError> {
    let terminal = batch.records.iter().position(|record| record.event.event_type.is_terminal());
    match terminal {
        Some(place) if place + 1 < batch.records.len() => Err(LogError::Ended(batch.run_id.clone())),
        place => Ok(place.is_some()),
    }
}

fn check_run(batch: &Append) -> Result<(), LogError> {
    let named = batch.records.iter().map(|record| &record.event.run_id);
    let other = |run_id: &&RunId| **run_id != batch.run_id;
    match named.chain([&batch.entry.run_id]).find(other) {
        Some(found) => Err(LogError::OtherRun { expected: batch.run_id.clone(), found: found.clone() }),
        None => Ok(()),
    }
}
