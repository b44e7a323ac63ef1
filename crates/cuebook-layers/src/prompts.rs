//! Layered templates as prompts: the source of `prompt:layered.…`.
//!
//! It owns what comes with a template: of an agent's own prompt, its values, its units and its contract. It refuses versions:
//! a file is what it is now.

use std::collections::BTreeSet;
use std::sync::Arc;

use cuebook_prompt::{
    Layered, Pinned, PlacedValues, Principal, PromptError, RunPlace, SharedPin, Source, TextContract, Unmet,
    Value, Values, template_not_found,
};
use cuebook_template::Diagnostic;
use cuebook_template::pongo::Program;
use cuebook_wire::{ErrorCode, LibraryId, PromptKind, PromptRef};
use futures_util::future::BoxFuture;
use serde_json::json;

use crate::layers::Layers;
use crate::pack::PackId;
use crate::persona::Persona;
use crate::personas::{ForAgents, Personas};
use crate::playbooks::Playbooks;
use crate::reference::{RefKind, TemplateRef};
use crate::roster::Roster;
use crate::snapshot::{Found, Snapshot};
use crate::unit::Unit;
use crate::variables::CHECKLIST;

/// The layers of a host with the agents of its packs.
#[derive(Debug)]
pub struct LayeredPrompts {
    layers: Layers,
    personas: Personas,
    host: ForAgents,
}

/// A template of one snapshot with all that comes with it.
#[derive(Debug)]
pub struct Prepared {
    /// The layers that it was found in.
    pub snapshot: Arc<Snapshot>,
    /// Its name.
    pub reference: TemplateRef,
    /// The template.
    pub layered: Layered,
    /// The agent whose prompt it is.
    pub persona: Option<Arc<Persona>>,
}

impl LayeredPrompts {
    /// The prompts of `layers` with what `host` has for agents; also what is wrong with the agents of its packs.
    /// Where packs contradict each other, what the host's `own` packs say stands alone.
    pub fn new(layers: Layers, host: ForAgents, own: &BTreeSet<PackId>) -> (Self, Vec<Diagnostic>) {
        let (personas, problems) = Personas::of(layers.catalog(), own);
        (Self { layers, personas, host }, problems)
    }

    /// The layers.
    pub const fn layers(&self) -> &Layers {
        &self.layers
    }

    /// The agents.
    pub const fn personas(&self) -> &Personas {
        &self.personas
    }

    /// The template of a name, with all that comes with it.
    ///
    /// # Errors
    ///
    /// As [`Snapshot::program`], for the template and each of its units; what its agent requires and no longer includes; what
    /// is wrong with the front matter of a unit.
    pub fn prepare(&self, name: &str) -> Result<Prepared, Vec<Diagnostic>> {
        self.prepare_in(self.layers.snapshot(), name)
    }

    /// As [`Self::prepare`], in layers that were looked at before.
    ///
    /// # Errors
    ///
    /// As [`Self::prepare`].
    pub fn prepare_in(&self, snapshot: Arc<Snapshot>, name: &str) -> Result<Prepared, Vec<Diagnostic>> {
        let program = snapshot.program(name)?;
        let reference = snapshot.resolve(name).ok().flatten().map(|found| found.reference);
        let Some(reference) = reference else { return Err(vec![snapshot.not_found(name)]) };
        check_unit(&snapshot, &reference)?;
        let persona = self.persona(&snapshot, &reference, &program)?;
        let ceiling = snapshot.catalog().budgets().render_ceiling();
        let plain = Layered { ceiling, ..Layered::plain(program) };
        let layered = match &persona {
            Some(persona) => {
                let checklist = self.checklist(persona);
                Layered { placed: Some(Arc::new(checklist)), ..with_persona(&snapshot, plain, persona)? }
            }
            None => plain,
        };
        Ok(Prepared { snapshot, reference, layered, persona })
    }

    fn persona(
        &self,
        snapshot: &Snapshot,
        reference: &TemplateRef,
        program: &Program,
    ) -> Result<Option<Arc<Persona>>, Vec<Diagnostic>> {
        let Some(agent) = self.personas.agent_of(reference) else { return Ok(None) };
        let persona = self.personas.persona(&agent.id, snapshot, &self.host)?;
        let missing = persona.missing_partials(snapshot, program);
        if missing.is_empty() { Ok(Some(Arc::new(persona))) } else { Err(missing) }
    }

    fn checklist(&self, persona: &Persona) -> Checklist {
        Checklist { playbooks: Arc::clone(self.personas.playbooks()), of_agent: persona.playbooks.clone() }
    }

