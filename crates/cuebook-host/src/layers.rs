//! Layered templates on a host: packs found, overlays placed, agents of packs among the others, authors answered.
//!
//! It owns which layers a host has. It refuses to render: texts come from the one pipeline.

mod author;
mod budgets;
mod overrides;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cuebook_layers::{
    Catalog, Choice, ForAgents, LayeredPrompts, Layers, MANIFEST_FILE, OverlayRoots, Own, Pack, PackId,
    ProjectRoot, TemplateRef, bundled, wire_agent_id,
};
use cuebook_template::Diagnostic;
use cuebook_wire::pack::PACK_FILE;
use cuebook_wire::{AgentManifest, ErrorCode, ModelClass, PromptRef, PromptRefs};

pub use author::{AuthorRender, AuthorRequest};
pub use budgets::{TightenedBudgets, TightenedFile};
pub use overrides::{LayerFact, LayersStatus};

use crate::agents::LoadedAgent;
use crate::config::{Config, LayersConfig};
use crate::files::shown;
use crate::host::Options;
use crate::packs::{PackPolicy, Reading, places, read};
use crate::report::Problems;

/// What a host has of layered templates, and what is doubtful about it.
pub(crate) struct OpenedLayers {
    pub(crate) prompts: Arc<LayeredPrompts>,
    pub(crate) agents: Vec<LoadedAgent>,
    /// What is wrong with packs, which then contribute less or nothing, and what is worth knowing about them.
    pub(crate) findings: Problems,
}

/// Opens the layers of a host whose packs lie below `directories`. A pack that is wrong contributes nothing and is told of; the
/// host goes on without it.
///
/// # Errors
///
/// When a directory of packs cannot be listed, a pack is not what its hash or signature speaks for, the site's directory is not
/// there, or the program's own packs are wrong.
pub(crate) fn open(
    options: &Options,
    config: &Config,
    config_root: &Path,
    directories: &[PathBuf],
) -> Result<OpenedLayers, Problems> {
    let mut problems = Problems::new();
    let own = problems.collect(own_packs()).unwrap_or_default();
    let own_ids: BTreeSet<PackId> = own.iter().map(|pack| pack.manifest.id.clone()).collect();
    let policy = config.packs.policy(&config.prompts.library);
    let (others, mut findings) = problems.collect(packs(directories, &policy)).unwrap_or_default();
    let (claims, others): (Vec<Pack>, Vec<Pack>) =
        others.into_iter().partition(|pack| own_ids.contains(&pack.manifest.id));
    findings.extend(claims.iter().map(claims_own_id));
    let packs: Vec<Pack> = own.into_iter().chain(others).collect();
    findings.extend(packs.iter().flat_map(|pack| pack.notes.clone()));
    let (catalog, found) = Catalog::of(packs, &choice(&config.layers));
    findings.extend(found);
    let roots = roots(options, config, config_root);
    problems.extend(roots.site.iter().filter(|site| !site.exists()).map(|site| no_site(site)));
    let layers = Layers::new(&roots, Arc::new(catalog));
    let (prompts, found) = LayeredPrompts::new(layers, for_agents(&config.layers), &own_ids);
    findings.extend(found);
    let agents = agents(&prompts, &own_ids);
    problems.or(OpenedLayers { prompts: Arc::new(prompts), agents, findings })
}

fn claims_own_id(pack: &Pack) -> Diagnostic {
    let code = ErrorCode::ExtensionDoubled;
    let message = format!("{} has the id {}, which is a pack of the program", pack.label, pack.manifest.id);
    Diagnostic::error(code.as_str(), message).with_hint("give it an id of your own: vendor and name")
}

fn no_site(site: &Path) -> Diagnostic {
    let message = format!("there is no directory {} for the site's layer", shown(site));
    Diagnostic::error(ErrorCode::FileUnreadable.as_str(), message)
        .with_hint("make it, or correct --site or `site` under [layers]")
}

/// The packs of the program.
pub(crate) fn own_packs() -> Result<Vec<Pack>, Problems> {
    let read: Result<Vec<Pack>, _> = bundled().iter().map(|(name, tree)| Pack::read(tree, *name)).collect();
    read.map_err(Problems::from_iter)
}

