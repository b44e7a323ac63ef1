//! The manifest of a pack: which kind it is of, and everything that is wrong with it.
//!
//! It refuses kinds that this host does not take, members of another kind, and placeholders that nothing can fill.

use cuebook_prompt::lint::MAX_TEMPLATE_BYTES;
use cuebook_prompt::{CONTEXT_KEYS, Library, Owner};
use cuebook_template::flat::Program;
use cuebook_template::{Diagnostic, Source};
use cuebook_wire::template::TemplateOrigin;
use cuebook_wire::{
    AgentPackManifest, ErrorCode, Fault, LibraryId, PromptPackManifest, PromptTemplate, Version,
    VersionRange, strict,
};
use serde_json::Value as Json;

use crate::document::Document;
use crate::load::lint;
use crate::report::Problems;

/// A manifest, by its kind.
#[derive(Debug)]
pub(super) enum Manifest {
    /// Prompts.
    Prompts(PromptPackManifest),
    /// Agents.
    Agents(AgentPackManifest),
    /// Something that this host has no use for, and why.
    Foreign(Diagnostic),
}

/// Reads the manifest in `document`.
///
/// # Errors
///
/// `pack_kind_invalid` for members of another kind; every fault of the manifest; `pack_runtime_requirement_unmet` when
/// it is for other versions of the protocol.
pub(super) fn read(document: &Document) -> Result<Manifest, Problems> {
    let value = document.value();
    let kind = value.get("kind").and_then(Json::as_str).unwrap_or("node");
    let (manifest, engines) = match kind {
        "prompt" => {
            strangers(document, &["agents", "nodes", "chains"], kind)?;
            let manifest = strict::read::<PromptPackManifest>(value).map_err(|it| document.problems(it))?;
            let engines = manifest.engines.openwop.clone();
            (Manifest::Prompts(manifest), engines)
        }
        "node" => {
            strangers(document, &["prompts", "chains"], kind)?;
            if is_empty(value, "agents") && !is_empty(value, "nodes") {
                return Ok(Manifest::Foreign(no_agents(document)));
            }
            let manifest = strict::read::<AgentPackManifest>(value).map_err(|it| document.problems(it))?;
            if manifest.agents.is_empty() {
                return Err(nothing_in_it(document));
            }
            let engines = manifest.engines.openwop.clone();
            (Manifest::Agents(manifest), engines)
        }
        other => return Ok(Manifest::Foreign(other_kind(document, other))),
    };
    if speaks_to_us(&engines) { Ok(manifest) } else { Err(other_protocol(document, &engines)) }
}

/// Checks the manifest of a pack of prompts with everything in it.
///
/// # Errors
///
/// As [`read`] and [`library`].
pub(crate) fn check(document: &Document) -> Result<(), Problems> {
    match read(document)? {
        Manifest::Prompts(manifest) => library(&manifest, document).map(drop),
        Manifest::Agents(_) => Ok(()),
        Manifest::Foreign(reason) => Err(reason.into()),
    }
}

/// Refuses arrays that belong to another kind of pack.
fn strangers(document: &Document, members: &[&str], kind: &str) -> Result<(), Problems> {
    let found = members.iter().filter(|member| document.value().get(**member).is_some());
    let faults: Vec<Fault> = found
        .map(|member| {
            let message = format!("'{member}' does not belong into a pack of kind '{kind}'");
            Fault::new(format!("/{member}"), ErrorCode::PackKindInvalid, message)
        })
        .collect();
    document.problems(faults).or(())
}

/// Whether the member `key` is no array with something in it.
fn is_empty(value: &Json, key: &str) -> bool {
    value.get(key).and_then(Json::as_array).is_none_or(Vec::is_empty)
}

fn nothing_in_it(document: &Document) -> Problems {
    let message = "the pack holds nothing: it has neither agents nor nodes";
    let fault = Fault::new("/agents", ErrorCode::AgentManifestInvalid, message);
    document.problems(vec![fault.hint("for a pack of prompts, write \"kind\": \"prompt\"")])
}

fn no_agents(document: &Document) -> Diagnostic {
    let message = "the pack has no agents: its nodes bring code, which this host does not run";
    Diagnostic::error(ErrorCode::PackRuntimeRequirementUnmet.as_str(), message)
        .at(document.source(), document.locate(""))
        .with_hint("packs of agents and packs of prompts are taken")
}

