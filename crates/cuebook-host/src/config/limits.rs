//! `[limits]`: bounds on runs, on the host, and on what callers may ask at once.

use std::num::{NonZeroU64, NonZeroUsize};

use schemars::JsonSchema;
use serde::Deserialize;

/// `[limits]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsConfig {
    /// The most node executions of one run.
    #[schemars(range(min = 1))]
    pub max_node_executions: u64,
    /// The most events of one run; one that would need more fails, and the events of its ending come on top.
    #[schemars(range(min = 1))]
    pub max_events: u64,
    /// The most runs that have something under way; runs that only wait do not count. More are refused with 503.
    pub max_runs_in_flight: NonZeroUsize,
    /// The most of them that one tenant may have; as many as the host when absent. More are refused with 429.
    pub max_runs_in_flight_per_tenant: Option<NonZeroUsize>,
    /// The most signals that wait in the inbox of one run; more are refused with 429. Cancelling is always taken.
    pub max_waiting_signals: NonZeroUsize,
    /// The most model calls at once; others wait for their turn.
    pub max_model_calls: NonZeroUsize,
    /// How many writes wait for the store before new work is refused with 503; what is under way waits.
    pub write_queue: NonZeroUsize,
    /// The largest request body, in bytes.
    pub max_body_bytes: NonZeroUsize,
    /// The most bytes that the metadata of a run have as JSON; more are refused with 400.
    pub max_metadata_bytes: NonZeroUsize,
    /// The longest that a poll for events waits, in seconds.
    pub max_poll_seconds: NonZeroU64,
    /// The most connections that are open; others wait until one of them ends.
    pub max_connections: NonZeroUsize,
    /// The most event streams that are open; more are refused with 503.
    pub max_event_streams: NonZeroUsize,
    /// The most event streams of one tenant; as many as the host when absent. More are refused with 429.
    pub max_event_streams_per_tenant: Option<NonZeroUsize>,
}

const fn size(number: usize) -> NonZeroUsize {
    match NonZeroUsize::new(number) {
        Some(number) => number,
        None => NonZeroUsize::MIN,
    }
}

/// The longest poll when the configuration does not say, in seconds.
const MAX_POLL_SECONDS: NonZeroU64 = match NonZeroU64::new(60) {
    Some(seconds) => seconds,
    None => NonZeroU64::MIN,
};

impl Default for LimitsConfig {
    fn default() -> Self {
        Self {
            max_node_executions: 1000,
            max_events: 100_000,
            max_runs_in_flight: size(1000),
            max_runs_in_flight_per_tenant: None,
            max_waiting_signals: size(1000),
            max_model_calls: size(256),
            write_queue: size(1024),
            max_body_bytes: size(4 * 1024 * 1024),
            max_metadata_bytes: size(8 * 1024),
            max_poll_seconds: MAX_POLL_SECONDS,
            max_connections: size(4096),
            max_event_streams: size(1000),
            max_event_streams_per_tenant: None,
        }
    }
}
