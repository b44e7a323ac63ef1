//! From a directory to a project: files read, merged, checked; all that is wrong at once.
//!
//! It owns the order of the steps and the inclusion of projects in each other. It refuses to stop at the first fault: what can
//! still be looked at is looked at.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cuebook_template::{Diagnostic, Location, Severity};
use cuebook_wire::ErrorCode;
use cuebook_wire::strict;
use indexmap::IndexMap;

use crate::facts::FileFacts;
use crate::merge::{Overlay, merge};
use crate::path::PromptPath;
use crate::project::Project;
use crate::recipe::recipes;
use crate::root::{CONFIG_DIRECTORIES, ReadFault, Root};
use crate::rules;
use crate::spec::ProjectFile;
use cuebook_yaml::{Node, parse, placed};

/// The portable file.
pub(crate) const PROJECT_FILE: &str = "project.yaml";
/// The file of one machine, which stays out of version control.
pub(crate) const LOCAL_FILE: &str = "project.local.yaml";
/// How deep projects may include each other.
pub const MAX_NESTING: usize = 16;

/// A project that was read, and what is doubtful about it.
#[derive(Debug)]
pub struct Loaded {
    /// The project.
    pub project: Arc<Project>,
    /// Warnings and notes.
    pub remarks: Vec<Diagnostic>,
}

/// Reads the project in `directory`; `facts` is what is known of its files already.
///
/// # Errors
///
/// Everything that is wrong, in the files of the project and of those it includes.
pub fn load(directory: &Path, facts: &mut FileFacts) -> Result<Loaded, Vec<Diagnostic>> {
    let mut loader = Loader { facts, found: Vec::new(), trail: Vec::new(), seen: HashMap::new() };
    let project = loader.project(directory, None);
    loader.found.sort_by(|left, right| place_of(left).cmp(&place_of(right)));
    let (problems, remarks): (Vec<_>, Vec<_>) =
        loader.found.into_iter().partition(|finding| finding.severity == Severity::Error);
    match project {
        Some(project) if problems.is_empty() => Ok(Loaded { project, remarks }),
        _ => Err(problems),
    }
}

/// Findings are told in the order of the files' names and of the places in each; those without a place first.
fn place_of(finding: &Diagnostic) -> Option<(&str, usize)> {
    finding.label.as_ref().map(|label| (&**label.source.name(), label.span.start))
}

/// What an inclusion brings along.
struct Inclusion {
    /// Where the including project names this one.
    named_at: Location,
    /// What it overrides.
    injection: Option<Node>,
}

/// What became of a file of the configuration directory.
enum Parsed {
    Absent,
    Faulty,
    Sound(Node),
}

struct Loader<'f> {
    facts: &'f mut FileFacts,
    found: Vec<Diagnostic>,
    /// The directories on the way to the project that is being read, links resolved.
    trail: Vec<PathBuf>,
    /// The projects that were read, by slug, and where each came from.
    seen: HashMap<String, (PathBuf, Arc<Project>)>,
}

