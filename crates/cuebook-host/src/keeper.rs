//! The keeper: takes runs up that have no task, when they are due, signalled, or were under way when the host died.
//!
//! One task a host, begun when it is first needed. It owns when a run is taken up and how many at once; what the run then
//! does is the engine's. It refuses to keep waiting runs in memory: the store's agenda has them.

use std::sync::{Arc, Weak};
use std::time::Duration;

use cuebook_engine::{EngineError, Residence, Rest, RunHandle};
use cuebook_log::{Due, RunKey, Unfinished};
use cuebook_prompt::Principal;
use cuebook_wire::{ErrorCode, Timestamp};
use tokio::sync::{Semaphore, mpsc};

use crate::host::Host;
use crate::refusal::Refusal;

/// How many runs are read and folded at once.
const AT_ONCE: usize = 16;
/// How many rows of the agenda are read at once.
const PAGE: usize = 256;
/// How long a store that failed is left alone.
const PAUSE: Duration = Duration::from_secs(2);

/// What the keeper is asked.
#[derive(Debug)]
pub(crate) enum Request {
    /// Take up what was under way.
    Recover,
    /// Take this run up, unless it has a task.
    TakeUp(RunKey),
    /// This run was parked: see whether it is waited for already.
    Parked(RunKey),
}

impl Host {
    /// Takes up, in the background, every run that was under way when the host ended before.
    ///
    /// Call it once, on a runtime, when the host is ready; runs that wait are taken up when they are due.
    pub fn take_up_runs(self: &Arc<Self>) {
        self.ask_keeper(Request::Recover);
    }

    /// How many runs have a task; all others that have not ended are rows in the store.
    pub fn resident_runs(&self) -> usize {
        self.service.residents.count()
    }

    pub(crate) fn ask_keeper(self: &Arc<Self>, request: Request) {
        let keeper = self.service.keeper.get_or_init(|| {
            let (asked, requests) = mpsc::unbounded_channel();
            let permits = Arc::new(Semaphore::new(AT_ONCE));
            let keeper = Keeper { host: Arc::downgrade(self), requests, permits, seen: None };
            tokio::spawn(keeper.keep());
            asked
        });
        // It has ended with its runtime; then nothing is taken up any more.
        let _ = keeper.send(request);
    }

    /// Lets the task of a run be found, and sees to what comes after it.
    pub(crate) fn follow(self: &Arc<Self>, key: RunKey, handle: RunHandle) {
        let signals = handle.signals().clone();
        self.service.residents.enter(&key, signals.clone());
        // A signal that came while the run could not be found waits in its inbox.
        signals.poke();
        let host = Arc::downgrade(self);
        tokio::spawn(async move {
            let rest = handle.rest().await;
            if let Some(host) = host.upgrade() {
                host.service.residents.leave(&key);
                host.after(key, rest);
            }
        });
    }

    fn after(self: &Arc<Self>, key: RunKey, rest: Result<Rest, EngineError>) {
        match rest {
            Ok(Rest::Ended(_)) => {}
            Ok(Rest::Parked) => self.ask_keeper(Request::Parked(key)),
            Err(error) => {
                tracing::error!(run_id = %key.run_id, %error, "the task of a run has failed");
                if matches!(&error, EngineError::Log(error) if error.may_pass()) {
                    self.take_up_later(key);
                }
            }
        }
    }

    /// Takes a run up again once the store may have recovered. Whatever was not durable is not known to have happened.
    fn take_up_later(self: &Arc<Self>, key: RunKey) {
        let sleep = self.engine.clock.sleep_until(self.now().plus(PAUSE));
        let host = Arc::downgrade(self);
        tokio::spawn(async move {
            sleep.await;
            if let Some(host) = host.upgrade() {
                host.ask_keeper(Request::TakeUp(key));
            }
        });
    }

    /// Takes up a run whose place is claimed.
    async fn revive(self: Arc<Self>, key: RunKey) {
        match self.resume(&key).await {
            Ok(handle) => self.follow(key, handle),
            Err(refusal) => {
                self.service.residents.leave(&key);
                let (code, reason) = (refusal.code.as_str(), refusal.message.as_str());
                tracing::error!(run_id = %key.run_id, code, reason, "a run cannot be taken up");
                if matches!(refusal.code, ErrorCode::ServiceUnavailable | ErrorCode::StorageFull) {
                    self.take_up_later(key);
                }
            }
        }
    }

    async fn resume(&self, key: &RunKey) -> Result<RunHandle, Refusal> {
        let principal = principal_of(key);
        let claim = self.engine.claim(&principal, &key.run_id).await?;
        let plan = self.plan_of(&principal, claim.facts()).await?;
        Ok(self.engine.resume(claim, plan, Residence::WhileBusy)?)
    }
}

