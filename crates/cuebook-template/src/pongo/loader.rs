//! The port through which templates name other templates.
//!
//! It owns what a host answers, and a set of texts in memory as the simplest host. It refuses files: reading, roots
//! and layers are the host's.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::source::Source;

/// Finds templates by name.
///
/// Names are as written in the tags: they are not joined to the name of the file that holds the tag.
pub trait Loader {
    /// The template called `name` as it is now; `None` when there is none.
    ///
    /// # Errors
    ///
    /// When there is one and it cannot be had; it is never passed over in favour of another.
    fn load(&self, name: &str) -> Result<Option<Source>, LoadError>;

    /// Names that exist, for hints; may be empty.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Why a template that exists cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// One sentence fragment in lower case without a final stop.
    pub message: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LoadError {}

/// A name that was looked for, and what was found then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The name, as the loader was asked for it.
    pub name: Arc<str>,
    /// What there was; `None` when there was nothing.
    pub found: Option<Source>,
}

impl Dependency {
    /// Whether `loader` still gives the same.
    pub fn is_fresh(&self, loader: &dyn Loader) -> bool {
        loader.load(&self.name).is_ok_and(|found| found == self.found)
    }
}

/// No templates at all.
impl Loader for () {
    fn load(&self, _name: &str) -> Result<Option<Source>, LoadError> {
        Ok(None)
    }
}

/// Templates in memory: name to text.
impl Loader for BTreeMap<String, String> {
    fn load(&self, name: &str) -> Result<Option<Source>, LoadError> {
        Ok(self.get(name).map(|text| Source::new(name, text.as_str())))
    }

    fn names(&self) -> Vec<String> {
        self.keys().cloned().collect()
    }
}
