//! Layered templates: the same names in several layers, and the highest layer that has a name gives the file.
//!
//! * [`TemplateRef`] is the name of a template in its one form.
//! * [`Layers`] are overlays on disk above a [`Catalog`] of packs; [`Snapshot`] is all of it at one moment, with its revision.
//!
//! The crate owns four planes and keeps them apart: layout (templates), facts (typed values), rosters (what is really offered)
//! and budgets. It refuses to let one reach into another: a template grants nothing.

mod author;
mod budget;
mod bundled;
mod catalog;
mod files;
mod front_matter;
mod layer;
mod layers;
mod lock;
mod names;
mod own;
mod pack;
mod reference;
mod revision;
mod snapshot;
mod stamp;
mod status;

pub use author::check_names;
pub use budget::{
    BUDGET_FILE, Because, BudgetFile, Budgets, ByCategory, CapChange, Category, Exception, Level, Limit,
    Measured, Sizes, Verdict, rewrite as rewrite_budgets, tighten,
};
pub use bundled::bundled;
pub use catalog::{Catalog, Choice};
pub use files::{FileEntry, FileFault, FileTree, MAX_FILE_BYTES, MAX_FILES};
pub use layer::{Layer, LayerFile, Tier};
pub use layers::{Layers, OVERLAY_DIRECTORIES, OverlayRoots, ProjectRoot};
pub use lock::{LOCK_FILE, Lock};
pub use own::{BadOwn, Own, missing_owned};
pub use pack::{
    BadPackId, CONTRACT_FILE, Capability, Compatibility, Dependency, EXTENSION_API, MANIFEST_FILE, Manifest,
    Pack, PackId,
};
pub use reference::{BadRef, PREFIX, RefKind, TemplateRef};
pub use snapshot::{Found, Snapshot};
pub use status::{Below, BundledState, OverrideStatus, record, status};
