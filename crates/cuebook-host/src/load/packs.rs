//! Packs from directories: agents, and the templates of prompt packs. Signatures and dependencies are not looked at.

use std::path::Path;

use cuebook_prompt::{Library, Owner};
use cuebook_template::Diagnostic;
use cuebook_wire::template::TemplateOrigin;
use cuebook_wire::{AgentPackManifest, ErrorCode, Fault, LibraryId, PromptTemplate, Version, strict};
use serde_json::Value as Json;

use super::agents::read_intrinsic;
use super::lint::lint;
use crate::agents::LoadedAgent;
use crate::document::Document;
use crate::files::{entries, read_text};
use crate::report::Problems;

/// What a directory of packs gave.
#[derive(Debug, Default)]
pub(super) struct Packs {
    pub(super) agents: Vec<LoadedAgent>,
    pub(super) libraries: Vec<Library>,
    pub(super) warnings: Vec<Diagnostic>,
}

/// Reads every pack below `directory`, or `directory` itself when it is one.
pub(super) fn load(directory: &Path) -> Result<Packs, Problems> {
    let mut problems = Problems::new();
    let mut packs = Packs::default();
    let below = entries(directory)?;
    let candidates = std::iter::once(directory).chain(below.iter().map(std::path::PathBuf::as_path));
    for pack in candidates.filter(|path| path.join("pack.json").is_file()) {
        problems.collect(load_pack(pack, &mut packs));
    }
    problems.or(packs)
}

fn load_pack(directory: &Path, packs: &mut Packs) -> Result<(), Problems> {
    let document = Document::json(read_text(&directory.join("pack.json"))?)?;
    if document.value().get("kind").and_then(Json::as_str) == Some("prompt") {
        packs.libraries.push(load_library(&document, &mut packs.warnings)?);
        return Ok(());
    }
    let manifest =
        strict::read::<AgentPackManifest>(document.value()).map_err(|faults| document.problems(faults))?;
    let mut problems = Problems::new();
    for (at, agent) in manifest.agents.into_iter().enumerate() {
        let read = read_intrinsic(&agent, directory, &format!("/agents/{at}"), &document);
        if let Some(intrinsic) = problems.collect(read) {
            let origin = format!("pack {}@{}", manifest.name, manifest.version);
            let pack = Some((manifest.name.clone(), manifest.version.clone()));
            packs.agents.push(LoadedAgent { manifest: agent, intrinsic, origin, pack });
        }
    }
    problems.or(())
}

fn load_library(document: &Document, warnings: &mut Vec<Diagnostic>) -> Result<Library, Problems> {
    let fault = |path: &str, message: String| {
        document.problems(vec![Fault::new(path, ErrorCode::PromptTemplateInvalid, message)])
    };
    let name = document.value().get("name").and_then(Json::as_str).unwrap_or_default();
    let id = LibraryId::parse(name).map_err(|error| fault("/name", error.to_string()))?;
    let version = document.value().get("version").and_then(Json::as_str).unwrap_or_default();
    let version = Version::parse(version).map_err(|error| fault("/version", error.to_string()))?;
    let mut library = Library::new(id, Owner::Pack);
    let mut problems = Problems::new();
    let prompts = document.value().get("prompts").and_then(Json::as_array);
    for (at, prompt) in prompts.into_iter().flatten().enumerate() {
        let place = format!("/prompts/{at}");
        let read = strict::read::<PromptTemplate>(prompt).map_err(|faults| {
            document.problems(faults.into_iter().map(|fault| fault.below(&place)).collect())
        });
        let Some(mut template) = problems.collect(read) else { continue };
        warnings.extend(lint(document, &place, &template));
        let meta = template.meta.get_or_insert_default();
        (meta.source, meta.pack_name) = (Some(TemplateOrigin::Pack), Some(name.to_owned()));
        meta.pack_version = Some(version.clone());
        problems.collect(
            library.add(template).map_err(|error| fault(&place, error.diagnostic().message.clone())),
        );
    }
    problems.or(library)
}
