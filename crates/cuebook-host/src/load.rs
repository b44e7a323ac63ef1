//! Loading a project directory: prompts, agents, packs and workflows.
//!
//! Everything that is wrong is reported at once. Prompts, agents and packs must all be sound; a workflow that is not
//! stops only those who ask for it, because a directory may hold workflows for other hosts.

mod agents;
mod lint;
mod packs;
mod prompts;
mod workflows;

use std::path::{Path, PathBuf};

use cuebook_prompt::{Libraries, Library, Owner};
use cuebook_template::Diagnostic;
use cuebook_wire::ErrorCode;

use crate::agents::{AgentRegistry, LoadedAgent};
use crate::config::Config;
use crate::files::shown;
use crate::load::prompts::FileLibrary;
use crate::report::Problems;

pub(crate) use agents::{load as load_agents, read_intrinsic};
pub(crate) use lint::lint;
pub(crate) use packs::places as pack_places;
pub(crate) use prompts::{doubtful, read_document, template_files, template_ids, template_of};
pub(crate) use workflows::load_workflow;
pub use workflows::{WorkflowFile, Workflows};

/// The directories that a project is loaded from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directories {
    /// Workflow definitions.
    pub workflows: Vec<PathBuf>,
    /// Agent manifests.
    pub agents: Vec<PathBuf>,
    /// Prompt templates.
    pub prompts: Vec<PathBuf>,
    /// Packs.
    pub packs: Vec<PathBuf>,
}

impl Directories {
    /// The directories of a configuration below `root`.
    pub fn of(config: &Config, root: &Path) -> Self {
        let below = |paths: &[String]| paths.iter().map(|path| root.join(path)).collect();
        Self {
            workflows: below(&config.paths.workflows),
            agents: below(&config.paths.agents),
            prompts: below(&config.paths.prompts),
            packs: below(&config.paths.packs),
        }
    }

    /// Reports every directory that is not there.
    pub(crate) fn check(&self) -> Result<(), Problems> {
        let all = [&self.workflows, &self.agents, &self.prompts, &self.packs].into_iter().flatten();
        let missing = all.filter(|directory| !directory.is_dir());
        let problem = |directory: &PathBuf| {
            let message = format!("there is no directory {}", shown(directory));
            Diagnostic::error(ErrorCode::FileUnreadable.as_str(), message)
        };
        missing.map(problem).collect::<Problems>().or(())
    }

    /// The same directories, and `more` of each.
    pub fn and(mut self, more: Self) -> Self {
        self.workflows.extend(more.workflows);
        self.agents.extend(more.agents);
        self.prompts.extend(more.prompts);
        self.packs.extend(more.packs);
        self
    }
}

/// What was loaded.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) libraries: Libraries,
    pub(crate) agents: AgentRegistry,
    pub(crate) workflows: Workflows,
    /// What is doubtful about the packs.
    pub(crate) warnings: Problems,
}

/// Loads the prompts in `directories`, which become the host's own library.
pub(crate) fn load_prompts(config: &Config, directories: &Directories) -> Result<Library, Problems> {
    let mut problems = Problems::new();
    let mut host = FileLibrary::new(Library::new(config.prompts.library.clone(), Owner::Host));
    for directory in &directories.prompts {
        problems.collect(host.load(directory));
    }
    problems.or(host.into_library())
}

/// Loads everything else in `directories`; `of_packs` are the agents that packs of templates bring.
pub(crate) fn load(
    config: &Config,
    directories: &Directories,
    prompts: Result<Library, Problems>,
    of_packs: Vec<LoadedAgent>,
) -> Result<Loaded, Problems> {
    let mut problems = Problems::new();
    let mut libraries: Vec<Library> = problems.collect(prompts).into_iter().collect();
    let mut agents = of_packs;
    for directory in &directories.agents {
        agents.extend(problems.collect(agents::load(directory)).unwrap_or_default());
    }
    let mut warnings = Problems::new();
    let policy = config.packs.policy(&config.prompts.library);
    if let Some(packs) = problems.collect(packs::load(&directories.packs, &policy)) {
        agents.extend(packs.agents);
        libraries.extend(packs.libraries);
        warnings.extend(packs.warnings);
    }
    agents::refuse_doubles(&agents, &mut problems);
    let workflows = problems.collect(Workflows::list(&directories.workflows)).unwrap_or_default();
    let libraries = Libraries::new(libraries);
    let agents = AgentRegistry::new(agents, &libraries);
    problems.or(Loaded { libraries, agents, workflows, warnings })
}
