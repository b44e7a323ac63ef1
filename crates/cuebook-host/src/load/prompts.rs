//! Prompt templates from files: `*.md` with TOML front matter, or `*.json` in the wire's form.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cuebook_prompt::{Library, PromptError};
use cuebook_template::{Diagnostic, Source};
use cuebook_wire::{ErrorCode, Fault, PromptTemplate, TemplateId, Version, strict};

use crate::document::Document;
use crate::files::{list, read_listed, read_text, shown};
use crate::load::lint::lint;
use crate::parallel;
use crate::report::Problems;

/// A library with the files that its templates were read from.
pub(super) struct FileLibrary {
    library: Library,
    files: Vec<PathBuf>,
}

impl FileLibrary {
    /// Takes a library without templates.
    pub(super) fn new(library: Library) -> Self {
        Self { library, files: Vec::new() }
    }

    /// The library, without the files.
    pub(super) fn into_library(self) -> Library {
        self.library
    }

    /// Adds every template of `directory`.
    pub(super) fn load(&mut self, directory: &Path) -> Result<(), Problems> {
        let mut problems = Problems::new();
        let paths = template_files(directory)?;
        let templates = parallel::map(&paths, |path| read_template(path).map(Arc::new).map_err(Box::new));
        let mut refused = Vec::new();
        for (path, template) in paths.into_iter().zip(templates) {
            let template = problems.collect(template.map_err(|problems| *problems));
            if let Some(Err(error)) = template.map(|it| self.library.add(it)) {
                refused.push((path.clone(), error));
            }
            self.files.push(path);
        }
        if !refused.is_empty() {
            let first = first_files(&self.files);
            let refused = refused.iter().map(|(path, error)| refusal(path, error, &first));
            refused.for_each(|refusal| problems.extend(refusal.unwrap_or_else(|problems| problems)));
        }
        problems.or(())
    }
}

/// The first of `files` that has each template. They are read once more: it is asked for when something is wrong already.
fn first_files(files: &[PathBuf]) -> BTreeMap<(TemplateId, Version), &Path> {
    let read = parallel::map(files, |path| read_template(path));
    let mut first = BTreeMap::new();
    for (path, template) in files.iter().zip(read) {
        if let Ok(template) = template {
            first.entry((template.template_id, template.version)).or_insert(path.as_path());
        }
    }
    first
}

/// Why the library does not take the template of a file, with the file that has its id and version already.
fn refusal(
    path: &Path,
    error: &PromptError,
    first: &BTreeMap<(TemplateId, Version), &Path>,
) -> Result<Problems, Problems> {
    let document = read_document(path)?;
    let template = template_of(&document)?;
    let problem = error.diagnostic().clone().at(document.source(), document.locate("/templateId"));
    let first = first.get(&(template.template_id, template.version)).filter(|first| **first != path);
    Ok(match first {
        Some(first) => problem.with_hint(format!("{} has it; raise the version of one", shown(first))),
        None => problem,
    }
    .into())
}

/// The ids of the templates in `directories`, as far as their files can be read.
pub(crate) fn template_ids(directories: &[PathBuf]) -> BTreeSet<TemplateId> {
    let read = parallel::map(&listed(directories), |path| read_template(path));
    read.into_iter().filter_map(|template| Some(template.ok()?.template_id)).collect()
}

/// What is doubtful about the templates of `directories`. Their files are read once more: a start does not wait for it, and
/// a file that cannot be read was told of when it was loaded.
pub(crate) fn doubtful(directories: &[PathBuf]) -> Vec<Diagnostic> {
    let found = parallel::map(&listed(directories), |path| findings(path).unwrap_or_default());
    found.into_iter().flatten().collect()
}

/// The files with templates in those of `directories` that can be listed.
fn listed(directories: &[PathBuf]) -> Vec<PathBuf> {
    directories.iter().filter_map(|directory| template_files(directory).ok()).flatten().collect()
}

fn findings(path: &Path) -> Result<Vec<Diagnostic>, Problems> {
    let document = read_document(path)?;
    let template = template_of(&document)?;
    Ok(lint(&document, "", &template))
}

/// The files of a directory that hold templates.
///
/// # Errors
///
/// `file_unreadable` when it cannot be listed.
pub(crate) fn template_files(directory: &Path) -> Result<Vec<PathBuf>, Problems> {
    list(directory, &["md", "json"])
}

/// The document in a file: front matter and text, or JSON.
///
/// # Errors
///
/// `file_unreadable`; what is wrong with its form.
pub(crate) fn read_document(path: &Path) -> Result<Document, Problems> {
    document_of(path, read_text(path)?)
}

fn document_of(path: &Path, source: Source) -> Result<Document, Problems> {
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    if is_json { Document::json(source) } else { Document::front_matter(source) }
}

/// The template in a file that a listing has found.
fn read_template(path: &Path) -> Result<PromptTemplate, Problems> {
    template_of(&document_of(path, read_listed(path)?)?)
}

/// The template that a document is.
///
/// # Errors
///
/// Every fault of it, with its place.
pub(crate) fn template_of(document: &Document) -> Result<PromptTemplate, Problems> {
    let template =
        strict::read::<PromptTemplate>(document.value()).map_err(|faults| document.problems(faults))?;
    extract_path_problems(document, &template).or(template)
}

fn extract_path_problems(document: &Document, template: &PromptTemplate) -> Problems {
    let bad = template.variables.iter().enumerate().filter_map(|(at, variable)| {
        let error = cuebook_prompt::check_extract_path(variable.extract_path.as_deref()?).err()?;
        let path = format!("/variables/{at}/extractPath");
        Some(Fault::new(path, ErrorCode::UnsupportedExtractPath, error.to_string()))
    });
    document.problems(bad.collect())
}
