//! Where the root names of a layered template get their values.
//!
//! It owns the order: facts of the host, the ref's overrides, facts of the run, inputs, defaults. It refuses to let a caller
//! stand in for a fact.

use cuebook_template::pongo::{Context, undefined_names};
use cuebook_template::{Trust, Value};
use cuebook_wire::{PromptRef, VariableSource};
use indexmap::IndexSet;

use super::{Layered, UNITS};
use crate::bind::{Bound, BoundValue};
use crate::scope::Scope;

/// Everything that names may draw on.
pub(super) struct Names<'n> {
    pub(super) layered: &'n Layered,
    pub(super) reference: Option<&'n PromptRef>,
    pub(super) scope: &'n Scope,
}

impl Names<'_> {
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
        let given = [VariableSource::Context, VariableSource::Input]
            .into_iter()
            .find_map(|source| Some((source, self.scope.value(source, name)?.clone())));
        if let Some((source, value)) = given {
            return (source, Some(value));
        }
        match self.layered.defaults.get(name) {
            Some(value) => (VariableSource::Context, Some(value.clone())),
            None => (VariableSource::Input, None),
        }
    }

    fn overridden(&self, name: &str) -> Option<Value> {
        let json = self.reference?.variable_overrides.get(name)?;
        (!json.is_null()).then(|| Value::from_tagged(json.clone(), Trust::Trusted))
    }
}
