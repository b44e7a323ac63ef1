//! A host for tests, its callers, and what they get.

mod call;
mod host;
mod project;
mod sse;

pub(crate) use call::{Answer, Call};
pub(crate) use host::{Live, TestHost};
pub(crate) use project::{SECRET, shared, template, workflow};
pub(crate) use sse::{EventStream, Frame, frames};

/// A key of the first tenant, with every scope.
pub(crate) const OURS: &str = "key-of-the-first-tenant";
/// A key of another tenant, with every scope.
pub(crate) const THEIRS: &str = "key-of-another-tenant";
/// A key of the first tenant without any scope.
pub(crate) const POWERLESS: &str = "key-without-scopes";
/// A key of the first tenant whose holder is a member of the workspace `studio`.
pub(crate) const MEMBER: &str = "key-of-a-member";
