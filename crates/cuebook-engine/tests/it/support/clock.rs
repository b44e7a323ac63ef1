//! A clock that stands still until the test moves it.

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use cuebook_engine::Clock;
use cuebook_wire::Timestamp;
use futures_util::future::{self, BoxFuture};
use tokio::sync::{oneshot, watch};

/// When every test begins: 2027-01-15T08:00:00Z.
pub(crate) const START: i64 = 1_800_000_000_000;

/// The instant `millis` after the beginning.
pub(crate) fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(START).plus(Duration::from_millis(millis))
}

/// Time in milliseconds after the beginning, and who waits for it.
pub(crate) struct ManualClock {
    state: Mutex<State>,
    asleep: watch::Sender<usize>,
}

struct State {
    now: Timestamp,
    sleepers: Vec<(Timestamp, oneshot::Sender<()>)>,
}

impl ManualClock {
    pub(crate) fn new() -> Self {
        let state = State { now: at(0), sleepers: Vec::new() };
        Self { state: Mutex::new(state), asleep: watch::Sender::new(0) }
    }

    /// Waits until somebody sleeps until exactly `millis`, then moves there.
    pub(crate) async fn ring(&self, millis: u64) {
        let mut asleep = self.asleep.subscribe();
        let wanted = |_: &usize| self.state().sleepers.iter().any(|(time, _)| *time == at(millis));
        asleep.wait_for(wanted).await.unwrap();
        self.advance_to(millis);
    }

    /// Moves to `millis` and wakes whoever slept until then, the earliest first.
    pub(crate) fn advance_to(&self, millis: u64) {
        let mut state = self.state();
        state.now = state.now.max(at(millis));
        let now = state.now;
        state.sleepers.sort_by_key(|(time, _)| *time);
        let still = state.sleepers.iter().position(|(time, _)| *time > now).unwrap_or(state.sleepers.len());
        for (_, wake) in state.sleepers.drain(..still) {
            // Whoever slept may have been given up meanwhile.
            let _ = wake.send(());
        }
    }

    /// Moves on by `millis`.
    pub(crate) fn advance_by(&self, millis: u64) {
        let now = self.state().now.millis_since(at(0));
        self.advance_to(now + millis);
    }

    /// Sets the clock back to `millis`; nobody wakes.
    pub(crate) fn set_back_to(&self, millis: u64) {
        self.state().now = at(millis);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        self.state().now
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        let mut state = self.state();
        if at <= state.now {
            return Box::pin(future::ready(()));
        }
        let (wake, woken) = oneshot::channel();
        state.sleepers.push((at, wake));
        drop(state);
        self.asleep.send_modify(|count| *count += 1);
        Box::pin(async move {
            if woken.await.is_err() {
                future::pending::<()>().await;
            }
        })
    }
}
