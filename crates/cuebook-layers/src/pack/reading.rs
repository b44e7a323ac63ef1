//! Reading a pack: every file of it, once, whole or not at all.
//!
//! It owns that everything wrong with a pack is told at once. It refuses a pack of which a file cannot be had; a template
//! that does not compile is no fault of the pack, and is found when it is checked.

use std::collections::{BTreeMap, btree_map};
use std::sync::Arc;

use cuebook_template::{Diagnostic, Source};
use cuebook_wire::ErrorCode;
use cuebook_yaml::Node;

use super::manifest::{MANIFEST_FILE, Manifest};
use super::place::{Place, folder};
use crate::budget::BudgetFile;
use crate::files::{FileFault, FileTree};
use crate::layer::{LayerFile, template};
use crate::reference::TemplateRef;

/// A pack as it was read.
#[derive(Clone, Debug)]
pub struct Pack {
    /// Who it is.
    pub manifest: Manifest,
    /// What errors call it: where it was read from.
    pub label: Arc<str>,
    /// Its budgets, with the tree that they were read from.
    pub budgets: Option<(BudgetFile, Node)>,
    /// Files that have no meaning here, by their paths.
    pub others: BTreeMap<String, Arc<str>>,
    /// What is worth knowing about it.
    pub notes: Vec<Diagnostic>,
    pub(crate) templates: BTreeMap<TemplateRef, LayerFile>,
    /// The texts of its documents by their paths.
    pub(crate) documents: BTreeMap<String, Source>,
}

impl Pack {
    /// Reads the pack whose files are `files`; errors call it `label`.
    ///
    /// # Errors
    ///
    /// `extension_api_unsupported` alone for a pack that is made for another extension API; else everything that is wrong:
    /// no manifest, files that cannot be had, documents that are malformed.
    pub fn read(files: &FileTree, label: impl Into<Arc<str>>) -> Result<Self, Vec<Diagnostic>> {
        let label = label.into();
        let manifest = manifest(files, &label);
        if let Err(problems) = &manifest
            && problems.iter().any(|it| it.code == ErrorCode::ExtensionApiUnsupported.as_str())
        {
            return Err(problems.clone());
        }
        let id = manifest.as_ref().map_or("", |manifest| manifest.id.as_str());
        let mut reader = Reader { layer: format!("bundled {id}").into(), ..Reader::new(Arc::clone(&label)) };
        files.iter().for_each(|(path, entry)| match &entry.text {
            Ok(text) => reader.file(path, text),
            Err(fault) => reader.fault(path, fault),
        });
        reader.finish(manifest)
    }

    /// The names of its templates.
    pub fn templates(&self) -> impl Iterator<Item = &TemplateRef> {
        self.templates.keys()
    }

    /// Its documents by their paths: agents, playbooks, the contract.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (&str, &Source)> {
        self.documents.iter().map(|(path, source)| (path.as_str(), source))
    }

    /// The names of its agents and playbooks.
    pub fn units(&self) -> impl Iterator<Item = TemplateRef> {
        let paths =
            self.documents.keys().filter(|path| matches!(Place::of(path), Place::Agent | Place::Playbook));
        paths.filter_map(|path| TemplateRef::parse(path).ok())
    }
}

/// The manifest among `files`; one that cannot be had is told of with the other files.
fn manifest(files: &FileTree, label: &str) -> Result<Manifest, Vec<Diagnostic>> {
    let Some(entry) = files.get(MANIFEST_FILE) else {
        let code = ErrorCode::ExtensionInvalid;
        let problem = Diagnostic::error(code.as_str(), format!("{label} has no {MANIFEST_FILE}"));
        return Err(vec![problem.with_hint("a pack says who it is in that file")]);
    };
    let Ok(text) = &entry.text else { return Err(Vec::new()) };
    Manifest::read(&document(label, MANIFEST_FILE, text))
}

/// A document of a pack, under a name that tells the pack.
fn document(label: &str, path: &str, text: &Arc<str>) -> Source {
    Source::new(format!("{label}/{path}"), Arc::clone(text))
}

