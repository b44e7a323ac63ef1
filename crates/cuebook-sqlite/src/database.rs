//! One database file: whose it is, which format it has, and how connections to it are set up.
//!
//! Before anything is written, the file is looked at: what is not ours, newer than this version, damaged, or not to be
//! written, is left as it is.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use crate::data_dir::open_private;
use crate::error::{OpenError, unopened};
use crate::migrations::{FORMAT, migrate, version};
use crate::options::Options;

/// Marks a database as one of Cuebook: `CueB` in ASCII.
const APPLICATION_ID: u32 = 0x4375_6542;

/// How a database file begins (SQLite file format, section 1.3).
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Where the application id stands in that header, big-endian.
const APPLICATION_ID_AT: Range<usize> = 68..72;

/// Where the format stands in that header, big-endian; the write-ahead log may hold a newer one.
const USER_VERSION_AT: Range<usize> = 60..64;

/// Up to this size, in bytes, a database is read whole when it is opened, to find damage before anything is built on it.
/// A larger one would hold up the start; its damage is found where it is read.
const READ_WHOLE: u64 = 64 * 1024 * 1024;

/// How many prepared statements a connection keeps; more than this crate has.
const STATEMENTS: usize = 64;

/// A database file that is ours, and of a format that this version knows or can bring forward.
#[derive(Clone, Debug)]
pub(crate) struct Database {
    path: PathBuf,
    options: Options,
}

impl Database {
    /// Looks at the file, makes it when it is not there, and brings it to the present format.
    ///
    /// Gives the connection that writes: there is one.
    pub(crate) fn open(path: PathBuf, options: &Options) -> Result<(Self, Connection), OpenError> {
        let is_new = identify(&path)? == Identity::New;
        let database = Self { path, options: options.clone() };
        if is_new {
            // SQLite would let everybody read it; what it puts beside it has the mode of the file itself.
            open_private(&database.path).map_err(|source| OpenError::Directory {
                doing: "make the database",
                path: database.path.clone(),
                source,
            })?;
        } else {
            database.check_writable()?;
            database.check_format()?;
            database.check_pages()?;
        }
        let writer = database.open_writer(is_new).map_err(|error| database.failed("open", &error))?;
        Ok((database, writer))
    }

    /// A connection that only reads.
    pub(crate) fn reader(&self) -> rusqlite::Result<Connection> {
        let connection = self.connect(OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        Ok(connection)
    }

    fn connect(&self, mode: OpenFlags) -> rusqlite::Result<Connection> {
        let flags = mode | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        connection.busy_timeout(self.options.busy_timeout)?;
        Ok(connection)
    }

    /// Refuses a file that this process may not write: SQLite would open it all the same, for reading alone.
    fn check_writable(&self) -> Result<(), OpenError> {
        let opened = OpenOptions::new().write(true).open(&self.path);
        opened.map(drop).map_err(|source| OpenError::Directory {
            doing: "write",
            path: self.path.clone(),
            source,
        })
    }

    /// Refuses a file with a page that is torn or overwritten, unless it is too large to be read whole.
    fn check_pages(&self) -> Result<(), OpenError> {
        if fs::metadata(&self.path).is_ok_and(|file| file.len() > READ_WHOLE) {
            return Ok(());
        }
        let found = self.connect(OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(|connection| {
            connection.pragma_query_value(None, "quick_check", |row| row.get::<_, String>(0))
        });
        match found.map_err(|error| self.failed("read", &error))? {
            found if found == "ok" => Ok(()),
            found => Err(OpenError::Damaged { path: self.path.clone(), found: one_line(&found) }),
        }
    }

    /// Refuses a newer format that only the write-ahead log knows, so that SQLite has to be asked.
    fn check_format(&self) -> Result<(), OpenError> {
        let read = self.connect(OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(|connection| version(&connection));
        refuse_newer(&self.path, read.map_err(|error| self.failed("read", &error))?)
    }

    fn open_writer(&self, is_new: bool) -> rusqlite::Result<Connection> {
        let mode = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let mut connection = self.connect(mode)?;
        if is_new {
            // Before the write-ahead log is switched on: the mark must stand in the file itself.
            connection.pragma_update(None, "application_id", APPLICATION_ID)?;
        }
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        // A log that has grown under a slow reader gives its space back.
        connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        migrate(&mut connection)?;
        Ok(connection)
    }

    fn failed(&self, doing: &'static str, error: &rusqlite::Error) -> OpenError {
        unopened(doing, self.path.clone(), error)
    }
}

/// What SQLite says of damage stands on several lines.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a file is, as far as its first bytes tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Identity {
    /// It is not there, or empty.
    New,
    /// It carries our mark.
    Ours,
}

fn identify(path: &Path) -> Result<Identity, OpenError> {
    let header = read_header(path).map_err(|source| OpenError::Directory {
        doing: "read",
        path: path.to_owned(),
        source,
    })?;
    if header.is_empty() {
        return Ok(Identity::New);
    }
    let number = |range: Range<usize>| {
        header.get(range).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes)
    };
    match (header.starts_with(MAGIC), number(APPLICATION_ID_AT), number(USER_VERSION_AT)) {
        (true, Some(APPLICATION_ID), Some(format)) => refuse_newer(path, format).map(|()| Identity::Ours),
        (true, Some(found), _) => {
            Err(OpenError::OtherApplication { path: path.to_owned(), found, expected: APPLICATION_ID })
        }
        _ => Err(OpenError::NotADatabase { path: path.to_owned() }),
    }
}

fn refuse_newer(path: &Path, found: u32) -> Result<(), OpenError> {
    if found > FORMAT {
        return Err(OpenError::NewerFormat { path: path.to_owned(), found, newest: FORMAT });
    }
    Ok(())
}

/// The first 100 bytes of a file, or fewer when it has no more; none when it is not there.
fn read_header(path: &Path) -> io::Result<Vec<u8>> {
    let mut header = Vec::with_capacity(100);
    match File::open(path) {
        Ok(file) => file.take(100).read_to_end(&mut header).map(|_| header),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(header),
        Err(error) => Err(error),
    }
}