/// The owner of a run as far as its row tells; the log has the rest.
fn principal_of(key: &RunKey) -> Principal {
    Principal { tenant: key.tenant.clone(), workspace: None }
}

/// The keeper's task. It does not hold the host, so that the host can go.
struct Keeper {
    host: Weak<Host>,
    requests: mpsc::UnboundedReceiver<Request>,
    permits: Arc<Semaphore>,
    /// The last row of the agenda that was looked at.
    seen: Option<(Timestamp, RunKey)>,
}

impl Keeper {
    async fn keep(mut self) {
        while let Some(request) = self.next().await {
            match request {
                Some(Request::Recover) => self.recover().await,
                Some(Request::TakeUp(key)) => self.take_up(key).await,
                Some(Request::Parked(key)) => self.look_after(key).await,
                None => {}
            }
        }
    }

    /// Waits for a request or the next run that is due; `None` when the host has gone.
    async fn next(&mut self) -> Option<Option<Request>> {
        let alarm = self.alarm().await;
        let clock = Arc::clone(&self.host.upgrade()?.engine.clock);
        let ring = async {
            match alarm {
                Some(at) => clock.sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            request = self.requests.recv() => request.map(Some),
            () = ring => Some(None),
        }
    }

    /// Takes up what is due, and gives the time of what is due next.
    async fn alarm(&mut self) -> Option<Timestamp> {
        loop {
            let host = self.host.upgrade()?;
            let Ok(page) = host.store.due(self.seen.as_ref(), PAGE).await else {
                return Some(host.now().plus(PAUSE));
            };
            let is_last = page.len() < PAGE;
            for (at, key) in page {
                if at > host.now() {
                    return Some(at);
                }
                self.take_up(key.clone()).await;
                self.seen = Some((at, key));
            }
            if is_last {
                return None;
            }
        }
    }

    async fn recover(&mut self) {
        let mut after: Option<RunKey> = None;
        while let Some(host) = self.host.upgrade() {
            let page = match host.store.unfinished(after.as_ref(), PAGE).await {
                Ok(page) => page,
                Err(error) => {
                    tracing::error!(%error, "what remains to be done cannot be read");
                    return host.recover_later();
                }
            };
            let Some(last) = page.last() else { return };
            after = Some(last.key.clone());
            let now = host.now();
            for run in page.into_iter().filter(|run| is_pressing(run, now)) {
                self.take_up(run.key).await;
            }
        }
    }

    async fn look_after(&mut self, key: RunKey) {
        let Some(host) = self.host.upgrade() else { return };
        let pending = host.store.pending(&principal_of(&key), &key.run_id).await;
        if pending.is_ok_and(|pending| !pending.is_empty()) {
            self.take_up(key).await;
        }
    }

    async fn take_up(&mut self, key: RunKey) {
        let Some(host) = self.host.upgrade() else { return };
        if !host.service.residents.claim(&key) {
            return;
        }
        let Ok(permit) = Arc::clone(&self.permits).acquire_owned().await else { return };
        tokio::spawn(async move {
            host.revive(key).await;
            drop(permit);
        });
    }
}

impl Host {
    fn recover_later(self: &Arc<Self>) {
        let sleep = self.engine.clock.sleep_until(self.now().plus(PAUSE));
        let host = Arc::downgrade(self);
        tokio::spawn(async move {
            sleep.await;
            if let Some(host) = host.upgrade() {
                host.take_up_runs();
            }
        });
    }
}

/// Whether a run is to be taken up at a start. Those whose time has come are found by their time; one that was written
/// later than it is now has times that cannot be compared with the clock.
fn is_pressing(run: &Unfinished, now: Timestamp) -> bool {
    run.is_signalled || run.due == Due::Now || (run.due != Due::OnSignal && run.updated_at > now)
}

#[cfg(test)]
mod tests {
    use cuebook_wire::RunId;

    use super::*;

    #[test]
    fn a_start_takes_up_what_was_under_way_or_is_signalled() {
        #[track_caller]
        fn check(due: Due, updated: i64, is_signalled: bool, expect: bool) {
            let key = RunKey { tenant: "acme".to_owned(), run_id: RunId::new("run") };
            let run = Unfinished { key, due, updated_at: Timestamp::from_millis(updated), is_signalled };
            assert_eq!(is_pressing(&run, Timestamp::from_millis(100)), expect, "{run:?}");
        }
        let later = Due::At(Timestamp::from_millis(3_600_200));
        check(Due::Now, 50, false, true);
        check(Due::OnSignal, 50, false, false);
        check(Due::OnSignal, 50, true, true);
        check(Due::OnSignal, 3_600_000, false, false);
        check(later, 50, false, false);
        check(later, 3_600_000, false, true);
    }
}
