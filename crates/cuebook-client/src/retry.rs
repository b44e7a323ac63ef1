//! Owns when a call is made again and how long is waited before. Refuses to repeat what may have been done and must not be
//! done twice, and reads no clock: waiting itself is a port.

use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::{Map, Value};

use crate::error::{ClientError, TransportFault};

/// Waits on behalf of a client.
pub trait Timer: Send + Sync {
    /// Comes back once `pause` has passed.
    fn wait(&self, pause: Duration) -> BoxFuture<'_, ()>;
}

/// Waits by the clock of the Tokio runtime.
#[derive(Debug, Clone, Copy, Default)]
pub struct TokioTimer;

impl Timer for TokioTimer {
    fn wait(&self, pause: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(pause))
    }
}

/// How often a call is repeated, and after which pauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The most repetitions of one call; 0 repeats nothing.
    pub retries: u32,
    /// The pause before the first repetition; it doubles with every further one.
    pub first_pause: Duration,
    /// The longest pause. A host that asks for a longer one gets no repetition, and the caller its refusal.
    pub longest_pause: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { retries: 3, first_pause: Duration::from_millis(500), longest_pause: Duration::from_secs(30) }
    }
}

impl RetryPolicy {
    /// The pause before repetition number `attempt`, from 0; none when the host asks for longer than this policy allows.
    pub(crate) fn pause(&self, attempt: u32, error: &ClientError) -> Option<Duration> {
        match error.retry_after() {
            Some(asked) => (asked <= self.longest_pause).then_some(asked),
            None => Some(self.backoff(attempt)),
        }
    }

    fn backoff(&self, attempt: u32) -> Duration {
        let factor = 2_u32.saturating_pow(attempt);
        self.first_pause.saturating_mul(factor).min(self.longest_pause)
    }
}

/// Which failures of a call allow another attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// None.
    Never,
    /// Those that say the host has done nothing.
    Undone,
    /// Also a connection that broke on the way: doing it twice does no harm.
    Always,
}

impl Repeat {
    /// Whether `error` allows another attempt.
    pub(crate) fn after(self, error: &ClientError) -> bool {
        let undone = matches!(error.status(), Some(429 | 503))
            || error.transport_fault() == Some(TransportFault::Connect);
        match self {
            Self::Never => false,
            Self::Undone => undone,
            Self::Always => undone || error.transport_fault() == Some(TransportFault::Broken),
        }
    }
}

/// The pause a host asks for: `Retry-After` in seconds, else `details.retryAfterMs`. A date would need a clock.
pub(crate) fn asked(headers: &HeaderMap, details: Option<&Map<String, Value>>) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let millis = || details?.get("retryAfterMs")?.as_u64().map(Duration::from_millis);
    seconds.map(Duration::from_secs).or_else(millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest() {
        let policy = RetryPolicy::default();
        let pauses = [0, 1, 2, 5, 6, 40, u32::MAX].map(|attempt| policy.backoff(attempt).as_millis());
        assert_eq!(pauses, [500, 1000, 2000, 16_000, 30_000, 30_000, 30_000]);
    }
}
