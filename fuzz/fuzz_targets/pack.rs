//! Packs of templates: any files are read or refused without a panic, and every template of a pack that was read compiles or
//! tells why not.
//!
//! The input is the files, one behind another with a divider between them; the first line of each is its path.

#![no_main]

use std::collections::BTreeSet;
use std::sync::Arc;

use cuebook_fuzz::DIVIDER;
use cuebook_layers::{Catalog, Choice, FileTree, ForAgents, LayeredPrompts, Layers, OverlayRoots, Pack};
use cuebook_template::Diagnostic;
use libfuzzer_sys::fuzz_target;

fn check_findings(findings: &[Diagnostic]) {
    for finding in findings {
        assert!(!finding.message.is_empty() && !finding.code.is_empty());
        let place = finding.label.as_ref().map(|label| label.source.slice(label.span));
        assert_ne!(place, Some(None), "{finding}");
    }
}

fn files(input: &str) -> FileTree {
    FileTree::of(input.split(DIVIDER).filter_map(|file| file.split_once('\n')))
}

fuzz_target!(|input: &str| {
    let pack = match Pack::read(&files(input), "pack") {
        Ok(pack) => pack,
        Err(problems) => {
            assert!(!problems.is_empty());
            return check_findings(&problems);
        }
    };
    check_findings(&pack.notes);
    let (catalog, problems) = Catalog::of(vec![pack], &Choice::default());
    check_findings(&problems);
    let layers = Layers::new(&OverlayRoots::default(), Arc::new(catalog));
    let (prompts, problems) = LayeredPrompts::new(layers, ForAgents::default(), &BTreeSet::new());
    check_findings(&problems);
    let snapshot = prompts.layers().snapshot();
    for name in snapshot.references() {
        if let Err(problems) = prompts.prepare(name.as_str()) {
            assert!(!problems.is_empty());
            check_findings(&problems);
        }
    }
});
