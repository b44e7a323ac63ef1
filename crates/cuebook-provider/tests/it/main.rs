//! What the models of this crate promise, seen from outside: the scripted one by its answers, the OpenAI-compatible
//! one against a server that speaks the wire format.

mod answers;
mod failures;
mod requests;
mod scripted;
mod secrecy;
mod server;
mod setup;
mod support;
