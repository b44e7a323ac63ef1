//! What remains to be done and the checkpoints: one line each to their tables.

use cuebook_log::{Agenda, Answer, Checkpoint, Checkpoints, RunKey, Unfinished};
use cuebook_prompt::Principal;
use cuebook_wire::{RunId, Timestamp};
use rusqlite::Connection;

use super::{SqliteStore, key};
use crate::writer::Done;
use crate::{agenda, checkpoints};

impl Agenda for SqliteStore {
    fn unfinished<'a>(&'a self, after: Option<&'a RunKey>, limit: usize) -> Answer<'a, Vec<Unfinished>> {
        Box::pin(async move {
            let after = after.cloned();
            let work = move |connection: &Connection| agenda::unfinished(connection, after.as_ref(), limit);
            self.readers.ask(work).await
        })
    }

    fn due<'a>(
        &'a self,
        after: Option<&'a (Timestamp, RunKey)>,
        limit: usize,
    ) -> Answer<'a, Vec<(Timestamp, RunKey)>> {
        Box::pin(async move {
            let after = after.cloned();
            let work = move |connection: &Connection| agenda::due(connection, after.as_ref(), limit);
            self.readers.ask(work).await
        })
    }
}

impl Checkpoints for SqliteStore {
    fn keep<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        checkpoint: Checkpoint,
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let run = key(principal, run_id);
            let state = checkpoint.state.to_string();
            let work = move |connection: &Connection| {
                checkpoints::keep(connection, &run, &checkpoint, &state).map(Done::quiet)
            };
            self.writer.ask(work).await
        })
    }

    fn checkpoint<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        fold: u32,
    ) -> Answer<'a, Option<Checkpoint>> {
        self.read_run(principal, run_id, move |connection, run| checkpoints::latest(connection, run, fold))
    }

    fn forget<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId) -> Answer<'a, ()> {
        Box::pin(async move {
            let run = key(principal, run_id);
            let work = move |connection: &Connection| checkpoints::forget(connection, &run).map(Done::quiet);
            self.writer.ask(work).await
        })
    }
}
