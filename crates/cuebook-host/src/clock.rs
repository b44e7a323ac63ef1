//! The system's time.

use cuebook_engine::Clock;
use cuebook_wire::Timestamp;
use futures_util::future::BoxFuture;

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(jiff::Timestamp::now().as_millisecond())
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        let wait = at.millis_since(self.now());
        Box::pin(tokio::time::sleep(std::time::Duration::from_millis(wait)))
    }
}
