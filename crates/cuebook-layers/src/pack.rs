//! Packs of templates: directories that bring files, agents, playbooks, units and budgets.
//!
//! It owns what a pack is by itself. It refuses to know other packs: what several bring together is the catalog's.

mod id;
mod manifest;
mod place;
mod reading;

pub use id::{BadPackId, PackId};
pub use manifest::{Capability, Compatibility, Dependency, EXTENSION_API, MANIFEST_FILE, Manifest};
pub use place::CONTRACT_FILE;
pub use reading::Pack;
