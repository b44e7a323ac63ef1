//! House rules that a compiler does not know.

use std::path::{Path, PathBuf};

use crate::{read, root};

/// A file past this many lines is looked at again, and split or listed here with its reason.
const MAX_LINES: usize = 500;

fn files_below(directory: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let entries =
        std::fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    for entry in entries {
        let path = entry.expect("a directory entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            files_below(&path, extension, found);
        } else if path.extension().is_some_and(|it| it == extension) {
            found.push(path);
        }
    }
}

fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for directory in ["crates", "xtask", "fuzz"] {
        files_below(&root().join(directory), "rs", &mut found);
    }
    assert!(found.len() > 50, "the sources were not found");
    found
}

#[track_caller]
fn check(rule: &str, mut breaks: impl FnMut(&Path, &str) -> bool) {
    let broken: Vec<String> = sources()
        .into_iter()
        .filter(|path| breaks(path, &read(path)))
        .map(|path| path.strip_prefix(root()).unwrap_or(&path).display().to_string())
        .collect();
    assert!(broken.is_empty(), "{rule}:\n{}", broken.join("\n"));
}

#[test]
fn every_module_says_what_it_owns() {
    check("these files do not open with //!", |path, text| {
        !text.starts_with("//!") && !text.starts_with("#![no_main]") && !path.ends_with("build.rs")
    });
}

#[test]
fn files_stay_readable() {
    check("these files are too long", |_, text| text.lines().count() > MAX_LINES);
}

#[test]
fn nothing_is_left_undone() {
    let marks = [format!("{}DO", "TO"), format!("{}ME", "FIX")];
    check("these files hold work that is not done", |_, text| {
        marks.iter().any(|mark| text.contains(mark.as_str()))
    });
}

#[test]
fn tests_neither_sleep_nor_hide() {
    let ignored = format!("#[{}", "ignore");
    let panics = format!("#[{}", "should_panic");
    check("these files ignore tests or expect panics", |_, text| {
        text.contains(&ignored) || text.contains(&panics)
    });
}

#[test]
fn dispatch_is_read_in_one_place() {
    let call = format!(".{}(", "expose");
    let allowed = |path: &Path| {
        let path = path.display().to_string();
        let readers = ["cuebook-prompt/", "cuebook-provider/", "cuebook-sim/", "/tests/"];
        readers.iter().any(|reader| path.contains(reader))
    };
    check("these files read secrets or dispatch texts", |path, text| !allowed(path) && text.contains(&call));
}

#[test]
fn machine_paths_stay_out() {
    let mut found = Vec::new();
    for extension in ["rs", "md", "toml", "json"] {
        for directory in ["crates", "xtask", "docs", "examples"] {
            files_below(&root().join(directory), extension, &mut found);
        }
    }
    found.extend(
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "AGENTS.md"]
            .map(|it| root().join(it)),
    );
    let roots = ["work", "home", "root"].map(|name| format!("/{name}/"));
    // A path of a machine begins with its root; `up/root/a` is some path of a test.
    let begins = |text: &str, root: &str| {
        text.match_indices(root)
            .any(|(at, _)| !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '.'))
    };
    let named: Vec<_> = found.iter().filter(|path| roots.iter().any(|it| begins(&read(path), it))).collect();
    assert!(named.is_empty(), "these files name paths of a machine: {named:?}");
}
