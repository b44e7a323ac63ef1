//! What runs keep in place, and how what nobody needs any more is removed.
//!
//! A run holds the bodies that its records name, the template versions it was fixed to, and the run whose log it was forked
//! from; what is held stays. This module refuses to know how long anything is worth keeping: whoever runs the store says so.

use std::sync::Arc;

use cuebook_wire::{RunId, RunStatus, TemplateId, Timestamp, Version};

use crate::agenda::RunKey;
use crate::ports::Answer;

/// What a run takes hold of with a batch, until the run itself is removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hold {
    /// A body that a record names by its hash; the batch brings it, and it is stored if it is not there.
    Body(Arc<str>),
    /// A version of a template on the shelf of the batch's principal, removed or not.
    Template {
        /// The template.
        template_id: TemplateId,
        /// The version.
        version: Version,
    },
    /// The run whose log this one was forked from.
    Run(RunId),
    /// The scope that the run works in; it keeps nothing in place, and ends with the run's log.
    Scope(String),
}

/// Which finished runs may go; a run goes when everything here agrees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expiry {
    /// Those whose last record was written at this time or before; any when absent.
    pub ended_by: Option<Timestamp>,
    /// All but this many of each tenant, the last ended staying, whatever their status.
    pub keep: usize,
    /// Those of these statuses; any when empty.
    pub statuses: Vec<RunStatus>,
}

impl Expiry {
    /// Whether a run of this status and end may go, as far as it does not depend on others.
    pub fn admits(&self, status: RunStatus, ended_at: Timestamp) -> bool {
        self.ended_by.is_none_or(|by| ended_at <= by)
            && (self.statuses.is_empty() || self.statuses.contains(&status))
    }
}

/// A finished run that may go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expired {
    /// The run.
    pub run_id: RunId,
    /// When its last record was written.
    pub ended_at: Timestamp,
    /// How many records it has.
    pub records: u64,
}

/// What was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Freed {
    /// Records of runs.
    pub records: u64,
    /// Bodies.
    pub blobs: u64,
    /// Template versions that had been removed from their shelf before.
    pub templates: u64,
    /// Requests that were done once.
    pub requests: u64,
    /// The bytes of the texts of all of them.
    pub bytes: u64,
}

impl Freed {
    /// Whether nothing was removed.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl std::ops::AddAssign for Freed {
    fn add_assign(&mut self, other: Self) {
        self.records += other.records;
        self.blobs += other.blobs;
        self.templates += other.templates;
        self.requests += other.requests;
        self.bytes += other.bytes;
    }
}

/// What lies about outside of runs and may be swept up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// Template versions that were removed from their shelf at this time or before and that no run holds.
    pub removed_by: Timestamp,
    /// Requests that were claimed at this time or before.
    pub claimed_by: Timestamp,
    /// The most things of each kind; the rest is for the next sweep.
    pub limit: usize,
}

/// Removal of what nobody needs, for all tenants: for the host itself, never for a caller.
pub trait Retention: Send + Sync {
    /// The first tenant that has runs, by its bytes, after `after`.
    fn next_tenant<'a>(&'a self, after: Option<&'a str>) -> Answer<'a, Option<String>>;

    /// The runs of a tenant that have ended, that `expiry` lets go and that no other run holds.
    ///
    /// By their end, earliest first, and then by the bytes of their id; at most `limit`, after `after`.
    fn expired<'a>(
        &'a self,
        tenant: &'a str,
        expiry: &'a Expiry,
        after: Option<&'a Expired>,
        limit: usize,
    ) -> Answer<'a, Vec<Expired>>;

    /// Removes a run with all that belongs to it, and the bodies that no other run holds, in one transaction.
    ///
    /// `None`, with nothing changed, when there is no such run, it has not ended, or another run holds it.
    fn remove_run<'a>(&'a self, run: &'a RunKey) -> Answer<'a, Option<Freed>>;

    /// Removes what lies about: bodies that no run holds, and what `sweep` says; in one transaction.
    fn sweep<'a>(&'a self, sweep: &'a Sweep) -> Answer<'a, Freed>;
}
