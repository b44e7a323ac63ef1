//! Writing exported files: all are prepared beside their places, then put there one by one; those that are the same are
//! left alone.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use cuebook_template::Diagnostic;
use cuebook_wire::pack::PACK_FILE;
use cuebook_wire::{ErrorCode, PromptTemplate};
use tempfile::NamedTempFile;

use super::form::TemplateFile;
use super::pack::{PackName, pack_document};
use crate::files::shown;
use crate::report::Problems;

/// What an export came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// The files that were written.
    pub written: Vec<PathBuf>,
    /// The files that were there with the same bytes.
    pub unchanged: Vec<PathBuf>,
}

/// Writes each template to a file of its own in `directory`, which is made when it is not there; other files are left alone.
///
/// # Errors
///
/// `file_unreadable` when something cannot be written.
pub fn export_files(directory: &Path, templates: &[PromptTemplate]) -> Result<Exported, Problems> {
    let files: Vec<TemplateFile> = templates.iter().map(TemplateFile::of).collect();
    put(directory, &files).map_err(|error| unwritable(directory, &error))
}

/// Writes a pack of prompts to `directory`, which is made when it is not there.
///
/// # Errors
///
/// As [`pack_document`] and [`export_files`].
pub fn export_pack(
    directory: &Path,
    pack: &PackName,
    templates: &[PromptTemplate],
) -> Result<Exported, Problems> {
    let content = pack_document(pack, templates)?;
    let file = TemplateFile { name: PACK_FILE.to_owned(), content };
    put(directory, &[file]).map_err(|error| unwritable(directory, &error))
}

fn put(directory: &Path, files: &[TemplateFile]) -> io::Result<Exported> {
    fs::create_dir_all(directory)?;
    let mut exported = Exported::default();
    let mut prepared = Vec::new();
    for file in files {
        let path = directory.join(&file.name);
        if fs::read(&path).is_ok_and(|there| there == file.content.as_bytes()) {
            exported.unchanged.push(path);
        } else {
            prepared.push((prepare(directory, file)?, path));
        }
    }
    for (file, path) in prepared {
        file.persist(&path)?;
        exported.written.push(path);
    }
    fs::File::open(directory)?.sync_all()?;
    Ok(exported)
}

fn prepare(directory: &Path, file: &TemplateFile) -> io::Result<NamedTempFile> {
    let mut options = tempfile::Builder::new();
    let mut new = options.prefix(".new-").permissions(readable()).tempfile_in(directory)?;
    new.write_all(file.content.as_bytes())?;
    new.as_file().sync_all()?;
    Ok(new)
}

/// Readable for everybody whom the umask lets, as files of a project are.
fn readable() -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    fs::Permissions::from_mode(0o644)
}

fn unwritable(directory: &Path, error: &io::Error) -> Problems {
    let message = format!("cannot write to {}: {error}", shown(directory));
    Diagnostic::error(ErrorCode::FileUnreadable.as_str(), message).into()
}