struct Reader {
    label: Arc<str>,
    layer: Arc<str>,
    templates: BTreeMap<TemplateRef, LayerFile>,
    documents: BTreeMap<String, Source>,
    budgets: Option<(BudgetFile, Node)>,
    others: BTreeMap<String, Arc<str>>,
    problems: Vec<Diagnostic>,
}

impl Reader {
    fn new(label: Arc<str>) -> Self {
        Self {
            layer: Arc::clone(&label),
            label,
            templates: BTreeMap::new(),
            documents: BTreeMap::new(),
            budgets: None,
            others: BTreeMap::new(),
            problems: Vec::new(),
        }
    }

    fn file(&mut self, path: &str, text: &Arc<str>) {
        match Place::of(path) {
            Place::Template => self.template(path, text),
            Place::Beside => {}
            Place::Other => drop(self.others.insert(path.to_owned(), Arc::clone(text))),
            place => self.document(place, path, document(&self.label, path, text)),
        }
    }

    fn fault(&mut self, path: &str, fault: &FileFault) {
        self.problem(&format!("{path} cannot be had: {fault}"), "mend or remove the file");
    }

    fn problem(&mut self, message: &str, hint: &str) {
        let message = format!("in {}, {message}", self.label);
        let problem = Diagnostic::error(ErrorCode::ExtensionInvalid.as_str(), message);
        self.problems.push(problem.with_hint(hint));
    }

    fn template(&mut self, path: &str, text: &Arc<str>) {
        let reference = match TemplateRef::parse(path) {
            Ok(reference) => reference,
            Err(bad) => {
                return self
                    .problem(&format!("{path} has no name that a template can have: {bad}"), "rename it");
            }
        };
        let source = Ok(template(&reference, text, Arc::clone(&self.layer)));
        match self.templates.entry(reference) {
            btree_map::Entry::Vacant(free) => drop(free.insert(LayerFile { path: path.to_owned(), source })),
            btree_map::Entry::Occupied(known) => {
                let fault = FileFault::Doubled(known.get().path.clone(), path.to_owned());
                self.problem(&fault.to_string(), "remove one of them");
            }
        }
    }

    fn document(&mut self, place: Place, path: &str, source: Source) {
        if place == Place::Budgets {
            self.budgets = self.kept(BudgetFile::read(&source));
        }
        self.documents.insert(path.to_owned(), source);
    }

    /// What was read, or nothing when something was wrong with it, which is taken note of.
    fn kept<T>(&mut self, read: Result<T, Vec<Diagnostic>>) -> Option<T> {
        read.map_err(|problems| self.problems.extend(problems)).ok()
    }

    /// One note for each folder whose files have no meaning here.
    fn notes(&self) -> Vec<Diagnostic> {
        let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
        for path in self.others.keys() {
            *folders.entry(folder(path)).or_default() += 1;
        }
        let note = |(folder, count): (&str, usize)| {
            let files = if count == 1 { "a file" } else { "files" };
            let message =
                format!("{}/{folder} has {files} without meaning on this host ({count})", self.label);
            Diagnostic::note(ErrorCode::ExtensionNote.as_str(), message)
        };
        folders.into_iter().map(note).collect()
    }

    /// One note for each key of the manifest that has no meaning here.
    fn idle_keys(&self, manifest: &Manifest) -> Vec<Diagnostic> {
        let note = |key| {
            let message = format!("{}/{MANIFEST_FILE} has `{key}`, without meaning on this host", self.label);
            Diagnostic::note(ErrorCode::ExtensionNote.as_str(), message)
        };
        manifest.idle_keys().map(note).collect()
    }

