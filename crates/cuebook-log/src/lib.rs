//! The event log of runs: its ports and its in-memory form.
//!
//! The log is the only authority on what happened in a run; every other view is a projection of it. This crate owns
//! the [`Record`] and what any store must promise; it refuses to know what records mean, which is the engine's.

mod head;
mod memory;
mod ports;
mod record;

pub use head::Head;
pub use memory::MemoryStore;
pub use ports::{
    Answer, Append, Blobs, Inbox, LogError, Offered, Open, RunEntry, RunIndex, RunLog, RunStore, Signal,
};
pub use record::{Private, Record};
