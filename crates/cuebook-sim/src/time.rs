//! Virtual time: it passes only when nothing else can happen, and the machine's clock may disagree with it.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use cuebook_engine::Clock;
use cuebook_wire::Timestamp;
use futures_util::future::BoxFuture;
use futures_util::task::AtomicWaker;
use tokio::sync::oneshot;

/// What the machine's clock shows at the beginning: 2027-01-15T08:00:00Z.
const START: i64 = 1_800_000_000_000;

/// Time in milliseconds since the beginning, who sleeps, and how far the machine's clock is off.
#[derive(Debug, Default)]
pub(crate) struct Time {
    passed: AtomicU64,
    jumped: AtomicI64,
    sleepers: Mutex<Vec<(u64, oneshot::Sender<()>)>>,
}

impl Time {
    /// The milliseconds that have passed.
    pub(crate) fn passed(&self) -> u64 {
        self.passed.load(Ordering::Relaxed)
    }

    /// Moves the machine's clock.
    pub(crate) fn jump(&self, by: i64) {
        self.jumped.fetch_add(by, Ordering::Relaxed);
    }

    /// When the next sleeper wakes.
    pub(crate) fn next(&self) -> Option<u64> {
        let mut sleepers = self.sleepers();
        sleepers.retain(|(_, wake)| !wake.is_closed());
        sleepers.iter().map(|(at, _)| *at).min()
    }

    /// Passes to `at`, and wakes whoever slept until then, in the order in which they went to sleep.
    pub(crate) fn pass_to(&self, at: u64) {
        self.passed.fetch_max(at, Ordering::Relaxed);
        let now = self.passed();
        let mut sleepers = self.sleepers();
        let (due, later): (Vec<_>, Vec<_>) = sleepers.drain(..).partition(|(at, _)| *at <= now);
        *sleepers = later;
        drop(sleepers);
        for (_, wake) in due {
            // Whoever slept may have been given up.
            let _ = wake.send(());
        }
    }

    /// Sleeps for `millis` of real time.
    pub(crate) fn sleep(&self, millis: u64) -> BoxFuture<'static, ()> {
        let (wake, woken) = oneshot::channel();
        self.sleepers().push((self.passed() + millis, wake));
        Box::pin(async move {
            // A sleeper whose clock is gone has died with its process.
            if woken.await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }

    fn sleepers(&self) -> MutexGuard<'_, Vec<(u64, oneshot::Sender<()>)>> {
        self.sleepers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for Time {
    fn now(&self) -> Timestamp {
        let shown = Timestamp::from_millis(START + self.jumped.load(Ordering::Relaxed));
        shown.plus(Duration::from_millis(self.passed()))
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        self.sleep(at.millis_since(self.now()))
    }
}

/// Tells the driver when every task waits.
#[derive(Debug, Default)]
pub(crate) struct Idle {
    is_reached: AtomicBool,
    waker: AtomicWaker,
}

impl Idle {
    /// The runtime's thread is about to park: nothing can go on by itself.
    pub(crate) fn reach(&self) {
        self.is_reached.store(true, Ordering::Relaxed);
        self.waker.wake();
    }

    /// Waits until nothing can go on by itself.
    pub(crate) async fn wait(&self) {
        self.is_reached.store(false, Ordering::Relaxed);
        poll_fn(|context| {
            self.waker.register(context.waker());
            if self.is_reached.load(Ordering::Relaxed) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}