    fn finish(mut self, manifest: Result<Manifest, Vec<Diagnostic>>) -> Result<Pack, Vec<Diagnostic>> {
        let manifest = self.kept(manifest);
        let mut notes = self.notes();
        notes.extend(manifest.iter().flat_map(|manifest| self.idle_keys(manifest)));
        let Self { label, templates, documents, budgets, others, problems, .. } = self;
        match manifest {
            Some(manifest) if problems.is_empty() => {
                Ok(Pack { manifest, label, budgets, others, notes, templates, documents })
            }
            _ => Err(problems),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: (&str, &str) = (
        "extension.yaml",
        "manifest_version: 1\nid: acme/a\nname: A\nversion: 1.0.0\ncompatibility: {extension_api: ^1}\n",
    );

    fn read(files: &[(&str, &str)]) -> Result<Pack, Vec<String>> {
        let pack = Pack::read(&FileTree::of(files.iter().copied()), "packs/a");
        pack.map_err(|problems| problems.iter().map(ToString::to_string).collect())
    }

    #[track_caller]
    fn check(files: &[(&str, &str)], expect: &[&str]) {
        let found = read(files).expect_err("it is refused");
        assert_eq!(found.len(), expect.len(), "{found:#?}");
        for (found, expect) in found.iter().zip(expect) {
            assert!(found.starts_with(expect), "{found} does not begin with {expect}");
        }
    }

    #[test]
    fn templates_have_the_names_of_their_folders() {
        let pack = read(&[
            MANIFEST,
            ("agents/prompts/writer.md", "w"),
            ("shared/units/read.md", "---\nslot: x\n---\nbody"),
            ("guidance/leg.md", "l"),
            ("workflows/a/workflow.yaml", "not: [read"),
            ("host/anchors/a.yaml", "x"),
            ("host/anchors/b.yaml", "x"),
            ("README.md", "r"),
        ]);
        let pack = pack.expect("a pack");
        let names: Vec<&str> = pack.templates().map(TemplateRef::as_str).collect();
        assert_eq!(names, ["agents/writer.md", "guidance/leg.md", "units/read.md"]);
        let unit = pack.templates["units/read.md"].source.as_ref().expect("a template");
        assert_eq!(unit.layer(), Some("bundled acme/a"));
        assert!(unit.text().starts_with("---\n"), "a unit keeps its front matter");
        let notes: Vec<String> = pack.notes.iter().map(ToString::to_string).collect();
        assert_eq!(
            notes,
            [
                "note[extension_note]: packs/a/host/anchors has files without meaning on this host (2)",
                "note[extension_note]: packs/a/workflows has a file without meaning on this host (1)",
            ]
        );
        assert_eq!(pack.others.len(), 3);
    }

    #[test]
    fn everything_wrong_with_a_pack_is_told_at_once() {
        check(&[], &["error[extension_invalid]: packs/a has no extension.yaml"]);
        let files = [
            ("extension.yaml", "id: acme/a\n"),
            ("guidance/a", "1"),
            ("guidance/a.md", "2"),
            ("host/prompt-budgets.yaml", "version: 0\n"),
        ];
        check(
            &files,
            &[
                "error[extension_invalid]: in packs/a, guidance/a and guidance/a.md are two spellings",
                "packs/a/host/prompt-budgets.yaml:1:10: error[budget_invalid]",
                "packs/a/extension.yaml:1:1: error[extension_invalid]: `compatibility` is missing",
                "packs/a/extension.yaml:1:1: error[extension_invalid]: `manifest_version` is missing",
                "packs/a/extension.yaml:1:1: error[extension_invalid]: `name` is missing",
                "packs/a/extension.yaml:1:1: error[extension_invalid]: `version` is missing",
            ],
        );
    }

    #[test]
    fn a_pack_for_another_api_is_told_nothing_else() {
        let manifest = MANIFEST.1.replace("^1", "^2");
        check(
            &[("extension.yaml", &manifest), ("host/prompt-budgets.yaml", "version: 0\n")],
            &["packs/a/extension.yaml:5:32: error[extension_api_unsupported]"],
        );
    }

    #[test]
    fn a_file_that_cannot_be_had_is_a_fault_of_the_pack() {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::create_dir_all(directory.path().join("guidance")).expect("a directory");
        std::fs::write(directory.path().join(MANIFEST.0), MANIFEST.1).expect("a file");
        std::fs::write(directory.path().join("guidance/a.md"), b"\xff").expect("a file");
        let files = FileTree::read(directory.path(), None).expect("it is read").expect("it is there");
        let problems = Pack::read(&files, "packs/a").expect_err("it is refused");
        assert_eq!(problems.len(), 1);
        assert_eq!(
            problems[0].message,
            "in packs/a, guidance/a.md cannot be had: it is not UTF-8: byte 0 is out of place"
        );
    }
}
