//! One state of a project and of those it includes, with what it has by id.
//!
//! It owns the look-ups. It refuses to read anything.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use cuebook_template::Diagnostic;
use cuebook_wire::AgentId;

use crate::agents::ProjectAgent;
use crate::load::{LOCAL_FILE, PROJECT_FILE};
use crate::project::Project;
use crate::workflow::ProjectWorkflow;

/// A project and those it includes.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) projects: Vec<Arc<Project>>,
    prompts: HashMap<String, (Arc<Project>, Entry)>,
    agents: Vec<(Arc<Project>, ProjectAgent)>,
    by_agent: HashMap<AgentId, usize>,
    workflows: Vec<(Arc<Project>, ProjectWorkflow)>,
}

/// What a template id stands for.
#[derive(Debug)]
pub(crate) enum Entry {
    /// The recipe of a field.
    Field(String),
    /// The data of a step: its field and the names of the blocks.
    Data(String, Vec<String>),
}

impl Snapshot {
    pub(crate) fn of(project: &Arc<Project>) -> Result<Self, Vec<Diagnostic>> {
        let mut snapshot = Self {
            projects: project.family(),
            prompts: HashMap::new(),
            agents: Vec::new(),
            by_agent: HashMap::new(),
            workflows: Vec::new(),
        };
        for project in snapshot.projects.clone() {
            snapshot.add(&project)?;
        }
        Ok(snapshot)
    }

    fn add(&mut self, project: &Arc<Project>) -> Result<(), Vec<Diagnostic>> {
        for recipe in project.recipes() {
            let entry = Entry::Field(recipe.field.clone());
            self.prompts.insert(project.template_id(&recipe.field), (Arc::clone(project), entry));
        }
        for agent in project.agents() {
            self.by_agent.insert(agent.manifest.agent_id.clone(), self.agents.len());
            self.agents.push((Arc::clone(project), agent));
        }
        for workflow in project.workflows()? {
            for (field, names) in &workflow.data {
                let entry = Entry::Data(field.clone(), names.clone());
                self.prompts.insert(project.template_id(field), (Arc::clone(project), entry));
            }
            self.workflows.push((Arc::clone(project), workflow));
        }
        Ok(())
    }

    pub(crate) fn prompt(&self, template: &str) -> Option<&(Arc<Project>, Entry)> {
        self.prompts.get(template)
    }

    pub(crate) fn template_ids(&self) -> impl Iterator<Item = &str> {
        self.prompts.keys().map(String::as_str)
    }

    pub(crate) fn agent_ids(&self) -> impl Iterator<Item = &AgentId> {
        self.agents.iter().map(|(_, agent)| &agent.manifest.agent_id)
    }

    pub(crate) fn agent(&self, id: &AgentId) -> Option<(&Arc<Project>, &ProjectAgent)> {
        let (project, agent) = self.agents.get(*self.by_agent.get(id)?)?;
        Some((project, agent))
    }

    pub(crate) fn workflows(&self) -> impl Iterator<Item = &ProjectWorkflow> {
        self.workflows.iter().map(|(_, workflow)| workflow)
    }

    pub(crate) fn workflow(&self, id: &str) -> Option<(&Arc<Project>, &ProjectWorkflow)> {
        self.workflows
            .iter()
            .find(|(_, workflow)| workflow.id == id)
            .map(|(project, workflow)| (project, workflow))
    }

    /// The files whose change makes another state: the project files, and the local ones that are or may come to be there.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let of_project = |project: &Arc<Project>| {
            let directory = project.directory().join(project.root().config());
            [directory.join(PROJECT_FILE), directory.join(LOCAL_FILE)]
        };
        self.projects.iter().flat_map(of_project).collect()
    }
}
