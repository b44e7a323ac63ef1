//! What is refused because there is too much already: by the tenant (429), or by the host as a whole (503).
//!
//! It looks at new work alone. What is under way is never refused: it waits its turn.

use cuebook_log::QueueLength;
use cuebook_wire::ErrorCode;
use serde_json::json;

use crate::host::Host;
use crate::refusal::Refusal;
use crate::tally::{Bounds, Full};

/// How long a caller should wait before it tries again, in seconds.
const RETRY_AFTER: u64 = 1;

impl Host {
    /// How many runs have something under way, as far as their bound is concerned.
    pub fn runs_in_flight(&self) -> usize {
        self.resident_runs()
    }

    /// How much waits for the store.
    pub fn write_queue(&self) -> QueueLength {
        self.store.queue()
    }

    /// Whether the store can be asked to write for new work.
    pub(crate) fn admit_write(&self) -> Result<(), Refusal> {
        refuse_full(self.store.queue())
    }

    /// The bounds on runs in flight.
    pub(crate) fn run_bounds(&self) -> Bounds {
        let limits = &self.config.limits;
        let host = limits.max_runs_in_flight.get();
        let tenant = limits.max_runs_in_flight_per_tenant.map_or(host, std::num::NonZeroUsize::get);
        Bounds { host, tenant }
    }
}

fn refuse_full(queue: QueueLength) -> Result<(), Refusal> {
    if !queue.is_full() {
        return Ok(());
    }
    let message = "as many writes wait for the store as it takes";
    Err(busy(ErrorCode::ServiceUnavailable, message, queue.room.unwrap_or_default()))
}

/// A tenant that does too much, or a host that is full; `limit` is the bound that was met.
pub(crate) fn busy(code: ErrorCode, message: &str, limit: usize) -> Refusal {
    let details = json!({ "limit": limit, "retryAfter": RETRY_AFTER });
    Refusal { details: details.as_object().cloned().unwrap_or_default(), ..Refusal::new(code, message) }
}

impl From<Full> for Refusal {
    fn from(full: Full) -> Self {
        match full {
            Full::Host(limit) => {
                busy(ErrorCode::ServiceUnavailable, "the host has as many runs in flight as it takes", limit)
            }
            Full::Tenant(limit) => {
                busy(ErrorCode::RateLimited, "the tenant has as many runs in flight as it may have", limit)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(waiting: usize, room: Option<usize>, expect: Result<(), u64>) {
        let refused = refuse_full(QueueLength { waiting, room });
        let limit = |refusal: Refusal| {
            assert_eq!(
                (refusal.code, &refusal.details["retryAfter"]),
                (ErrorCode::ServiceUnavailable, &json!(1))
            );
            refusal.details["limit"].as_u64().expect("a number")
        };
        assert_eq!(refused.map_err(limit), expect, "{waiting} of {room:?}");
    }

    #[test]
    fn new_work_is_refused_from_the_bound_on() {
        check(0, Some(1), Ok(()));
        check(1, Some(1), Err(1));
        check(1023, Some(1024), Ok(()));
        check(1024, Some(1024), Err(1024));
        check(5000, Some(1024), Err(1024));
        check(usize::MAX, None, Ok(()));
    }
}
