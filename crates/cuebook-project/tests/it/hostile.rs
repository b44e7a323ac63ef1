//! Any bytes as a project file: they are read or refused, and every finding has its place within the file.

use cuebook_project::compose;
use proptest::prelude::*;
use proptest::sample::select;

use crate::support::{Desk, PROJECT};

const WORKFLOWS: &str = "workflows:\n  w:\n    description: W.\n    inputs: { topic: { type: string, default: x } }\n    steps: [{ id: a, agent: writer, prompt: prompts/writer.md, with: { task: \"On {{ inputs.topic }}\" } }]\n";
/// What means something in YAML, in paths, in names or in `with:` values.
const PIECES: [&str; 24] = [
    "\n",
    "  ",
    ": ",
    "- ",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "#",
    "&a ",
    "*a",
    "<<: *a",
    "|\n",
    "null",
    "~",
    "../",
    "config:/",
    "{{ ",
    " }}",
    "\u{feff}",
    "!!binary ",
    "---\n",
];

/// A sound project file from which something was cut, and into which something was put.
fn spoiled() -> impl Strategy<Value = Vec<u8>> {
    let text = format!("{PROJECT}{WORKFLOWS}");
    let length = text.len();
    let cut = (0..length, 0..40_usize, prop::collection::vec(select(PIECES.to_vec()), 0..4));
    prop::collection::vec(cut, 1..4).prop_map(move |cuts| {
        let mut bytes = text.clone().into_bytes();
        for (at, removed, pieces) in cuts {
            let at = at.min(bytes.len());
            let end = (at + removed).min(bytes.len());
            bytes.splice(at..end, pieces.concat().into_bytes());
        }
        bytes
    })
}

/// Loads `bytes` as the project file and as the local file of a sound one.
fn check(bytes: &[u8]) {
    let portable = Desk::with(PROJECT).file(".cuebook/project.yaml", bytes);
    let local = Desk::with(&format!("{PROJECT}{WORKFLOWS}")).file(".cuebook/project.local.yaml", bytes);
    for desk in [portable, local] {
        match desk.load() {
            Ok(loaded) => {
                assert!(!loaded.project.agents().is_empty());
                assert!(loaded.project.workflows().is_ok());
                for recipe in loaded.project.recipes() {
                    assert!(compose(loaded.project.root(), recipe).is_ok());
                }
            }
            Err(problems) => {
                assert!(!problems.is_empty());
                for problem in problems {
                    assert!(!problem.message.is_empty());
                    let place = problem.label.as_ref().map(|label| label.source.slice(label.span));
                    assert_ne!(place, Some(None), "outside its file: {problem}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check(&bytes);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        check(text.as_bytes());
    }

    #[test]
    fn a_spoiled_project_is_read_or_refused(bytes in spoiled()) {
        check(&bytes);
    }
}
