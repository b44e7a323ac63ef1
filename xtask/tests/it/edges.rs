//! The edges between crates are the ones that `ARCHITECTURE.md` draws.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand};

use crate::{read, root};

type Edges = BTreeMap<String, BTreeSet<String>>;

/// The block between ```` ```edges ```` and ```` ``` ````: `crate -> crates it reads from`.
fn drawn() -> Edges {
    let text = read(&root().join("ARCHITECTURE.md"));
    let block =
        text.split("```edges\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an edges block");
    let line = |line: &str| {
        let (from, to) = line.split_once("->").unwrap_or_else(|| panic!("no arrow in {line:?}"));
        (from.trim().to_owned(), to.split_whitespace().map(str::to_owned).collect())
    };
    block.lines().map(line).collect()
}

fn built() -> Edges {
    let metadata = MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo metadata");
    let members: BTreeSet<String> =
        metadata.packages.iter().map(|package| package.name.to_string()).collect();
    let edges = metadata.packages.iter().map(|package| {
        let normal =
            package.dependencies.iter().filter(|dependency| dependency.kind == DependencyKind::Normal);
        let inside = normal.map(|dependency| dependency.name.clone()).filter(|name| members.contains(name));
        (package.name.to_string(), inside.collect())
    });
    edges.collect()
}

#[test]
fn crates_depend_as_drawn() {
    assert_eq!(built(), drawn(), "change ARCHITECTURE.md and the manifests together");
}

#[test]
fn pure_crates_have_no_runtime() {
    let metadata = MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo metadata");
    let pure = ["cuebook-wire", "cuebook-expr", "cuebook-template", "cuebook-prompt"];
    let packages = metadata.packages.iter().filter(|package| pure.contains(&package.name.as_str()));
    for package in packages {
        let normal =
            package.dependencies.iter().filter(|dependency| dependency.kind == DependencyKind::Normal);
        let found: Vec<&str> = normal
            .map(|dependency| dependency.name.as_str())
            .filter(|name| matches!(*name, "tokio" | "reqwest" | "rand" | "uuid"))
            .collect();
        assert!(found.is_empty(), "{} depends on {found:?}", package.name);
    }
}
