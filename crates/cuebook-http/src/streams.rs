//! How many event streams are open, of each tenant and in all, and whether there may be one more.

use std::sync::{Mutex, MutexGuard, PoisonError};

use cuebook_host::wire::ErrorCode;
use cuebook_host::{Bounds, Full, Tally};

use crate::error::ApiError;
use crate::state::App;

/// How long a caller should wait before it tries again, in seconds.
const RETRY_AFTER: u64 = 5;

/// The open streams by tenant.
#[derive(Debug, Default)]
pub(crate) struct Streams(Mutex<Tally>);

impl Streams {
    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one more, unless there are as many as may be: of all tenants, or of this one.
    fn enter(&self, tenant: &str, bounds: Bounds) -> Result<(), ApiError> {
        let mut tally = self.tally();
        tally.check(tenant, bounds).map_err(refused)?;
        tally.enter(tenant);
        Ok(())
    }

    fn leave(&self, tenant: &str) {
        self.tally().leave(tenant);
    }
}

fn refused(met: Full) -> ApiError {
    match met {
        Full::Host(limit) => {
            full(ErrorCode::ServiceUnavailable, "the host has as many event streams as it takes", limit)
        }
        Full::Tenant(limit) => {
            full(ErrorCode::RateLimited, "the tenant has as many event streams as it may have", limit)
        }
    }
}

fn full(code: ErrorCode, message: &str, limit: usize) -> ApiError {
    ApiError::new(code, message).with("limit", limit).with("retryAfter", RETRY_AFTER)
}

/// A stream that is counted for as long as it lives.
pub(crate) struct OpenStream {
    app: App,
    tenant: String,
}

impl OpenStream {
    /// Opens a stream of a tenant.
    ///
    /// # Errors
    ///
    /// `rate_limited` when the tenant, `service_unavailable` when the host has as many as it may have.
    pub(crate) fn new(app: &App, tenant: &str) -> Result<Self, ApiError> {
        let bounds = Bounds { host: app.options.max_streams, tenant: app.options.max_streams_per_tenant };
        app.streams.enter(tenant, bounds)?;
        app.metrics.streams.inc();
        Ok(Self { app: app.clone(), tenant: tenant.to_owned() })
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.app.streams.leave(&self.tenant);
        self.app.metrics.streams.dec();
    }
}
