//! The units of all layers at one moment.
//!
//! It owns which of them there are, and what is wrong with the heads of some. It refuses to let a bad head spoil a prompt that
//! would not have said the unit.

use std::collections::BTreeMap;

use cuebook_template::Diagnostic;

use crate::layer::Tier;
use crate::reference::{RefKind, TemplateRef};
use crate::snapshot::Snapshot;
use crate::unit::Unit;

/// The units by name; files that are included by name alone are none.
#[derive(Debug, Default)]
pub(crate) struct Units {
    pub(crate) all: Vec<Unit>,
    /// What is wrong with the front matter of some of them.
    faults: BTreeMap<TemplateRef, Vec<Diagnostic>>,
}

impl Units {
    /// The units of a snapshot.
    pub(crate) fn of(snapshot: &Snapshot) -> Self {
        let mut units = Self::default();
        let names = snapshot.references().into_iter();
        names
            .filter(|name| name.kind() == RefKind::Unit && !name.is_reserved())
            .for_each(|name| units.take(snapshot, name));
        units
    }

    /// What is wrong with the heads of those units.
    pub(crate) fn faults_of<'u>(&self, units: impl IntoIterator<Item = &'u Unit>) -> Vec<Diagnostic> {
        units.into_iter().filter_map(|unit| self.faults.get(&unit.reference)).flatten().cloned().collect()
    }

    /// Takes the unit of that name. One whose file or head cannot be had is chosen by the head of the next lower file, so that
    /// prompts which would have said that one fail, and no others.
    fn take(&mut self, snapshot: &Snapshot, reference: &TemplateRef) {
        for found in snapshot.stack(reference) {
            let Ok(source) = found.source() else { continue };
            match Unit::read(reference.clone(), source) {
                Ok(unit) => {
                    let unit = if found.tier == Tier::Bundled { unit.bundled() } else { unit };
                    return self.all.push(unit);
                }
                Err(problems) => drop(self.faults.entry(reference.clone()).or_insert(problems)),
            }
        }
    }
}
