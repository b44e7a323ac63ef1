//! What the client promises, seen from a host: every test talks to a small server that says exactly the bytes it was given.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod discovery;
mod endpoints;
mod errors;
mod prompts;
mod retries;
mod secrecy;
mod server;
mod setup;
mod stream;
mod stream_faults;
mod support;
mod tolerance;
