//! The data directory: one process holds it at a time.
//!
//! The hold is an advisory lock of the operating system on the file `lock`, so it ends with the process, however that
//! ends. The text in the file says who holds it; it is never trusted to decide whether somebody does.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use cuebook_wire::Timestamp;

use crate::error::OpenError;

/// A data directory that this process holds, until the last clone of this value is dropped.
#[derive(Clone, Debug)]
pub struct DataDir {
    path: PathBuf,
    _lock: Arc<Lock>,
}

/// The locked file.
#[derive(Debug)]
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a process that is just being started has the file open until it becomes another program.
        // Whatever fails here, the lock goes when the last of them closes the file.
        let _ = self.0.unlock();
    }
}

impl DataDir {
    /// Takes hold of the directory `path`, and makes it, for this user alone, when it is not there.
    ///
    /// # Errors
    ///
    /// [`OpenError::Held`] when another process, or another value in this one, holds it; [`OpenError::Directory`] when the
    /// directory or its lock file cannot be made or written.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, OpenError> {
        let path = path.into();
        make(&path).map_err(|source| OpenError::Directory {
            doing: "make the directory",
            path: path.clone(),
            source,
        })?;
        let lock = hold(&path)?;
        Ok(Self { path, _lock: Arc::new(Lock(lock)) })
    }

    /// Where the directory is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where its database is.
    pub fn database(&self) -> PathBuf {
        self.path.join("cuebook.db")
    }
}

fn make(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

fn hold(directory: &Path) -> Result<File, OpenError> {
    let path = directory.join("lock");
    let failed = |doing| move |source| OpenError::Directory { doing, path: directory.join("lock"), source };
    let mut file = open_private(&path).map_err(failed("open the lock file"))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(held(directory, &mut file)),
        Err(TryLockError::Error(source)) => return Err(failed("lock")(source)),
    }
    describe(&mut file).map_err(failed("write the lock file"))?;
    Ok(file)
}

/// Opens a file to read and write; one that is made is for this user alone.
pub(crate) fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.read(true).write(true).create(true).truncate(false).open(path)
}

/// Writes into the locked file who holds it.
fn describe(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    writeln!(file, "process {}, running since {}", std::process::id(), now())?;
    file.flush()
}

fn held(directory: &Path, file: &mut File) -> OpenError {
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.take(200).read_to_string(&mut text));
    let holder = match read {
        Ok(length) if length > 0 => text.trim_end().to_owned(),
        _ => "another process".to_owned(),
    };
    OpenError::Held { path: directory.to_owned(), holder }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
