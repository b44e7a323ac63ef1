//! Personas: an agent with all that its prompt is made of.
//!
//! It owns how row, contract, playbooks, units and roster come together. It refuses agents that no pack has, and it never
//! reads a template: what is offered is known before one is rendered.

use std::collections::BTreeSet;

use cuebook_template::{Diagnostic, nearest};
use cuebook_wire::ErrorCode;

use crate::agent_row::AgentRow;
use crate::contract::{AgentContract, Archetype, Contract, Delta};
use crate::headings::HeadingMatch;
use crate::playbooks::Playbooks;
use crate::roster::Roster;
use crate::select::{Selection, UnitSlots};
use crate::unit::Unit;
use crate::variables::{PersonaCaps, PersonaValues};
use crate::words::Host;

/// What personas are made from: the pieces that packs bring, and what a host knows of the turn.
#[derive(Clone, Copy, Debug)]
pub struct PersonaParts<'p> {
    /// The agents of all packs.
    pub agents: &'p [AgentRow],
    /// The contract of all packs.
    pub contract: &'p Contract,
    /// The playbooks of all packs.
    pub playbooks: &'p Playbooks,
    /// The units of all packs.
    pub units: &'p [Unit],
    /// What the host offers; a persona gets what its agent names of it.
    pub roster: &'p Roster,
    /// The limits that the agent is told of.
    pub caps: PersonaCaps,
}

/// An agent, ready for its prompt to be rendered and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Persona {
    /// Its row.
    pub agent: AgentRow,
    /// The name of its archetype and what that requires; none for an agent without a contract.
    pub archetype: Option<(String, Archetype)>,
    /// What is particular to it; none for an agent without a contract.
    pub contract: Option<AgentContract>,
    /// The playbooks that its checklist may draw on: those of its contract, then those of its row.
    pub playbooks: Vec<String>,
    /// The headings that its prompt must have.
    pub headings: Vec<String>,
    /// How they are looked for.
    pub heading_match: HeadingMatch,
    /// What its prompt must say, letter for letter.
    pub substrings: Vec<String>,
    /// What it is offered.
    pub roster: Roster,
    /// The values that its templates read.
    pub values: PersonaValues,
    /// Its units by slot, to be rendered in this order.
    pub units: UnitSlots<Unit>,
}

impl Persona {
    /// The persona of the agent `id`.
    ///
    /// A coordinator without a contract of its own has no required headings; a worker has those of all.
    ///
    /// # Errors
    ///
    /// `persona_not_found` with the nearest id when no pack has the agent, `playbook_invalid` for every playbook it names
    /// that there is not.
    pub fn new(id: &str, parts: &PersonaParts<'_>) -> Result<Self, Vec<Diagnostic>> {
        let agent = parts.agents.iter().find(|agent| agent.id == id);
        let Some(agent) = agent else { return Err(vec![not_found(id, parts.agents)]) };
        let contract = parts.contract.agents.get(id);
        let playbooks = playbooks(agent, contract);
        let unknown = parts.playbooks.unknown(&playbooks);
        if !unknown.is_empty() {
            return Err(unknown.into_iter().map(|problem| of_agent(id, problem)).collect());
        }
        Ok(Self::of(agent, contract, playbooks, parts))
    }

    fn of(
        agent: &AgentRow,
        contract: Option<&AgentContract>,
        playbooks: Vec<String>,
        parts: &PersonaParts<'_>,
    ) -> Self {
        let roster = parts.roster.narrowed(&agent.tools);
        let checklist = parts.playbooks.checklist(&playbooks, None, None);
        let none = Delta::default();
        let delta = contract.map_or(&none, |contract| &contract.delta);
        let is_held = contract.is_some() || agent.host == Host::Worker;
        let headings = is_held.then(|| parts.contract.required_headings_rendered.clone());
        Self {
            archetype: contract.and_then(|contract| archetype(parts.contract, contract)),
            headings: headings.unwrap_or_default(),
            heading_match: parts.contract.heading_match,
            substrings: contract.map(|it| it.must_substrings_rendered.clone()).unwrap_or_default(),
            values: PersonaValues::new(delta, &checklist, &parts.caps, &roster),
            units: units(agent, &roster, parts),
            agent: agent.clone(),
            contract: contract.cloned(),
            playbooks,
            roster,
        }
    }
}

/// The playbooks of an agent: those of its contract, then those of its row, each once.
fn playbooks(agent: &AgentRow, contract: Option<&AgentContract>) -> Vec<String> {
    let of_contract = contract.into_iter().flat_map(|contract| &contract.playbook_ids);
    let mut seen = BTreeSet::new();
    of_contract.chain(&agent.playbooks).filter(|id| seen.insert(id.as_str())).cloned().collect()
}

fn archetype(all: &Contract, contract: &AgentContract) -> Option<(String, Archetype)> {
    let (name, archetype) = all.archetypes.get_key_value(&contract.archetype)?;
    Some((name.clone(), archetype.clone()))
}

fn units(agent: &AgentRow, roster: &Roster, parts: &PersonaParts<'_>) -> UnitSlots<Unit> {
    let selection = Selection { roster, host: agent.host, mode: agent.mode };
    let chosen = selection.choose(parts.units).into_iter();
    chosen.map(|(slot, units)| (slot, units.into_iter().cloned().collect())).collect()
}

