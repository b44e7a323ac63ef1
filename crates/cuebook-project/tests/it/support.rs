//! A directory to write projects into, and findings as lines of text.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cuebook_project::{FileFacts, Loaded, Project, compose, load};
use cuebook_template::Diagnostic;
use tempfile::TempDir;

/// A project that is fine.
pub(crate) const PROJECT: &str = "\
version: 1
project: newsroom
primary:
  model: default
  system_prompt: [prompts/role.md, prompts/style.md]
  subagents:
    writer: { model: writing, description: Drafts, system_prompt: prompts/writer.md }
";

/// A directory that goes away with the test.
pub(crate) struct Desk(TempDir);

impl Desk {
    /// A directory with a project file and the prompts that [`PROJECT`] lists.
    pub(crate) fn with(project: &str) -> Self {
        let desk = Self(tempfile::tempdir().expect("a directory"));
        desk.write(".cuebook/project.yaml", project);
        for (path, text) in [("role", "You edit.\n"), ("style", "Be plain.\n"), ("writer", "You write.\n")] {
            desk.write(&format!("prompts/{path}.md"), text);
        }
        desk
    }

    pub(crate) fn local(self, text: &str) -> Self {
        self.write(".cuebook/project.local.yaml", text);
        self
    }

    pub(crate) fn file(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        self.write(path, text);
        self
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn load(&self) -> Result<Loaded, Vec<Diagnostic>> {
        load(self.root(), &mut FileFacts::default())
    }

    #[track_caller]
    pub(crate) fn project(&self) -> Arc<Project> {
        match self.load() {
            Ok(loaded) => loaded.project,
            Err(problems) => panic!("{}", self.lines(&problems).join("\n")),
        }
    }

    /// The text of a field, or what is wrong with it.
    pub(crate) fn text(&self, field: &str) -> String {
        let project = self.project();
        let recipe = project.recipe(field).expect("a field");
        match compose(project.root(), recipe) {
            Ok(compound) => compound.text(),
            Err(problems) => self.lines(&problems).join("\n"),
        }
    }

    /// Findings as `file:line:column: severity[code]: message (hint)`, below the directory.
    pub(crate) fn lines(&self, findings: &[Diagnostic]) -> Vec<String> {
        let root = format!("{}/", self.root().display());
        let line = |finding: &Diagnostic| {
            let hint = finding.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            format!("{finding}{hint}").replace(&root, "").replace(root.trim_end_matches('/'), ".")
        };
        findings.iter().map(line).collect()
    }

    /// Everything found when the project is loaded, in order.
    pub(crate) fn findings(&self) -> Vec<String> {
        match self.load() {
            Ok(loaded) => self.lines(&loaded.remarks),
            Err(problems) => self.lines(&problems),
        }
    }
}

/// Holds what loading `project` finds against `expect`.
#[track_caller]
pub(crate) fn check(desk: &Desk, expect: &[&str]) {
    let found = desk.findings();
    assert_eq!(found, expect, "found:\n{}", found.join("\n"));
}
