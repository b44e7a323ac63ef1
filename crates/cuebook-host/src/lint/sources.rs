//! The lint of templates in files, directories and packs, before anything takes them: whatever is wrong is told at once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cuebook_template::{Diagnostic, Severity};
use cuebook_wire::pack::PACK_FILE;
use cuebook_wire::{ErrorCode, PromptTemplate, TemplateId, Version, strict};
use serde_json::{Value as Json, json};

use super::PromptLint;
use super::versions::Versions;
use crate::document::Document;
use crate::files::shown;
use crate::host::{Options, read_config};
use crate::load::{Directories, pack_places, read_document, template_files, template_of};
use crate::packs::{Content, Pack, PackPolicy, Reading, is_archive, read as read_pack};
use crate::report::Problems;

/// What a check of templates found.
#[derive(Clone, Debug, Default)]
pub struct PromptCheck {
    /// Each template, in the order that it was found.
    pub templates: Vec<PromptLint>,
    /// What could not be read as a template or a pack.
    pub problems: Problems,
}

/// A template and where it stands.
struct Found<'d> {
    document: &'d Document,
    at: String,
    template: PromptTemplate,
}

/// Checks templates in files, in directories of files or packs, and in packs.
///
/// # Errors
///
/// `file_unreadable` for each path that is not there.
pub fn check_paths(paths: &[PathBuf]) -> Result<PromptCheck, Problems> {
    let missing = paths.iter().filter(|path| !path.exists()).map(|path| {
        let message = format!("there is no file or directory {}", shown(path));
        Diagnostic::error(ErrorCode::FileUnreadable.as_str(), message)
    });
    missing.collect::<Problems>().or(())?;
    let mut check = PromptCheck::default();
    for path in paths {
        check.add(path);
    }
    Ok(check)
}

/// Checks templates that stand in no file, each held against the version before it among them.
pub fn check_templates(templates: &[PromptTemplate]) -> PromptCheck {
    let versions = Versions::of(templates);
    let lint = |template: &PromptTemplate| PromptLint::of(template, versions.findings(template));
    PromptCheck { templates: templates.iter().map(lint).collect(), problems: Problems::new() }
}

/// Checks the templates of a project: its own, and those of its packs.
///
/// # Errors
///
/// Everything that is wrong with the configuration.
pub fn check_project(options: &Options) -> Result<PromptCheck, Problems> {
    let (config, root) = read_config(options)?;
    options.more.check()?;
    let directories = Directories::of(&config, &root).and(options.more.clone());
    let mut check = PromptCheck::default();
    let files: Vec<PathBuf> = directories.prompts.iter().flat_map(|it| check_list(it)).collect();
    check.add_files(&files);
    directories.packs.iter().for_each(|directory| check.add_packs(directory));
    Ok(check)
}

/// The template files of a directory; none when it cannot be listed, which its packs' listing tells.
fn check_list(directory: &Path) -> Vec<PathBuf> {
    template_files(directory).unwrap_or_default()
}

impl PromptCheck {
    /// The check with every placeholder that nobody declares as an error.
    pub fn strictly(self) -> Self {
        Self { templates: self.templates.into_iter().map(PromptLint::strictly).collect(), ..self }
    }

    /// The worst severity in it.
    pub fn worst(&self) -> Option<Severity> {
        let unreadable = self.problems.iter().map(|problem| problem.severity);
        self.templates.iter().filter_map(PromptLint::worst).chain(unreadable).max()
    }

    /// As JSON: `templates`, each as [`PromptLint::to_json`], and `problems`.
    pub fn to_json(&self) -> Json {
        let templates: Vec<Json> = self.templates.iter().map(PromptLint::to_json).collect();
        json!({ "templates": templates, "problems": self.problems.to_json() })
    }

    fn add(&mut self, path: &Path) {
        match path {
            path if path.join(PACK_FILE).is_file() || is_archive(path) => self.add_pack(path),
            path if path.is_dir() => {
                self.add_files(&check_list(path));
                self.add_packs(path);
            }
            path => self.add_files(&[path.to_owned()]),
        }
    }

    fn add_packs(&mut self, directory: &Path) {
        let places = self.problems.collect(pack_places(directory)).unwrap_or_default();
        for place in places {
            self.add_pack(&place);
        }
    }

    fn add_pack(&mut self, path: &Path) {
        match self.problems.collect(read_pack(path, &PackPolicy::default())) {
            Some(Reading::Ours(pack)) => self.templates.extend(pack_lints(&pack, &[])),
            Some(Reading::Foreign(_)) | None => {}
        }
    }

    /// Reads the files, and holds each template against the version before it among them.
    fn add_files(&mut self, paths: &[PathBuf]) {
        let documents: Vec<Document> =
            paths.iter().filter_map(|path| self.problems.collect(read_document(path))).collect();
        let found: Vec<Found<'_>> = documents
            .iter()
            .filter_map(|document| {
                let template = self.problems.collect(template_of(document))?;
                Some(Found { document, at: String::new(), template })
            })
            .collect();
        self.problems.extend(doubles(&found));
        self.templates.extend(lints(&found, &[]));
    }
}

/// The findings of each template of a pack, held against the version before it in the pack or among `earlier`.
pub(crate) fn pack_lints(pack: &Pack, earlier: &[&PromptTemplate]) -> Vec<PromptLint> {
    let Content::Prompts(_) = &pack.content else { return Vec::new() };
    let prompts = pack.document.value().get("prompts").and_then(Json::as_array);
    let found: Vec<Found<'_>> = prompts
        .into_iter()
        .flatten()
        .enumerate()
        .filter_map(|(at, value)| {
            let template = strict::read::<PromptTemplate>(value).ok()?;
            Some(Found { document: &pack.document, at: format!("/prompts/{at}"), template })
        })
        .collect();
    lints(&found, earlier)
}

fn lints(found: &[Found<'_>], earlier: &[&PromptTemplate]) -> Vec<PromptLint> {
    let versions = Versions::of(found.iter().map(|it| &it.template).chain(earlier.iter().copied()));
    let lint = |it: &Found<'_>| {
        PromptLint::within(it.document, &it.at, &it.template, versions.findings(&it.template))
    };
    found.iter().map(lint).collect()
}

/// One problem for each file whose template another has.
fn doubles(found: &[Found<'_>]) -> Vec<Diagnostic> {
    let mut seen: BTreeMap<(&TemplateId, &Version), &Document> = BTreeMap::new();
    let mut problems = Vec::new();
    for Found { document, template, .. } in found {
        let key = (&template.template_id, &template.version);
        if let Some(first) = seen.insert(key, document) {
            let message = format!("'prompt:{}@{}' is there already", template.template_id, template.version);
            let problem = Diagnostic::error(ErrorCode::PromptAlreadyExists.as_str(), message)
                .at(document.source(), document.locate("/templateId"));
            let first = first.source().name();
            problems.push(problem.with_hint(format!("{first} has it; raise the version of one")));
        }
    }
    problems
}
