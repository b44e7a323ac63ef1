//! What the composition root promises, seen from outside: what a project's files become, and what is refused.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod agent_library;
mod config;
mod exchange;
mod inputs;
mod journal;
mod lints;
mod overrides;
mod packs;
mod preview;
mod project_edits;
mod report;
mod restart;
mod retention;
mod secrets;
mod slots;
mod support;
