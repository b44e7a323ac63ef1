//! A layer: files of one root by the names of templates.
//!
//! It owns which file of a root a name stands for. It refuses to choose between two spellings of one name.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use cuebook_prompt::ContentHash;
use cuebook_template::Source;
use serde::Serialize;

use crate::files::{FileFault, FileTree};
use crate::reference::TemplateRef;

/// The rank of a layer; the greater one wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Files that packs bring.
    Bundled,
    /// The overlay of a project.
    Project,
    /// The overlay of the host.
    Site,
}

impl Tier {
    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bundled => "bundled",
            Self::Project => "project",
            Self::Site => "site",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Files of one root.
#[derive(Debug)]
pub struct Layer {
    /// Its rank.
    pub tier: Tier,
    /// What origins and errors call it.
    pub label: Arc<str>,
    /// The directory of the project whose overlay it is.
    project: Option<Arc<Path>>,
    files: BTreeMap<TemplateRef, LayerFile>,
    /// Directories that cannot be entered, with the reason.
    blocked: Vec<(String, FileFault)>,
}

/// A file of a layer.
#[derive(Clone, Debug)]
pub struct LayerFile {
    /// Its path below the root of the layer.
    pub path: String,
    /// The whole file, or why there is none.
    pub source: Result<Source, FileFault>,
}

impl LayerFile {
    /// The hash of the file's bytes; `None` without a text.
    pub fn hash(&self) -> Option<ContentHash> {
        self.source.as_ref().ok().map(|source| ContentHash::of(source.text()))
    }
}

impl Layer {
    /// The layer of `tree`, all of whose files are templates.
    pub fn overlay(tier: Tier, label: impl Into<Arc<str>>, tree: &FileTree) -> Self {
        let mut layer = Self::of(tier, label, BTreeMap::new());
        for (path, entry) in tree.iter().filter(|(path, _)| !is_left_behind(path)) {
            let Ok(reference) = TemplateRef::parse(path) else { continue };
            if let Err(fault) = &entry.text {
                layer.blocked.push((path.to_owned(), fault.clone()));
            }
            let source = entry.text.clone().map(|text| template(&reference, &text, Arc::clone(&layer.label)));
            layer.add(reference, LayerFile { path: path.to_owned(), source });
        }
        layer
    }

    /// A layer of files that are known by name already.
    pub fn of(tier: Tier, label: impl Into<Arc<str>>, files: BTreeMap<TemplateRef, LayerFile>) -> Self {
        Self { tier, label: label.into(), project: None, files, blocked: Vec::new() }
    }

    /// A layer that cannot be read, so that every name it might have is a fault.
    pub fn closed(tier: Tier, label: impl Into<Arc<str>>, fault: FileFault) -> Self {
        let blocked = vec![(String::new(), fault)];
        Self { blocked, ..Self::of(tier, label, BTreeMap::new()) }
    }

    /// The same layer as the overlay of the project in `directory`.
    #[must_use]
    pub fn of_project(self, directory: Option<Arc<Path>>) -> Self {
        Self { project: directory, ..self }
    }

    /// The directory of the project whose overlay it is.
    pub fn project(&self) -> Option<&Path> {
        self.project.as_deref()
    }

    fn add(&mut self, reference: TemplateRef, file: LayerFile) {
        match self.files.get_mut(&reference) {
            Some(known) => known.source = Err(FileFault::Doubled(known.path.clone(), file.path)),
            None => drop(self.files.insert(reference, file)),
        }
    }

    /// The file that `reference` stands for here: also one that cannot be had.
    pub fn find(&self, reference: &TemplateRef) -> Option<LayerFile> {
        if let Some(file) = self.files.get(reference) {
            return Some(file.clone());
        }
        let (path, fault) = self.blocked.iter().find(|(path, _)| may_hold(path, reference))?;
        Some(LayerFile { path: path.clone(), source: Err(fault.clone()) })
    }

    /// The directories that cannot be entered, with the reason; the empty path is the whole layer.
    pub fn blocked(&self) -> impl Iterator<Item = (&str, &FileFault)> {
        self.blocked.iter().map(|(path, fault)| (path.as_str(), fault))
    }

    /// Its files in the order of their names.
    pub fn files(&self) -> impl Iterator<Item = (&TemplateRef, &LayerFile)> {
        self.files.iter()
    }
}

/// Whether editors, systems and version control leave such files behind.
fn is_left_behind(path: &str) -> bool {
    path.ends_with('~') || path.split('/').any(|step| step.starts_with('.'))
}

/// Whether a file of that name may lie below the directory `path`, whatever its prefix is spelled like.
fn may_hold(path: &str, reference: &TemplateRef) -> bool {
    let inside = TemplateRef::parse(&format!("{path}/_.md"));
    path.is_empty()
        || inside.is_ok_and(|it| reference.as_str().starts_with(it.as_str().trim_end_matches("_.md")))
}

/// The file called `reference` with its text.
pub(crate) fn template(reference: &TemplateRef, text: &Arc<str>, layer: Arc<str>) -> Source {
    Source::new(reference.as_str(), Arc::clone(text)).in_layer(layer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(files: &[(&str, &str)]) -> Layer {
        Layer::overlay(Tier::Project, "here", &FileTree::of(files.iter().copied()))
    }

    #[track_caller]
    fn check(files: &[(&str, &str)], name: &str, expect: Option<Result<&str, &str>>) {
        let found = layer(files).find(&TemplateRef::parse(name).expect("a name"));
        let found = found.map(|file| {
            file.source.map(|source| source.text().to_string()).map_err(|fault| fault.to_string())
        });
        match (&found, expect) {
            (Some(Err(fault)), Some(Err(part))) => assert!(fault.contains(part), "{fault}"),
            _ => assert_eq!(found.as_ref().map(|it| it.as_deref().map_err(String::as_str)), expect, "{name}"),
        }
    }

    #[test]
    fn a_name_finds_any_spelling_of_its_file() {
        check(&[("partials/a.md", "a")], "shared/partials/a.md", Some(Ok("a")));
        check(&[("shared/partials/a.md", "a")], "partials/a", Some(Ok("a")));
        check(&[("guidance/leg.md", "l")], "kicks/leg", Some(Ok("l")));
        check(&[("agents/prompts/a.md", "a")], "agents/a.md", Some(Ok("a")));
        check(&[("partials/a.md", "a")], "partials/b.md", None);
    }

    #[test]
    fn a_layer_that_cannot_be_read_hides_nothing() {
        let closed = Layer::closed(Tier::Site, "site", FileFault::Other("no".to_owned()));
        assert!(closed.find(&TemplateRef::parse("partials/a.md").expect("a name")).is_some());
        assert!(may_hold("shared/partials", &TemplateRef::parse("partials/a.md").expect("a name")));
        assert!(!may_hold("shared/partials", &TemplateRef::parse("units/a.md").expect("a name")));
    }

    #[test]
    fn two_spellings_of_a_name_are_a_fault_of_that_name_alone() {
        let files = [("kicks/leg.md", "1"), ("inject/leg.md", "2"), ("partials/a.md", "a")];
        check(&files, "guidance/leg", Some(Err("inject/leg.md and kicks/leg.md are two spellings")));
        check(&files, "partials/a.md", Some(Ok("a")));
    }
}
