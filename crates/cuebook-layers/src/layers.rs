//! The layers of a host as they are now.
//!
//! It owns where overlays lie and when they are read again: at each question, one listing of each directory, and only what
//! changed is read. It refuses overlays of projects that the host does not trust, and says so.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::catalog::Catalog;
use crate::files::{FileFault, FileTree};
use crate::layer::{Layer, Tier};
use crate::snapshot::Snapshot;

/// The overlay directories of a project, the first one above the second.
pub const OVERLAY_DIRECTORIES: [&str; 2] = [".cuebook/prompt_files", ".paintedwolf/prompt_files"];

/// A project with an overlay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectRoot {
    /// Its directory.
    pub path: PathBuf,
    /// Whether the host lets its overlay take part.
    pub is_trusted: bool,
}

/// Where the overlays of a host lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverlayRoots {
    /// The directory of the host's own overlay.
    pub site: Option<PathBuf>,
    /// The projects in the order in which they were named; the last one is the active one.
    pub projects: Vec<ProjectRoot>,
}

/// Overlays on disk above a catalog.
#[derive(Debug)]
pub struct Layers {
    directories: Vec<Directory>,
    catalog: Arc<Catalog>,
    state: Mutex<Option<State>>,
}

/// A directory of an overlay, the highest first.
#[derive(Debug)]
struct Directory {
    tier: Tier,
    path: PathBuf,
    /// The directory of the project whose overlay it is.
    project: Option<Arc<Path>>,
    label: Arc<str>,
    is_trusted: bool,
}

#[derive(Debug)]
struct State {
    trees: Vec<Listing>,
    snapshot: Arc<Snapshot>,
}

/// What a directory held: `None` when it is not there.
type Listing = Result<Option<FileTree>, FileFault>;

impl Layers {
    /// The overlays of `roots` above `catalog`.
    pub fn new(roots: &OverlayRoots, catalog: Arc<Catalog>) -> Self {
        let site = roots.site.iter().map(|path| Directory {
            tier: Tier::Site,
            path: path.clone(),
            project: None,
            label: format!("site {}", path.display()).into(),
            is_trusted: true,
        });
        let (active, others) =
            roots.projects.split_last().map_or((None, &[][..]), |(last, rest)| (Some(last), rest));
        let projects = active.into_iter().chain(others).flat_map(directories_of);
        Self { directories: site.chain(projects).collect(), catalog, state: Mutex::default() }
    }

    /// What packs bring.
    pub const fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// All layers as they are now; the same snapshot as before when nothing changed.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let before = state.take();
        let trees: Vec<Listing> = self
            .directories
            .iter()
            .enumerate()
            .map(|(index, directory)| directory.read(before.as_ref().and_then(|state| state.tree(index))))
            .collect();
        let snapshot = match before {
            Some(before) if before.is_of(&trees) => before.snapshot,
            _ => Arc::new(self.build(&trees)),
        };
        *state = Some(State { trees, snapshot: Arc::clone(&snapshot) });
        snapshot
    }

    fn build(&self, trees: &[Listing]) -> Snapshot {
        let found = self.directories.iter().zip(trees).filter_map(|(directory, listing)| {
            let layer = match listing {
                Ok(None) => return None,
                Ok(Some(tree)) => Layer::overlay(directory.tier, Arc::clone(&directory.label), tree),
                Err(fault) => Layer::closed(directory.tier, Arc::clone(&directory.label), fault.clone()),
            };
            Some((directory.is_trusted, layer.of_project(directory.project.clone())))
        });
        let (trusted, refused): (Vec<_>, Vec<_>) = found.partition(|(is_trusted, _)| *is_trusted);
        let layers = |found: Vec<(bool, Layer)>| found.into_iter().map(|(_, layer)| layer).collect();
        Snapshot::new(layers(trusted), Arc::clone(&self.catalog), layers(refused))
    }
}

impl State {
    fn tree(&self, index: usize) -> Option<&FileTree> {
        self.trees.get(index)?.as_ref().ok()?.as_ref()
    }

    fn is_of(&self, trees: &[Listing]) -> bool {
        self.trees.iter().zip(trees).all(|(before, now)| match (before, now) {
            (Ok(Some(before)), Ok(Some(now))) => before.same_as(now),
            (Ok(None), Ok(None)) => true,
            (Err(before), Err(now)) => before == now,
            _ => false,
        })
    }
}

impl Directory {
    /// Reads the files. A project's own `.cuebook` must not be a link either: what it leads to may be nobody's to trust.
    fn read(&self, before: Option<&FileTree>) -> Listing {
        let above = self.path.parent().filter(|_| self.project.is_some());
        if above.and_then(|above| above.symlink_metadata().ok()).is_some_and(|facts| facts.is_symlink()) {
            return Err(FileFault::Link);
        }
        FileTree::read(&self.path, before).map_err(|error| FileFault::Other(error.to_string()))
    }
}

fn directories_of(project: &ProjectRoot) -> impl Iterator<Item = Directory> + use<> {
    let ProjectRoot { path, is_trusted } = project.clone();
    let project: Arc<Path> = path.as_path().into();
    OVERLAY_DIRECTORIES.into_iter().map(move |directory| {
        let path = path.join(directory);
        let shown = path.strip_prefix(Path::new(".")).unwrap_or(&path).display().to_string();
        let project = Some(Arc::clone(&project));
        Directory { tier: Tier::Project, label: format!("project {shown}").into(), path, project, is_trusted }
    })
}
