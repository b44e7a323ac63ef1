//! Chores of the workspace: `cargo xtask generate` writes the generated documents, `cargo xtask generate --check` says which
//! of them are out of date, `cargo xtask bench` measures, `cargo xtask sim` simulates runs from seeds, `cargo xtask
//! crash` kills the real binary.

mod bench;
mod crash;
mod sim;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

const USAGE: &str = "usage: cargo xtask generate [--check] | bench [PROFILE] | sim --seeds N [--from N] [--jobs N] | sim --seed N | \
                     crash [--kills N] [--seed N]";

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["generate"] => write(&documents()?),
        ["generate", "--check"] => check(&documents()?),
        ["bench"] => bench::run("release"),
        ["bench", profile] => bench::run(profile),
        ["crash", arguments @ ..] => crash::run(arguments),
        ["sim", arguments @ ..] => sim::run(arguments),
        _ => bail!(USAGE),
    }
}

/// Every generated document: its path within `docs` and its content.
fn documents() -> anyhow::Result<BTreeMap<PathBuf, String>> {
    let mut documents =
        BTreeMap::from([(PathBuf::from("errors.md"), cuebook_wire::error::errors_markdown())]);
    for (name, schema) in cuebook_wire::schema::published() {
        let text =
            serde_json::to_string_pretty(&schema).with_context(|| format!("write the schema {name}"))?;
        documents.insert(Path::new("schemas").join(format!("{name}.json")), text + "\n");
    }
    Ok(documents)
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

fn write(documents: &BTreeMap<PathBuf, String>) -> anyhow::Result<ExitCode> {
    for (path, text) in documents.iter().filter(|(path, text)| is_stale(path, text)) {
        let file = docs().join(path);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
        }
        fs::write(&file, text).with_context(|| format!("write {}", file.display()))?;
        writeln!(std::io::stderr(), "wrote docs/{}", path.display())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn check(documents: &BTreeMap<PathBuf, String>) -> anyhow::Result<ExitCode> {
    let stale: Vec<_> = documents.iter().filter(|(path, text)| is_stale(path, text)).collect();
    for (path, _) in &stale {
        writeln!(std::io::stderr(), "docs/{} is out of date; run `cargo xtask generate`", path.display())?;
    }
    Ok(if stale.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Whether the file on disk is missing or differs.
fn is_stale(path: &Path, text: &str) -> bool {
    fs::read_to_string(docs().join(path)).map_or(true, |present| present != text)
}