/// The packs below `directories`; one that is wrong, or made for another host, is told of and left out, but for one that is not
/// what its hash or signature speaks for.
fn packs(directories: &[PathBuf], policy: &PackPolicy) -> Result<(Vec<Pack>, Problems), Problems> {
    let (mut problems, mut findings) = (Problems::new(), Problems::new());
    let places: Vec<Vec<PathBuf>> =
        directories.iter().filter_map(|it| problems.collect(pack_places(it))).collect();
    let mut packs = Vec::new();
    for place in places.iter().flatten() {
        match read(place, policy) {
            Ok(Reading::Ours(pack)) => packs.extend(pack.into_layered()),
            Ok(Reading::Foreign(reason)) => findings.push(reason),
            Err(found) if found.iter().any(is_not_what_was_vouched_for) => problems.extend(found),
            Err(found) => findings.extend(found),
        }
    }
    problems.or((packs, findings))
}

/// Whether a pack's files are not those that its hash or its signature speaks for: then nothing starts.
fn is_not_what_was_vouched_for(problem: &Diagnostic) -> bool {
    let codes = [ErrorCode::PackIntegrityFailure, ErrorCode::PackSignatureInvalid];
    codes.iter().any(|code| problem.code == code.as_str())
}

/// The directories of packs of templates below `directory`, or `directory` itself when it is one. What has the manifest of
/// another kind as well is left to whoever reads that kind, so that it is told of once.
fn pack_places(directory: &Path) -> Result<Vec<PathBuf>, Problems> {
    let places = places(directory, &[MANIFEST_FILE])?;
    Ok(places.into_iter().filter(|place| !place.join(PACK_FILE).is_file()).collect())
}

/// What the host has for agents.
fn for_agents(config: &LayersConfig) -> ForAgents {
    ForAgents { tools: config.tools.clone(), caps: config.caps, heading_match: config.heading_match }
}

/// What the configuration chose among packs; what is malformed there is told by its rules.
pub(crate) fn choice(config: &LayersConfig) -> Choice {
    Choice {
        owns: config.owns.iter().filter_map(|own| Own::parse(own).ok()).collect(),
        disabled: config.disabled.iter().filter_map(|name| TemplateRef::parse(name).ok()).collect(),
        ..Choice::default()
    }
}

/// The overlays: the site's, and those of the roots, the active one last.
fn roots(options: &Options, config: &Config, config_root: &Path) -> OverlayRoots {
    let configured = config.layers.site.as_ref().map(|path| config_root.join(path));
    let untrusted: Vec<PathBuf> = config
        .projects
        .untrusted
        .iter()
        .filter_map(|path| config_root.join(path).canonicalize().ok())
        .collect();
    let is_trusted = |path: &PathBuf| {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        config.projects.trust && !untrusted.contains(&real)
    };
    let project = |path: PathBuf| ProjectRoot { is_trusted: is_trusted(&path), path };
    OverlayRoots {
        site: options.site.clone().or(configured),
        projects: overlay_roots(options).into_iter().map(project).collect(),
    }
}

/// The directories whose overlays take part, the active one last.
pub(crate) fn overlay_roots(options: &Options) -> Vec<PathBuf> {
    let own = std::iter::once(options.root.clone()).chain(options.projects.iter().cloned());
    if options.roots.is_empty() { own.collect() } else { options.roots.clone() }
}

/// The agents of packs, each with its template for a prompt; those of the program's `own` packs are not listed.
fn agents(prompts: &LayeredPrompts, own: &BTreeSet<PackId>) -> Vec<LoadedAgent> {
    let loaded = prompts.personas().agents().map(|(pack, row)| {
        let system = PromptRef::parse(&format!("prompt:{}", row.template.template_id())).ok();
        LoadedAgent {
            manifest: AgentManifest {
                agent_id: wire_agent_id(pack.as_str(), &row.id),
                persona: row.name.clone().unwrap_or_else(|| row.id.clone()),
                model_class: row.model_class.unwrap_or(ModelClass::General),
                system_prompt: None,
                system_prompt_ref: None,
                eval_suite_ref: None,
                tool_allowlist: Some(row.tools.clone()),
                memory_shape: None,
                confidence: None,
                handoff: None,
                label: None,
                description: Some(row.description.clone()),
                prompt_library_ref: None,
                prompt_overrides: PromptRefs { system, ..PromptRefs::default() },
            },
            intrinsic: None,
            origin: format!("pack {pack}"),
            pack: None,
            is_listed: !own.contains(pack),
        }
    });
    loaded.collect()
}
