//! The ports of the event log on an embedded SQLite database.
//!
//! [`SqliteStore`] keeps every promise of `cuebook-log` in one file of a data directory, which one process holds at a
//! time. One thread writes, in groups of requests that share a commit; a small pool of connections reads. The database is
//! in WAL mode with `synchronous=FULL`, so what is acknowledged has been confirmed by the disk.
//!
//! This crate owns the tables, their migrations and the data directory. It refuses to know what records mean, and no SQL
//! stands outside it.

mod blobs;
mod data_dir;
mod database;
mod definitions;
mod error;
mod json;
mod migrations;
mod options;
mod readers;
mod records;
mod runs;
mod signals;
mod store;
mod watchers;
mod writer;

pub use data_dir::DataDir;
pub use error::OpenError;
pub use options::Options;
pub use store::{SqliteStore, Stats};
