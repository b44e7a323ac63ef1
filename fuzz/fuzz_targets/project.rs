//! Project files: any text is read or refused without a panic, and what is told of it has its place within the file.
//!
//! The input is the project file and, behind the divider, the local file beside it. Both are written into one directory of the
//! process, which holds two prompt files.

#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use cuebook_fuzz::DIVIDER;
use cuebook_project::{FileFacts, compose, load};
use cuebook_template::Diagnostic;
use libfuzzer_sys::fuzz_target;

static DIRECTORY: LazyLock<PathBuf> = LazyLock::new(|| {
    let directory = std::env::temp_dir().join(format!("cuebook-fuzz-{}", std::process::id()));
    for (path, text) in [(".cuebook/x.md", "X"), ("a", "A"), ("b", " ")] {
        let path = directory.join(path);
        let parent = path.parent().expect("a parent");
        fs::create_dir_all(parent).and_then(|()| fs::write(&path, text)).expect("a file");
    }
    directory
});

fn check_findings(findings: &[Diagnostic]) {
    for finding in findings {
        assert!(!finding.message.is_empty() && !finding.code.is_empty());
        let place = finding.label.as_ref().map(|label| label.source.slice(label.span));
        assert_ne!(place, Some(None), "{finding}");
    }
}

fuzz_target!(|input: &str| {
    let (portable, local) = input.split_once(DIVIDER).unwrap_or((input, ""));
    for (name, text) in [("project.yaml", portable), ("project.local.yaml", local)] {
        fs::write(DIRECTORY.join(".cuebook").join(name), text).expect("a file");
    }
    match load(&DIRECTORY, &mut FileFacts::default()) {
        Err(problems) => {
            assert!(!problems.is_empty());
            check_findings(&problems);
        }
        Ok(loaded) => {
            check_findings(&loaded.remarks);
            for project in loaded.project.family() {
                assert!(project.workflows().is_ok());
                for recipe in project.recipes() {
                    assert!(compose(project.root(), recipe).is_ok_and(|compound| !compound.is_blank()));
                }
            }
        }
    }
});
