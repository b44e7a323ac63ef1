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
mod catalog;
mod contract;
mod contract_merge;
mod files;
mod front_matter;
mod headings;
mod layer;
mod layers;
mod persona;
mod playbook;
mod playbooks;
mod reference;
mod required;
mod revision;
mod roster;
mod select;
mod snapshot;
mod stamp;
#[cfg(test)]
mod trouble;
mod unit;
mod variables;
mod violation;
mod wire_id;
mod words;

pub use agent_row::AgentRow;
pub use catalog::Catalog;
pub use contract::{AgentContract, Archetype, Contract, Delta};
pub use files::{FileEntry, FileFault, FileTree, MAX_FILE_BYTES, MAX_FILES};
pub use headings::{Heading, HeadingMatch, headings, missing_headings};
pub use layer::{Layer, LayerFile, Tier};
pub use layers::{Layers, OVERLAY_DIRECTORIES, OverlayRoots, ProjectRoot};
pub use persona::{Persona, PersonaParts};
pub use playbook::{Playbook, Triggers};
pub use playbooks::Playbooks;
pub use reference::{BadRef, PREFIX, RefKind, TemplateRef};
pub use roster::{Roster, ToolEffect};
pub use select::{Selection, UnitSlots, join_units};
pub use snapshot::{Found, Snapshot};
pub use unit::{Slot, Unit, UnitHead};
pub use variables::{PersonaCaps, PersonaValues};
pub use violation::Violation;
pub use wire_id::wire_agent_id;
pub use words::{Host, Mode};
