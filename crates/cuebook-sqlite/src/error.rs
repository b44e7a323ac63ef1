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
    #[error("cannot {doing} '{}'", path.display())]
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
    #[error("the data directory '{}' is in use by {holder}", path.display())]
    Held {
        /// The data directory.
        path: PathBuf,
        /// The process that holds it, as it described itself: its id and when it began.
        holder: String,
    },
    /// The file is no SQLite database.
    #[error("'{}' is no SQLite database", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// The file is a database of another application.
    #[error(
        "'{}' belongs to another application (application id {found:#010x}, expected {expected:#010x})",
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
    #[error("'{}' has format {found}, this version knows formats up to {newest}", path.display())]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// The format of the database.
        found: u32,
        /// The newest format that this version knows.
        newest: u32,
    },
    /// A page of the database is torn or overwritten.
    #[error("'{}' is damaged: {found}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The first damage that SQLite names: places, no values.
        found: String,
    },
    /// SQLite itself failed.
    #[error("cannot {doing} the database '{}': {reason}", path.display())]
    Sqlite {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        reason: String,
        /// What helps against that, if anybody knows.
        hint: Option<&'static str>,
    },
    /// A thread of the store could not be started.
    #[error("cannot start a thread of the store")]
    Thread {
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
}

impl OpenError {
    /// What helps, as half a sentence; none when nobody knows.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Directory { .. } => Some("the data directory must be one that this process may write"),
            Self::Held { .. } => Some("stop it or choose another directory"),
            Self::NotADatabase { .. } | Self::OtherApplication { .. } => {
                Some("move it away or choose another directory")
            }
            Self::NewerFormat { .. } => Some("use a newer version or choose another directory"),
            Self::Damaged { .. } => hint(ErrorCode::DatabaseCorrupt),
            Self::Sqlite { hint, .. } => *hint,
            Self::Thread { .. } => Some("check the limits of this process"),
        }
    }
}

/// SQLite's failure at `doing` with the database `path`, when it is opened.
pub(crate) fn unopened(doing: &'static str, path: PathBuf, error: &rusqlite::Error) -> OpenError {
    let hint = error.sqlite_error_code().and_then(hint);
    OpenError::Sqlite { doing, path, reason: error.to_string(), hint }
}

/// What a port answers when SQLite fails at `doing`.
pub(crate) fn storage(doing: &str, error: &rusqlite::Error) -> LogError {
    let text = format!("cannot {doing}: {}", describe(error));
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => LogError::Full(text),
        _ => LogError::Storage(text),
    }
}

/// What SQLite says, and what helps.
fn describe(error: &rusqlite::Error) -> String {
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
