//! The ports of the event log on an embedded SQLite database.
//!
//! [`SqliteStore`] keeps every promise of `cuebook-log` in one file of a data directory, which one process holds at a
//! time. One thread writes, in groups of requests that share a commit; a small pool of connections reads. The database is
//! in WAL mode with `synchronous=FULL`, so what is acknowledged has been confirmed by the disk.
//!
//! A process that is killed, or a machine that stops, can leave a write-ahead log whose end is missing or garbage. SQLite
//! takes such a log up to the last commit whose frames are whole by their checksums. So the group of requests that was
//! under way is there as a whole or not at all, and every group that was acknowledged is there, as its bytes had reached
//! the disk before. If a disk loses what it has confirmed, what is left is still a prefix of whole groups.
//!
//! This crate owns the tables, their migrations and the data directory. It refuses to know what records mean, and no SQL
//! stands outside it.

mod agenda;
mod blobs;
mod checkpoints;
mod compact;
mod data_dir;
mod database;
mod definitions;
mod error;
mod holds;
mod json;
mod migrations;
mod options;
mod prompts;
mod readers;
mod records;
mod requests;
mod retention;
mod runs;
mod shelves;
mod signals;
mod store;
mod watchers;
mod writer;

pub use compact::{Compacted, compact};
pub use data_dir::DataDir;
pub use error::OpenError;
pub use options::Options;
pub use store::{SqliteStore, Stats};
