//! Workflow definitions from files, each compiled when it is asked for, and again when its file has changed.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cuebook_engine::{Compiled, Plan};
use cuebook_project::LiveProjects;
use cuebook_prompt::ContentHash;
use cuebook_template::{Diagnostic, Source, nearest};
use cuebook_wire::{ErrorCode, WorkflowDefinition, strict};
use serde_json::Value as Json;

use crate::document::Document;
use crate::files::{list, read_text, shown};
use crate::projects;
use crate::report::Problems;

/// The workflow files of a project, by the id that each claims.
#[derive(Debug, Default)]
pub struct Workflows {
    files: BTreeMap<String, PathBuf>,
    /// The plan of each workflow that was asked for, and the hash of the text it was compiled from.
    compiled: Mutex<HashMap<String, (ContentHash, Arc<Plan>)>>,
    projects: Option<Arc<LiveProjects>>,
}

/// A workflow that is ready to run.
#[derive(Debug)]
pub struct WorkflowFile {
    /// Where it was read from.
    pub path: PathBuf,
    /// The plan.
    pub plan: Arc<Plan>,
    /// What is doubtful about it.
    pub warnings: Problems,
    /// The text it was read from.
    pub(crate) document: Document,
}

impl Workflows {
    /// Lists the definitions in `directories` without checking them.
    pub(super) fn list(directories: &[PathBuf]) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let mut files = BTreeMap::new();
        for directory in directories {
            for path in problems.collect(list(directory, &["json"])).unwrap_or_default() {
                let id = claimed_id(&path);
                if let Some(first) = files.insert(id.clone(), path.clone()) {
                    let message = format!("workflow '{id}' is in {} and in {}", shown(&path), shown(&first));
                    problems.push(Diagnostic::error(ErrorCode::WorkflowInvalid.as_str(), message));
                }
            }
        }
        problems.or(Self { files, ..Self::default() })
    }

    /// The same workflows with those of projects.
    pub(crate) fn with_projects(self, projects: Arc<LiveProjects>) -> Self {
        Self { projects: Some(projects), ..self }
    }

    /// The ids: those of files in order, then those of projects.
    pub fn ids(&self) -> Vec<String> {
        let of_projects = self.of_projects().into_iter().map(|(id, _)| id);
        self.files.keys().cloned().chain(of_projects).collect()
    }

    /// The ids of files, in order.
    pub(crate) fn of_files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Whether a file or a project has `id`.
    pub fn has(&self, id: &str) -> bool {
        self.files.contains_key(id) || self.of_projects().iter().any(|(known, _)| known == id)
    }

    /// The workflows of projects: the id of each, and its name in the project.
    fn of_projects(&self) -> Vec<(String, String)> {
        self.projects.as_ref().map(|projects| projects.workflow_ids()).unwrap_or_default()
    }

    /// The text of the workflow called `id`, and where it was read from; one of a project may be called by its name there,
    /// when one project alone has it.
    fn source(&self, id: &str) -> Result<(PathBuf, Source), Problems> {
        if let Some(path) = self.files.get(id) {
            return Ok((path.clone(), read_text(path)?));
        }
        let known = self.of_projects();
        let named: Vec<&String> = known.iter().filter(|(_, its)| its == id).map(|(id, _)| id).collect();
        let of_project = match named.as_slice() {
            [only] => only,
            _ => id,
        };
        let found = self.projects.as_deref().and_then(|projects| projects::workflow(projects, of_project));
        found.unwrap_or_else(|| Err(self.not_found(id)))
    }

    /// Loads the workflow called `id`; one of a project may be called by its name there.
    ///
    /// # Errors
    ///
    /// `not_found` with the nearest id, or everything that is wrong with the definition.
    pub fn load(&self, id: &str) -> Result<WorkflowFile, Problems> {
        let (path, source) = self.source(id)?;
        compile(&path, source)
    }

    /// The plan of the workflow called `id`, compiled anew only when its text has changed.
    ///
    /// # Errors
    ///
    /// As [`Self::load`].
    pub fn plan(&self, id: &str) -> Result<Arc<Plan>, Problems> {
        let (path, source) = self.source(id)?;
        let hash = ContentHash::of(source.text());
        let known = self.compiled.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned();
        if let Some((_, plan)) = known.filter(|(compiled, _)| *compiled == hash) {
            return Ok(plan);
        }
        let plan = compile(&path, source)?.plan;
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        compiled.insert(id.to_owned(), (hash, Arc::clone(&plan)));
        Ok(plan)
    }

    /// The problem of a path that leads to no file, with the nearest file that is known.
    pub(crate) fn no_file(&self, path: &str) -> Problems {
        let message = format!("there is no workflow file {path}");
        let problem = Diagnostic::error(ErrorCode::NotFound.as_str(), message);
        let files: Vec<String> = self.files.values().map(|file| shown(file).to_string()).collect();
        let near = nearest(path, files.iter().map(String::as_str)).map(str::to_owned);
        match near {
            Some(near) => problem.with_hint(format!("did you mean {near}?")),
            None => problem,
        }
        .into()
    }

    fn not_found(&self, id: &str) -> Problems {
        let problem = Diagnostic::error(ErrorCode::NotFound.as_str(), format!("there is no workflow '{id}'"));
        let known = self.ids();
        match nearest(id, known.iter().map(String::as_str)) {
            Some(near) => problem.with_hint(format!("did you mean '{near}'?")),
            None if known.is_empty() => problem.with_hint("the project has no workflow files"),
            None => problem.with_hint(format!("the project has {}", known.join(", "))),
        }
        .into()
    }
}

