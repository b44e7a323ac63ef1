//! The host: configuration and files wired to the pipeline and the engine.
//!
//! Every face (command line, HTTP, pages) asks here; none has a way of its own to compose a prompt or start a run.

use std::error::Error;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cuebook_engine::{
    CHECKPOINT_EVERY, Clock, Engine, Plan, Residence, RunFacts, RunHandle, StreamText, read_inputs,
};
use cuebook_layers::LayeredPrompts;
use cuebook_log::{MemoryStore, RunStore};
use cuebook_project::{LiveProjects, Root};
use cuebook_prompt::{Catalog, Libraries, Pipeline, Principal, SecretStore, Source, SourceSet, UserLibrary};
use cuebook_sqlite::{Compacted, SqliteStore};
use cuebook_template::Diagnostic;
use cuebook_wire::{Configurable, ErrorCode, Fault, PromptRefs, RunId, strict};
use serde_json::{Map, Value as Json};

use crate::agents::AgentRegistry;
use crate::clock::SystemClock;
use crate::config::Config;
use crate::document::Document;
use crate::files::{read_text, shown};
use crate::inputs::{check_configurable, undeclared};
use crate::layers;
use crate::library::UserTemplates;
use crate::load::{Directories, WorkflowFile, Workflows, load, load_prompts, load_workflow};
use crate::models::ModelRouter;
use crate::parallel::both;
use crate::projects;
use crate::report::Problems;
use crate::secrets::ConfiguredSecrets;
use crate::service::Service;

/// The name of the configuration file in a project directory.
pub const CONFIG_FILE: &str = "cuebook.toml";

/// What a host is opened with.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The project directory.
    pub root: PathBuf,
    /// The configuration file; `cuebook.toml` in the project directory, if it is there, when absent.
    pub config: Option<PathBuf>,
    /// Directories besides those of the configuration.
    pub more: Directories,
    /// Directories with project files, besides the project directory itself.
    pub projects: Vec<PathBuf>,
    /// The directories whose overlays take part, the active one last; without any, the project directory and `projects`.
    pub roots: Vec<PathBuf>,
    /// The directory of the site's overlay, in place of that of the configuration.
    pub site: Option<PathBuf>,
    /// Where runs are kept; in memory when absent.
    pub data: Option<PathBuf>,
}

/// A host over one project directory.
pub struct Host {
    /// The configuration.
    pub config: Config,
    /// The libraries that are fixed when the host is opened: its own, and those of packs.
    pub libraries: Arc<Libraries>,
    /// Every library, the user's among them.
    pub catalog: Catalog,
    pub(crate) user: Arc<UserTemplates>,
    /// The agents.
    pub agents: Arc<AgentRegistry>,
    /// The workflow files.
    pub workflows: Workflows,
    /// The one pipeline.
    pub pipeline: Arc<Pipeline>,
    /// Where runs are kept.
    pub store: Arc<dyn RunStore>,
    /// What is doubtful about packs and projects, found when they were loaded.
    pub(crate) warnings: Problems,
    /// What is wrong with packs of templates and worth knowing about them, found when they were loaded.
    pub(crate) layer_findings: Problems,
    pub(crate) directories: Directories,
    pub(crate) projects: Arc<LiveProjects>,
    pub(crate) layered: Arc<LayeredPrompts>,
    /// The directories whose overlays take part, the active one last.
    pub(crate) overlay_roots: Vec<PathBuf>,
    pub(crate) engine: Engine,
    pub(crate) service: Service,
    /// A name that no other process has: the owner of the requests that this one is at.
    pub(crate) instance: String,
    root: PathBuf,
}

/// A run to be started.
#[derive(Clone, Debug)]
pub struct StartRun<'a> {
    /// On whose behalf.
    pub principal: &'a Principal,
    /// The workflow.
    pub plan: &'a Arc<Plan>,
    /// The inputs.
    pub inputs: Map<String, Json>,
    /// The overlay.
    pub configurable: Option<Configurable>,
    /// Whether an input that the workflow does not declare is a problem; otherwise it takes no part.
    pub refuse_undeclared: bool,
}

