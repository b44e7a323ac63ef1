//! What every handler can reach.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use cuebook_host::{Host, LimitsConfig};
use tokio_util::sync::CancellationToken;

use crate::keys::Keys;
use crate::metrics::Metrics;
use crate::streams::Streams;

/// The choices of a server.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Whether the test seams under `/v1/host/sample` answer.
    pub test_seams: bool,
    /// The largest request body, in bytes.
    pub max_body_bytes: usize,
    /// The longest that a poll for events waits, in seconds.
    pub max_poll_seconds: u64,
    /// The most event streams that are open.
    pub max_streams: usize,
    /// The most of them that one tenant may have.
    pub max_streams_per_tenant: usize,
    /// How long a request body may take to arrive.
    pub body_timeout: Duration,
    /// How long a connection may take to send the head of its next request.
    pub header_timeout: Duration,
    /// The most connections that are open; others wait to be accepted.
    pub max_connections: usize,
}

impl HttpOptions {
    /// The choices that `[limits]` of a host's configuration makes, and the default of all others.
    pub fn of(limits: &LimitsConfig) -> Self {
        let max_streams = limits.max_event_streams.get();
        Self {
            test_seams: false,
            max_body_bytes: limits.max_body_bytes.get(),
            max_poll_seconds: limits.max_poll_seconds.get(),
            max_streams,
            max_streams_per_tenant: limits
                .max_event_streams_per_tenant
                .map_or(max_streams, NonZeroUsize::get),
            body_timeout: Duration::from_secs(30),
            header_timeout: Duration::from_secs(75),
            max_connections: limits.max_connections.get(),
        }
    }
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self::of(&LimitsConfig::default())
    }
}

/// The server's state; cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Inner>);

/// The parts of [`App`].
pub struct Inner {
    pub(crate) host: Arc<Host>,
    pub(crate) keys: Keys,
    pub(crate) options: HttpOptions,
    pub(crate) metrics: Metrics,
    pub(crate) streams: Streams,
    pub(crate) draining: CancellationToken,
}

impl App {
    /// A server over `host` for the holders of `keys`.
    pub fn new(host: Arc<Host>, keys: Keys, options: HttpOptions) -> Self {
        Self(Arc::new(Inner {
            host,
            keys,
            options,
            metrics: Metrics::new(),
            streams: Streams::default(),
            draining: CancellationToken::new(),
        }))
    }

    /// Ends event streams and refuses new ones; requests under way go on.
    pub fn drain(&self) {
        self.0.draining.cancel();
    }
}

impl std::ops::Deref for App {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}
