//! How many event streams are open, of each tenant and in all, and whether there may be one more.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cuebook_host::wire::ErrorCode;

use crate::error::ApiError;
use crate::state::App;

/// How long a caller should wait before it tries again, in seconds.
const RETRY_AFTER: u64 = 5;

/// The open streams by tenant.
#[derive(Debug, Default)]
pub(crate) struct Streams(Mutex<HashMap<String, usize>>);

impl Streams {
    fn counts(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one more, unless there are as many as may be: of all tenants, or of this one.
    fn enter(&self, tenant: &str, most: usize, most_of_tenant: usize) -> Result<(), ApiError> {
        let mut counts = self.counts();
        if counts.values().sum::<usize>() >= most {
            let message = "the host has as many event streams as it takes";
            return Err(full(ErrorCode::ServiceUnavailable, message, most));
        }
        if counts.get(tenant).copied().unwrap_or(0) >= most_of_tenant {
            let message = "the tenant has as many event streams as it may have";
            return Err(full(ErrorCode::RateLimited, message, most_of_tenant));
        }
        *counts.entry(tenant.to_owned()).or_default() += 1;
        Ok(())
    }

    fn leave(&self, tenant: &str) {
        let mut counts = self.counts();
        if let Some(count) = counts.get_mut(tenant) {
            *count -= 1;
            if *count == 0 {
                counts.remove(tenant);
            }
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
        app.streams.enter(tenant, app.options.max_streams, app.options.max_streams_per_tenant)?;
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
