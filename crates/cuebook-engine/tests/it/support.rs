//! The stage that the tests run on.

pub(crate) mod clock;
pub(crate) mod flow;
pub(crate) mod host;
pub(crate) mod log;
pub(crate) mod models;
pub(crate) mod promises;
pub(crate) mod prompts;
pub(crate) mod schemas;
pub(crate) mod simulation;

pub(crate) use flow::Flow;
pub(crate) use host::TestHost;
pub(crate) use log::Log;
pub(crate) use models::{Asked, Gate, Reply};
