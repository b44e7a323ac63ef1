//! Projects as they are now: the source of `prompt:project.…`, of their agents and of their workflows.
//!
//! It owns what an edit does: it is used at the next composition, which reads each of its files once; what is broken leaves
//! running work with the last good state, and fails new work with the reason. It refuses to hide either.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cuebook_prompt::{Pinned, Principal, PromptError, SharedPin, Source, template_not_found};
use cuebook_template::{Diagnostic, nearest};
use cuebook_wire::{AgentId, ErrorCode, LibraryId, PromptKind, PromptRef};
use futures_util::future::{BoxFuture, ready};

use crate::agents::ProjectAgent;
use crate::project::Project;
use crate::recipe::{Recipe, compose};
use crate::slot::Slot;
use crate::snapshot::{Entry, Snapshot};
use crate::workflow::ProjectWorkflow;

/// The projects of a host.
#[derive(Debug)]
pub struct LiveProjects {
    slots: Vec<Slot>,
    /// The last text of each prompt that was composed without a problem, by template id.
    good: Mutex<HashMap<String, SharedPin>>,
}

/// A workflow that new work may begin with.
#[derive(Clone, Debug)]
pub struct Startable {
    /// The project.
    pub project: Arc<Project>,
    /// The workflow.
    pub workflow: ProjectWorkflow,
}

/// An agent of a project with its prompt.
#[derive(Clone, Debug)]
pub struct AgentPrompt {
    /// The agent.
    pub agent: ProjectAgent,
    /// The ref of its prompt.
    pub reference: String,
    /// Its prompt; `None` when its files cannot be read and never could.
    pub intrinsic: Option<SharedPin>,
}

