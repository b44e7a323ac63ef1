//! Where the root names of a layered template get their values.
//!
//! It owns the order: facts of the host, the ref's overrides, facts of the run, inputs, defaults; and by which names the facts
//! of a run go here. It refuses to let a caller stand in for a fact.

use cuebook_template::pongo::{Context, undefined_names};
use cuebook_template::{Trust, Value};
use cuebook_wire::{PromptRef, VariableSource};
use indexmap::IndexSet;

use super::{Layered, RunPlace, UNITS};
use crate::bind::{Bound, BoundValue};
use crate::scope::{CONTEXT_KEYS, Scope, Values};

/// The facts of a run by the names that layered templates read, with those that variables have.
const RUN_FACTS: [(&str, &str); 7] = [
    ("run_id", "runId"),
    ("workflow_id", "workflowId"),
    ("workflow_name", "workflowName"),
    ("node_id", "nodeId"),
    ("tenant_id", "tenantId"),
    (TOPOLOGY, "workflowId"),
    (PHASE, "nodeId"),
];
const TOPOLOGY: &str = "topology";
const PHASE: &str = "topology_phase_id";
/// The names that choose the values of a place in a run.
pub const PLACE_NAMES: [&str; 2] = [TOPOLOGY, PHASE];

/// Whether `name` has a value in every run, whatever an author gives.
pub fn is_run_fact(name: &str) -> bool {
    RUN_FACTS.iter().any(|(known, _)| *known == name) || CONTEXT_KEYS.contains(&name)
}

/// Everything that names may draw on.
pub(super) struct Names<'n> {
    layered: &'n Layered,
    reference: Option<&'n PromptRef>,
    scope: &'n Scope,
    placed: Values,
}

impl<'n> Names<'n> {
    /// The names of `layered` in `scope`, with the overrides of `reference`.
    pub(super) fn new(layered: &'n Layered, reference: Option<&'n PromptRef>, scope: &'n Scope) -> Self {
        let mut names = Self { layered, reference, scope, placed: Values::new() };
        if let Some(placed) = &layered.placed {
            let (topology, phase) = (names.find(TOPOLOGY).1, names.find(PHASE).1);
            let text = |value: &'_ Option<Value>| value.as_ref()?.json().as_str().map(str::to_owned);
            let (topology, phase) = (text(&topology), text(&phase));
            names.placed =
                placed.values(&RunPlace { topology: topology.as_deref(), phase: phase.as_deref() });
        }
        names
    }

    /// Each name that a template reads with its value, and the same values for the engine.
    pub(super) fn bind(&self) -> (Vec<Bound>, Context) {
        let mut context = Context::new();
        let mut variables = Vec::new();
        for name in self.read() {
            let (source, value) = self.find(&name);
            if let Some(value) = &value {
                context.insert(name.as_str(), value.clone());
            }
            let value = value.map_or(BoundValue::Empty, BoundValue::Plain);
            variables.push(Bound { name: name.into(), source, value });
        }
        (variables, context)
    }

    /// The names that the template and its units read, each once; not the one that the units come in by.
    fn read(&self) -> IndexSet<String> {
        let mut names: IndexSet<String> =
            self.layered.programs().flat_map(undefined_names).map(|root| root.name).collect();
        if !self.layered.slots.is_empty() {
            names.shift_remove(UNITS);
        }
        names
    }

    fn find(&self, name: &str) -> (VariableSource, Option<Value>) {
        let fact = self.layered.facts.get(name);
        if fact.is_some() || (self.layered.is_fact)(name) {
            return (VariableSource::Context, fact.cloned());
        }
        if let Some(overridden) = self.overridden(name) {
            return (VariableSource::Input, Some(overridden));
        }
        if let Some((source, value)) = self.given(name) {
            return (source, Some(value.clone()));
        }
        match self.placed.get(name).or_else(|| self.layered.defaults.get(name)) {
            Some(value) => (VariableSource::Context, Some(value.clone())),
            None => (VariableSource::Input, None),
        }
    }

    /// The fact of the run or the input of that name.
    fn given(&self, name: &str) -> Option<(VariableSource, &Value)> {
        let of = |source, name: &str| Some((source, self.scope.value(source, name)?));
        let fact = RUN_FACTS.iter().find(|(known, _)| *known == name).map(|(_, fact)| *fact);
        of(VariableSource::Context, name)
            .or_else(|| of(VariableSource::Context, fact?))
            .or_else(|| of(VariableSource::Input, name))
    }

    fn overridden(&self, name: &str) -> Option<Value> {
        let json = self.reference?.variable_overrides.get(name)?;
        (!json.is_null()).then(|| Value::from_tagged(json.clone(), Trust::Trusted))
    }
}
