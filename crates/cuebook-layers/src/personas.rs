//! The agents that packs bring, with all that their prompts are made of.
//!
//! It owns the way from the documents of a catalog to personas. It refuses documents that packs contest, and tells what is
//! wrong with the others all at once.

use std::collections::BTreeSet;
use std::sync::Arc;

use cuebook_template::{Diagnostic, Source};
use cuebook_wire::ErrorCode;

use crate::agent_row::AgentRow;
use crate::catalog::Catalog;
use crate::contract::Contract;
use crate::layer::Tier;
use crate::pack::{CONTRACT_FILE, Pack, PackId};
use crate::persona::{Persona, PersonaParts};
use crate::playbook::Playbook;
use crate::playbooks::Playbooks;
use crate::reference::{RefKind, TemplateRef};
use crate::roster::Roster;
use crate::snapshot::Snapshot;
use crate::unit::Unit;
use crate::variables::PersonaCaps;

/// The agents of all packs of a catalog.
#[derive(Debug, Default)]
pub struct Personas {
    agents: Vec<AgentRow>,
    /// The pack of each agent, in the same order.
    packs: Vec<PackId>,
    contract: Contract,
    playbooks: Arc<Playbooks>,
}

/// What a host has for agents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForAgents {
    /// The tools that it offers; all that agents name when it does not say.
    pub tools: Option<BTreeSet<String>>,
    /// The limits that agents are told of.
    pub caps: PersonaCaps,
}

/// What is being read.
#[derive(Default)]
struct Reading {
    personas: Personas,
    contracts: Vec<(String, Contract, Source)>,
    playbooks: Vec<(Source, Playbook)>,
    problems: Vec<Diagnostic>,
}

impl Personas {
    /// Reads the agents, the playbooks and the contract of `catalog`, and tells everything that is wrong with them; what is
    /// sound is there all the same.
    pub fn of(catalog: &Catalog) -> (Self, Vec<Diagnostic>) {
        let mut reading = Reading::default();
        catalog.packs().iter().for_each(|pack| reading.pack(catalog, pack));
        reading.finish()
    }

    /// The agents with their packs, in the order of packs and files.
    pub fn agents(&self) -> impl Iterator<Item = (&PackId, &AgentRow)> {
        self.packs.iter().zip(&self.agents)
    }

    /// The agent whose prompt is `template`.
    pub fn agent_of(&self, template: &TemplateRef) -> Option<&AgentRow> {
        self.agents.iter().find(|agent| agent.template == *template)
    }

    /// The agent called `id`.
    pub fn agent(&self, id: &str) -> Option<&AgentRow> {
        self.agents.iter().find(|agent| agent.id == id)
    }

    /// The playbooks.
    pub const fn playbooks(&self) -> &Arc<Playbooks> {
        &self.playbooks
    }

    /// The persona of the agent `id`, with the units as `snapshot` has them and what `host` has for agents.
    ///
    /// # Errors
    ///
    /// As [`Persona::new`]; everything that is wrong with the head of a unit.
    pub fn persona(
        &self,
        id: &str,
        snapshot: &Snapshot,
        host: &ForAgents,
    ) -> Result<Persona, Vec<Diagnostic>> {
        let units = units(snapshot)?;
        let parts = PersonaParts {
            agents: &self.agents,
            contract: &self.contract,
            playbooks: &self.playbooks,
            units: &units,
            roster: &self.roster(id, host.tools.as_ref()),
            caps: host.caps,
        };
        Persona::new(id, &parts)
    }

    /// What the host offers to the agent `id`.
    fn roster(&self, id: &str, offered: Option<&BTreeSet<String>>) -> Roster {
        let named = || self.agents.iter().flat_map(|agent| &agent.tools).cloned().collect();
        let tools: BTreeSet<String> = offered.cloned().unwrap_or_else(named);
        let others = self.agents.iter().map(|agent| agent.id.as_str()).filter(|other| *other != id);
        Roster::new(tools).with_agents(others).with_profile(id)
    }
}

/// The units of all layers, by name; those that are included by name alone are none.
fn units(snapshot: &Snapshot) -> Result<Vec<Unit>, Vec<Diagnostic>> {
    let (mut units, mut problems) = (Vec::new(), Vec::new());
    for reference in snapshot.references() {
        if reference.kind() != RefKind::Unit || reference.is_reserved() {
            continue;
        }
        match unit(snapshot, reference) {
            Ok(unit) => units.extend(unit),
            Err(found) => problems.extend(found),
        }
    }
    if problems.is_empty() { Ok(units) } else { Err(problems) }
}

/// The unit of that name. One whose file cannot be had is chosen by the head of the next lower file, so that prompts which
/// would have said that one fail, and no others.
fn unit(snapshot: &Snapshot, reference: &TemplateRef) -> Result<Option<Unit>, Vec<Diagnostic>> {
    let mut stack = snapshot.stack(reference).filter_map(|found| Some((found.tier, found.file.source.ok()?)));
    let Some((tier, source)) = stack.next() else { return Ok(None) };
    let unit = Unit::read(reference.clone(), &source)?;
    Ok(Some(if tier == Tier::Bundled { unit.bundled() } else { unit }))
}

impl Reading {
    fn pack(&mut self, catalog: &Catalog, pack: &Pack) {
        for (path, source) in pack.documents() {
            let is_contested = TemplateRef::parse(path)
                .is_ok_and(|name| catalog.provider(&name).is_some_and(|winner| *winner != pack.manifest.id));
            if !is_contested {
                self.document(pack, path, source);
            }
        }
    }

    fn document(&mut self, pack: &Pack, path: &str, source: &Source) {
        if path == CONTRACT_FILE {
            let read = Contract::read(source);
            let part =
                self.sound(read).map(|contract| (pack.manifest.id.to_string(), contract, source.clone()));
            self.contracts.extend(part);
        } else if path.starts_with("playbooks/") {
            let read = Playbook::read(source);
            if let Some(playbook) = self.sound(read) {
                self.problems.extend(misnamed(path, &playbook.id, source));
                self.playbooks.push((source.clone(), playbook));
            }
        } else if path.starts_with("agents/") {
            let read = AgentRow::read(source);
            if let Some(agent) = self.sound(read) {
                self.problems.extend(misnamed(path, &agent.id, source));
                self.personas.agents.push(agent);
                self.personas.packs.push(pack.manifest.id.clone());
            }
        }
    }

    fn sound<T>(&mut self, read: Result<T, Vec<Diagnostic>>) -> Option<T> {
        read.map_err(|problems| self.problems.extend(problems)).ok()
    }

    fn finish(mut self) -> (Personas, Vec<Diagnostic>) {
        if !self.contracts.is_empty() {
            let merged = Contract::merge(std::mem::take(&mut self.contracts));
            self.personas.contract = self.sound(merged).unwrap_or_default();
        }
        if !self.playbooks.is_empty() {
            let together = Playbooks::of(std::mem::take(&mut self.playbooks));
            self.personas.playbooks = self.sound(together).unwrap_or_default().into();
        }
        (self.personas, self.problems)
    }
}

/// The error of a document whose id is not the name of its file, by which packs contest it.
fn misnamed(path: &str, id: &str, source: &Source) -> Option<Diagnostic> {
    let (folder, file) = path.rsplit_once('/')?;
    if file.rsplit_once('.').is_some_and(|(stem, _)| stem == id) {
        return None;
    }
    let problem = Diagnostic::error(
        ErrorCode::ExtensionInvalid.as_str(),
        format!("{} has the id '{id}', and its file another name", source.name()),
    );
    Some(problem.with_hint(format!("call the file {folder}/{id}.yaml")))
}
