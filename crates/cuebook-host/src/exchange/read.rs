//! Reading what is to be imported: directories of files, packs, single files; and pointing faults back into them.

use std::path::{Path, PathBuf};

use cuebook_template::Diagnostic;
use cuebook_wire::pack::PACK_FILE;
use cuebook_wire::{ErrorCode, PromptTemplate};
use serde_json::Value as Json;

use super::form::authored;
use crate::document::Document;
use crate::files::{list, shown};
use crate::load::{read_document, template_of};
use crate::packs::{PackPolicy, Reading, is_archive, read as read_pack, refused};
use crate::report::Problems;

/// Templates to be imported, and where each of them stands.
#[derive(Debug, Default)]
pub struct ImportSource {
    /// The templates, as their authors decide them.
    pub templates: Vec<PromptTemplate>,
    documents: Vec<Document>,
    /// For each template its document and the JSON pointer to it.
    places: Vec<(usize, String)>,
}

impl ImportSource {
    /// Reads directories of template files, packs of prompts and single files.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with any of them.
    pub fn read(paths: &[PathBuf]) -> Result<Self, Problems> {
        let mut source = Self::default();
        let mut problems = Problems::new();
        for path in paths {
            problems.collect(source.add(path));
        }
        problems.or(source)
    }

    fn add(&mut self, path: &Path) -> Result<(), Problems> {
        if path.join(PACK_FILE).is_file() || is_archive(path) {
            return self.add_pack(path);
        }
        if !path.is_dir() {
            return self.add_file(path);
        }
        let mut problems = Problems::new();
        for file in list(path, &["md", "json"])? {
            problems.collect(self.add_file(&file));
        }
        problems.or(())
    }

    fn add_file(&mut self, path: &Path) -> Result<(), Problems> {
        let document = read_document(path)?;
        let template = template_of(&document)?;
        self.keep(document, vec![(String::new(), template)]);
        Ok(())
    }

    fn add_pack(&mut self, path: &Path) -> Result<(), Problems> {
        let pack = match read_pack(path, &PackPolicy::default())? {
            Reading::Ours(pack) => pack,
            Reading::Foreign(reason) => return Err(reason.into()),
        };
        let prompts = pack.document.value().get("prompts").and_then(Json::as_array).cloned();
        let templates: Vec<(String, PromptTemplate)> = prompts
            .unwrap_or_default()
            .into_iter()
            .enumerate()
            .filter_map(|(at, value)| Some((format!("/prompts/{at}"), serde_json::from_value(value).ok()?)))
            .collect();
        if templates.is_empty() {
            let problem = refused(format!("the pack {} has no prompts to import", shown(path)));
            return Err(problem
                .with_hint("packs of agents and of templates are installed with 'cuebook packs install'")
                .into());
        }
        self.keep(pack.document, templates);
        Ok(())
    }

    fn keep(&mut self, document: Document, templates: Vec<(String, PromptTemplate)>) {
        let at = self.documents.len();
        self.documents.push(document);
        for (pointer, template) in templates {
            self.places.push((at, pointer));
            self.templates.push(authored(&template));
        }
    }

    /// The faults that an import was refused with, each at its place: as a host tells them, with paths that begin with
    /// `/templates/<index>`. What is no such list is one problem, `code` with `message`.
    pub fn refused(&self, code: &str, message: &str, faults: Option<&Json>) -> Problems {
        let listed = faults.and_then(Json::as_array).into_iter().flatten();
        let placed: Problems = listed.filter_map(|fault| self.problem(fault)).collect();
        if placed.is_empty() { Diagnostic::error(code.to_owned(), message).into() } else { placed }
    }

    fn problem(&self, fault: &Json) -> Option<Diagnostic> {
        let text = |key: &str| fault.get(key).and_then(Json::as_str);
        let code = text("code").unwrap_or(ErrorCode::ValidationError.as_str()).to_owned();
        let mut problem = Diagnostic::error(code, text("message")?);
        if let Some((index, member)) = text("path").and_then(place_in_import)
            && let Some((document, pointer)) = self.places.get(index)
        {
            let document = &self.documents[*document];
            problem = problem.at(document.source(), document.locate(&format!("{pointer}{member}")));
        }
        problem.nearest = text("nearest").map(str::to_owned);
        problem.hint = text("hint").map(str::to_owned);
        Some(problem)
    }
}

/// The index in `/templates/<index>/…` and the rest of the path.
fn place_in_import(path: &str) -> Option<(usize, &str)> {
    let rest = path.strip_prefix("/templates/")?;
    let end = rest.find('/').unwrap_or(rest.len());
    Some((rest[..end].parse().ok()?, &rest[end..]))
}
