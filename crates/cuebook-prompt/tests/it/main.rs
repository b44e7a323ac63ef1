//! What the prompt pipeline promises, as tables, properties and the public scenarios.

#![expect(clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]
#![expect(clippy::needless_pass_by_value, reason = "tables read best with their documents in place")]

mod bind;
mod catalog;
mod chain;
mod compose;
mod diff;
mod layered;
mod library;
mod lint;
mod node_config;
mod pins;
mod pipeline;
mod reader;
mod render;
mod scenarios;
mod schemas;
mod secrets;
mod segments;
mod support;
mod trust;
