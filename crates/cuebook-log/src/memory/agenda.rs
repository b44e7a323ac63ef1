//! What remains to be done, and the checkpoints, in memory.

use cuebook_prompt::Principal;
use cuebook_wire::{RunId, Timestamp};

use super::MemoryStore;
use crate::agenda::{Agenda, Due, RunKey, Unfinished};
use crate::checkpoint::{Checkpoint, Checkpoints};
use crate::ports::Answer;

impl Agenda for MemoryStore {
    fn unfinished<'a>(&'a self, after: Option<&'a RunKey>, limit: usize) -> Answer<'a, Vec<Unfinished>> {
        Box::pin(async move {
            let mut all = self.all_unfinished();
            all.retain(|run| after.is_none_or(|after| run.key > *after));
            all.truncate(limit);
            Ok(all)
        })
    }

    fn due<'a>(
        &'a self,
        after: Option<&'a (Timestamp, RunKey)>,
        limit: usize,
    ) -> Answer<'a, Vec<(Timestamp, RunKey)>> {
        Box::pin(async move {
            let timed = |run: Unfinished| match run.due {
                Due::At(at) => Some((Timestamp::from_millis(at.as_millis()), run.key)),
                Due::Now | Due::OnSignal => None,
            };
            let mut due: Vec<_> = self.all_unfinished().into_iter().filter_map(timed).collect();
            due.retain(|run| after.is_none_or(|after| run > after));
            due.sort();
            due.truncate(limit);
            Ok(due)
        })
    }
}

impl Checkpoints for MemoryStore {
    fn keep<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        checkpoint: Checkpoint,
    ) -> Answer<'a, ()> {
        self.with_run(principal, run_id, move |run| run.keep(checkpoint))
    }

    fn checkpoint<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        fold: u32,
    ) -> Answer<'a, Option<Checkpoint>> {
        self.with_run(principal, run_id, move |run| {
            run.checkpoint.clone().filter(|checkpoint| checkpoint.fold == fold)
        })
    }

    fn forget<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId) -> Answer<'a, ()> {
        self.with_run(principal, run_id, |run| run.checkpoint = None)
    }
}
