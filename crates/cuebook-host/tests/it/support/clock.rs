//! A clock that stands still until the test moves it.

use std::time::Duration;

use cuebook_host::engine::Clock;
use cuebook_host::wire::Timestamp;
use futures_util::future::BoxFuture;
use tokio::sync::watch;

/// The test's time; sleepers wake when it passes them.
pub(crate) struct ManualClock(watch::Sender<Timestamp>);

impl ManualClock {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(Timestamp::from_millis(1_795_903_200_000)))
    }

    pub(crate) fn advance(&self, by: Duration) {
        self.0.send_modify(|now| *now = now.plus(by));
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.0.borrow()
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        let mut time = self.0.subscribe();
        Box::pin(async move { drop(time.wait_for(|now| *now >= at).await) })
    }
}