/// The id that a file claims; its name when it claims none.
fn claimed_id(path: &Path) -> String {
    let read = || -> Option<String> {
        let json: Json = serde_json::from_str(read_text(path).ok()?.text()).ok()?;
        json.get("id")?.as_str().map(str::to_owned)
    };
    read().unwrap_or_else(|| path.file_stem().unwrap_or_default().to_string_lossy().into_owned())
}

/// Reads and compiles one definition.
pub(crate) fn load_workflow(path: &Path) -> Result<WorkflowFile, Problems> {
    compile(path, read_text(path)?)
}

fn compile(path: &Path, source: Source) -> Result<WorkflowFile, Problems> {
    let document = Document::json(source)?;
    let definition =
        strict::read::<WorkflowDefinition>(document.value()).map_err(|faults| document.problems(faults))?;
    let Compiled { plan, warnings } =
        Plan::compile(definition).map_err(|faults| document.problems(faults))?;
    let severity = cuebook_template::Severity::Warning;
    let warnings =
        document.problems(warnings).iter().map(|problem| problem.clone().with_severity(severity)).collect();
    Ok(WorkflowFile { path: path.to_owned(), plan: Arc::new(plan), warnings, document })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn text(version: &str) -> String {
        serde_json::json!({
            "id": "w", "name": "W", "version": version, "edges": [], "triggers": [], "variables": [],
            "metadata": {}, "settings": {},
            "nodes": [{"id": "a", "typeId": "core.noop", "name": "A", "position": {"x": 0, "y": 0},
                "config": {}, "inputs": {}}],
        })
        .to_string()
    }

    #[test]
    fn a_plan_is_compiled_again_when_its_file_has_changed() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("w.json");
        fs::write(&path, text("1.0.0")).expect("a file");
        let workflows = Workflows::list(&[directory.path().to_owned()]).expect("a list");
        let first = workflows.plan("w").expect("a plan");
        assert!(Arc::ptr_eq(&first, &workflows.plan("w").expect("a plan")));
        // As long as before and written in the same moment, perhaps.
        fs::write(&path, text("1.0.1")).expect("a file");
        let second = workflows.plan("w").expect("a plan");
        assert_eq!((&*first.definition.version, &*second.definition.version), ("1.0.0", "1.0.1"));
        fs::write(&path, "{").expect("a file");
        assert!(workflows.plan("w").is_err());
        fs::write(&path, text("1.0.1")).expect("a file");
        assert!(Arc::ptr_eq(&second, &workflows.plan("w").expect("a plan")));
        let unknown = workflows.plan("v").expect_err("no such workflow").to_string();
        assert!(unknown.contains("there is no workflow 'v'"), "{unknown}");
    }
}