impl Host {
    /// Opens a project: reads the configuration and everything it names.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the configuration, or, when that is sound, with prompts, agents and packs.
    pub fn open(options: &Options) -> Result<Self, Problems> {
        Self::open_by(options, Arc::new(SystemClock::default()))
    }

    /// As [`Self::open`], with `clock` in place of the machine's.
    ///
    /// # Errors
    ///
    /// As [`Self::open`].
    pub fn open_by(options: &Options, clock: Arc<dyn Clock>) -> Result<Self, Problems> {
        if !options.root.is_dir() {
            let message = format!("there is no directory {}", shown(&options.root));
            return Err(Diagnostic::error(ErrorCode::FileUnreadable.as_str(), message).into());
        }
        let (config, config_root) = read_config(options)?;
        options.more.check()?;
        let directories = Directories::of(&config, &config_root).and(options.more.clone());
        let mut problems = Problems::new();
        let (layers, prompts) = both(
            || layers::open(options, &config, &config_root, &directories.packs),
            || load_prompts(&config, &directories),
        );
        let layers = problems.collect(layers);
        let (layered, of_packs, layer_findings) = layers
            .map_or_else(Default::default, |layers| (Some(layers.prompts), layers.agents, layers.findings));
        let loaded = problems.collect(load(&config, &directories, prompts, of_packs));
        let opened = problems.collect(projects::open(options));
        let (Some(loaded), Some((projects, remarks)), Some(layered)) = (loaded, opened, layered) else {
            return Err(problems);
        };
        let secrets: Arc<dyn SecretStore> = Arc::new(ConfiguredSecrets::new(&config, &config_root));
        let agents = Arc::new(loaded.agents.with_projects(Arc::clone(&projects)));
        let libraries = Arc::new(loaded.libraries);
        let models = ModelRouter::new(&config, &config_root, &secrets, Arc::clone(&agents))?;
        let store = open_store(options.data.as_deref(), config.limits.write_queue)?;
        let user = Arc::new(UserTemplates::new(Arc::clone(&store)));
        let catalog = Catalog::new(Arc::clone(&libraries), Arc::clone(&user) as Arc<dyn UserLibrary>);
        let sources = SourceSet::new(Arc::new(catalog.clone()))
            .with_space(cuebook_project::PREFIX, Arc::clone(&projects) as Arc<dyn Source>)
            .with_space(cuebook_layers::PREFIX, Arc::clone(&layered) as Arc<dyn Source>);
        let pipeline =
            Arc::new(Pipeline::new(sources, Arc::clone(&agents) as _, secrets, config.prompt_policy()));
        let engine = Engine {
            store: Arc::clone(&store),
            pipeline: Arc::clone(&pipeline),
            models: Arc::new(models),
            clock,
            checkpoint_every: CHECKPOINT_EVERY,
        };
        Ok(Self {
            config,
            libraries,
            catalog,
            user,
            agents,
            workflows: loaded.workflows.with_projects(Arc::clone(&projects)),
            pipeline,
            store,
            warnings: loaded.warnings.into_iter().chain(remarks).collect(),
            layer_findings,
            directories,
            projects,
            layered,
            overlay_roots: layers::overlay_roots(options),
            engine,
            service: Service::default(),
            instance: new_ticket(),
            root: options.root.clone(),
        })
    }

    /// Loads a workflow: a path to a JSON file, the id of a workflow of the project, or, without a name, the one that
    /// the configuration names or the only one there is.
    ///
    /// # Errors
    ///
    /// When there is no such workflow, or everything that is wrong with it.
    pub fn workflow(&self, name: Option<&str>) -> Result<WorkflowFile, Problems> {
        match name.or(self.config.run.workflow.as_deref()) {
            Some(name) if Path::new(name).extension().is_some_and(|it| it == "json") => {
                let path = self.path(name);
                if path.exists() { load_workflow(&path) } else { Err(self.workflows.no_file(name)) }
            }
            Some(name) => self.workflows.load(name),
            None => self.workflows.load(&self.only_workflow()?),
        }
    }

