//! From a directory to a checked pack: files, manifest, hash, signature, content; all faults at once.

use std::collections::BTreeMap;
use std::path::Path;

use cuebook_layers::MANIFEST_FILE;
use cuebook_template::{Diagnostic, Source};
use cuebook_wire::pack::PACK_FILE;
use cuebook_wire::{
    AgentManifest, AgentPackManifest, ErrorCode, Fault, LibraryId, PackSigning, PromptPackManifest, Version,
    VersionRange,
};

use serde_json::Value as Json;

use super::files::{PackFiles, refused};
use super::integrity::{INTEGRITY_FILE, Integrity};
use super::layered;
use super::manifest::{self, Manifest};
use super::policy::PackPolicy;
use super::signature::verify;
use super::{Content, Pack};
use crate::agents::LoadedAgent;
use crate::document::Document;
use crate::files::shown;
use crate::load::read_intrinsic;
use crate::report::Problems;

/// What a directory with a manifest turned out to be.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one for each directory, and it is taken apart at once"
)]
pub(crate) enum Reading {
    /// A pack for this host.
    Ours(Pack),
    /// A pack for other hosts, and why.
    Foreign(Diagnostic),
}

/// A manifest that was read, and what it gives.
pub(super) enum Drafted {
    /// A pack for this host.
    Ours(Document, Box<Draft>),
    /// A pack for other hosts, and why.
    Foreign(Diagnostic),
}

/// What the manifest and the files give, before anybody vouches for them.
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) version: Version,
    pub(super) dependencies: BTreeMap<String, VersionRange>,
    pub(super) signing: Option<PackSigning>,
    pub(super) content: Result<(Content, Vec<Diagnostic>), Problems>,
}

/// Reads and checks the pack in `directory`, which may be an archive.
///
/// # Errors
///
/// Everything that is wrong with it by itself; what it needs of other packs is not looked at.
pub(crate) fn read(directory: &Path, policy: &PackPolicy) -> Result<Reading, Problems> {
    let files = PackFiles::read(directory)?;
    let (manifest, drafted) = match (files.text(PACK_FILE), files.text(MANIFEST_FILE)) {
        (Some(text), None) => (PACK_FILE, published(text?, &files, policy)?),
        (None, Some(_)) => (MANIFEST_FILE, layered::draft(&files)?),
        (Some(_), Some(_)) => return Err(two_manifests(directory)),
        (None, None) => return Err(no_manifest(directory)),
    };
    let (document, draft) = match drafted {
        Drafted::Ours(document, draft) => (document, draft),
        Drafted::Foreign(reason) => return Ok(Reading::Foreign(reason)),
    };
    let mut problems = Problems::new();
    let placed = |fault: Fault| document.problems(vec![fault]);
    let integrity = problems.collect(check_integrity(&files, &draft, policy).map_err(placed));
    let signed_by =
        problems.collect(verify(&files, manifest, draft.signing.as_ref(), policy).map_err(placed));
    let content = problems.collect(draft.content);
    let (Some(integrity), Some(signed_by), Some((content, warnings))) = (integrity, signed_by, content)
    else {
        return Err(problems);
    };
    Ok(Reading::Ours(Pack {
        name: draft.name,
        version: draft.version,
        dependencies: draft.dependencies,
        content,
        signed_by,
        integrity,
        warnings,
        directory: directory.to_owned(),
        document,
        files,
    }))
}

/// Refuses a pack that is called as a library which packs do not make up: that of users, and the host's own.
fn own_name(document: &Document, policy: &PackPolicy) -> Result<(), Problems> {
    let name = document.value().get("name").and_then(Json::as_str).unwrap_or_default();
    let is_hosts = policy.host_library.as_ref().is_some_and(|id| id.as_str() == name);
    if !is_hosts && ![LibraryId::host(), LibraryId::user()].iter().any(|id| id.as_str() == name) {
        return Ok(());
    }
    let message = format!("'{name}' is the id of a library of the host, which no pack may have");
    Err(document.problems(vec![Fault::new("/name", ErrorCode::PackInvalid, message)]))
}

fn no_manifest(directory: &Path) -> Problems {
    let problem = refused(format!("there is no {PACK_FILE} and no {MANIFEST_FILE} in {}", shown(directory)));
    problem.with_hint("a pack is a directory or an archive (.tgz) with its manifest at the top").into()
}

