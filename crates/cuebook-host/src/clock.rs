//! The system's time.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use cuebook_engine::Clock;
use cuebook_wire::Timestamp;
use futures_util::future::BoxFuture;

/// The clock of the machine, which never goes back as long as the process lives.
///
/// When the machine's time is set back, this clock goes on from where it was, at its own pace.
#[derive(Debug)]
pub struct SystemClock {
    /// The latest time that the machine showed, and when that was.
    latest: Mutex<(Timestamp, Instant)>,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { latest: Mutex::new((wall(), Instant::now())) }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        forward(&mut latest, wall(), Instant::now())
    }

    fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
        let wait = at.millis_since(self.now());
        Box::pin(tokio::time::sleep(Duration::from_millis(wait)))
    }
}

fn wall() -> Timestamp {
    Timestamp::from_millis(jiff::Timestamp::now().as_millisecond())
}

/// The machine's time `wall`, or the time that has passed since the latest one when it was set back.
fn forward(latest: &mut (Timestamp, Instant), wall: Timestamp, instant: Instant) -> Timestamp {
    let steady = latest.0.plus(instant.saturating_duration_since(latest.1));
    if wall >= steady {
        *latest = (wall, instant);
    }
    wall.max(steady)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_on_when_the_machine_is_set_back() {
        let at = Timestamp::from_millis;
        let begun = Instant::now();
        let after = |millis| begun + Duration::from_millis(millis);
        let mut latest = (at(10_000), begun);
        for (wall, passed, expect) in [
            (10_005, 5, 10_005),
            (15_000, 10, 15_000),
            (4_000, 15, 15_005),
            (4_500, 510, 15_500),
            (15_499, 510, 15_500),
            (16_000, 520, 16_000),
        ] {
            assert_eq!(forward(&mut latest, at(wall), after(passed)), at(expect), "{wall} after {passed}");
        }
    }
}