    /// The present.
    pub(crate) fn now(&self) -> cuebook_wire::Timestamp {
        self.engine.clock.now()
    }

    /// A path as given, or else below the project directory.
    fn path(&self, name: &str) -> PathBuf {
        let given = PathBuf::from(name);
        if given.exists() { given } else { self.root.join(name) }
    }

    fn only_workflow(&self) -> Result<String, Problems> {
        let ids = self.workflows.ids();
        match ids.as_slice() {
            [only] => Ok(only.clone()),
            [] => Err(no_workflow(
                "the project has no workflow files",
                "put one under workflows/, or name a file",
            )),
            several => Err(no_workflow(
                "the project has several workflows and none was named",
                &format!("name one of {}", several.join(", ")),
            )),
        }
    }

    /// The facts that a run of `start` would be fixed to.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with its inputs and overlay.
    pub fn facts(&self, start: &StartRun<'_>) -> Result<RunFacts, Problems> {
        let plan = start.plan;
        let mut problems = Problems::new();
        let read = read_inputs(&plan.definition, &start.inputs, self.config.untagged_trust());
        let inputs = problems.collect(read.map_err(input_problems));
        if let Some(inputs) = inputs.as_ref().filter(|_| start.refuse_undeclared) {
            inputs.undeclared.iter().for_each(|(name, _)| problems.push(undeclared(&plan.definition, name)));
        }
        problems.collect(check_configurable(&plan.definition, start.configurable.as_ref()));
        problems.collect(self.check_overrides(start.configurable.as_ref()));
        problems.collect(check_mock_provider(start.configurable.as_ref()));
        let variables = inputs.map(|inputs| inputs.variables).unwrap_or_default();
        let overlay = start.configurable.as_ref().and_then(|overlay| overlay.recursion_limit);
        let limit = self.config.limits.max_node_executions;
        let facts = RunFacts {
            run_id: run_id_of(&new_ticket()),
            principal: start.principal.clone(),
            user: None,
            workflow_id: plan.definition.id.clone(),
            definition: plan.hash.clone(),
            variables,
            configurable: start.configurable.clone(),
            tags: Vec::new(),
            metadata: Map::new(),
            now: self.engine.clock.now(),
            observability: self.config.prompts.observability,
            max_node_executions: overlay.map_or(limit, |overlay| overlay.min(limit)),
            max_events: self.config.limits.max_events,
            scope: None,
            agents: self.agents.identities(plan),
            agent_prompts: Some(self.pipeline.intrinsic_hashes(start.principal, plan.agents())),
        };
        problems.or(facts)
    }

    /// `configurable.promptOverrides` must be honoured here, and its keys must be kinds that hold refs.
    fn check_overrides(&self, configurable: Option<&Configurable>) -> Result<(), Problems> {
        let Some(overrides) = configurable.map(|it| &it.prompt_overrides).filter(|it| !it.is_empty()) else {
            return Ok(());
        };
        if !self.config.prompts.run_overrides {
            let message = "configurable.promptOverrides is not honoured by this host";
            let problem = Diagnostic::error(ErrorCode::ValidationError.as_str(), message);
            return Err(problem.with_hint("set run_overrides = true under [prompts]").into());
        }
        let in_overrides = |fault| placed(fault, "/configurable/promptOverrides");
        let refs = strict::read::<PromptRefs>(&Json::Object(overrides.clone()));
        refs.map(drop).map_err(|faults| input_problems(faults.into_iter().map(in_overrides).collect()))
    }

    /// Starts a run.
    ///
    /// # Errors
    ///
    /// As [`Self::facts`]; `internal_error` when the store fails.
    pub async fn start(&self, start: StartRun<'_>) -> Result<RunHandle, Problems> {
        let facts = self.facts(&start)?;
        let plan = Arc::clone(start.plan);
        self.engine
            .start(facts, plan, Residence::ToTheEnd)
            .await
            .map_err(|error| Diagnostic::error(ErrorCode::InternalError.as_str(), error.to_string()).into())
    }
}

