//! Layered templates: the same names in several layers, and the highest layer that has a name gives the file.
//!
//! * [`TemplateRef`] is the name of a template in its one form.
//! * [`Layers`] are overlays on disk above a [`Catalog`] of packs; [`Snapshot`] is all of it at one moment, with its revision.
//! * [`Persona`] is an agent with all that its prompt is made of and held to: [`AgentRow`], [`Contract`], [`Playbooks`], [`Unit`]s, and
//!   the [`Roster`] of what is really offered.
//!
//! The crate owns four planes and keeps them apart: layout (templates), facts (typed values), rosters (what is really offered)
//! and budgets. It refuses to let one reach into another: a template grants nothing.

mod agent_row;
mod author;
mod budget;
mod bundled;
mod catalog;
mod contract;
mod contract_merge;
mod files;
mod front_matter;
mod headings;
mod layer;
mod layers;
mod lock;
mod locks;
mod own;
mod pack;
mod persona;
mod personas;
mod playbook;
mod playbooks;
mod prompts;
mod reference;
mod required;
mod revision;
mod roster;
mod select;
mod snapshot;
mod stamp;
mod status;
#[cfg(test)]
mod trouble;
mod unit;
mod units;
mod variables;
mod violation;
mod wire_id;
mod words;

pub use agent_row::AgentRow;
pub use author::check_names;
pub use budget::{
    BUDGET_FILE, Because, BudgetFile, Budgets, ByCategory, CapChange, Category, Exception, Level, Limit,
    Measured, Sizes, Verdict, rewrite as rewrite_budgets, tighten,
};
pub use bundled::bundled;
pub use catalog::{Catalog, Choice};
pub use contract::{AgentContract, Archetype, Contract, Delta};
pub use files::{FileEntry, FileFault, FileTree, MAX_FILE_BYTES, MAX_FILES};
pub use headings::{Heading, HeadingMatch, headings, missing_headings};
pub use layer::{Layer, LayerFile, Tier};
pub use layers::{Layers, OVERLAY_DIRECTORIES, OverlayRoots, ProjectRoot};
pub use lock::{LOCK_FILE, Lock};
pub use locks::Locks;
pub use own::{BadOwn, Own, missing_owned};
pub use pack::{
    BadPackId, CONTRACT_FILE, Capability, Compatibility, Dependency, EXTENSION_API, MANIFEST_FILE, Manifest,
    Pack, PackId,
};
pub use persona::{Persona, PersonaParts};
pub use personas::{ForAgents, Personas};
pub use playbook::{Playbook, Triggers};
pub use playbooks::Playbooks;
pub use prompts::{LayeredPrompts, Prepared};
pub use reference::{BadRef, PREFIX, RefKind, TemplateRef};
pub use roster::{Roster, ToolEffect};
pub use select::{Selection, UnitSlots, join_units};
pub use snapshot::{Found, Snapshot};
pub use status::{Below, BundledState, OverrideStatus, status};
pub use unit::{Slot, Unit, UnitHead};
pub use variables::{PersonaCaps, PersonaValues};
pub use violation::Violation;
pub use wire_id::wire_agent_id;
pub use words::{Host, Mode};
