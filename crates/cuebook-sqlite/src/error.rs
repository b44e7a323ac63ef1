//! Why a database cannot be opened, and how a failure of SQLite reads to whoever asked a port.
//!
//! It refuses to show values: messages name what was done and what SQLite says of it, never what was stored.

use std::path::PathBuf;

use cuebook_log::LogError;
use rusqlite::ErrorCode;

/// Why a data directory or its database cannot be opened; nothing in it was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The directory, or a file in it, cannot be made, read or written.
    #[error("cannot {doing} '{}'; the data directory must be a directory this process may write", path.display())]
    Directory {
        /// What was tried.
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
    /// Another process holds the directory.
    #[error("the data directory '{}' is in use by {holder}; stop it or choose another directory", path.display())]
    Held {
        /// The data directory.
        path: PathBuf,
        /// The process that holds it, as it described itself: its id and when it began.
        holder: String,
    },
    /// The file is no SQLite database.
    #[error("'{}' is no SQLite database; move it away or choose another directory", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// The file is a database of another application.
    #[error(
        "'{}' belongs to another application (application id {found:#010x}, expected {expected:#010x}); \
         move it away or choose another directory",
        path.display()
    )]
    OtherApplication {
        /// The file.
        path: PathBuf,
        /// The application id that it carries.
        found: u32,
        /// The application id of Cuebook.
        expected: u32,
    },
    /// The database was written by a newer version of Cuebook.
    #[error(
        "'{}' has format {found}, this version knows formats up to {newest}; \
         use a newer version or choose another directory",
        path.display()
    )]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// The format of the database.
        found: u32,
        /// The newest format that this version knows.
        newest: u32,
    },
    /// SQLite itself failed.
    #[error("cannot {doing} the database '{}'", path.display())]
    Sqlite {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A thread of the store could not be started.
    #[error("cannot start a thread of the store")]
    Thread {
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
}

/// What a port answers when SQLite fails at `doing`.
pub(crate) fn storage(doing: &str, error: &rusqlite::Error) -> LogError {
    LogError::Storage(format!("cannot {doing}: {}", describe(error)))
}

/// What SQLite says, and what helps.
pub(crate) fn describe(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code().and_then(hint) {
        Some(hint) => format!("{error} ({hint})"),
        None => error.to_string(),
    }
}

/// What helps against a failure that the one who runs the host can do something about.
fn hint(code: ErrorCode) -> Option<&'static str> {
    match code {
        ErrorCode::DiskFull => Some("free space on the disk of the data directory"),
        ErrorCode::SystemIoFailure => {
            Some("check the disk of the data directory and the limits of this process")
        }
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen => {
            Some("this process must be able to write the data directory")
        }
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
            Some("another program holds the database; end it")
        }
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
            Some("the file is damaged; restore it from a copy")
        }
        _ => None,
    }
}

/// What a port answers when something in the database is not what this crate wrote there.
pub(crate) fn damaged(what: impl std::fmt::Display) -> LogError {
    LogError::Storage(format!("{what} is damaged; restore the database from a copy"))
}
