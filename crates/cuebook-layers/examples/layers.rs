//! Measures layers: `cargo run -p cuebook-layers --example layers --release`.
//!
//! A persona of 16 KB with twelve includes is rendered, warm; the floor is the SHA-256 hash of its text. A thousand names are
//! resolved over four layers; the floor is listing and reading those directories. A pack of 300 templates is read and compiled
//! whole; the floor is reading its files.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cuebook_layers::{Catalog, Choice, FileTree, Layers, OverlayRoots, Pack, ProjectRoot, Snapshot};
use cuebook_prompt::ContentHash;
use cuebook_template::Value;
use cuebook_template::pongo::{Context, Settings};
use serde_json::json;

type Outcome<T> = Result<T, Box<dyn Error>>;

const INCLUDES: usize = 12;
const NAMES: usize = 1_000;
const TEMPLATES: usize = 300;
/// How often each is measured; the best counts.
const TIMES: usize = 60;
const LINE: &str = "Say what the sources say, in the order of their weight, and no more than that.\n";
const RULE: &str = "{% if focus %}Attend to {{ focus }}: {% for tool in tools %}{{ tool.name }}{% if not forloop.Last %}, \
                    {% endif %}{% endfor %}.{% endif %}\n";
const MANIFEST: &str = "manifest_version: 1\nid: acme/bench\nname: Bench\nversion: 1.0.0\n\
                        compatibility:\n  extension_api: ^1.0.0\n";

fn main() -> Outcome<()> {
    let directory = tempfile::tempdir()?;
    measure_render(directory.path())?;
    measure_resolution(directory.path())?;
    measure_pack(directory.path())
}

fn say(text: &str) -> Outcome<()> {
    Ok(writeln!(io::stdout(), "{text}")?)
}

fn best(mut work: impl FnMut() -> Outcome<()>) -> Outcome<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..TIMES {
        let began = Instant::now();
        work()?;
        best = best.min(began.elapsed());
    }
    Ok(best)
}

fn write(path: &Path, text: &str) -> Outcome<()> {
    fs::create_dir_all(path.parent().ok_or("no parent")?)?;
    Ok(fs::write(path, text)?)
}

fn snapshot_of(directories: &[PathBuf]) -> Arc<Snapshot> {
    let project = |path: &PathBuf| ProjectRoot { path: path.clone(), is_trusted: true };
    let roots = OverlayRoots { site: None, projects: directories.iter().map(project).collect() };
    let (catalog, _) = Catalog::of(Vec::new(), &Choice::default());
    Layers::new(&roots, Arc::new(catalog)).snapshot()
}

fn measure_render(root: &Path) -> Outcome<()> {
    let overlay = root.join("render/.cuebook/prompt_files");
    let mut persona = String::new();
    for part in 0..INCLUDES {
        write!(persona, "## Part {part}\n\n{{% include \"partials/p{part}.md\" %}}\n")?;
        write(&overlay.join(format!("partials/p{part}.md")), &(LINE.repeat(16) + RULE))?;
    }
    write(&overlay.join("agents/bench.md"), &persona)?;
    let snapshot = snapshot_of(&[root.join("render")]);
    let mut context = Context::new();
    context.insert("focus", Value::trusted(json!("the promise")));
    context.insert("tools", Value::trusted(json!([{"name": "read"}, {"name": "grep"}])));
    let rendered = || -> Outcome<String> {
        let program = snapshot.program("agents/bench.md").map_err(|_| "it does not compile")?;
        Ok(program.render(&context, &Settings::default())?.text)
    };
    let text = rendered()?;
    let hash = best(|| {
        std::hint::black_box(ContentHash::of(&text));
        Ok(())
    })?;
    let render = best(|| {
        std::hint::black_box(rendered()?);
        Ok(())
    })?;
    say(&format!(
        "a persona of {} bytes with {INCLUDES} includes: rendered in {render:?}, hashed in {hash:?}, ratio {:.2}",
        text.len(),
        render.as_secs_f64() / hash.as_secs_f64()
    ))
}

fn measure_resolution(root: &Path) -> Outcome<()> {
    let directories: Vec<PathBuf> = (0..4).map(|layer| root.join(format!("layer{layer}"))).collect();
    let overlays: Vec<PathBuf> = directories.iter().map(|it| it.join(".cuebook/prompt_files")).collect();
    for (layer, overlay) in overlays.iter().enumerate() {
        for name in (layer..NAMES).step_by(4) {
            write(&overlay.join(format!("partials/n{name}.md")), LINE)?;
        }
    }
    let floor = best(|| {
        for overlay in &overlays {
            FileTree::read(overlay, None)?.ok_or("no tree")?;
        }
        Ok(())
    })?;
    let snapshot = snapshot_of(&directories);
    let resolved = best(|| {
        for name in 0..NAMES {
            snapshot.resolve(&format!("partials/n{name}"))?.ok_or("no file")?;
        }
        Ok(())
    })?;
    say(&format!(
        "{NAMES} names over four layers: listed and read in {floor:?}, then resolved in {resolved:?}"
    ))
}

fn measure_pack(root: &Path) -> Outcome<()> {
    let pack = root.join("pack");
    write(&pack.join("extension.yaml"), MANIFEST)?;
    for number in 0..TEMPLATES {
        write(&pack.join(format!("shared/partials/t{number}.md")), &(LINE.repeat(20) + RULE))?;
    }
    let read = best(|| FileTree::read(&pack, None)?.map(drop).ok_or_else(|| "no pack".into()))?;
    let checked = best(|| {
        let tree = FileTree::read(&pack, None)?.ok_or("no pack")?;
        let pack = Pack::read(&tree, "bench").map_err(|_| "it cannot be read")?;
        let (catalog, _) = Catalog::of(vec![pack], &Choice::default());
        let snapshot = Layers::new(&OverlayRoots::default(), Arc::new(catalog)).snapshot();
        for name in snapshot.references() {
            snapshot.program(name.as_str()).map_err(|_| "it does not compile")?;
        }
        Ok(())
    })?;
    say(&format!(
        "a pack of {TEMPLATES} templates: read in {read:?}, checked in {checked:?}, ratio {:.2}",
        checked.as_secs_f64() / read.as_secs_f64()
    ))
}