fn not_found(id: &str, agents: &[AgentRow]) -> Diagnostic {
    let problem =
        Diagnostic::error(ErrorCode::PersonaNotFound.as_str(), format!("no pack has an agent '{id}'"));
    match nearest(id, agents.iter().map(|agent| agent.id.as_str())) {
        Some(name) => problem.with_nearest(name).with_hint(format!("did you mean '{name}'?")),
        None => problem.with_hint("agents are files of the `agents` directories of packs"),
    }
}

/// The problem as one of an agent.
fn of_agent(id: &str, problem: Diagnostic) -> Diagnostic {
    Diagnostic { message: format!("agent `{id}`: {}", problem.message), ..problem }
}

#[cfg(test)]
mod tests {
    use cuebook_template::{Source, Value};
    use serde_json::json;

    use super::*;
    use crate::playbook::Playbook;
    use crate::reference::TemplateRef;
    use crate::trouble::shown;
    use crate::unit::Slot;

    const CONTRACT: &str = "version: 2\nrequired_headings_rendered: ['## Tools']\n\
        archetypes:\n  plain: {shell: agents/_shell.md}\n\
        agents:\n  writer:\n    archetype: plain\n    playbook_ids: [prose]\n    must_substrings_rendered: [plain words]\n    delta: {focus: Prose}\n";

    fn source(text: &str) -> Source {
        Source::new("x.yaml", text)
    }

    /// What `run` makes of the parts of a small pack.
    fn with_parts<R>(roster: &Roster, run: impl FnOnce(PersonaParts<'_>) -> R) -> R {
        let row = |text: &str| AgentRow::read(&source(text)).expect("a row");
        let agents = [
            row("{id: writer, description: d, tools: [read, write], playbooks: [prose, aloud]}"),
            row("{id: helper, description: d}"),
            row("{id: lead, description: d, host: coordinator, mode: wrapup}"),
            row("{id: lost, description: d, playbooks: [prosa]}"),
        ];
        let playbooks = [
            "{id: default, fallback: true, checklist: [always]}",
            "{id: prose, checklist: [plain]}",
            "{id: aloud, checklist: [aloud], triggers: {phase_ids: [last]}}",
        ];
        let playbooks =
            playbooks.map(|text| (source(text), Playbook::read(&source(text)).expect("a playbook")));
        let unit = |name: &str, head: &str| {
            let text = format!("---\ndescription: d\n{head}\n---\nbody");
            Unit::read(TemplateRef::parse(name).expect("a name"), &source(&text)).expect("a unit")
        };
        let units = [
            unit("units/writing", "slot: execution\nattaches: [write]\nhosts: [worker]"),
            unit("units/reading", "slot: execution\nattaches: [read]\nhosts: [worker]"),
            unit("units/ending", "slot: conduct\nmodes: [wrapup]"),
        ];
        run(PersonaParts {
            agents: &agents,
            contract: &Contract::read(&source(CONTRACT)).expect("a contract"),
            playbooks: &Playbooks::of(playbooks.into()).expect("playbooks"),
            units: &units,
            roster,
            caps: PersonaCaps::default(),
        })
    }

    fn persona(id: &str) -> Persona {
        let roster = Roster::new(["read", "grep"]).with_agents(["helper"]);
        with_parts(&roster, |parts| Persona::new(id, &parts)).expect("a persona")
    }

    fn ids(persona: &Persona, slot: Slot) -> Vec<&str> {
        persona.units[&slot].iter().map(Unit::id).collect()
    }

    #[test]
    fn the_pieces_come_together() {
        let writer = persona("writer");
        assert_eq!(writer.archetype.as_ref().map(|(name, _)| name.as_str()), Some("plain"));
        assert_eq!(
            (&*writer.headings, &*writer.substrings),
            (&["## Tools".to_owned()][..], &["plain words".to_owned()][..])
        );
        assert_eq!(writer.values.defaults["focus"], Value::trusted(json!("Prose")));
        assert_eq!(writer.values.defaults["playbook_checklist"], Value::trusted(json!(["always", "plain"])));
        assert_eq!(writer.values.facts["agent_tool_names"], Value::trusted(json!(["read"])));
        assert_eq!(ids(&writer, Slot::Execution), ["reading"]);
        assert_eq!(writer.units.keys().copied().collect::<Vec<_>>(), Slot::ALL);
    }

    #[test]
    fn without_a_contract_there_is_the_fallback_alone() {
        let helper = persona("helper");
        assert_eq!((helper.archetype, helper.contract), (None, None));
        assert_eq!(helper.headings, ["## Tools"]);
        assert_eq!(helper.values.defaults["playbook_checklist"], Value::trusted(json!(["always"])));
        let lead = persona("lead");
        assert_eq!(lead.headings, [""; 0]);
        assert_eq!(ids(&lead, Slot::Conduct), ["ending"]);
    }

    #[test]
    fn playbooks_of_the_contract_stand_before_those_of_the_row() {
        assert_eq!(persona("writer").playbooks, ["prose", "aloud"]);
        assert_eq!(persona("helper").playbooks, [""; 0]);
    }

    #[test]
    fn what_no_pack_has_is_told_with_the_nearest() {
        let told = |id: &str| {
            let found = with_parts(&Roster::default(), |parts| Persona::new(id, &parts));
            shown(&found.err().unwrap_or_default())
        };
        assert_eq!(told("writre"), ["no pack has an agent 'writre' (did you mean 'writer'?)"]);
        assert_eq!(
            told("x"),
            ["no pack has an agent 'x' (agents are files of the `agents` directories of packs)"]
        );
        assert_eq!(told("lost"), ["agent `lost`: there is no playbook `prosa` (did you mean 'prose'?)"]);
    }
}
