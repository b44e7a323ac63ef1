//! The packs of a project: install, list, verify, remove.
//!
//! It owns which packs there are and where they go. Everything is checked in memory before anything is written, and a pack
//! that is refused changes nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cuebook_layers::MANIFEST_FILE;
use cuebook_template::Diagnostic;
use cuebook_wire::pack::PACK_FILE;
use cuebook_wire::{AgentId, ErrorCode, PromptTemplate};

use super::beside::{Company, Together, agents_alone};
use super::files::refused;
use super::integrity::Integrity;
use super::policy::PackPolicy;
use super::view::PackView;
use super::{Pack, Reading, placement, places, read, unresolved, unresolved_about};
use crate::files::shown;
use crate::host::{Options, read_config};
use crate::layers::{choice, own_packs};
use crate::lint::{PromptLint, pack_lints};
use crate::load::{Directories, load_agents, template_ids};
use crate::report::Problems;

/// The directories of packs of a project, and what the host asks of packs.
#[derive(Debug)]
pub struct PackStore {
    directories: Vec<PathBuf>,
    /// Where packs are installed.
    target: PathBuf,
    agents: Vec<PathBuf>,
    /// Where the host's own templates are.
    prompts: Vec<PathBuf>,
    policy: PackPolicy,
    company: Company,
}

/// A pack that was checked, and what is doubtful about its templates.
#[derive(Clone, Debug)]
pub struct CheckedPack {
    /// The pack.
    pub pack: PackView,
    /// The findings about its templates, each at its place in the manifest.
    pub templates: Vec<PromptLint>,
    /// What is doubtful about a pack of templates: files without meaning here, names that other packs bring as well.
    pub findings: Problems,
}

/// What was removed.
#[derive(Clone, Debug)]
pub enum RemovedPack {
    /// A pack.
    Sound(PackView),
    /// A directory that was called as the pack and held no sound one.
    Broken(PathBuf),
}

/// A pack to be installed.
#[derive(Clone, Debug)]
pub struct InstallPack<'a> {
    /// The directory that it is in, or its archive.
    pub source: &'a Path,
    /// The hash that its files must have.
    pub integrity: Option<Integrity>,
    /// Whether it may take the place of another version.
    pub replace: bool,
}

impl PackStore {
    /// The packs of the project that `options` name; new ones go into the first directory given there, else into the
    /// first of the configuration.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the configuration.
    pub fn open(options: &Options) -> Result<Self, Problems> {
        let (config, root) = read_config(options)?;
        let configured = Directories::of(&config, &root);
        let target = options.more.packs.first().or_else(|| configured.packs.first()).cloned();
        let directories = configured.and(options.more.clone());
        Ok(Self {
            directories: directories.packs,
            target: target.unwrap_or_else(|| root.join("packs")),
            agents: directories.agents,
            prompts: directories.prompts,
            policy: config.packs.policy(&config.prompts.library),
            company: Company::new(own_packs()?, choice(&config.layers)),
        })
    }

    /// Installs a pack; `None` when the very same pack is there already.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the pack, alone and beside the others; `pack_already_installed`. Nothing is written
    /// then.
    pub fn install(&self, request: &InstallPack<'_>) -> Result<Option<CheckedPack>, Problems> {
        let pack = self.read_ours(request.source)?;
        check_hash(&pack, request.integrity)?;
        let (mut packs, _) = self.read_all()?;
        let installed = packs.iter().position(|other| other.name == pack.name);
        let replaced = match installed {
            Some(at) if packs[at].integrity == pack.integrity => return Ok(None),
            Some(_) if !request.replace => return Err(already_installed(&pack).into()),
            Some(at) => Some(packs.swap_remove(at)),
            None => None,
        };
        let place =
            replaced.as_ref().map_or_else(|| self.free_place(&pack), |it| Ok(it.directory.clone()))?;
        let (mut pack, findings) = self.check_beside(pack, packs)?;
        placement::put(&pack, &place)?;
        pack.directory = place;
        Ok(Some(checked(&pack, replaced.as_ref(), findings)))
    }