fn other_kind(document: &Document, kind: &str) -> Diagnostic {
    let kind: String = kind.chars().take(40).collect();
    let known = ["prompt", "node"];
    let message = format!("this host takes no packs of kind '{kind}'");
    let problem = Diagnostic::error(ErrorCode::PackKindInvalid.as_str(), message)
        .at(document.source(), document.locate("/kind"));
    match cuebook_wire::names::nearest(&kind, known) {
        Some(near) => problem.with_hint(format!("did you mean '{near}'?")),
        None => {
            problem.with_hint("packs of prompts (\"prompt\") and of agents (no kind, or \"node\") are taken")
        }
    }
}

/// Whether a range holds any version 1 of the protocol: its minor versions only add.
fn speaks_to_us(range: &VersionRange) -> bool {
    (0..100).any(|minor| range.contains(&Version::new(1, minor, 0)))
}

fn other_protocol(document: &Document, range: &VersionRange) -> Problems {
    let message = format!("the pack is for OpenWOP {range}; this host speaks version 1");
    document.problems(vec![Fault::new("/engines/openwop", ErrorCode::PackRuntimeRequirementUnmet, message)])
}

/// The library of a pack of prompts, and what is doubtful about its templates.
///
/// # Errors
///
/// `prompt_template_invalid` for each template with a reserved id, a text over the limit, a bad extraction path, or a
/// placeholder that is neither declared nor a fact of the context, and for a name that no library can have.
pub(super) fn library(
    manifest: &PromptPackManifest,
    document: &Document,
) -> Result<(Library, Vec<Diagnostic>), Problems> {
    let fault = |path: &str, message: String| Fault::new(path, ErrorCode::PromptTemplateInvalid, message);
    let id = LibraryId::parse(&manifest.name).map_err(|error| {
        document.problems(vec![fault("/name", format!("as the id of a library: {error}"))])
    })?;
    let mut library = Library::new(id, Owner::Pack);
    let mut faults = Vec::new();
    let mut warnings = Vec::new();
    for (at, template) in manifest.prompts.iter().enumerate() {
        let place = format!("/prompts/{at}");
        faults.extend(template_faults(template).into_iter().map(|fault| fault.below(&place)));
        warnings.extend(lint(document, &place, template));
        let added = library.add(with_provenance(template, manifest));
        faults.extend(added.err().map(|error| fault(&place, error.diagnostic().message.clone())));
    }
    document.problems(faults).or((library, warnings))
}

fn with_provenance(template: &PromptTemplate, manifest: &PromptPackManifest) -> PromptTemplate {
    let mut template = template.clone();
    let meta = template.meta.get_or_insert_default();
    (meta.source, meta.pack_name) = (Some(TemplateOrigin::Pack), Some(manifest.name.clone()));
    meta.pack_version = Some(manifest.version.clone());
    template
}

/// What a pack's template may not have, besides what no template may.
fn template_faults(template: &PromptTemplate) -> Vec<Fault> {
    let fault = |path: &str, message: String| Fault::new(path, ErrorCode::PromptTemplateInvalid, message);
    let length = template.text.len();
    let too_long = (length > MAX_TEMPLATE_BYTES).then(|| {
        fault("/text", format!("the text has {length} bytes, at most {MAX_TEMPLATE_BYTES} are allowed"))
    });
    let program = Program::parse(Source::new("", template.text.as_str()));
    let is_known = |name: &str| template.variable(name).is_some() || CONTEXT_KEYS.contains(&name);
    let open = program.names().iter().filter(|name| !is_known(name)).map(|name| {
        let known = template.variables.iter().map(|variable| variable.name.as_str()).chain(CONTEXT_KEYS);
        fault("/text", format!("nothing fills the placeholder '{{{{{name}}}}}'"))
            .nearest(cuebook_wire::names::nearest(name, known))
            .hint(format!("declare '{name}' under variables"))
    });
    let paths = template.variables.iter().enumerate().filter_map(|(at, variable)| {
        let error = cuebook_prompt::check_extract_path(variable.extract_path.as_deref()?).err()?;
        let path = format!("/variables/{at}/extractPath");
        Some(Fault::new(path, ErrorCode::UnsupportedExtractPath, error.to_string()))
    });
    too_long.into_iter().chain(open).chain(paths).collect()
}