impl Loader<'_> {
    fn project(&mut self, directory: &Path, inclusion: Option<Inclusion>) -> Option<Arc<Project>> {
        let root = self.open(directory, inclusion.as_ref())?;
        let real = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
        self.trail.push(real.clone());
        let tree = self.tree(&root, inclusion.and_then(|inclusion| inclusion.injection));
        let project = tree.and_then(|tree| self.checked(root, tree));
        self.trail.pop();
        self.unique(project?, real)
    }

    /// Opens the directory of a project, which holds one project file.
    fn open(&mut self, directory: &Path, inclusion: Option<&Inclusion>) -> Option<Root> {
        let configs = Root::config_directories(directory);
        let message = match configs.as_slice() {
            [config] => match Root::open(directory, config) {
                Ok(root) => return Some(root),
                Err(error) => format!("{} cannot be opened: {error}", directory.display()),
            },
            [] => format!("there is no project file in {}", directory.display()),
            _ => format!("{} has two project files: {}", directory.display(), configs.join(" and ")),
        };
        let hint = format!("a project has one {PROJECT_FILE}, in {}", CONFIG_DIRECTORIES.join("/ or ") + "/");
        let code = match inclusion {
            Some(_) if configs.is_empty() => ErrorCode::NestedProjectMissing,
            _ => ErrorCode::ProjectInvalid,
        };
        let problem = Diagnostic::error(code.as_str(), message).with_hint(hint);
        self.found.push(match inclusion {
            Some(inclusion) => problem.at(&inclusion.named_at.source, inclusion.named_at.span),
            None => problem,
        });
        None
    }

    /// The portable file with what overrides it: first the local file, then the including project.
    fn tree(&mut self, root: &Root, injection: Option<Node>) -> Option<Node> {
        let portable = self.parsed(root, PROJECT_FILE);
        let local = self.parsed(root, LOCAL_FILE);
        let mut tree = match portable {
            Parsed::Sound(tree) => tree,
            Parsed::Faulty => return None,
            Parsed::Absent => return self.no_portable_file(root),
        };
        match local {
            Parsed::Sound(local) if !local.is_null() => {
                self.found.extend(merge(&mut tree, local, Overlay::Local));
            }
            Parsed::Sound(_) | Parsed::Absent => {}
            Parsed::Faulty => return None,
        }
        if let Some(injection) = injection {
            self.found.extend(merge(&mut tree, injection, Overlay::Parent));
        }
        Some(tree)
    }

    fn no_portable_file(&mut self, root: &Root) -> Option<Node> {
        let path = root.shown(&Path::new(root.config()).join(PROJECT_FILE));
        let message = format!("there is no file {path}");
        self.found.push(Diagnostic::error(ErrorCode::ProjectInvalid.as_str(), message));
        None
    }

    /// A file of the configuration directory.
    fn parsed(&mut self, root: &Root, name: &str) -> Parsed {
        let below = Path::new(root.config()).join(name);
        let faults = match root.read(&below) {
            Ok(source) => match parse(&source, ErrorCode::ProjectInvalid) {
                Ok(node) => return Parsed::Sound(node),
                Err(faults) => faults,
            },
            Err(ReadFault::Missing) => return Parsed::Absent,
            Err(fault) => {
                let message = format!("{} cannot be read: {fault}", root.shown(&below));
                vec![Diagnostic::error(ErrorCode::FileUnreadable.as_str(), message)]
            }
        };
        self.found.extend(faults);
        Parsed::Faulty
    }

    /// Holds the merged tree against the schema and the rules, and reads what it includes.
    fn checked(&mut self, root: Root, tree: Node) -> Option<Arc<Project>> {
        let (recipes, bad_paths) = recipes(&tree);
        self.found.extend(bad_paths);
        for recipe in &recipes {
            self.found.extend(self.facts.check(&root, recipe));
        }
        let includes = self.includes(&root, &tree);
        let spec = self.spec(&tree)?;
        self.found.extend(rules::check(&spec, &tree, &includes));
        Some(Arc::new(Project::new(root, spec, tree, recipes, includes)))
    }

    /// The merged document by the schema; one with faults is read all the same where it can be, so that what the rules say
    /// of it is told too.
    fn spec(&mut self, tree: &Node) -> Option<ProjectFile> {
        let document = tree.to_json();
        match strict::read::<ProjectFile>(&document) {
            Ok(spec) => Some(spec),
            Err(faults) => {
                self.found.extend(faults.iter().map(|fault| placed(tree, fault)));
                serde_json::from_value(document).ok()
            }
        }
    }

    fn includes(&mut self, root: &Root, tree: &Node) -> IndexMap<String, Arc<Project>> {
        let entries = tree.get("projects").and_then(Node::map).into_iter().flatten();
        let mut includes = IndexMap::new();
        for (name, entry) in entries {
            if let Some(project) = self.include(root, name, &entry.node) {
                includes.insert(name.clone(), project);
            }
        }
        includes
    }

    fn include(&mut self, root: &Root, name: &str, node: &Node) -> Option<Arc<Project>> {
        let path = node.text().or_else(|| node.get("path")?.text())?;
        let place = if node.text().is_some() { node } else { node.get("path")? };
        let relative = match include_path(root, path) {
            Ok(relative) => relative,
            Err(problem) => {
                let message = format!("projects.{name}: {}", problem.message);
                let problem = Diagnostic { message, ..*problem };
                self.found.push(problem.at(&place.place.source, place.place.span));
                return None;
            }
        };
        let directory = root.path().join(relative);
        if let Some(problem) = self.circle(name, &directory) {
            self.found.push(problem.at(&place.place.source, place.place.span));
            return None;
        }
        let injection = node.get("override").filter(|node| !node.is_null()).cloned();
        let inclusion = Inclusion { named_at: place.place.clone(), injection };
        self.project(&directory, Some(inclusion))
    }

    fn circle(&self, name: &str, directory: &Path) -> Option<Diagnostic> {
        let real = directory.canonicalize().ok()?;
        if self.trail.contains(&real) {
            let message = format!("projects.{name}: the project includes itself");
            return Some(Diagnostic::error(ErrorCode::ProjectCycle.as_str(), message));
        }
        (self.trail.len() > MAX_NESTING).then(|| {
            let message = format!("projects.{name}: projects are nested more than {MAX_NESTING} deep");
            Diagnostic::error(ErrorCode::ProjectInvalid.as_str(), message)
        })
    }

    /// A slug stands for one project with one content; the same by two ways is one.
    fn unique(&mut self, project: Arc<Project>, real: PathBuf) -> Option<Arc<Project>> {
        let slug = project.slug().to_owned();
        match self.seen.get(&slug) {
            None => {
                self.seen.insert(slug, (real, Arc::clone(&project)));
                Some(project)
            }
            Some((other, known)) if *other == real && known.same_content(&project) => Some(Arc::clone(known)),
            Some((other, _)) => {
                let message = if *other == real {
                    format!("project '{slug}' is included twice with different overrides")
                } else {
                    format!("two projects are called '{slug}': {} and {}", other.display(), real.display())
                };
                let place = project.place("/project");
                let problem = Diagnostic::error(ErrorCode::ProjectInvalid.as_str(), message);
                self.found.push(problem.at(&place.source, place.span));
                None
            }
        }
    }
}

/// The directory of an included project, which lies below the including one and is no link out of it.
fn include_path(root: &Root, text: &str) -> Result<PathBuf, Box<Diagnostic>> {
    let refused = |message: String| Diagnostic::error(ErrorCode::ProjectPathRefused.as_str(), message);
    if text == "." || text == "./" {
        return Ok(PathBuf::from("."));
    }
    let path = PromptPath::parse(text).map_err(|bad| Box::new(refused(bad.message).with_advice(bad.hint)))?;
    let below = root.below(&path);
    match root.enter(&below) {
        Ok(()) => Ok(below),
        Err(ReadFault::Missing) => {
            let message = format!("there is no directory '{text}'");
            Err(Box::new(Diagnostic::error(ErrorCode::NestedProjectMissing.as_str(), message)))
        }
        Err(fault) => Err(Box::new(refused(format!("'{text}' cannot be used: {fault}")))),
    }
}
