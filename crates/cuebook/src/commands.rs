//! One module a command.

pub(crate) mod budgets;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod explain;
pub(crate) mod init;
pub(crate) mod layers;
pub(crate) mod packs;
pub(crate) mod project;
pub(crate) mod prompts;
mod remote;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod serve;
pub(crate) mod template;