fn two_manifests(directory: &Path) -> Problems {
    let problem = refused(format!("there are both {PACK_FILE} and {MANIFEST_FILE} in {}", shown(directory)));
    problem.with_hint("the manifest tells the kind of a pack: make two packs of it").into()
}

/// The pack of a `pack.json`, which is `text`.
fn published(text: Source, files: &PackFiles, policy: &PackPolicy) -> Result<Drafted, Problems> {
    let document = Document::json(text)?;
    let manifest = manifest::read(&document)?;
    own_name(&document, policy)?;
    let draft = match manifest {
        Manifest::Foreign(reason) => return Ok(Drafted::Foreign(reason)),
        Manifest::Prompts(manifest) => prompts(manifest, &document),
        Manifest::Agents(manifest) => agents(manifest, &document, files),
    };
    Ok(Drafted::Ours(document, Box::new(draft)))
}

fn prompts(manifest: PromptPackManifest, document: &Document) -> Draft {
    let library = manifest::library(&manifest, document);
    Draft {
        name: manifest.name,
        version: manifest.version,
        dependencies: manifest.dependencies,
        signing: manifest.signing,
        content: library.map(|(library, warnings)| (Content::Prompts(library), warnings)),
    }
}

fn agents(manifest: AgentPackManifest, document: &Document, files: &PackFiles) -> Draft {
    let pack = (manifest.name.clone(), manifest.version.clone());
    let mut problems = Problems::new();
    let agents = manifest.agents.into_iter().enumerate().filter_map(|(at, agent)| {
        let place = format!("/agents/{at}");
        problems.extend(missing_schemas(&agent, &place, document, files));
        let read = read_intrinsic(&agent, (place.as_str(), document), files.root(), |path| files.text(path));
        let intrinsic = problems.collect(read)?;
        let origin = format!("pack {}@{}", pack.0, pack.1);
        Some(LoadedAgent { manifest: agent, intrinsic, origin, pack: Some(pack.clone()), is_listed: true })
    });
    let agents = agents.collect();
    Draft {
        content: problems.or((Content::Agents(agents), Vec::new())),
        name: pack.0,
        version: pack.1,
        dependencies: manifest.dependencies,
        signing: manifest.signing,
    }
}

/// The schemas that an agent names and the pack does not have.
fn missing_schemas(agent: &AgentManifest, place: &str, document: &Document, files: &PackFiles) -> Problems {
    let handoff = agent.handoff.clone().unwrap_or_default();
    let named = [
        ("handoff/taskSchemaRef", handoff.task_schema_ref),
        ("handoff/returnSchemaRef", handoff.return_schema_ref),
        ("evalSuiteRef", agent.eval_suite_ref.clone()),
    ];
    let named = named.into_iter().filter_map(|(key, path)| Some((key, path?)));
    let missing = named.filter(|(_, path)| files.get(path).is_none()).map(|(key, path)| {
        let message = format!("the pack has no file '{path}'");
        Fault::new(format!("{place}/{key}"), ErrorCode::AgentManifestInvalid, message)
    });
    document.problems(missing.collect())
}

/// The hash of the files, which must be the one that the configuration and the pack itself state.
fn check_integrity(files: &PackFiles, draft: &Draft, policy: &PackPolicy) -> Result<Integrity, Fault> {
    let fault = |message: String| Fault::new("/version", ErrorCode::PackIntegrityFailure, message);
    let found = Integrity::of(files);
    let title = format!("{}@{}", draft.name, draft.version);
    let pinned = policy.integrity.get(&title).copied();
    let own = files.get(INTEGRITY_FILE).map(|bytes| {
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        Integrity::parse(text).ok_or_else(|| fault(format!("{INTEGRITY_FILE} holds no hash")))
    });
    let own = own.transpose()?;
    let stated = [(pinned, "the configuration"), (own, INTEGRITY_FILE)];
    for (expected, by) in stated.into_iter().filter_map(|(hash, by)| Some((hash?, by))) {
        if expected != found {
            return Err(fault(format!("the pack's files are {found}, but {by} says {expected}")));
        }
    }
    if policy.require_integrity && pinned.is_none() && own.is_none() {
        let missing = fault("nothing states the hash of the pack's files".to_owned());
        return Err(missing.hint(format!(
            "after a look at the pack, state \"{title}\" = \"{found}\" under [packs.integrity]"
        )));
    }
    Ok(found)
}
