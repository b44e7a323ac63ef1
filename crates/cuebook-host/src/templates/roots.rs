//! The folders in which templates find each other.
//!
//! It owns the order of the roots, and the promise that no name leads out of them: no `..`, nothing absolute, no
//! symbolic link to elsewhere. It refuses to pass over a file that is there and cannot be had.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cuebook_template::pongo::{LoadError, Loader};
use cuebook_template::{Diagnostic, Source};
use cuebook_wire::ErrorCode;

use crate::files::{goes_down, read_text, shown, text_of};
use crate::report::Problems;
use crate::templates::input::is_stream;

/// Names that are collected for hints, at most.
const MAX_NAMES: usize = 10_000;

/// Folders that are searched in order: the first that has a name gives the file.
#[derive(Clone, Debug)]
pub struct Roots(Vec<Root>);

#[derive(Clone, Debug)]
struct Root {
    path: PathBuf,
    /// The same without symbolic links.
    real: PathBuf,
    /// What its files are marked with.
    layer: Arc<str>,
}

impl Roots {
    /// Takes `folders` for roots, or without any the folder of `file`; that of a stream is the current one.
    ///
    /// # Errors
    ///
    /// `file_unreadable` for every one that is no directory.
    pub fn open(folders: &[PathBuf], file: &Path) -> Result<Self, Problems> {
        let around = [folder_of(file)];
        let folders = if folders.is_empty() { &around[..] } else { folders };
        let mut problems = Problems::new();
        let roots = folders.iter().filter_map(|folder| problems.collect(Root::open(folder))).collect();
        problems.or(Self(roots))
    }

    /// The template to begin with: the file at this path under its name as typed, or else the one that a root has.
    ///
    /// # Errors
    ///
    /// `file_unreadable` when neither is there, or the one that is cannot be read.
    pub fn entry(&self, file: &Path) -> Result<Source, Problems> {
        let name = file.to_string_lossy();
        match (file.exists(), self.load(&name)) {
            (false, Ok(Some(source))) => Ok(source),
            _ => read_text(file),
        }
    }
}

impl Root {
    fn open(folder: &Path) -> Result<Self, Problems> {
        let real = folder.canonicalize().ok().filter(|real| real.is_dir());
        let real = real.ok_or_else(|| {
            let message = format!("there is no directory {}", shown(folder));
            Diagnostic::error(ErrorCode::FileUnreadable.as_str(), message)
        })?;
        Ok(Self { path: folder.to_owned(), real, layer: shown(folder).to_string().into() })
    }

    /// The file called `name`; `None` when this root has none.
    fn find(&self, name: &str) -> Result<Option<PathBuf>, LoadError> {
        match self.path.join(name).canonicalize() {
            Ok(real) if real.starts_with(&self.real) => Ok(Some(real)),
            Ok(_) => Err(refused(format!("a symbolic link leads out of {}", self.layer))),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(refused(error.to_string())),
        }
    }

    fn load(&self, name: &str) -> Result<Option<Source>, LoadError> {
        let Some(path) = self.find(name)? else { return Ok(None) };
        let text = text_of(&path).map_err(refused)?;
        Ok(Some(Source::new(name, text).in_layer(Arc::clone(&self.layer))))
    }
}

impl Loader for Roots {
    fn load(&self, name: &str) -> Result<Option<Source>, LoadError> {
        if !goes_down(name) {
            return Err(refused("a name stays below its root: no '..', nothing absolute".to_owned()));
        }
        let mut found = self.0.iter().map(|root| root.load(name));
        found.find(|found| !matches!(found, Ok(None))).unwrap_or(Ok(None))
    }

    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        self.0.iter().for_each(|root| collect(&root.path, &root.path, &mut names));
        names
    }
}

fn refused(message: String) -> LoadError {
    LoadError { message }
}

fn folder_of(file: &Path) -> PathBuf {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty() && !is_stream(file));
    parent.map_or_else(|| PathBuf::from("."), Path::to_owned)
}

/// The files below `folder` by their names from `root` on; links are not followed.
fn collect(root: &Path, folder: &Path, names: &mut Vec<String>) {
    let Ok(entries) = folder.read_dir() else { return };
    for entry in entries.flatten() {
        if names.len() >= MAX_NAMES {
            return;
        }
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(root, &path, names),
            Ok(kind) if kind.is_file() => {
                names.extend(path.strip_prefix(root).ok().and_then(Path::to_str).map(str::to_owned));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// A folder `a` above a folder `b`, with a file outside of both.
    fn layers() -> tempfile::TempDir {
        let directory = tempfile::tempdir().expect("a directory");
        for (file, text) in
            [("a/x.md", "a"), ("b/x.md", "b"), ("b/in/y.md", "y"), ("out.md", "o"), ("a/bad.md", "\u{1}")]
        {
            let path = directory.path().join(file);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            fs::write(path, text).expect("a file");
        }
        fs::write(directory.path().join("a/bad.md"), b"ok\xff").expect("a file");
        symlink(directory.path().join("out.md"), directory.path().join("a/link.md")).expect("a link");
        symlink("x.md", directory.path().join("b/alias.md")).expect("a link");
        directory
    }

    fn roots(directory: &tempfile::TempDir) -> Roots {
        let folders = ["a", "b"].map(|name| directory.path().join(name));
        Roots::open(&folders, Path::new("-")).expect("roots")
    }

    #[track_caller]
    fn check(name: &str, expect: Result<Option<&str>, &str>) {
        let directory = layers();
        match (roots(&directory).load(name), expect) {
            (Ok(found), Ok(expect)) => assert_eq!(found.as_ref().map(|it| &**it.text()), expect, "{name}"),
            (Err(error), Err(expect)) => assert!(error.message.contains(expect), "{name}: {error}"),
            (got, expect) => panic!("{name}: got {got:?}, expected {expect:?}"),
        }
    }

    #[test]
    fn the_first_root_that_has_a_name_gives_the_file() {
        check("x.md", Ok(Some("a")));
        check("in/y.md", Ok(Some("y")));
        check("./in/y.md", Ok(Some("y")));
        check("alias.md", Ok(Some("b")));
        check("none.md", Ok(None));
        check("x.md/none", Ok(None));
    }

    #[test]
    fn no_name_leads_out() {
        check("../out.md", Err("below its root"));
        check("in/../x.md", Err("below its root"));
        check("/etc/hostname", Err("below its root"));
        check("link.md", Err("a symbolic link leads out of"));
    }

    #[test]
    fn what_is_there_and_cannot_be_had_is_not_passed_over() {
        check("bad.md", Err("byte 2 is not UTF-8"));
        check("in", Err("not a regular file"));
        check("", Err("not a regular file"));
    }

    #[test]
    fn names_are_those_of_all_roots() {
        let directory = layers();
        let mut names = roots(&directory).names();
        names.sort();
        assert_eq!(names, ["bad.md", "in/y.md", "x.md", "x.md"]);
    }

    #[test]
    fn files_carry_their_layer() {
        let directory = layers();
        let source = roots(&directory).load("in/y.md").expect("it loads").expect("it is there");
        assert_eq!(source.layer(), directory.path().join("b").to_str());
        assert_eq!(&**source.name(), "in/y.md");
    }

    #[test]
    fn a_root_that_is_none_is_a_problem() {
        let problems = Roots::open(&["nowhere".into(), "Cargo.toml".into()], Path::new("-"));
        assert_eq!(problems.expect_err("none is a directory").iter().count(), 2);
    }
}
