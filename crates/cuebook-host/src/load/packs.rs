//! Packs from directories: each is checked by itself, then what they need of each other.

use std::path::{Path, PathBuf};

use cuebook_prompt::Library;
use cuebook_template::{Diagnostic, Severity};
use cuebook_wire::pack::PACK_FILE;

use crate::agents::LoadedAgent;
use crate::packs::{Content, OwnVersions, Pack, PackPolicy, Reading, doubles, read, unresolved};
use crate::report::Problems;

/// What the directories of packs gave.
#[derive(Debug, Default)]
pub(super) struct Packs {
    pub(super) agents: Vec<LoadedAgent>,
    pub(super) libraries: Vec<Library>,
    pub(super) warnings: Vec<Diagnostic>,
}

/// Reads every pack below `directories`; packs for other hosts are told of and left alone.
pub(super) fn load(directories: &[PathBuf], policy: &PackPolicy) -> Result<Packs, Problems> {
    let mut problems = Problems::new();
    let mut packs = Packs::default();
    let mut read_packs: Vec<Pack> = Vec::new();
    let found: Vec<Vec<PathBuf>> = directories.iter().filter_map(|it| problems.collect(places(it))).collect();
    for place in found.iter().flatten() {
        match problems.collect(read(place, policy)) {
            Some(Reading::Ours(pack)) => read_packs.push(pack),
            Some(Reading::Foreign(reason)) => packs.warnings.push(reason.with_severity(Severity::Warning)),
            None => {}
        }
    }
    problems.extend(doubles(&read_packs));
    problems.extend(unresolved(&read_packs, &OwnVersions::new()));
    for pack in read_packs {
        packs.take(pack);
    }
    problems.or(packs)
}

impl Packs {
    fn take(&mut self, pack: Pack) {
        self.warnings.extend(pack.warnings);
        match pack.content {
            Content::Prompts(library) => self.libraries.push(library),
            Content::Agents(agents) => self.agents.extend(agents),
            // Those are opened with the layers.
            Content::Layered(_) => {}
        }
    }
}

/// The directories of packs of prompts and of agents below `directory`, or `directory` itself when it is one.
pub(crate) fn places(directory: &Path) -> Result<Vec<PathBuf>, Problems> {
    crate::packs::places(directory, &[PACK_FILE])
}
