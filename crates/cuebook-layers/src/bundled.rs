//! The packs that come with the program.
//!
//! It owns their files as they were when the program was built. It refuses to read them as packs: they pass the same door
//! as the packs of anyone else.

use include_dir::{Dir, include_dir};

use crate::files::FileTree;

/// A directory a pack.
static BUNDLED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/bundled");

/// The packs inside the program: the name of each one's directory, and its files.
pub fn bundled() -> Vec<(&'static str, FileTree)> {
    BUNDLED.dirs().map(|pack| (name_of(pack), FileTree::of(files_of(pack)))).collect()
}

fn name_of(pack: &Dir<'static>) -> &'static str {
    pack.path().to_str().unwrap_or_default()
}

/// The files of a pack by their paths below its directory.
fn files_of(pack: &Dir<'static>) -> Vec<(String, &'static str)> {
    let mut found = Vec::new();
    collect(pack, &format!("{}/", name_of(pack)), &mut found);
    found
}

fn collect(directory: &Dir<'static>, root: &str, found: &mut Vec<(String, &'static str)>) {
    found.extend(directory.files().filter_map(|file| {
        let path = file.path().to_str()?.strip_prefix(root)?;
        Some((path.to_owned(), file.contents_utf8()?))
    }));
    for below in directory.dirs() {
        collect(below, root, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MAX_FILE_BYTES;

    fn check(directory: &Dir<'_>) -> usize {
        for file in directory.files() {
            assert!(file.contents_utf8().is_some(), "{} is not UTF-8", file.path().display());
            assert!(file.contents().len() as u64 <= MAX_FILE_BYTES, "{}", file.path().display());
        }
        directory.files().count() + directory.dirs().map(check).sum::<usize>()
    }

    #[test]
    fn every_file_can_be_had() {
        let files: usize = bundled().iter().map(|(_, tree)| tree.len()).sum();
        assert_eq!(check(&BUNDLED), files);
    }
}
