//! What a pack of templates is beside others: the catalog that they make together.
//!
//! It owns what is a fault of a new pack and what is merely told of. It refuses to blame a pack for what was wrong before.

use std::collections::{BTreeMap, BTreeSet};

use cuebook_layers::{Catalog, Choice, Pack as LayeredPack, Personas, wire_agent_id};
use cuebook_template::{Diagnostic, Severity};
use cuebook_wire::{AgentId, ErrorCode, Version};

use super::Pack;
use crate::report::Problems;

/// What is there besides the packs of a project, and what the host chose among all.
#[derive(Debug)]
pub(super) struct Company {
    own: Vec<LayeredPack>,
    choice: Choice,
}

/// What packs of templates make together.
pub(super) struct Together {
    /// What is doubtful, such as names that several bring.
    findings: Vec<Diagnostic>,
    /// What is wrong with the agents, the contract or the playbooks.
    pub(super) faults: Vec<Diagnostic>,
    /// The ids of the agents on the wire.
    pub(super) agents: Vec<AgentId>,
}

impl Company {
    /// The program's `own` packs under a `choice`.
    pub(super) fn new(own: Vec<LayeredPack>, choice: Choice) -> Self {
        Self { own, choice }
    }

    /// The versions of the program's own packs.
    pub(super) fn versions(&self) -> BTreeMap<&str, &Version> {
        self.own.iter().map(|pack| (pack.manifest.id.as_str(), &pack.manifest.version)).collect()
    }

    /// Refuses a pack that is called as one of the program's own.
    pub(super) fn check_name(&self, pack: &Pack) -> Result<(), Problems> {
        if !self.versions().contains_key(pack.name.as_str()) {
            return Ok(());
        }
        let message = format!("the pack '{}' is inside the program", pack.name);
        let problem = Diagnostic::error(ErrorCode::ExtensionDoubled.as_str(), message);
        Err(problem.with_hint("give the pack an id of its own").into())
    }

    /// What `packs` make together with the program's own.
    pub(super) fn together<'p>(&self, packs: impl IntoIterator<Item = &'p Pack>) -> Together {
        let layered = packs.into_iter().filter_map(Pack::layered).cloned();
        let all = self.own.iter().cloned().chain(layered).collect();
        let (catalog, findings) = Catalog::of(all, &self.choice);
        let own = self.own.iter().map(|pack| pack.manifest.id.clone()).collect();
        let (personas, faults) = Personas::of(&catalog, &own);
        Together { findings, faults, agents: wire_ids(&personas) }
    }
}

/// The agents that a pack of templates would have on the wire, whoever contests them.
pub(super) fn agents_alone(pack: &Pack) -> Vec<AgentId> {
    let alone = pack.layered().cloned().into_iter().collect();
    let (catalog, _) = Catalog::of(alone, &Choice::default());
    let (personas, _) = Personas::of(&catalog, &BTreeSet::new());
    wire_ids(&personas)
}

fn wire_ids(personas: &Personas) -> Vec<AgentId> {
    personas.agents().map(|(pack, row)| wire_agent_id(pack.as_str(), &row.id)).collect()
}

impl Together {
    /// What is doubtful now and was not `before`.
    ///
    /// # Errors
    ///
    /// What is wrong now and was not before.
    pub(super) fn since(self, before: &Self) -> Result<Vec<Diagnostic>, Problems> {
        let faults = self.faults.into_iter().filter(|fault| !before.faults.contains(fault));
        faults.collect::<Problems>().or(())?;
        let findings = self.findings.into_iter().filter(|finding| !before.findings.contains(finding));
        Ok(findings.map(|finding| finding.with_severity(Severity::Warning)).collect())
    }
}
