//! Project files by themselves, without a host: checked, and shown as recipes.
//!
//! It owns what a person sees of a project: its agents, its workflows, and for each prompt the files in order and the places
//! that set them. It refuses to run anything.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cuebook_project::{FileFacts, Loaded, Project, Recipe, Root, Watch, load};
use cuebook_template::Diagnostic;
use cuebook_wire::ErrorCode;
use serde::Serialize;

use crate::files::shown;
use crate::report::Problems;

/// A prompt of a project: its files in order, and who says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptRecipe {
    /// The project.
    pub project: String,
    /// The field, such as `primary.system_prompt`.
    pub field: String,
    /// The ref of the composed text.
    pub reference: String,
    /// The files in order, each with the place where it is listed.
    pub files: Vec<ListedFile>,
    /// The place that set the field, as `file:line:column`.
    pub set_by: String,
}

/// A file of a recipe.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedFile {
    /// The path as listed.
    pub path: String,
    /// Where it is listed, as `file:line:column`.
    pub listed: String,
}

impl PromptRecipe {
    /// The recipes of a project in the order of their fields.
    pub(crate) fn all(project: &Project) -> Vec<Self> {
        project.recipes().into_iter().map(|recipe| Self::of(project, recipe)).collect()
    }

    fn of(project: &Project, recipe: &Recipe) -> Self {
        let files = recipe.ingredients.iter().map(|ingredient| ListedFile {
            path: ingredient.path.to_string(),
            listed: ingredient.listed.to_string(),
        });
        Self {
            project: project.slug().to_owned(),
            field: recipe.field.clone(),
            reference: format!("prompt:{}", project.template_id(&recipe.field)),
            files: files.collect(),
            set_by: recipe.set_by.to_string(),
        }
    }

    /// The names that the field goes by: its path, the path behind its project's name, its ref, and for an agent the
    /// agent's path.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names =
            vec![self.field.clone(), format!("{}/{}", self.project, self.field), self.reference.clone()];
        if let Some(agent) = self.field.strip_suffix(".system_prompt") {
            let path = agent.strip_prefix("primary.subagents.").unwrap_or(agent).replace(".subagents.", ".");
            names.push(format!("{}/{path}", self.project));
            names.push(path);
        }
        names
    }
}

/// A project as it is explained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedProject {
    /// Its name.
    pub project: String,
    /// Its directory.
    pub directory: String,
    /// Its agents.
    pub agents: Vec<ExplainedAgent>,
    /// Its workflows.
    pub workflows: Vec<ExplainedWorkflow>,
    /// Its prompts.
    pub prompts: Vec<PromptRecipe>,
}

/// An agent of a project as it is explained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedAgent {
    /// Its path in the project.
    pub path: String,
    /// Its id on the wire.
    pub agent_id: String,
    /// The alias of its model.
    pub model: String,
}

/// A workflow of a project as it is explained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedWorkflow {
    /// Its name in the project.
    pub name: String,
    /// Its id on the wire.
    pub workflow_id: String,
}

impl ExplainedProject {
    fn of(project: &Project) -> Result<Self, Vec<Diagnostic>> {
        let agents = project.agents().into_iter().map(|agent| ExplainedAgent {
            path: agent.path,
            agent_id: agent.manifest.agent_id.to_string(),
            model: agent.model,
        });
        let workflows = project.workflows()?;
        let workflows =
            workflows.into_iter().map(|it| ExplainedWorkflow { name: it.name, workflow_id: it.id });
        Ok(Self {
            project: project.slug().to_owned(),
            directory: shown(project.directory()).to_string(),
            agents: agents.collect(),
            workflows: workflows.collect(),
            prompts: PromptRecipe::all(project),
        })
    }
}

/// What a check of a project found.
#[derive(Clone, Debug, Default)]
pub struct CheckedProject {
    /// How many projects there are, included ones too.
    pub projects: usize,
    /// How many agents.
    pub agents: usize,
    /// How many workflows.
    pub workflows: usize,
    /// How many prompts.
    pub prompts: usize,
    /// What keeps the project from being used.
    pub problems: Problems,
    /// What is doubtful, and what has no meaning here.
    pub remarks: Problems,
}

/// Checks a project directory, and again after changes, reading anew only what changed.
#[derive(Debug)]
pub struct ProjectChecker {
    directory: PathBuf,
    facts: FileFacts,
}

impl ProjectChecker {
    /// A checker of the project in `directory`.
    ///
    /// # Errors
    ///
    /// `file_unreadable` when there is no directory, or no project file in it.
    pub fn new(directory: &Path) -> Result<Self, Problems> {
        let has_file = !Root::config_directories(directory).is_empty();
        if has_file {
            return Ok(Self { directory: directory.to_owned(), facts: FileFacts::default() });
        }
        let message = format!("there is no project file in {}", shown(directory));
        let problem = Diagnostic::error(ErrorCode::FileUnreadable.as_str(), message);
        Err(problem.with_hint("a project has a .cuebook/project.yaml, or a .kaged/project.yaml").into())
    }

    /// Checks the project as it is now.
    pub fn check(&mut self) -> CheckedProject {
        match load(&self.directory, &mut self.facts) {
            Ok(Loaded { project, remarks }) => counted(&project, remarks),
            Err(problems) => {
                CheckedProject { problems: problems.into_iter().collect(), ..CheckedProject::default() }
            }
        }
    }

    /// What the project consists of, and those it includes.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn explain(&mut self) -> Result<Vec<ExplainedProject>, Problems> {
        let explained = load(&self.directory, &mut self.facts).and_then(|loaded| {
            loaded.project.family().iter().map(|project| ExplainedProject::of(project)).collect()
        });
        explained.map_err(|problems: Vec<Diagnostic>| problems.into_iter().collect())
    }

    /// Takes note that files were changed.
    pub fn touched(&mut self, paths: &[PathBuf]) {
        for path in paths {
            self.facts.forget(path);
        }
    }

    /// Watches the directory.
    ///
    /// # Errors
    ///
    /// What the system says when it cannot.
    pub fn watch(&self) -> Result<Watch, Problems> {
        cuebook_project::watch([self.directory.as_path()]).map_err(|reason| {
            let message = format!("{} cannot be watched: {reason}", shown(&self.directory));
            Diagnostic::error(ErrorCode::FileUnreadable.as_str(), message).into()
        })
    }
}

fn counted(project: &Arc<Project>, remarks: Vec<Diagnostic>) -> CheckedProject {
    let family = project.family();
    let sum = |count: fn(&Project) -> usize| family.iter().map(|project| count(project)).sum();
    CheckedProject {
        projects: family.len(),
        agents: sum(|project| project.agents().len()),
        workflows: sum(|project| project.workflows().map_or(0, |all| all.len())),
        prompts: sum(|project| project.recipes().len()),
        problems: Problems::new(),
        remarks: remarks.into_iter().collect(),
    }
}
