//! Packs of layered templates: an `extension.yaml` and the files of the lowest layer.
//!
//! It owns the way from the files of a pack to what `cuebook-layers` makes of them. It refuses to know their layout.

use cuebook_layers::{FileTree, MANIFEST_FILE, Manifest, Pack};
use cuebook_template::Diagnostic;
use cuebook_wire::ErrorCode;

use super::Content;
use super::files::PackFiles;
use super::reading::{Draft, Drafted};
use crate::document::Document;
use crate::files::shown;
use crate::report::Problems;

/// The pack of an `extension.yaml`.
///
/// # Errors
///
/// Everything that is wrong with its files, when the manifest is no sound one.
pub(super) fn draft(files: &PackFiles) -> Result<Drafted, Problems> {
    let label = shown(files.root()).to_string();
    let pack = Pack::read(&FileTree::of_bytes(files.iter()), label.as_str());
    if let Some(reason) = pack.as_ref().err().and_then(|found| found.iter().find(|it| is_foreign(it))) {
        return Ok(Drafted::Foreign(reason.clone()));
    }
    let content = pack.map_err(Problems::from_iter).map(|pack| {
        let notes = pack.notes.clone();
        (Content::Layered(Box::new(pack)), notes)
    });
    match manifest(files) {
        Some((document, manifest)) => Ok(Drafted::Ours(document, Box::new(of_manifest(manifest, content)))),
        None => Err(content.err().unwrap_or_default()),
    }
}

/// Whether a problem says that a pack is made for another host.
fn is_foreign(problem: &Diagnostic) -> bool {
    problem.code == ErrorCode::ExtensionApiUnsupported.as_str()
}

/// The manifest with its places, when it is a sound one.
fn manifest(files: &PackFiles) -> Option<(Document, Manifest)> {
    let source = files.text(MANIFEST_FILE)?.ok()?;
    let manifest = Manifest::read(&source).ok()?;
    Some((Document::yaml(source, ErrorCode::ExtensionInvalid).ok()?, manifest))
}

fn of_manifest(manifest: Manifest, content: Result<(Content, Vec<Diagnostic>), Problems>) -> Draft {
    let needs = manifest.dependencies.into_iter();
    Draft {
        name: manifest.id.to_string(),
        version: manifest.version,
        dependencies: needs.map(|(id, needed)| (id.to_string(), needed.version)).collect(),
        signing: manifest.signing,
        content,
    }
}
