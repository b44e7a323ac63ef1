//! What is known of the files that recipes list: whether each can be read, and whether it has text.
//!
//! It owns the memory of a check, so that one edit leads to one file being read again. It refuses to keep texts: a check of a
//! large project takes no more memory than its list of files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use cuebook_prompt::Compound;
use cuebook_template::{Diagnostic, nearest};
use cuebook_wire::ErrorCode;

use crate::recipe::{Recipe, blank, entry, unusable};
use crate::root::{ReadFault, Root};

/// What a file was found to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFact {
    /// It has text.
    Text,
    /// It has white space only, or nothing.
    Blank,
}

/// What is known of files, by their path.
#[derive(Debug, Default)]
pub struct FileFacts {
    known: HashMap<PathBuf, Result<FileFact, ReadFault>>,
    reads: usize,
    /// The room that files are read into, one after the other.
    buffer: Vec<u8>,
}

impl FileFacts {
    /// Forgets what is known of the file at `path`, and of everything below it; whether there was anything.
    pub fn forget(&mut self, path: &Path) -> bool {
        let path = whole(path);
        let before = self.known.len();
        self.known.retain(|known, _| !known.starts_with(&path));
        self.known.len() < before
    }

    /// Forgets what was wrong, so that it is looked at again.
    pub(crate) fn forget_faults(&mut self) {
        self.known.retain(|_, fact| fact.is_ok());
    }

    /// How many files were read so far.
    pub fn reads(&self) -> usize {
        self.reads
    }

    /// Checks the files of a recipe; an entry without text is a warning, a prompt without any an error.
    pub(crate) fn check(&mut self, root: &Root, recipe: &Recipe) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let mut has_text = false;
        for at in 0..recipe.ingredients.len() {
            match self.ingredient(root, recipe, at) {
                Ok(FileFact::Text) => has_text = true,
                Ok(FileFact::Blank) => found.push(blank_file(recipe, at)),
                Err(fault) => {
                    has_text = true;
                    found.push(with_neighbour(root, recipe, at, unusable(recipe, at, &fault), &fault));
                }
            }
        }
        if has_text { found } else { vec![blank(recipe)] }
    }

    fn ingredient(&mut self, root: &Root, recipe: &Recipe, at: usize) -> Result<FileFact, ReadFault> {
        for candidate in recipe.ingredients[at].candidates(root) {
            match self.fact(root, &candidate) {
                Err(ReadFault::Missing) => {}
                found => return found,
            }
        }
        Err(ReadFault::Missing)
    }

    fn fact(&mut self, root: &Root, below: &Path) -> Result<FileFact, ReadFault> {
        let path = root.whole_path().join(below);
        if let Some(known) = self.known.get(&path) {
            return known.clone();
        }
        self.reads += 1;
        let text = root.read_into(below, &mut self.buffer);
        let fact =
            text.map(|text| if Compound::is_blank_file(text) { FileFact::Blank } else { FileFact::Text });
        self.known.insert(path, fact.clone());
        fact
    }
}

/// The path by which a file is known, whatever directory it is named from.
pub(crate) fn whole(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn blank_file(recipe: &Recipe, at: usize) -> Diagnostic {
    let ingredient = &recipe.ingredients[at];
    let message = format!("{}: '{}' has no text", entry(recipe, at), ingredient.path);
    Diagnostic::warning(ErrorCode::ProjectFileBlank.as_str(), message)
        .at(&ingredient.listed.source, ingredient.listed.span)
}

/// The problem with the nearest file of the same directory as its hint.
fn with_neighbour(
    root: &Root,
    recipe: &Recipe,
    at: usize,
    problem: Diagnostic,
    fault: &ReadFault,
) -> Diagnostic {
    let path = &recipe.ingredients[at].path;
    let (directory, name) = path.relative.rsplit_once('/').unwrap_or((".", &path.relative));
    if *fault != ReadFault::Missing {
        return problem;
    }
    let below = root.below(&crate::path::PromptPath { base: path.base, relative: directory.to_owned() });
    let names = root.file_names(&below);
    match nearest(name, names.iter().map(String::as_str)) {
        Some(near) => problem.with_hint(format!("there is '{near}' in the same directory")),
        None => problem.with_hint(format!("looked for {}", root.shown(&root.below(path)))),
    }
}
