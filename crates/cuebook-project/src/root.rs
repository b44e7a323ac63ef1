//! A project's own directory, opened once; everything below it is read through the handle.
//!
//! It owns that no read leaves the root, whatever is swapped between a check and a read: a link is resolved by the handle, not
//! by its name. It refuses directories, pipes and devices, files over the limit, and texts that are not UTF-8.

use std::fmt;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions, OpenOptionsExt as _};
use cuebook_template::Source;

use crate::facts::whole;
use crate::path::{Base, PromptPath};

/// The most bytes of one file of a project.
pub const MAX_FILE_BYTES: u64 = 1 << 20;

/// The directories that may hold a project file, the first one first.
pub const CONFIG_DIRECTORIES: [&str; 2] = [".cuebook", ".kaged"];

/// An open project directory.
#[derive(Debug)]
pub struct Root {
    dir: Dir,
    path: PathBuf,
    whole_path: PathBuf,
    config: &'static str,
}

/// Why a file of a project cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadFault {
    /// There is none.
    Missing,
    /// A link on the way leads out of the root.
    Outside,
    /// It is a directory, a pipe or a device.
    NotAFile,
    /// It has more than [`MAX_FILE_BYTES`].
    TooLarge,
    /// The byte at this offset is not UTF-8.
    NotUtf8(usize),
    /// What the system says.
    Other(String),
}

impl fmt::Display for ReadFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("there is no such file"),
            Self::Outside => f.write_str("a link leads out of the project's root"),
            Self::NotAFile => f.write_str("it is no regular file"),
            Self::TooLarge => write!(f, "it has more than {MAX_FILE_BYTES} bytes"),
            Self::NotUtf8(at) => write!(f, "it is not UTF-8: byte {at} is out of place"),
            Self::Other(reason) => f.write_str(reason),
        }
    }
}

impl Root {
    /// Opens the directory of a project whose file lies in `config`.
    ///
    /// # Errors
    ///
    /// When the directory cannot be opened.
    pub fn open(path: &Path, config: &'static str) -> io::Result<Self> {
        let dir = Dir::open_ambient_dir(path, ambient_authority())?;
        Ok(Self { dir, path: path.to_owned(), whole_path: whole(path), config })
    }

    /// The directory that holds a project file below `path`, of [`CONFIG_DIRECTORIES`].
    pub fn config_directories(path: &Path) -> Vec<&'static str> {
        let has_file = |config: &&str| path.join(config).join("project.yaml").symlink_metadata().is_ok();
        CONFIG_DIRECTORIES.into_iter().filter(has_file).collect()
    }

    /// The path that the project was opened at.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The same from the root of the file system on.
    pub(crate) fn whole_path(&self) -> &Path {
        &self.whole_path
    }

    /// The directory of the project file, below the root.
    pub fn config(&self) -> &'static str {
        self.config
    }

    /// Where `path` lies below the root.
    pub fn below(&self, path: &PromptPath) -> PathBuf {
        match path.base {
            Base::Project => PathBuf::from(&path.relative),
            Base::Config => Path::new(self.config).join(&path.relative),
        }
    }

    /// The name under which messages show a path below the root.
    pub fn shown(&self, below: &Path) -> String {
        let joined = self.path.join(below);
        joined.strip_prefix(".").unwrap_or(&joined).display().to_string()
    }

    /// Reads a file below the root, under the name that messages show.
    ///
    /// # Errors
    ///
    /// As [`ReadFault`] says.
    pub fn read(&self, below: &Path) -> Result<Source, ReadFault> {
        let mut buffer = Vec::new();
        let text = self.read_into(below, &mut buffer)?;
        Ok(Source::new(self.shown(below), text))
    }

    /// Reads a file below the root into `buffer`, whose content goes and whose room is used again.
    ///
    /// # Errors
    ///
    /// As [`ReadFault`] says.
    pub(crate) fn read_into<'b>(&self, below: &Path, buffer: &'b mut Vec<u8>) -> Result<&'b str, ReadFault> {
        let (file, length) = self.open_file(below)?;
        buffer.clear();
        // One byte more than the file should have, so that its end is seen without another look.
        buffer.reserve(length + 1);
        file.take(MAX_FILE_BYTES + 1).read_to_end(buffer).map_err(|error| fault(&error))?;
        if buffer.len() as u64 > MAX_FILE_BYTES {
            return Err(ReadFault::TooLarge);
        }
        std::str::from_utf8(buffer).map_err(|error| ReadFault::NotUtf8(error.valid_up_to()))
    }

    /// Whether there is a directory at `below` that does not lead out.
    ///
    /// # Errors
    ///
    /// As [`ReadFault`] says.
    pub(crate) fn enter(&self, below: &Path) -> Result<(), ReadFault> {
        self.dir.open_dir(below).map(drop).map_err(|error| fault(&error))
    }

    /// The names of the entries of a directory below the root; none when it cannot be read.
    pub(crate) fn file_names(&self, below: &Path) -> Vec<String> {
        let entries = self.dir.read_dir(below).into_iter().flatten();
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
    }

    /// Opens a regular file and tells its length; a pipe does not hold the reader up, since nobody waits for its other end.
    fn open_file(&self, below: &Path) -> Result<(File, usize), ReadFault> {
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(libc::O_NONBLOCK);
        let file = self.dir.open_with(below, &options).map_err(|error| fault(&error))?;
        let facts = file.metadata().map_err(|error| fault(&error))?;
        match (facts.is_file(), facts.len()) {
            (false, _) => Err(ReadFault::NotAFile),
            (true, bytes) if bytes > MAX_FILE_BYTES => Err(ReadFault::TooLarge),
            (true, bytes) => Ok((file, usize::try_from(bytes).unwrap_or_default())),
        }
    }
}

fn fault(error: &io::Error) -> ReadFault {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadFault::Missing,
        io::ErrorKind::IsADirectory => ReadFault::NotAFile,
        io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => ReadFault::Outside,
        _ => match error.raw_os_error() {
            Some(libc::EXDEV) => ReadFault::Outside,
            _ => ReadFault::Other(error.to_string()),
        },
    }
}
