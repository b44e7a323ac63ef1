//! Requests that are done once, as the host keeps them: for a day, over restarts.

use std::time::Duration;

use cuebook_log::{Claim, Claimed, Ending, RequestKey};
use cuebook_prompt::{ContentHash, Principal};
use cuebook_wire::Timestamp;

use crate::host::{Host, new_ticket};
use crate::refusal::Refusal;

/// How long a request is known (openwop-v1 §6.2: at least 24 hours).
const KEEP: Duration = Duration::from_hours(24);
/// How long a store that failed is left alone.
const PAUSE: Duration = Duration::from_secs(1);

impl Host {
    /// Claims a request with the body `body` for this process.
    ///
    /// # Errors
    ///
    /// `service_unavailable` when the store cannot take the claim, or has too much to write.
    pub async fn claim_request(
        &self,
        principal: &Principal,
        request: RequestKey,
        body: &str,
    ) -> Result<Claimed, Refusal> {
        self.admit_write()?;
        let at = self.now();
        let claim = Claim {
            request,
            body: ContentHash::of(body),
            owner: self.instance.clone(),
            ticket: new_ticket(),
            at,
            forgotten: forgotten_by(at),
        };
        Ok(self.store.claim(principal, claim).await?)
    }

    /// Ends the attempt of a request; what it was answered is durable when this returns.
    ///
    /// # Errors
    ///
    /// `service_unavailable` when the store cannot take it.
    pub async fn settle_request(
        &self,
        principal: &Principal,
        request: &RequestKey,
        ending: Ending,
    ) -> Result<(), Refusal> {
        Ok(self.store.settle(principal, request, ending).await?)
    }

    /// Lets go of a request that was begun and has no answer, so that a repetition takes it over; comes back when that is
    /// durable, however long the store fails.
    pub async fn let_go(&self, principal: &Principal, request: &RequestKey) {
        while self.settle_request(principal, request, Ending::Abandoned).await.is_err() {
            self.engine.clock.sleep_until(self.now().plus(PAUSE)).await;
        }
    }
}

/// The time at which the requests were claimed that are old enough to be forgotten.
pub(crate) fn forgotten_by(at: Timestamp) -> Timestamp {
    let keep = i64::try_from(KEEP.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_millis(at.as_millis().saturating_sub(keep))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_known_for_a_day() {
        let now = Timestamp::from_millis(1_795_903_200_000);
        assert_eq!(now.millis_since(forgotten_by(now)), 86_400_000);
    }
}