    fn pinned(&self, reference: &PromptRef) -> Result<SharedPin, PromptError> {
        let snapshot = self.layers.snapshot();
        let id = reference.template_id.as_str();
        let found = snapshot.by_id(id).filter(|_| reference.version.is_none());
        let Some(name) = found else { return Err(unknown(&snapshot, reference)) };
        let name = name.clone();
        let prepared =
            self.prepare_in(snapshot, name.as_str()).map_err(|problems| failed(reference, problems))?;
        let kind = kind_of(name.kind());
        Ok(Arc::new(Pinned::layered(format!("prompt:{id}"), kind, prepared.layered)))
    }
}

/// Reads the front matter of a unit.
fn check_unit(snapshot: &Snapshot, reference: &TemplateRef) -> Result<(), Vec<Diagnostic>> {
    let found = snapshot.find(reference).filter(|it| it.reference.kind() == RefKind::Unit);
    match found.filter(|it| !it.reference.is_reserved()).as_ref().map(Found::source) {
        Some(Ok(source)) => Unit::read(reference.clone(), source).map(drop),
        _ => Ok(()),
    }
}

fn unknown(snapshot: &Snapshot, reference: &PromptRef) -> PromptError {
    if reference.version.is_some() {
        let message = format!("'{reference}' has a version, and layered templates have none");
        let error = PromptError::new(ErrorCode::PromptTemplateNotFound, message).about(reference);
        return error.hint("leave the version out: a file is what it is now");
    }
    let ids: Vec<String> = snapshot.references().into_iter().map(TemplateRef::template_id).collect();
    template_not_found(reference, ids.iter().map(String::as_str))
}

/// The template with the values, units and contract of its agent.
fn with_persona(
    snapshot: &Snapshot,
    plain: Layered,
    persona: &Arc<Persona>,
) -> Result<Layered, Vec<Diagnostic>> {
    let (mut slots, mut problems) = (indexmap::IndexMap::new(), Vec::new());
    for (slot, units) in &persona.units {
        let mut programs = Vec::new();
        for unit in units {
            match snapshot.program(unit.reference.as_str()) {
                Ok(program) => programs.push(program),
                Err(found) => problems.extend(found),
            }
        }
        slots.insert(slot.as_str().to_owned(), programs);
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(Layered {
        facts: persona.values.facts.clone(),
        is_fact: Roster::is_fact,
        defaults: persona.values.defaults.clone(),
        slots,
        contract: Some(Arc::new(Held(Arc::clone(persona)))),
        ..plain
    })
}

/// The checklist of an agent, which depends on where in a run it is told.
#[derive(Debug)]
struct Checklist {
    playbooks: Arc<Playbooks>,
    of_agent: Vec<String>,
}

impl PlacedValues for Checklist {
    fn values(&self, place: &RunPlace<'_>) -> Values {
        let points = self.playbooks.checklist(&self.of_agent, place.topology, place.phase);
        [(CHECKLIST.to_owned(), Value::trusted(json!(points)))].into_iter().collect()
    }
}

/// What the prompt of an agent must have.
#[derive(Debug)]
struct Held(Arc<Persona>);

impl TextContract for Held {
    fn unmet(&self, text: &str) -> Vec<Unmet> {
        let violations = self.0.violations(text);
        violations.into_iter().map(|violation| unmet(violation.diagnostic(&self.0.agent.id))).collect()
    }
}

fn unmet(problem: Diagnostic) -> Unmet {
    Unmet { message: problem.message, hint: problem.hint.unwrap_or_default() }
}

/// Guidance is said in the user's turn; all else stands in the system's.
fn kind_of(kind: RefKind) -> PromptKind {
    if kind == RefKind::Guidance { PromptKind::User } else { PromptKind::System }
}

/// The first of some problems as the failure of a prompt.
fn failed(reference: &PromptRef, problems: Vec<Diagnostic>) -> PromptError {
    let Some(first) = problems.into_iter().next() else {
        return PromptError::new(ErrorCode::PromptRenderFailed, "the template cannot be had")
            .about(reference);
    };
    PromptError::of(ErrorCode::PromptRenderFailed, first).about(reference)
}

impl Source for LayeredPrompts {
    fn pin<'a>(
        &'a self,
        _principal: &'a Principal,
        reference: &'a PromptRef,
        _within: Option<&'a LibraryId>,
    ) -> BoxFuture<'a, Result<SharedPin, PromptError>> {
        Box::pin(async move { self.pinned(reference) })
    }
}
