//! The specification of the wire shapes, as tables and properties.
//!
//! Where the folder of published schemas and public fixtures is there (`CUEBOOK_SHARED`, or `shared` beside the checkout),
//! every verdict is also held against it; without it the tests stand on their own data.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod corpus;
mod docs;
mod errors;
mod events;
mod faults;
mod payloads;
mod ranges;
mod roundtrip;
mod shared;
mod tables;
mod values;