impl LiveProjects {
    /// Opens the projects in `directories`; gives what is doubtful about them too.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with any of them, and names that two of them claim.
    pub fn open(directories: &[PathBuf]) -> Result<(Self, Vec<Diagnostic>), Vec<Diagnostic>> {
        let (mut slots, mut problems, mut remarks) = (Vec::new(), Vec::new(), Vec::new());
        for directory in directories {
            match Slot::open(directory) {
                Ok((slot, found)) => {
                    slots.push(slot);
                    remarks.extend(found);
                }
                Err(found) => problems.extend(found),
            }
        }
        let projects = Self { slots, good: Mutex::default() };
        problems.extend(projects.doubles());
        if problems.is_empty() { Ok((projects, remarks)) } else { Err(problems) }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The directories of the projects.
    pub fn directories(&self) -> impl Iterator<Item = &Path> {
        self.slots.iter().map(Slot::directory)
    }

    /// Reads again what was edited; gives what is wrong with it now, prompt files that were touched among it.
    pub fn refresh(&self) -> Vec<Diagnostic> {
        self.slots.iter().flat_map(Slot::faults).collect()
    }

    /// Takes note that a file was changed, by whoever watches.
    pub fn touched(&self, path: &Path) {
        self.slots.iter().for_each(|slot| slot.touched(path));
    }

    /// How many prompt files were looked into to find out whether they can be used; a composition does not count.
    pub fn reads(&self) -> usize {
        self.slots.iter().map(Slot::reads).sum()
    }

    /// The projects in their last good state, those that are included too.
    pub fn projects(&self) -> Vec<Arc<Project>> {
        self.slots.iter().flat_map(|slot| slot.current().0.projects.clone()).collect()
    }

    /// Whether a template id is that of a prompt or of a step's data.
    pub fn has(&self, template: &str) -> bool {
        self.snapshots().any(|snapshot| snapshot.prompt(template).is_some())
    }

    /// The ids of all agents.
    pub fn agent_ids(&self) -> Vec<AgentId> {
        self.snapshots().flat_map(|snapshot| snapshot.agent_ids().cloned().collect::<Vec<_>>()).collect()
    }

    /// The agent called `id`; no file of its prompt is read.
    pub fn agent(&self, id: &AgentId) -> Option<ProjectAgent> {
        self.snapshots().find_map(|snapshot| snapshot.agent(id).map(|(_, agent)| agent.clone()))
    }

    /// The agent called `id`, with its prompt as it is now.
    pub fn agent_prompt(&self, id: &AgentId) -> Option<AgentPrompt> {
        let snapshot = self.snapshots().find(|snapshot| snapshot.agent(id).is_some())?;
        let (project, agent) = snapshot.agent(id)?;
        let own = project.template_id(&agent.field);
        let (template, intrinsic) = match &agent.template {
            Some(layered) => (layered.template_id(), None),
            None => (own.clone(), self.composed(&snapshot, &own)?.ok()),
        };
        Some(AgentPrompt { agent: agent.clone(), reference: format!("prompt:{template}"), intrinsic })
    }

    /// The ids of all workflows, with the name that each has in its project.
    pub fn workflow_ids(&self) -> Vec<(String, String)> {
        let ids = |snapshot: Arc<Snapshot>| {
            snapshot.workflows().map(|it| (it.id.clone(), it.name.clone())).collect::<Vec<_>>()
        };
        self.snapshots().flat_map(ids).collect()
    }

    /// The workflow called `id`, for new work: its project and all its prompts are sound now.
    ///
    /// # Errors
    ///
    /// What is wrong with the project's files as they are now.
    pub fn workflow(&self, id: &str) -> Option<Result<Startable, Vec<Diagnostic>>> {
        let found = self.slots.iter().map(Slot::current);
        let (snapshot, broken) = found.into_iter().find(|(snapshot, _)| snapshot.workflow(id).is_some())?;
        let (project, workflow) = snapshot.workflow(id)?;
        if !broken.is_empty() {
            return Some(Err(broken));
        }
        let problems = self.prepare(project, workflow);
        let found = Startable { project: Arc::clone(project), workflow: workflow.clone() };
        Some(if problems.is_empty() { Ok(found) } else { Err(problems) })
    }

    /// Composes every prompt of a workflow, so that a run of it has a good state to fall back on.
    fn prepare(&self, project: &Project, workflow: &ProjectWorkflow) -> Vec<Diagnostic> {
        let prefix = format!("workflows.{}.", workflow.name);
        let of_workflow = project.recipes().into_iter().filter(|recipe| recipe.field.starts_with(&prefix));
        of_workflow.filter_map(|recipe| self.fresh(project, recipe).err()).flatten().collect()
    }

    /// The files of a recipe as they are now, kept as its last good text.
    fn fresh(&self, project: &Project, recipe: &Recipe) -> Result<SharedPin, Vec<Diagnostic>> {
        let template = project.template_id(&recipe.field);
        let compound = compose(project.root(), recipe)?;
        let pinned = Arc::new(Pinned::compound(format!("prompt:{template}"), PromptKind::System, compound));
        self.texts().insert(template, Arc::clone(&pinned));
        Ok(pinned)
    }

    fn snapshots(&self) -> impl Iterator<Item = Arc<Snapshot>> {
        self.slots.iter().map(|slot| slot.current().0)
    }

    /// The prompt with a template id: its files as they are now, else the last text that was good.
    fn composed(&self, snapshot: &Snapshot, template: &str) -> Option<Result<SharedPin, Vec<Diagnostic>>> {
        let (project, entry) = snapshot.prompt(template)?;
        Some(match entry {
            Entry::Data(field, names) => {
                let reference = format!("prompt:{template}");
                Ok(Arc::new(Pinned::blocks(reference, PromptKind::User, field, names.clone())))
            }
            Entry::Field(field) => {
                let fresh = self.fresh(project, project.recipe(field)?);
                fresh.or_else(|problems| self.texts().get(template).cloned().ok_or(problems))
            }
        })
    }

    fn texts(&self) -> MutexGuard<'_, HashMap<String, SharedPin>> {
        self.good.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A slug that two directories claim.
    fn doubles(&self) -> Vec<Diagnostic> {
        let mut seen: HashMap<String, PathBuf> = HashMap::new();
        let mut problems = Vec::new();
        for slot in &self.slots {
            for project in &slot.good().projects {
                let directory = project.directory().to_owned();
                let first = seen.entry(project.slug().to_owned()).or_insert_with(|| directory.clone());
                if *first != directory {
                    let message = format!(
                        "two projects are called '{}': the other is in {}",
                        project.slug(),
                        first.display()
                    );
                    let place = project.place("/project");
                    problems.push(
                        Diagnostic::error(ErrorCode::ProjectInvalid.as_str(), message)
                            .at(&place.source, place.span),
                    );
                }
            }
        }
        problems
    }

    fn pin_now(&self, reference: &PromptRef) -> Result<SharedPin, PromptError> {
        let template = reference.template_id.as_str();
        let snapshots: Vec<Arc<Snapshot>> = self.snapshots().collect();
        let found = snapshots.iter().find_map(|snapshot| self.composed(snapshot, template));
        match found {
            Some(Ok(pinned)) => Ok(pinned),
            Some(Err(problems)) => Err(broken(reference, problems)),
            None => {
                let known: Vec<&str> =
                    snapshots.iter().flat_map(|snapshot| snapshot.template_ids()).collect();
                let error = template_not_found(reference, known.iter().copied());
                Err(match nearest(template, known.iter().copied()) {
                    Some(_) => error,
                    None => error.hint("name a prompt field of a project: prompt:project.<project>.<field>"),
                })
            }
        }
    }
}

fn broken(reference: &PromptRef, problems: Vec<Diagnostic>) -> PromptError {
    let mut problems = problems.into_iter();
    let first = problems.next();
    let code = first.as_ref().and_then(|problem| problem.code.parse().ok());
    let message = first.as_ref().map(|problem| problem.message.clone()).unwrap_or_default();
    let error = PromptError::new(code.unwrap_or(ErrorCode::ProjectFileUnusable), message).about(reference);
    match first.and_then(|problem| problem.label) {
        Some(label) => error.at(&label.source, label.span),
        None => error,
    }
}

impl Source for LiveProjects {
    fn pin<'a>(
        &'a self,
        _principal: &'a Principal,
        reference: &'a PromptRef,
        _within: Option<&'a LibraryId>,
    ) -> BoxFuture<'a, Result<SharedPin, PromptError>> {
        Box::pin(ready(self.pin_now(reference)))
    }
}
