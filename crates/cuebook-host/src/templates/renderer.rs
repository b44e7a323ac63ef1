//! A dialect, its options and a context, ready for any number of templates.

use std::path::Path;

use cuebook_template::pongo::{Cache, Civil, Profile};
use cuebook_template::{Diagnostic, Severity, Source};
use serde_json::{Map, Value as Json};

use super::data::Data;
use super::input::{is_stream, read_stdin};
use super::rendered::RenderedTemplate;
use super::roots::Roots;
use super::{mustache, pongo};
use crate::report::Problems;

/// A template language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The language of layered templates: pongo2 6.0.0's.
    #[default]
    Pongo,
    /// The language of RFC 0027: `{{name}}` and nothing else.
    Mustache,
}

/// How templates are rendered.
#[derive(Clone, Copy, Debug, Default)]
pub struct TemplateOptions {
    /// The language.
    pub dialect: Dialect,
    /// Which tags and filters are allowed, and the limits; the pongo dialect's alone.
    pub profile: Profile,
    /// Whether a name without a value is an error.
    pub strict: bool,
    /// Whether values are escaped for HTML; the pongo dialect's alone.
    pub autoescape: bool,
    /// Whether a render says where each range of its text came from.
    pub origins: bool,
    /// What the tag `now` shows.
    pub now: Option<Civil>,
    /// What `random` and `lorem random` draw from.
    pub seed: Option<u64>,
}

/// Renders and checks templates with the same options and the same context.
#[derive(Debug)]
pub struct Renderer {
    pub(super) options: TemplateOptions,
    pub(super) roots: Roots,
    pub(super) data: Data,
    /// Whether there is a context at all, so that a name it lacks is worth a word.
    pub(super) has_context: bool,
    /// Programs of files that only a render can name.
    pub(super) cache: Cache,
}

impl Renderer {
    /// Takes what all templates share; no `context` is an empty one.
    pub fn new(options: TemplateOptions, roots: Roots, context: Option<Map<String, Json>>) -> Self {
        let has_context = context.is_some();
        let data = Data::new(options.dialect, context.unwrap_or_default());
        Self { options, roots, data, has_context, cache: Cache::default() }
    }

    /// Reads the template to begin with: a path, or standard input for `-`.
    ///
    /// # Errors
    ///
    /// As [`Roots::entry`].
    pub fn read(&self, file: &Path) -> Result<Source, Problems> {
        if is_stream(file) { read_stdin() } else { self.roots.entry(file) }
    }

    /// Renders one template.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with its files, or else the first thing that went wrong on the way.
    pub fn render(&self, source: Source) -> Result<RenderedTemplate, Problems> {
        self.render_with(source, &self.data)
    }

    pub(super) fn render_with(&self, source: Source, data: &Data) -> Result<RenderedTemplate, Problems> {
        match data {
            Data::Pongo(context) => pongo::render(self, source, context),
            Data::Mustache(values) => mustache::render(self, source, values),
        }
    }
}

/// Findings apart: errors, and the rest.
pub(super) fn split(findings: impl IntoIterator<Item = Diagnostic>) -> (Problems, Problems) {
    let (errors, rest): (Vec<_>, Vec<_>) =
        findings.into_iter().partition(|finding| finding.severity == Severity::Error);
    (errors.into_iter().collect(), rest.into_iter().collect())
}
