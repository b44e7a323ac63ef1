//! Giving the space that removals have left back to the disk.
//!
//! A database reuses such space by itself; only a smaller file needs this. It copies the whole file, and refuses to be done
//! while anybody holds the data directory.

use std::path::{Path, PathBuf};

use crate::data_dir::DataDir;
use crate::database::Database;
use crate::error::{OpenError, unopened};
use crate::options::Options;

/// What compacting came to, in bytes of the database file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compacted {
    /// How large it was.
    pub before: u64,
    /// How large it is.
    pub after: u64,
}

/// Compacts the database in the data directory `path`, which is held meanwhile.
///
/// # Errors
///
/// As [`SqliteStore::open`](crate::SqliteStore::open); [`OpenError::Sqlite`] when SQLite cannot copy the database, for instance
/// because the disk is full; then it is as it was.
pub fn compact(path: impl Into<PathBuf>) -> Result<Compacted, OpenError> {
    let directory = DataDir::open(path)?;
    let file = directory.database();
    let (_, connection) = Database::open(file.clone(), &Options::default())?;
    let failed = |error: &rusqlite::Error| unopened("compact", file.clone(), error);
    // What is still in the write-ahead log belongs to the size before, too.
    let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
    connection.execute_batch(checkpoint).map_err(|error| failed(&error))?;
    let before = length(&file)?;
    connection.execute_batch(&format!("VACUUM; {checkpoint}")).map_err(|error| failed(&error))?;
    Ok(Compacted { before, after: length(&file)? })
}

fn length(file: &Path) -> Result<u64, OpenError> {
    let read = std::fs::metadata(file).map(|file| file.len());
    read.map_err(|source| OpenError::Directory { doing: "measure", path: file.to_owned(), source })
}
