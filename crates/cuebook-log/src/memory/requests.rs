//! The table of requests in memory.

use std::collections::HashMap;

use cuebook_prompt::Principal;
use cuebook_wire::Timestamp;

use super::MemoryStore;
use crate::ports::Answer;
use crate::requests::{Claim, Claimed, Ending, Reply, RequestKey, Requests};

/// The requests of a tenant.
pub(super) type Table = HashMap<RequestKey, Known>;

/// A request that was claimed.
#[derive(Debug)]
pub(super) struct Known {
    claim: Claim,
    /// Whether its owner let go of it.
    is_free: bool,
    reply: Option<Reply>,
}

impl Known {
    /// What a later claim is told; it takes over what nobody is at.
    fn again(&mut self, claim: Claim) -> Claimed {
        if self.claim.body != claim.body {
            return Claimed::Mismatch;
        }
        if let Some(reply) = &self.reply {
            return Claimed::Answered(reply.clone());
        }
        if self.claim.owner == claim.owner && !self.is_free {
            return Claimed::InFlight;
        }
        (self.claim.owner, self.is_free) = (claim.owner, false);
        Claimed::Yours(self.claim.ticket.clone())
    }
}

fn claim(table: &mut Table, claim: Claim) -> Claimed {
    table.retain(|_, known| known.claim.at > claim.forgotten);
    if let Some(known) = table.get_mut(&claim.request) {
        return known.again(claim);
    }
    let ticket = claim.ticket.clone();
    table.insert(claim.request.clone(), Known { claim, is_free: false, reply: None });
    Claimed::Yours(ticket)
}

/// Forgets at most `limit` requests that were claimed at `by` or before; gives how many.
pub(super) fn forget(table: &mut Table, by: Timestamp, limit: usize) -> usize {
    let old = table.iter().filter(|(_, known)| known.claim.at <= by).take(limit);
    let old: Vec<RequestKey> = old.map(|(request, _)| request.clone()).collect();
    old.iter().filter(|request| table.remove(request).is_some()).count()
}

fn settle(table: &mut Table, request: &RequestKey, ending: Ending) {
    let Some(known) = table.get_mut(request).filter(|known| known.reply.is_none()) else { return };
    match ending {
        Ending::Answered(reply) => known.reply = Some(reply),
        Ending::Abandoned => known.is_free = true,
        Ending::Forgotten => drop(table.remove(request)),
    }
}

impl Requests for MemoryStore {
    fn claim<'a>(&'a self, principal: &'a Principal, asked: Claim) -> Answer<'a, Claimed> {
        Box::pin(async move {
            let mut tenants = self.tenants();
            Ok(claim(&mut tenants.entry(principal.tenant.clone()).or_default().requests, asked))
        })
    }

    fn settle<'a>(
        &'a self,
        principal: &'a Principal,
        request: &'a RequestKey,
        ending: Ending,
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let mut tenants = self.tenants();
            if let Some(tenant) = tenants.get_mut(&principal.tenant) {
                settle(&mut tenant.requests, request, ending);
            }
            Ok(())
        })
    }
}
