//! A project as it was read: one state of its files, shared and never changed.
//!
//! It owns what a project consists of and how its parts are found by name. It refuses to read the disk, except for the text
//! of a prompt when it is asked for.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use cuebook_template::{Diagnostic, Location};
use indexmap::IndexMap;

use crate::agents::{self, ProjectAgent};
use crate::names::{self, PRIMARY};
use crate::recipe::Recipe;
use crate::root::Root;
use crate::spec::{AgentSpec, ProjectFile};
use crate::workflow::{self, ProjectWorkflow};
use cuebook_yaml::Node;

/// A project with those it includes.
#[derive(Debug)]
pub struct Project {
    root: Root,
    spec: ProjectFile,
    tree: Node,
    recipes: HashMap<String, Recipe>,
    includes: IndexMap<String, Arc<Self>>,
}

impl Project {
    pub(crate) fn new(
        root: Root,
        spec: ProjectFile,
        tree: Node,
        recipes: Vec<Recipe>,
        includes: IndexMap<String, Arc<Self>>,
    ) -> Self {
        let recipes = recipes.into_iter().map(|recipe| (recipe.field.clone(), recipe)).collect();
        Self { root, spec, tree, recipes, includes }
    }

    /// Its name.
    pub fn slug(&self) -> &str {
        &self.spec.project
    }

    /// One line about it.
    pub fn description(&self) -> Option<&str> {
        self.spec.description.as_deref()
    }

    /// The layered files that it holds at its own bytes, as written.
    pub fn owns(&self) -> &[String] {
        self.spec.owns.as_deref().unwrap_or_default()
    }

    /// Its directory.
    pub fn directory(&self) -> &Path {
        self.root.path()
    }

    /// Its directory, opened.
    pub fn root(&self) -> &Root {
        &self.root
    }

    pub(crate) fn spec(&self) -> &ProjectFile {
        &self.spec
    }

    /// The projects that it includes, by the name it gives them.
    pub fn includes(&self) -> impl Iterator<Item = (&str, &Arc<Project>)> {
        self.includes.iter().map(|(name, project)| (name.as_str(), project))
    }

    /// Itself, then the projects that it includes and those that they include; one that is reached twice comes once.
    pub fn family(self: &Arc<Self>) -> Vec<Arc<Self>> {
        let mut family = vec![Arc::clone(self)];
        for (_, project) in self.includes() {
            for member in project.family() {
                if family.iter().all(|known| known.slug() != member.slug()) {
                    family.push(member);
                }
            }
        }
        family
    }

    /// Where a JSON pointer of the merged project file stands, and so which file set it.
    pub fn place(&self, pointer: &str) -> Location {
        self.tree.locate(pointer)
    }

    /// The recipe of a prompt field, such as `primary.system_prompt`.
    pub fn recipe(&self, field: &str) -> Option<&Recipe> {
        self.recipes.get(field)
    }

    /// The recipes in the order of their fields.
    pub fn recipes(&self) -> Vec<&Recipe> {
        let mut recipes: Vec<&Recipe> = self.recipes.values().collect();
        recipes.sort_by(|left, right| left.field.cmp(&right.field));
        recipes
    }

    /// The template id of a prompt field of this project.
    pub fn template_id(&self, field: &str) -> String {
        names::template_id(self.slug(), field)
    }

    /// Its agents, the primary one first, each before those below it.
    pub fn agents(&self) -> Vec<ProjectAgent> {
        agents::agents(self)
    }

    /// Its workflows.
    ///
    /// # Errors
    ///
    /// Never for a project that was loaded without problems; a definition that cannot be built is told of.
    pub fn workflows(&self) -> Result<Vec<ProjectWorkflow>, Vec<Diagnostic>> {
        self.spec.workflows.iter().map(|(name, spec)| workflow::build(self, name, spec)).collect()
    }

    /// The agent at `path`: `primary`, `writer.researcher`, or `<included project>/<path>`; with the project it is in.
    pub fn agent(&self, path: &str) -> Option<(&Self, &AgentSpec)> {
        match path.split_once('/') {
            Some((include, rest)) => self.includes.get(include)?.agent(rest),
            None if path == PRIMARY => Some((self, &self.spec.primary)),
            None => {
                let mut steps = path.split('.');
                let first = self.spec.primary.subagents.get(steps.next()?)?;
                steps.try_fold(first, |agent, name| agent.subagents.get(name)).map(|agent| (self, agent))
            }
        }
    }

    /// Whether two states of a project say the same.
    pub(crate) fn same_content(&self, other: &Self) -> bool {
        self.tree.to_json() == other.tree.to_json()
    }
}
