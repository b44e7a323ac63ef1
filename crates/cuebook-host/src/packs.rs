//! Packs: prompts and agents that come as a directory with a `pack.json`.
//!
//! It owns what makes a pack fit to be used, the same whether it is found at start or installed: its files, its manifest,
//! its hash, its signature, and the packs it needs. It refuses packs that bring code, and changes nothing when it refuses.

mod archive;
mod dependencies;
mod files;
mod integrity;
mod manifest;
mod placement;
mod policy;
mod reading;
mod signature;
mod store;
mod view;

use std::collections::BTreeMap;
use std::path::PathBuf;

use cuebook_prompt::Library;
use cuebook_template::Diagnostic;
use cuebook_wire::{PromptTemplate, Version, VersionRange};

use crate::agents::LoadedAgent;
use crate::document::Document;
use files::PackFiles;

pub(crate) use archive::is_archive;
pub(crate) use dependencies::{doubles, unresolved, unresolved_about};
pub(crate) use files::refused;
pub(crate) use integrity::INTEGRITY_FILE;
pub use integrity::Integrity;
pub(crate) use manifest::check as check_manifest;
pub use policy::PackPolicy;
pub(crate) use reading::{Reading, read};
pub use signature::PublicKey;
pub use store::{CheckedPack, InstallPack, PackStore};
pub use view::PackView;

/// A pack that has been checked whole.
#[derive(Debug)]
pub(crate) struct Pack {
    pub(crate) name: String,
    pub(crate) version: Version,
    pub(crate) dependencies: BTreeMap<String, VersionRange>,
    pub(crate) content: Content,
    /// The key whose signature holds.
    pub(crate) signed_by: Option<PublicKey>,
    pub(crate) integrity: Integrity,
    /// What is doubtful about its templates.
    pub(crate) warnings: Vec<Diagnostic>,
    /// The directory that it was read from.
    pub(crate) directory: PathBuf,
    /// Its manifest, to point into.
    pub(crate) document: Document,
    pub(crate) files: PackFiles,
}

/// What a pack brings.
#[derive(Debug)]
pub(crate) enum Content {
    /// Templates, as a library of their own.
    Prompts(Library),
    /// Agents.
    Agents(Vec<LoadedAgent>),
}

impl Pack {
    /// Its name and version, as `name@version`.
    pub(crate) fn title(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }

    /// Its agents; none for a pack of prompts.
    pub(crate) fn agents(&self) -> &[LoadedAgent] {
        match &self.content {
            Content::Agents(agents) => agents,
            Content::Prompts(_) => &[],
        }
    }

    /// Its templates; none for a pack of agents.
    pub(crate) fn templates(&self) -> Vec<&PromptTemplate> {
        match &self.content {
            Content::Prompts(library) => library.entries().map(|entry| &*entry.template).collect(),
            Content::Agents(_) => Vec::new(),
        }
    }
}
