//! The specification of the HTTP face: a host over a project of the tests' own, asked in process or over a socket.
//!
//! Where the folder of public material is there (`CUEBOOK_SHARED`, or `shared` beside the checkout), its workflows and
//! templates are served too; without it the tests stand on their own data.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod agents;
mod authoring;
mod bounds;
mod client;
mod compositions;
mod connections;
mod discovery;
mod draining;
mod errors;
mod events;
mod health;
mod idempotency;
mod interrupts;
mod library;
mod library_races;
mod openapi;
mod prompts;
mod routes;
mod runs;
mod scenarios;
mod scope;
mod seams;
mod streams;
mod support;
