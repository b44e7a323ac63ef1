//! The agents that packs bring, with all that their prompts are made of.
//!
//! It owns the way from the documents of a catalog to personas. It refuses documents that packs contest, and tells what is
//! wrong with the others all at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cuebook_template::{Diagnostic, Source};
use cuebook_wire::ErrorCode;

use crate::agent_row::AgentRow;
use crate::catalog::Catalog;
use crate::contract::Contract;
use crate::headings::HeadingMatch;
use crate::pack::{CONTRACT_FILE, Pack, PackId};
use crate::persona::{Persona, PersonaParts};
use crate::playbook::Playbook;
use crate::playbooks::Playbooks;
use crate::reference::TemplateRef;
use crate::roster::Roster;
use crate::snapshot::Snapshot;
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
    /// How required headings are looked for, whatever the contract says.
    pub heading_match: Option<HeadingMatch>,
}

/// What is being read.
#[derive(Default)]
struct Reading {
    personas: Personas,
    contracts: Vec<(PackId, (Contract, Source))>,
    playbooks: Vec<(PackId, (Source, Playbook))>,
    problems: Vec<Diagnostic>,
}

impl Personas {
    /// Reads the agents, the playbooks and the contract of `catalog`, and tells everything that is wrong with them; what is
    /// sound is there all the same. Where packs contradict each other, what the host's `own` packs say stands alone.
    pub fn of(catalog: &Catalog, own: &BTreeSet<PackId>) -> (Self, Vec<Diagnostic>) {
        let mut reading = Reading::default();
        catalog.packs().iter().for_each(|pack| reading.pack(catalog, pack));
        reading.finish(own)
    }

    /// Drops agents whose template is the prompt of another: a template is the prompt of the agent of its name, else of the
    /// only one that names it.
    fn refuse_shared_templates(&mut self) -> Vec<Diagnostic> {
        let mut users: BTreeMap<&TemplateRef, Vec<&str>> = BTreeMap::new();
        for agent in &self.agents {
            users.entry(&agent.template).or_default().push(&agent.id);
        }
        let is_alone = |agent: &AgentRow| {
            let others = &users[&agent.template];
            others.len() == 1 || agent.template.stem() == agent.id
        };
        let refused: BTreeSet<String> =
            self.agents.iter().filter(|agent| !is_alone(agent)).map(|agent| agent.id.clone()).collect();
        let problems = self.agents.iter().filter(|agent| refused.contains(&agent.id));
        let problems = problems.map(|agent| shared(agent, &users[&agent.template])).collect();
        let agents = std::mem::take(&mut self.agents).into_iter().zip(std::mem::take(&mut self.packs));
        (self.agents, self.packs) = agents.filter(|(agent, _)| !refused.contains(&agent.id)).unzip();
        problems
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
    /// As [`Persona::new`]; everything that is wrong with the head of a unit that it would be told.
    pub fn persona(
        &self,
        id: &str,
        snapshot: &Snapshot,
        host: &ForAgents,
    ) -> Result<Persona, Vec<Diagnostic>> {
        let units = snapshot.units();
        let parts = PersonaParts {
            agents: &self.agents,
            contract: &self.contract,
            playbooks: &self.playbooks,
            units: &units.all,
            roster: &self.roster(id, host.tools.as_ref()),
            caps: host.caps,
        };
        let mut persona = Persona::new(id, &parts)?;
        persona.heading_match = host.heading_match.unwrap_or(persona.heading_match);
        let faults = units.faults_of(persona.units.values().flatten());
        if faults.is_empty() { Ok(persona) } else { Err(faults) }
    }

    /// What the host offers to the agent `id`.
    fn roster(&self, id: &str, offered: Option<&BTreeSet<String>>) -> Roster {
        let named = || self.agents.iter().flat_map(|agent| &agent.tools).cloned().collect();
        let tools: BTreeSet<String> = offered.cloned().unwrap_or_else(named);
        let others = self.agents.iter().map(|agent| agent.id.as_str()).filter(|other| *other != id);
        Roster::new(tools).with_agents(others).with_profile(id)
    }
}

impl Reading {
    fn pack(&mut self, catalog: &Catalog, pack: &Pack) {
        let stands = |path: &str| {
            let provider = TemplateRef::parse(path).ok().and_then(|name| catalog.provider(&name));
            path == CONTRACT_FILE || provider == Some(&pack.manifest.id)
        };
        pack.documents()
            .filter(|(path, _)| stands(path))
            .for_each(|(path, it)| self.document(pack, path, it));
    }

    fn document(&mut self, pack: &Pack, path: &str, source: &Source) {
        if path == CONTRACT_FILE {
            let read = Contract::read(source);
            let part =
                self.sound(read).map(|contract| (pack.manifest.id.clone(), (contract, source.clone())));
            self.contracts.extend(part);
        } else if path.starts_with("playbooks/") {
            let read = Playbook::read(source);
            if let Some(playbook) = self.sound(read) {
                self.problems.extend(misnamed(path, &playbook.id, source));
                self.playbooks.push((pack.manifest.id.clone(), (source.clone(), playbook)));
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

    fn finish(mut self, own: &BTreeSet<PackId>) -> (Personas, Vec<Diagnostic>) {
        self.personas.contract = self.contract(own);
        self.personas.playbooks = self.together(own).into();
        let refused = self.personas.refuse_shared_templates();
        self.problems.extend(refused);
        (self.personas, self.problems)
    }

    /// The contract of all packs.
    fn contract(&mut self, own: &BTreeSet<PackId>) -> Contract {
        let parts = std::mem::take(&mut self.contracts);
        self.all_or_own(own, parts, |parts| {
            let named =
                parts.into_iter().map(|(pack, (contract, source))| (pack.to_string(), contract, source));
            Contract::merge(named.collect())
        })
    }

    /// The playbooks of all packs.
    fn together(&mut self, own: &BTreeSet<PackId>) -> Playbooks {
        let parts = std::mem::take(&mut self.playbooks);
        self.all_or_own(own, parts, |parts| Playbooks::of(parts.into_iter().map(|(_, part)| part).collect()))
    }

    /// What the parts of all packs make together; those of the host's own packs alone where others contradict.
    fn all_or_own<P: Clone, R: Default>(
        &mut self,
        own: &BTreeSet<PackId>,
        mut parts: Vec<(PackId, P)>,
        merge: impl Fn(Vec<(PackId, P)>) -> Result<R, Vec<Diagnostic>>,
    ) -> R {
        if parts.is_empty() {
            return R::default();
        }
        if let Some(all) = self.sound(merge(parts.clone())) {
            return all;
        }
        parts.retain(|(pack, _)| own.contains(pack));
        merge(parts).unwrap_or_default()
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

/// The error of an agent that takes no part, because others have its template for a prompt too.
fn shared(agent: &AgentRow, users: &[&str]) -> Diagnostic {
    let others: Vec<&str> = users.iter().copied().filter(|id| *id != agent.id).collect();
    let message = format!(
        "the agent '{}' takes no part: {} is the prompt of {} too",
        agent.id,
        agent.template,
        others.join(" and ")
    );
    Diagnostic::error(ErrorCode::ExtensionInvalid.as_str(), message)
        .with_hint(format!("give it agents/{}.md, which may include the same files", agent.id))
}
