//! Owns runs: starting, reading, following, cancelling, pausing, forking. Refuses to answer interrupts, which have a handle
//! of their own.

mod shapes;

use std::time::Duration;

use cuebook_wire::{CreateRun, RunEvent, RunId, RunSnapshot};
use futures_util::stream::{Stream, TryStreamExt};

pub use shapes::{
    BulkCancelled, CancelRefusal, CancelledRun, CreatedRun, DrainPolicy, ForkMode, ForkRun, ForkedRun,
    PauseRun, PausedRun, PollAnswer, PollOptions, ResumedRun,
};

use super::handle;
use crate::call::Call;
use crate::error::ClientError;
use crate::follow::{self, EventsOptions};
use crate::mutation::Mutation;
use crate::reply::Reply;
use crate::tolerance;
use shapes::{CancelMany, CancelResults, EventList, Reason};

/// The header that marks an answer as the repetition of an earlier one.
const REPLAY: &str = "openwop-idempotent-replay";

handle! {
    /// Runs and their events.
    Runs
}

impl Runs<'_> {
    /// Starts a run: `POST /v1/runs`, scope `runs:create`.
    ///
    /// Give it an [`idempotency_key`](Mutation::idempotency_key) to make it safe to repeat.
    pub fn create(self, run: &CreateRun) -> Mutation<CreatedRun> {
        Mutation::new(self.client, Call::post("/v1/runs").json(run), created)
    }

    /// How a run stands: `GET /v1/runs/{runId}`, scope `runs:read`.
    ///
    /// # Errors
    ///
    /// [`ClientError`]: `Api` with status 404 when there is no such run or it may not be seen; `Config` for an id that no
    /// address can carry; `Transport`; `Decode`.
    pub async fn get(self, run: &RunId) -> Result<RunSnapshot, ClientError> {
        self.client.reply(&Call::get("/v1/runs/{runId}").id(run)).await?.json_after(tolerance::snapshot)
    }

    /// Every event so far, in one document: `GET /v1/runs/{runId}/events` as JSON, scope `runs:read`.
    ///
    /// The protocol leaves this form to the host; [`poll`](Self::poll) is there on every host.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get); `Decode` also when the host knows only the event stream.
    pub async fn list_events(self, run: &RunId) -> Result<Vec<RunEvent>, ClientError> {
        let reply = self.client.reply(&Call::get("/v1/runs/{runId}/events").id(run)).await?;
        reply.json_after(tolerance::events).map(|list: EventList| list.events)
    }

    /// The events after a known one, waiting for some to come: `GET /v1/runs/{runId}/events/poll`, scope `runs:read`.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get); `Config` also for a wait outside 1 to 60 seconds.
    pub async fn poll(self, run: &RunId, options: PollOptions) -> Result<PollAnswer, ClientError> {
        let call = Call::get("/v1/runs/{runId}/events/poll")
            .id(run)
            .query("lastSequence", options.after)
            .query("timeout", options.wait.map(|wait| wait.as_secs()))
            .patient(options.wait.unwrap_or(Duration::from_secs(30)))
            .problem(options.problem());
        self.client.reply(&call).await?.json_after(tolerance::events)
    }

    /// Follows a run's events to the last: `GET /v1/runs/{runId}/events` as an event stream, scope `runs:read`.
    ///
    /// A connection that breaks is opened again after a pause and goes on after the last event seen; no event is repeated
    /// and none is skipped. The stream ends after the run's last event, or after its first error.
    ///
    /// # Errors
    ///
    /// [`ClientError`]: `Api` when the host refuses for good; `Transport` once nothing came of
    /// [`reconnects`](EventsOptions::reconnects) attempts in a row; `Decode` for an event that cannot be read; `Config` for a
    /// buffer over 5 seconds.
    pub fn events(
        self,
        run: &RunId,
        options: EventsOptions,
    ) -> impl Stream<Item = Result<RunEvent, ClientError>> + Send + Unpin + use<> {
        follow::follow(self.client, run, options)
    }

    /// Follows a run to its end and gives its last snapshot.
    ///
    /// A run that waits for someone is waited for; put a limit of time around this call where that must end.
    ///
    /// # Errors
    ///
    /// As [`events`](Self::events) and [`get`](Self::get). A failed run is no error.
    pub async fn wait(self, run: &RunId) -> Result<RunSnapshot, ClientError> {
        let mut events = self.events(run, EventsOptions::default());
        while events.try_next().await?.is_some() {}
        self.get(run).await
    }

    /// Cancels a run: `POST /v1/runs/{runId}/cancel`, scope `runs:cancel`.
    pub fn cancel(self, run: &RunId, reason: Option<&str>) -> Mutation<CancelledRun> {
        let call = Call::post("/v1/runs/{runId}/cancel").id(run).json(&Reason { reason });
        Mutation::new(self.client, call, Reply::json)
    }

    /// Cancels 1 to 100 runs: `POST /v1/runs:bulk-cancel`, scope `runs:cancel`.
    ///
    /// The answer has one entry for each run, in the order asked; a run that cannot be cancelled is no error of the call.
    pub fn bulk_cancel(self, runs: &[RunId], reason: Option<&str>) -> Mutation<Vec<BulkCancelled>> {
        let call = Call::post("/v1/runs:bulk-cancel").json(&CancelMany { run_ids: runs, reason });
        Mutation::new(self.client, call, |reply| reply.json().map(|answer: CancelResults| answer.results))
    }

    /// Pauses a run: `POST /v1/runs/{runId}:pause`, scope `runs:cancel`.
    pub fn pause(self, run: &RunId, pause: &PauseRun) -> Mutation<PausedRun> {
        let call = Call::post("/v1/runs/{runId}:pause").id(run).json(pause);
        Mutation::new(self.client, call, Reply::json)
    }

    /// Lets a paused run go on: `POST /v1/runs/{runId}:resume`, scope `runs:cancel`.
    pub fn resume(self, run: &RunId, reason: Option<&str>) -> Mutation<ResumedRun> {
        let call = Call::post("/v1/runs/{runId}:resume").id(run).json(&Reason { reason });
        Mutation::new(self.client, call, Reply::json)
    }

    /// Starts a run from the log of another: `POST /v1/runs/{runId}:fork`, scopes `runs:create` and `runs:read`.
    pub fn fork(self, run: &RunId, fork: &ForkRun) -> Mutation<ForkedRun> {
        let call = Call::post("/v1/runs/{runId}:fork").id(run).json(fork);
        Mutation::new(self.client, call, Reply::json)
    }
}

fn created(reply: &Reply) -> Result<CreatedRun, ClientError> {
    let is_replay = reply.header(REPLAY) == Some("true");
    reply.json().map(|run| CreatedRun { is_replay, ..run })
}
