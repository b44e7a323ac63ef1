//! What the engine promises, seen from outside: whole runs on a store in memory, models that answer from a closure, and
//! a clock that moves when the test says so.
//!
//! Every run that ends here is held against the general promises of a log, whatever else its test asks; see
//! [`support::promises`].

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed, helper functions included")]
#![expect(clippy::needless_pass_by_value, reason = "helpers take `json!` literals as they are written")]

mod agent_prompts;
mod conformance;
mod fold;
mod inputs;
mod limits;
mod plan;
mod prompt_node;
mod recovery;
mod retry;
mod schedule;
mod secrets;
mod signals;
mod stand_in;
mod store;
mod support;
mod trust;
