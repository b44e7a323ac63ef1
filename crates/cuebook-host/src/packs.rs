//! Packs: prompts and agents that come as a directory with a `pack.json`, layered templates with an `extension.yaml`.
//!
//! It owns what makes a pack fit to be used, the same whether it is found at start or installed: its files, its manifest,
//! its hash, its signature, and the packs it needs. It refuses packs that bring code, and changes nothing when it refuses.

mod archive;
mod beside;
mod dependencies;
mod files;
mod integrity;
mod layered;
mod manifest;
mod placement;
mod places;
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
use integrity::INTEGRITY_FILE;

pub(crate) use archive::is_archive;
pub(crate) use dependencies::{OwnVersions, doubles, unresolved, unresolved_about};
pub(crate) use files::refused;
pub use integrity::Integrity;
pub(crate) use manifest::check as check_manifest;
pub(crate) use places::places;
pub use policy::PackPolicy;
pub(crate) use reading::{Reading, read};
pub use signature::PublicKey;
pub use store::{CheckedPack, InstallPack, PackStore, RemovedPack};
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
    /// Files of the lowest layer.
    Layered(Box<cuebook_layers::Pack>),
}

impl Pack {
    /// Its name and version, as `name@version`.
    pub(crate) fn title(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }

    /// The name of the directory that it is installed in: a name without the slash that ids of packs of templates have.
    pub(crate) fn folder(&self) -> String {
        self.name.replace('/', ".")
    }

    /// Whether somebody states the hash of its files: the pack itself or the configuration.
    pub(crate) fn is_stated(&self, policy: &PackPolicy) -> bool {
        self.files.get(INTEGRITY_FILE).is_some() || policy.integrity.contains_key(&self.title())
    }

    /// As [`Self::layered`], for good.
    pub(crate) fn into_layered(self) -> Option<cuebook_layers::Pack> {
        match self.content {
            Content::Layered(pack) => Some(*pack),
            Content::Prompts(_) | Content::Agents(_) => None,
        }
    }

    /// Its files of layered templates; none for other packs.
    pub(crate) fn layered(&self) -> Option<&cuebook_layers::Pack> {
        match &self.content {
            Content::Layered(pack) => Some(pack),
            Content::Prompts(_) | Content::Agents(_) => None,
        }
    }

    /// Its agents; none for other packs.
    pub(crate) fn agents(&self) -> &[LoadedAgent] {
        match &self.content {
            Content::Agents(agents) => agents,
            Content::Prompts(_) | Content::Layered(_) => &[],
        }
    }

    /// Its templates; none for other packs.
    pub(crate) fn templates(&self) -> Vec<&PromptTemplate> {
        match &self.content {
            Content::Prompts(library) => library.entries().map(|entry| &*entry.template).collect(),
            Content::Agents(_) | Content::Layered(_) => Vec::new(),
        }
    }
}