/// The stand-in that a run asks for must be one that there is, with settings that it can use.
fn check_mock_provider(configurable: Option<&Configurable>) -> Result<(), Problems> {
    let Some(mock) = configurable.and_then(|it| it.mock_provider.as_ref()) else { return Ok(()) };
    let shown = |fault| placed(fault, "/configurable/mockProvider");
    let read = StreamText::read(mock);
    read.map(drop).map_err(|faults| input_problems(faults.into_iter().map(shown).collect()))
}

/// A name that nothing else has, and that sorts by the time it was made.
pub(crate) fn new_ticket() -> String {
    uuid::Uuid::now_v7().simple().to_string()
}

/// The id of the run that is made under a ticket.
pub fn run_id_of(ticket: &str) -> RunId {
    RunId::new(format!("run_{ticket}"))
}

/// The store in a data directory, or one in memory.
fn open_store(data: Option<&Path>, queue: NonZeroUsize) -> Result<Arc<dyn RunStore>, Problems> {
    let Some(path) = data else { return Ok(Arc::new(MemoryStore::new())) };
    let options = cuebook_sqlite::Options { queue, ..cuebook_sqlite::Options::default() };
    match SqliteStore::open(path, &options) {
        Ok(store) => Ok(Arc::new(store)),
        Err(error) => Err(unopened(&error)),
    }
}

fn unopened(error: &cuebook_sqlite::OpenError) -> Problems {
    let problem = Diagnostic::error(ErrorCode::DataUnusable.as_str(), with_causes(error));
    error.hint().into_iter().fold(problem, Diagnostic::with_hint).into()
}

/// Gives the space that removals have left in a data directory, which nobody may hold, back to the disk.
///
/// # Errors
///
/// When the directory cannot be opened, another process holds it, or the disk has no room for the copy that this takes.
pub fn compact(data: &Path) -> Result<Compacted, Problems> {
    cuebook_sqlite::compact(data).map_err(|error| unopened(&error))
}

/// What an error says, then what caused it.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// The configuration of a project, and the directory that its paths are relative to.
pub(crate) fn read_config(options: &Options) -> Result<(Config, PathBuf), Problems> {
    let (config, root) = read_config_file(options)?;
    if Root::config_directories(&options.root).is_empty() {
        return Ok((config, root));
    }
    let paths = config.paths.beside_project_file();
    Ok((Config { paths, ..config }, root))
}

fn read_config_file(options: &Options) -> Result<(Config, PathBuf), Problems> {
    let own = options.root.join(CONFIG_FILE);
    let path = match &options.config {
        Some(path) => path.clone(),
        None if own.is_file() => own,
        None => return Ok((Config::default(), options.root.clone())),
    };
    let root = path.parent().map_or_else(|| options.root.clone(), Path::to_path_buf);
    load_config(&path).map(|config| (config, root))
}

/// Reads a configuration file.
///
/// # Errors
///
/// Everything that is wrong with it, with lines and carets; directories that it names must be there.
pub fn load_config(path: &Path) -> Result<Config, Problems> {
    let document = Document::toml(read_text(path)?)?;
    let config = strict::read::<Config>(document.value()).map_err(|faults| document.problems(faults))?;
    let root = path.parent().unwrap_or_else(|| Path::new(""));
    document.problems(config.paths.missing(root)).or(config)
}

fn no_workflow(message: &str, hint: &str) -> Problems {
    Diagnostic::error(ErrorCode::NotFound.as_str(), message.to_owned()).with_hint(hint).into()
}

/// The fault with its place below the pointer `at`, which no file shows.
pub(crate) fn placed(fault: Fault, at: &str) -> Fault {
    let message = format!("{} (at {at}{})", fault.message, fault.path);
    Fault { message, ..fault }
}

/// Faults of values that stand in no file.
pub(crate) fn input_problems(faults: Vec<Fault>) -> Problems {
    let problem = |fault: Fault| {
        let advice = fault.advice();
        Diagnostic::error(fault.code.as_str(), fault.message).with_advice(advice)
    };
    faults.into_iter().map(problem).collect()
}
