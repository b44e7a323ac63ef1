//! Layers made of texts, and what rendering over them gives.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cuebook_layers::{Catalog, FileTree, Layer, LayerFile, Snapshot, TemplateRef, Tier};
use cuebook_template::pongo::{Context, Settings};
use cuebook_template::{Diagnostic, Source, Trust};
use serde_json::Value as Json;

/// The folders of a pack that hold templates.
const TEMPLATES: [&str; 5] =
    ["agents/prompts/", "shared/archetypes/", "shared/partials/", "shared/units/", "guidance/"];

/// The bundled layer of a pack: its templates by name.
pub(crate) fn pack_layer(label: &str, tree: &FileTree) -> Layer {
    let templates = tree
        .iter()
        .filter(|(path, _)| is_markdown(path) && TEMPLATES.iter().any(|folder| path.starts_with(folder)));
    let read = |path: &str| Layer::overlay(Tier::Bundled, label, &one(tree, path));
    let files = templates.flat_map(|(path, _)| {
        let layer = read(path);
        layer.files().map(|(reference, file)| (reference.clone(), file.clone())).collect::<Vec<_>>()
    });
    Layer::of(Tier::Bundled, label, files.collect())
}

fn is_markdown(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "md")
}

fn one(tree: &FileTree, path: &str) -> FileTree {
    let text = tree.get(path).and_then(|entry| entry.text.clone().ok()).expect("a text");
    FileTree::of([(path, text)])
}

/// A layer of texts by name.
pub(crate) fn layer(tier: Tier, label: &str, files: &[(&str, &str)]) -> Layer {
    Layer::overlay(tier, label, &FileTree::of(files.iter().copied()))
}

/// Layers above the bundled files `base`.
pub(crate) fn snapshot(overlays: Vec<Layer>, base: &[(&str, &str)]) -> Snapshot {
    let bundled = layer(Tier::Bundled, "bundled test/base", base);
    Snapshot::new(overlays, Arc::new(Catalog::new(bundled)), Vec::new())
}

/// A snapshot of nothing but `layer`.
pub(crate) fn alone(layer: Layer) -> Snapshot {
    Snapshot::new(Vec::new(), Arc::new(Catalog::new(layer)), Vec::new())
}

/// The text of the template called `name`, or all that is wrong.
pub(crate) fn render(snapshot: &Snapshot, name: &str, values: Json) -> Result<String, Vec<Diagnostic>> {
    render_with(snapshot, name, values, &Settings::default())
}

/// As [`render`], in strict mode or not.
pub(crate) fn render_with(
    snapshot: &Snapshot,
    name: &str,
    values: Json,
    settings: &Settings<'_>,
) -> Result<String, Vec<Diagnostic>> {
    let Json::Object(members) = values else { panic!("values are an object") };
    let context = Context::from_json(members, Trust::Trusted);
    let program = snapshot.program(name)?;
    program.render(&context, settings).map(|rendered| rendered.text).map_err(|fault| vec![*fault])
}

/// The name in its one form.
pub(crate) fn reference(name: &str) -> TemplateRef {
    TemplateRef::parse(name).expect("a name")
}

/// The directory of the corpus.
pub(crate) fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

/// A layer with the same bytes in each file of `layer`.
pub(crate) fn copy(of: &Layer, tier: Tier, label: &str) -> Layer {
    let same =
        |file: &LayerFile| LayerFile {
            path: file.path.clone(),
            source: file.source.as_ref().map_err(Clone::clone).map(|source| {
                Source::new(Arc::clone(source.name()), Arc::clone(source.text())).in_layer(label)
            }),
        };
    let files: BTreeMap<TemplateRef, LayerFile> =
        of.files().map(|(reference, file)| (reference.clone(), same(file))).collect();
    Layer::of(tier, label, files)
}
