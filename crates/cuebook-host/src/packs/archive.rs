//! A pack as it is published: a tar archive under gzip, read into memory and never unpacked to the disk.
//!
//! It refuses links, special files, names that lead out of the archive or are no UTF-8, and whatever is over the limits,
//! counted in bytes that were inflated. A folder that holds everything, as some packers make it, is left out of the names.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use cuebook_layers::MANIFEST_FILE;
use cuebook_wire::pack::PACK_FILE;
use flate2::read::GzDecoder;
use tar::{Archive, Entry, EntryType};

use super::files::{MAX_BYTES, MAX_ENTRIES, MAX_FILE_BYTES, refused};
use crate::files::{shown, unreadable};
use crate::report::Problems;

/// The most bytes that an archive inflates to: its files, and the headers and padding around them.
const MAX_INFLATED: u64 = MAX_BYTES + 2048 * MAX_ENTRIES as u64;

/// Whether a path is called as archives of packs are.
pub(crate) fn is_archive(path: &Path) -> bool {
    let is = |path: &Path, ending: &str| path.extension().is_some_and(|it| it.eq_ignore_ascii_case(ending));
    let is_zipped_tar = is(path, "gz") && path.file_stem().is_some_and(|stem| is(Path::new(stem), "tar"));
    path.is_file() && (is(path, "tgz") || is_zipped_tar)
}

/// The files of the archive at `path` by their names.
///
/// # Errors
///
/// `pack_invalid` for each entry that no pack may hold, and at the first limit that is passed; `file_unreadable` when the
/// archive cannot be read to its end.
pub(super) fn read(path: &Path) -> Result<BTreeMap<String, Vec<u8>>, Problems> {
    let file = std::fs::File::open(path).map_err(|error| unreadable(path, &error.to_string()))?;
    let mut archive = Archive::new(GzDecoder::new(file).take(MAX_INFLATED));
    let mut unpacked =
        Unpacked { path, files: BTreeMap::new(), problems: Problems::new(), bytes: 0, entries: 0 };
    let broken = |error: std::io::Error| unreadable(path, &error.to_string());
    for entry in archive.entries().map_err(broken)? {
        unpacked.take(entry.map_err(broken)?)?;
    }
    let Unpacked { files, problems, .. } = unpacked;
    problems.or(without_folder(files))
}

/// What has been read.
struct Unpacked<'a> {
    path: &'a Path,
    files: BTreeMap<String, Vec<u8>>,
    problems: Problems,
    bytes: u64,
    entries: usize,
}

impl Unpacked<'_> {
    /// Takes one entry; stops when going on is of no use.
    fn take(&mut self, entry: Entry<'_, impl Read>) -> Result<(), Problems> {
        self.entries += 1;
        if self.entries > MAX_ENTRIES {
            return Err(self.over(&format!("has more than {MAX_ENTRIES} files")));
        }
        match (name_of(&entry), entry.header().entry_type()) {
            (_, EntryType::XGlobalHeader) | (Some(_), EntryType::Directory) => {}
            (None, _) => self.refuse("holds a name that is not plain: no '..', no root, UTF-8 only"),
            (Some(name), EntryType::Regular) => self.read_file(&name, entry)?,
            (Some(name), _) => self.refuse(&format!("holds '{name}', which is no regular file")),
        }
        Ok(())
    }

    fn read_file(&mut self, name: &str, entry: Entry<'_, impl Read>) -> Result<(), Problems> {
        if is_hidden(name) {
            return Ok(());
        }
        let mut bytes = Vec::new();
        let read = entry.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|error| unreadable(self.path, &error.to_string()))?;
        self.bytes += bytes.len() as u64;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(self.over(&format!("holds '{name}', which has more than {MAX_FILE_BYTES} bytes")));
        }
        if self.bytes > MAX_BYTES {
            return Err(self.over(&format!("has more than {MAX_BYTES} bytes")));
        }
        if self.files.insert(name.to_owned(), bytes).is_some() {
            self.refuse(&format!("holds '{name}' twice"));
        }
        Ok(())
    }

    fn refuse(&mut self, why: &str) {
        self.problems.push(refused(format!("the archive {} {why}", shown(self.path))));
    }

    /// Everything that was refused, and the limit that was passed last.
    fn over(&mut self, why: &str) -> Problems {
        self.refuse(why);
        std::mem::take(&mut self.problems)
    }
}

/// The name of an entry with `/` between its parts; none when it is not plain.
fn name_of(entry: &Entry<'_, impl Read>) -> Option<String> {
    let bytes = entry.path_bytes();
    let name = std::str::from_utf8(&bytes).ok()?;
    let parts: Vec<&str> = name.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let is_plain = |part: &&str| *part != ".." && !part.contains(['\\', '\0']);
    (!name.starts_with('/') && parts.iter().all(is_plain)).then(|| parts.join("/"))
}

/// Whether a part of the name begins with a dot.
fn is_hidden(name: &str) -> bool {
    name.split('/').any(|part| part.starts_with('.'))
}

/// The files without the one folder that all of them are in, if a manifest is there and not at the top.
fn without_folder(files: BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    let folder = files.keys().next().and_then(|name| Some(format!("{}/", name.split_once('/')?.0)));
    let has = |folder: &str, manifest: &str| files.contains_key(&format!("{folder}{manifest}"));
    let has_manifest = |folder: &String| has(folder, PACK_FILE) || has(folder, MANIFEST_FILE);
    let Some(folder) = folder.filter(has_manifest) else {
        return files;
    };
    if !files.keys().all(|name| name.starts_with(&folder)) {
        return files;
    }
    files.into_iter().map(|(name, bytes)| (name[folder.len()..].to_owned(), bytes)).collect()
}
