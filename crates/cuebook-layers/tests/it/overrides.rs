//! Overriding a file with its own bytes changes nothing but the tier.

use std::collections::BTreeMap;
use std::sync::Arc;

use cuebook_layers::{Catalog, FileTree, Layer, Snapshot, TemplateRef, Tier};
use cuebook_template::pongo::{Context, Settings};
use proptest::prelude::*;

/// The last one includes all before it, so that an override of any shows in its text.
const NAMES: [&str; 4] =
    ["shared/partials/a.md", "shared/partials/b.md", "guidance/c.md", "agents/prompts/d.md"];

fn files(texts: &[String]) -> BTreeMap<&'static str, String> {
    let mut files: BTreeMap<&str, String> = NAMES.into_iter().zip(texts.iter().cloned()).collect();
    let all = r#"{% include "partials/a.md" %}|{% include "partials/b" %}|{% include "kicks/c.md" %}"#;
    files.insert(NAMES[3], format!("{all}|{}", texts[3]));
    files
}

fn tree(files: &BTreeMap<&'static str, String>) -> FileTree {
    FileTree::of(files.iter().map(|(name, text)| (*name, text.as_str())))
}

fn snapshot(bundled: &FileTree, overlay: &FileTree) -> Snapshot {
    let catalog = Catalog::new(Layer::overlay(Tier::Bundled, "packs", bundled));
    Snapshot::new(vec![Layer::overlay(Tier::Project, "here", overlay)], Arc::new(catalog), Vec::new())
}

fn render(snapshot: &Snapshot, name: &str) -> String {
    let program = snapshot.program(name).expect("a program");
    program.render(&Context::default(), &Settings::default()).expect("a text").text
}

fn tier(snapshot: &Snapshot, name: &str) -> Tier {
    snapshot.find(&TemplateRef::parse(name).expect("a name")).expect("a file").tier
}

proptest! {
    #[test]
    fn the_same_bytes_change_nothing_but_the_tier(
        texts in proptest::collection::vec("[a-z \n]{0,12}", 4),
        overridden in proptest::collection::btree_set(0..NAMES.len(), 0..5),
    ) {
        let all = files(&texts);
        let overlay = all.iter().filter(|(name, _)| overridden.iter().any(|at| NAMES[*at] == **name));
        let overlay: BTreeMap<&str, String> = overlay.map(|(name, text)| (*name, text.clone())).collect();
        let plain = snapshot(&tree(&all), &FileTree::default());
        let over = snapshot(&tree(&all), &tree(&overlay));
        for (at, name) in NAMES.iter().enumerate() {
            prop_assert_eq!(render(&plain, name), render(&over, name));
            prop_assert_eq!(tier(&plain, name), Tier::Bundled);
            prop_assert_eq!(tier(&over, name), if overridden.contains(&at) { Tier::Project } else { Tier::Bundled });
        }
        prop_assert_eq!(plain.references(), over.references());
        prop_assert_eq!(plain.revision() == over.revision(), overridden.is_empty());
    }

    #[test]
    fn other_bytes_change_what_includes_them(texts in proptest::collection::vec("[a-z]{1,8}", 4), at in 0..4_usize) {
        let all = files(&texts);
        let overlay = BTreeMap::from([(NAMES[at], "OTHER".to_owned())]);
        let over = snapshot(&tree(&all), &tree(&overlay));
        prop_assert!(render(&over, "agents/d.md").contains("OTHER"));
    }
}
