//! What every handler can reach.

use std::sync::Arc;
use std::time::Duration;

use cuebook_host::Host;
use tokio_util::sync::CancellationToken;

use crate::keys::Keys;
use crate::metrics::Metrics;

/// The choices of a server.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Whether the test seams under `/v1/host/sample` answer.
    pub test_seams: bool,
    /// The largest request body, in bytes.
    pub max_body_bytes: usize,
    /// How long a request body may take to arrive.
    pub body_timeout: Duration,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self { test_seams: false, max_body_bytes: 4 * 1024 * 1024, body_timeout: Duration::from_secs(30) }
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