    /// The packs that are there and sound, by name, and what is wrong with the others.
    ///
    /// # Errors
    ///
    /// `file_unreadable` when a directory cannot be listed.
    pub fn list(&self) -> Result<(Vec<PackView>, Problems), Problems> {
        let (mut packs, mut problems) = self.read_all()?;
        packs.sort_by(|one, other| one.name.cmp(&other.name));
        problems.extend(super::doubles(&packs));
        problems.extend(unresolved(&packs, &self.company.versions()));
        problems.extend(self.company.together(&packs).faults);
        Ok((packs.iter().map(PackView::of).collect(), problems))
    }

    /// Checks the pack in a directory or an archive as for an installation, and writes nothing.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn verify(&self, source: &Path) -> Result<CheckedPack, Problems> {
        let pack = self.read_ours(source)?;
        let (mut packs, _) = self.read_all()?;
        let installed = packs.iter().position(|other| other.name == pack.name);
        let installed = installed.map(|at| packs.swap_remove(at));
        let (pack, findings) = self.check_beside(pack, packs)?;
        Ok(checked(&pack, installed.as_ref(), findings))
    }

    /// Removes the pack called `name`, or, when no sound pack is, the broken one in the directory for it.
    ///
    /// # Errors
    ///
    /// `not_found`, naming the nearest; `prompt_pack_dependency_unresolvable` or `extension_dependency_unmet` when another pack
    /// needs it. Nothing is removed then.
    pub fn remove(&self, name: &str) -> Result<RemovedPack, Problems> {
        let (mut packs, _) = self.read_all()?;
        let Some(at) = packs.iter().position(|pack| pack.name == name) else {
            let broken = self.broken(name)?.ok_or_else(|| no_pack(name, &packs))?;
            placement::take_away(&broken)?;
            return Ok(RemovedPack::Broken(broken));
        };
        let pack = packs.swap_remove(at);
        Problems::from_iter(unresolved_about(name, &packs, &self.company.versions())).or(())?;
        placement::take_away(&pack.directory)?;
        Ok(RemovedPack::Sound(PackView::of(&pack)))
    }

    /// The directory that is called as the pack `name` would be and holds no sound one.
    fn broken(&self, name: &str) -> Result<Option<PathBuf>, Problems> {
        let folder = name.replace('/', ".");
        for directory in &self.directories {
            let named = places(directory, &[PACK_FILE, MANIFEST_FILE])?.into_iter();
            let mut named = named.filter(|place| place.file_name().is_some_and(|it| *it == *folder));
            if let Some(place) = named.find(|place| read(place, &self.policy).is_err()) {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// The pack in `source`, which must be for this host.
    fn read_ours(&self, source: &Path) -> Result<Pack, Problems> {
        match read(source, &self.policy)? {
            Reading::Ours(pack) => Ok(pack),
            Reading::Foreign(reason) => Err(reason.into()),
        }
    }

    /// Every sound pack for this host, and what is wrong with the others.
    fn read_all(&self) -> Result<(Vec<Pack>, Problems), Problems> {
        let mut problems = Problems::new();
        let mut packs = Vec::new();
        for directory in &self.directories {
            for place in places(directory, &[PACK_FILE, MANIFEST_FILE])? {
                match problems.collect(read(&place, &self.policy)) {
                    Some(Reading::Ours(pack)) => packs.push(pack),
                    Some(Reading::Foreign(_)) | None => {}
                }
            }
        }
        Ok((packs, problems))
    }

    /// The pack again, when nothing speaks against it beside `others`, and what is doubtful about it there.
    fn check_beside(&self, pack: Pack, mut others: Vec<Pack>) -> Result<(Pack, Vec<Diagnostic>), Problems> {
        self.company.check_name(&pack)?;
        let before = self.company.together(&others);
        let after = self.company.together(others.iter().chain([&pack]));
        self.check_agents(&pack, &others, &before)?;
        self.check_templates(&pack)?;
        let name = pack.name.clone();
        others.push(pack);
        let mut problems: Problems =
            unresolved_about(&name, &others, &self.company.versions()).into_iter().collect();
        let findings = problems.collect(after.since(&before));
        let pack = others.pop().zip(findings);
        problems.or(())?;
        pack.ok_or_else(Problems::new)
    }

    /// The directory for a pack that is not there, called by its name, with a dot for a slash.
    fn free_place(&self, pack: &Pack) -> Result<PathBuf, Problems> {
        let place = self.target.join(pack.folder());
        if place.symlink_metadata().is_err() {
            return Ok(place);
        }
        let problem =
            refused(format!("{} is there already and is no sound pack of that name", shown(&place)));
        Err(problem.with_hint("look at what it is, and move it away").into())
    }

    /// No template of `pack` may have an id of the host's own: a ref without a library would mean the host's.
    fn check_templates(&self, pack: &Pack) -> Result<(), Problems> {
        let own = template_ids(&self.prompts);
        let claimed = pack.templates().into_iter().filter(|template| own.contains(&template.template_id));
        let problem = |template: &PromptTemplate| {
            let id = &template.template_id;
            let problem =
                refused(format!("the template '{id}' of {} is one of the host's own", pack.title()));
            problem.with_hint("call it by the name of the pack, as in vendor.pack.name")
        };
        claimed.map(problem).collect::<Problems>().or(())
    }

    /// No agent of `pack` may have the id of one that is known.
    fn check_agents(&self, pack: &Pack, others: &[Pack], before: &Together) -> Result<(), Problems> {
        let local = self.agents.iter().filter_map(|directory| load_agents(directory).ok()).flatten();
        let local: BTreeSet<AgentId> = local.map(|agent| agent.manifest.agent_id).collect();
        let packed = others.iter().flat_map(Pack::agents).map(|agent| &agent.manifest.agent_id);
        let known: BTreeSet<&AgentId> = packed.chain(&local).chain(&before.agents).collect();
        let claimed = pack.agents().iter().map(|agent| &agent.manifest.agent_id);
        let alone = agents_alone(pack);
        let claimed = claimed.chain(&alone);
        let problem = |id: &AgentId| {
            let message = format!("the agent '{id}' of {} is known already", pack.title());
            Diagnostic::error(ErrorCode::AgentManifestInvalid.as_str(), message)
        };
        claimed.filter(|id| known.contains(*id)).map(problem).collect::<Problems>().or(())
    }
}

/// The pack with its findings: about itself, held against the one that is installed, and those `beside` others.
fn checked(pack: &Pack, installed: Option<&Pack>, beside: Vec<Diagnostic>) -> CheckedPack {
    let earlier: Vec<&PromptTemplate> = installed.into_iter().flat_map(Pack::templates).collect();
    let own = pack.layered().map(|it| it.notes.clone()).unwrap_or_default();
    CheckedPack {
        pack: PackView::of(pack),
        templates: pack_lints(pack, &earlier),
        findings: own.into_iter().chain(beside).collect(),
    }
}

fn check_hash(pack: &Pack, expected: Option<Integrity>) -> Result<(), Problems> {
    match expected {
        Some(expected) if expected != pack.integrity => {
            let message =
                format!("the files of {} are {}, but {expected} was asked for", pack.title(), pack.integrity);
            Err(Diagnostic::error(ErrorCode::PackIntegrityFailure.as_str(), message).into())
        }
        _ => Ok(()),
    }
}

fn already_installed(pack: &Pack) -> Diagnostic {
    let message = format!("another pack '{}' is installed", pack.name);
    let problem = Diagnostic::error(ErrorCode::PackAlreadyInstalled.as_str(), message);
    problem.with_hint(format!("install with --replace to have {} in its place", pack.title()))
}

fn no_pack(name: &str, packs: &[Pack]) -> Diagnostic {
    let message = format!("no pack called '{}' is installed", name.chars().take(80).collect::<String>());
    let problem = Diagnostic::error(ErrorCode::NotFound.as_str(), message);
    match cuebook_wire::names::nearest(name, packs.iter().map(|pack| pack.name.as_str())) {
        Some(near) => problem.with_hint(format!("did you mean '{near}'?")),
        None => problem.with_hint("`cuebook packs list` tells which there are"),
    }
}
