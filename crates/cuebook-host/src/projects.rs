//! Project files on a host: opened with the rest, watched while it serves, composed by field.
//!
//! It owns how agents and workflows of projects take their places among the host's. It refuses to compose: texts come from the one
//! pipeline.

use std::path::PathBuf;
use std::sync::Arc;

use cuebook_layers::PREFIX as LAYERS;
use cuebook_project::{LiveProjects, PREFIX, Root};
use cuebook_prompt::{AgentBinding, LibraryDefaults, Principal, Trust};
use cuebook_template::{Diagnostic, Source, nearest};
use cuebook_wire::{AgentId, ErrorCode, PromptRef};
use serde_json::Map;

use crate::host::{Host, Options};
use crate::recipes::PromptRecipe;
use crate::render::Rendered;
use crate::report::Problems;

/// Opens the project of the host's directory, if it has a project file, and those that are named besides.
pub(crate) fn open(options: &Options) -> Result<(Arc<LiveProjects>, Problems), Problems> {
    let own = (!Root::config_directories(&options.root).is_empty()).then(|| options.root.clone());
    let directories: Vec<PathBuf> = own.into_iter().chain(options.projects.iter().cloned()).collect();
    match LiveProjects::open(&directories) {
        Ok((projects, remarks)) => Ok((Arc::new(projects), remarks.into_iter().collect())),
        Err(problems) => Err(problems.into_iter().collect()),
    }
}

/// The binding of a project's agent. Without a text of its own its prompt is named by ref, so that the reason is told
/// and no lower layer steps in.
pub(crate) fn binding(projects: &LiveProjects, id: &AgentId) -> Option<AgentBinding> {
    let prompt = projects.agent_prompt(id)?;
    let mut manifest = prompt.agent.manifest;
    if prompt.intrinsic.is_none() {
        manifest.prompt_overrides.system = PromptRef::parse(&prompt.reference).ok();
    }
    let library = LibraryDefaults::NotNamed;
    Some(AgentBinding { manifest: Arc::new(manifest), intrinsic: prompt.intrinsic, library })
}

/// The definition of a project's workflow, and the directory of the project; the text stands for a file, for messages.
pub(crate) fn workflow(projects: &LiveProjects, id: &str) -> Option<Result<(PathBuf, Source), Problems>> {
    let found = projects.workflow(id)?;
    Some(found.map_err(|problems| problems.into_iter().collect()).map(|startable| {
        let path = startable.project.directory().to_owned();
        let name = format!("{} workflow '{}'", path.display(), startable.workflow.name);
        let text = serde_json::to_string_pretty(&startable.workflow.definition).unwrap_or_default();
        (path, Source::new(name, text))
    }))
}

impl Host {
    /// The recipe of every prompt of every project, in the order of projects and fields.
    pub fn recipes(&self) -> Vec<PromptRecipe> {
        self.projects.projects().iter().flat_map(|project| PromptRecipe::all(project)).collect()
    }

    /// Composes the prompt of a project's field: `primary.system_prompt`, or `<project>/<field>` when there are several
    /// projects. The agents' fields may be left short: `writer` is the prompt of that agent.
    ///
    /// # Errors
    ///
    /// `not_found` with the nearest field; what is wrong with its files.
    pub async fn compose_field(&self, principal: &Principal, field: &str) -> Result<Rendered, Problems> {
        let recipe = self.field(field)?;
        self.render(principal, &recipe.reference, Map::new(), Trust::Trusted).await
    }

    fn field(&self, wanted: &str) -> Result<PromptRecipe, Problems> {
        let recipes = self.recipes();
        let found = recipes.iter().find(|recipe| recipe.names().iter().any(|name| name == wanted));
        if let Some(recipe) = found {
            return Ok(recipe.clone());
        }
        let message = format!("there is no prompt field '{wanted}'");
        let problem = Diagnostic::error(ErrorCode::NotFound.as_str(), message);
        let known: Vec<String> = recipes.iter().flat_map(PromptRecipe::names).collect();
        Err(match nearest(wanted, known.iter().map(String::as_str)) {
            Some(near) => problem.with_hint(format!("did you mean '{near}'?")),
            None if recipes.is_empty() => problem.with_hint("the directory has no project file"),
            None => problem.with_hint("'cuebook project explain' lists the fields"),
        }
        .into())
    }

    /// Reads edited project files again; gives what is wrong with them now.
    pub fn refresh_projects(&self) -> Problems {
        self.projects.refresh().into_iter().collect()
    }

    /// Watches the projects from a thread of its own and tells `report` what is wrong after each change: nothing when all is well.
    ///
    /// # Errors
    ///
    /// When the system cannot watch; edits are used all the same, at the next composition.
    pub fn watch_projects(
        self: &Arc<Self>,
        mut report: impl FnMut(&Problems) + Send + 'static,
    ) -> Result<(), Problems> {
        if self.projects.is_empty() {
            return Ok(());
        }
        let watch = cuebook_project::watch(self.projects.directories()).map_err(|reason| {
            let message = format!("projects cannot be watched: {reason}");
            Diagnostic::warning(ErrorCode::FileUnreadable.as_str(), message)
        })?;
        let host = Arc::downgrade(self);
        std::thread::spawn(move || {
            while let Some(paths) = watch.next() {
                let Some(host) = host.upgrade() else { return };
                for path in &paths {
                    host.projects.touched(path);
                }
                report(&host.refresh_projects());
            }
        });
        Ok(())
    }

    /// Whether a ref of the name spaces of projects and of layers leads to a prompt.
    pub(crate) fn has_file_prompt(&self, reference: &PromptRef) -> bool {
        let id = reference.template_id.as_str();
        let is_of_project = id.starts_with(PREFIX) && self.projects.has(id);
        is_of_project || (id.starts_with(LAYERS) && self.layered.layers().snapshot().by_id(id).is_some())
    }
}
