//! Where packs lie: in directories with a manifest.
//!
//! Names that begin with a dot are left out: they are packs on their way in or out.

use std::path::{Path, PathBuf};

use crate::files::entries;
use crate::report::Problems;

/// The directories with one of these manifests below `directory`, or `directory` itself when it is one.
///
/// # Errors
///
/// `file_unreadable` when the directory is there and cannot be listed.
pub(crate) fn places(directory: &Path, manifests: &[&str]) -> Result<Vec<PathBuf>, Problems> {
    let below = entries(directory)?.into_iter().filter(|path| !is_hidden(path));
    let candidates = std::iter::once(directory.to_owned()).chain(below);
    let is_pack = |path: &PathBuf| manifests.iter().any(|manifest| path.join(manifest).is_file());
    Ok(candidates.filter(is_pack).collect())
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}
