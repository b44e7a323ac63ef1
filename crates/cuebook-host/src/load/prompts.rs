//! Prompt templates from files: `*.md` with TOML front matter, or `*.json` in the wire's form.

use std::path::Path;

use cuebook_prompt::Library;
use cuebook_wire::{PromptTemplate, strict};

use crate::document::Document;
use crate::files::{list, read_text};
use crate::report::Problems;

/// Adds every template of `directory` to `library`.
pub(super) fn load(directory: &Path, library: &mut Library) -> Result<(), Problems> {
    let mut problems = Problems::new();
    for path in list(directory, &["md", "json"])? {
        problems.collect(load_file(&path, library));
    }
    problems.or(())
}

fn load_file(path: &Path, library: &mut Library) -> Result<(), Problems> {
    let source = read_text(path)?;
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    let document = if is_json { Document::json(source)? } else { Document::front_matter(source)? };
    let template =
        strict::read::<PromptTemplate>(document.value()).map_err(|faults| document.problems(faults))?;
    let paths = extract_path_problems(&document, &template);
    if !paths.is_empty() {
        return Err(paths);
    }
    library.add(template).map_err(|error| {
        let place = document.locate("/templateId");
        error.diagnostic().clone().at(document.source(), place).into()
    })
}

fn extract_path_problems(document: &Document, template: &PromptTemplate) -> Problems {
    let bad = template.variables.iter().enumerate().filter_map(|(at, variable)| {
        let error = cuebook_prompt::check_extract_path(variable.extract_path.as_deref()?).err()?;
        let path = format!("/variables/{at}/extractPath");
        let code = cuebook_wire::ErrorCode::UnsupportedExtractPath;
        Some(cuebook_wire::Fault::new(path, code, error.to_string()))
    });
    document.problems(bad.collect())
}
