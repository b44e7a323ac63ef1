//! The port for requests that are done once: who is at a request, and what it was answered.
//!
//! A request is named by its endpoint and the key that its caller gave it (openwop-v1 §6.2). This module refuses to know
//! how long a key lives and which answers are kept; that is decided by whoever serves the requests.

use std::sync::Arc;

use cuebook_prompt::{ContentHash, Principal};
use cuebook_wire::Timestamp;

use crate::ports::Answer;

/// The name of a request within its tenant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestKey {
    /// Method and path, parameters filled in.
    pub endpoint: String,
    /// The key that the caller gave.
    pub key: String,
}

/// Somebody who is about to do a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The request.
    pub request: RequestKey,
    /// The hash of its body.
    pub body: ContentHash,
    /// Who is about to do it: a name that no other process has, not even a later one on the same data.
    pub owner: String,
    /// What the doer names things by that it makes, so that the request done again makes nothing twice.
    pub ticket: String,
    /// When.
    pub at: Timestamp,
    /// Requests that were claimed at this time or before are forgotten.
    pub forgotten: Timestamp,
}

/// What became of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// The claimant is to do the request under this ticket.
    ///
    /// It is the claim's own, or, when the request was begun by another owner or abandoned, the one it was begun under:
    /// what that attempt has made may be there.
    Yours(String),
    /// The same owner is at it.
    InFlight,
    /// The request was claimed with another body.
    Mismatch,
    /// It was done.
    Answered(Reply),
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With an answer that every repetition gets.
    Answered(Reply),
    /// With nothing that a repetition should know: the request is as if it had never come.
    Forgotten,
    /// Half way: the next claim takes it over under the same ticket.
    Abandoned,
}

/// An answer as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status of HTTP.
    pub status: u16,
    /// The headers that belong to the answer, in order.
    pub headers: Vec<(String, String)>,
    /// The body; shared, as it may be long.
    pub body: Arc<str>,
}

/// Requests that are done once.
///
/// A store is used by one process at a time. So a request that another owner has begun is one whose process has gone.
pub trait Requests: Send + Sync {
    /// Begins a request, unless it was begun before; when this returns, the claim is durable.
    ///
    /// Of several claims at once one is told [`Claimed::Yours`].
    fn claim<'a>(&'a self, principal: &'a Principal, claim: Claim) -> Answer<'a, Claimed>;

    /// Ends the attempt of a request; when this returns, that is durable.
    ///
    /// A request that nobody has claimed, or that has been answered, stays as it is.
    fn settle<'a>(
        &'a self,
        principal: &'a Principal,
        request: &'a RequestKey,
        ending: Ending,
    ) -> Answer<'a, ()>;
}
