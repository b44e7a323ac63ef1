//! The files of a pack, read into memory once, so that what was checked is what is used and written.
//!
//! It refuses links, names that are no UTF-8, and whatever is over the limits. Names that begin with a dot are no part of a
//! pack.

use std::collections::BTreeMap;
use std::fs::{DirEntry, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use cuebook_template::{Diagnostic, Source};
use cuebook_wire::ErrorCode;

use super::archive;
use crate::files::{shown, unreadable};
use crate::report::Problems;

/// The largest file of a pack, in bytes.
pub(super) const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// The most bytes that the files of a pack have together.
pub(super) const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The most files and folders of a pack.
pub(super) const MAX_ENTRIES: usize = 1000;

/// The files of a pack by their path within it, with `/` between the parts.
#[derive(Debug)]
pub(crate) struct PackFiles {
    root: PathBuf,
    files: BTreeMap<String, Vec<u8>>,
}

impl PackFiles {
    /// Reads every file below the directory `root`, or in the archive that it is.
    ///
    /// # Errors
    ///
    /// `pack_invalid` for each link, special file, and name that is no UTF-8, and at the first limit that is passed;
    /// `file_unreadable` for what cannot be read.
    pub(super) fn read(root: &Path) -> Result<Self, Problems> {
        if archive::is_archive(root) {
            return Ok(Self { root: root.to_owned(), files: archive::read(root)? });
        }
        let mut walk =
            Walk { root, files: BTreeMap::new(), folders: vec![String::new()], entries: 0, bytes: 0 };
        let mut problems = Problems::new();
        while let Some(folder) = walk.folders.pop() {
            match walk.read_folder(&folder) {
                Ok(found) => problems.extend(found),
                Err(stop) => {
                    problems.extend(stop);
                    break;
                }
            }
        }
        problems.or(Self { root: root.to_owned(), files: walk.files })
    }

    /// The directory that the files were read from.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// The bytes of the file at `path`; a leading `./` is allowed, `..` leads nowhere.
    pub(super) fn get(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path.strip_prefix("./").unwrap_or(path)).map(Vec::as_slice)
    }

    /// The text of the file at `path`, if there is one.
    ///
    /// # Errors
    ///
    /// `file_unreadable` when it is not UTF-8.
    pub(crate) fn text(&self, path: &str) -> Option<Result<Source, Problems>> {
        let bytes = self.get(path)?;
        let file = self.root.join(path);
        Some(match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Source::new(shown(&file).to_string(), text)),
            Err(error) => Err(unreadable(&file, &format!("byte {} is not UTF-8", error.valid_up_to()))),
        })
    }

    /// Every file with its path, in the order of the paths' bytes.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
    }
}

/// A walk over the folders of a pack.
struct Walk<'a> {
    root: &'a Path,
    files: BTreeMap<String, Vec<u8>>,
    folders: Vec<String>,
    entries: usize,
    bytes: u64,
}

impl Walk<'_> {
    /// Reads one folder; gives what is wrong with its entries, or stops when going on is of no use.
    fn read_folder(&mut self, folder: &str) -> Result<Vec<Diagnostic>, Problems> {
        let path = self.root.join(folder);
        let failed = |error: &io::Error| unreadable(&path, &error.to_string());
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&path).map_err(|error| failed(&error))? {
            let entry = entry.map_err(|error| failed(&error))?;
            found.extend(self.read_entry(folder, &entry)?);
        }
        Ok(found)
    }

    fn read_entry(&mut self, folder: &str, entry: &DirEntry) -> Result<Option<Diagnostic>, Problems> {
        let place = entry.path();
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            return Ok(Some(refused(format!("the name of {} is not UTF-8", shown(&place)))));
        };
        if name.starts_with('.') {
            return Ok(None);
        }
        self.entries += 1;
        if self.entries > MAX_ENTRIES {
            return Err(
                refused(format!("the pack {} has more than {MAX_ENTRIES} files", shown(self.root))).into()
            );
        }
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        match entry.file_type().map_err(|error| unreadable(&place, &error.to_string()))? {
            kind if kind.is_dir() => self.folders.push(path),
            kind if kind.is_file() => self.read_file(path, &place)?,
            kind if kind.is_symlink() => {
                return Ok(Some(refused(format!("{} is a link, which no pack may hold", shown(&place)))));
            }
            _ => return Ok(Some(refused(format!("{} is no regular file", shown(&place))))),
        }
        Ok(None)
    }

    fn read_file(&mut self, path: String, place: &Path) -> Result<(), Problems> {
        let failed = |error: &io::Error| unreadable(place, &error.to_string());
        let file = File::open(place).map_err(|error| failed(&error))?;
        let mut bytes = Vec::new();
        file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
        let length = bytes.len() as u64;
        self.bytes += length;
        if length > MAX_FILE_BYTES {
            return Err(refused(format!("{} has more than {MAX_FILE_BYTES} bytes", shown(place))).into());
        }
        if self.bytes > MAX_BYTES {
            return Err(
                refused(format!("the pack {} has more than {MAX_BYTES} bytes", shown(self.root))).into()
            );
        }
        self.files.insert(path, bytes);
        Ok(())
    }
}

/// What is wrong with the files of a pack.
pub(crate) fn refused(message: String) -> Diagnostic {
    Diagnostic::error(ErrorCode::PackInvalid.as_str(), message)
}
