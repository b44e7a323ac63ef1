//! Which prompt units are said, and in which order.
//!
//! It owns the rule of selection and the joining of rendered units. It refuses to render: a unit is chosen by what is really
//! offered, never by what a template says.

use indexmap::IndexMap;

use crate::reference::TemplateRef;
use crate::roster::Roster;
use crate::unit::{Slot, Unit};
use crate::words::{Host, Mode};

/// The units of each slot, every slot among them, in the order in which they stand.
pub type UnitSlots<U> = IndexMap<Slot, Vec<U>>;

/// For whom units are chosen.
#[derive(Clone, Copy, Debug)]
pub struct Selection<'s> {
    /// What is offered.
    pub roster: &'s Roster,
    /// Who is told.
    pub host: Host,
    /// What the turn is for; without one, units of a mode are not said.
    pub mode: Option<Mode>,
}

impl Selection<'_> {
    /// Whether a unit is said: host and mode fit, and one of the tools it comes with is offered.
    pub fn takes(&self, unit: &Unit) -> bool {
        let head = &unit.head;
        let mode_fits = head.modes.is_empty() || self.mode.is_some_and(|mode| head.modes.contains(&mode));
        let tool_fits = head.attaches.is_empty() || head.attaches.iter().any(|tool| self.roster.offers(tool));
        head.hosts.contains(&self.host) && mode_fits && tool_fits
    }

    /// Those of `units` that are said, by slot: by their order, the host's own first, then by id.
    pub fn choose<'u>(&self, units: impl IntoIterator<Item = &'u Unit>) -> UnitSlots<&'u Unit> {
        let mut chosen: Vec<&Unit> = units.into_iter().filter(|unit| self.takes(unit)).collect();
        chosen.sort_by_key(|unit| place(unit));
        let in_slot = |slot: Slot| chosen.iter().copied().filter(|unit| unit.head.slot == slot).collect();
        Slot::ALL.into_iter().map(|slot| (slot, in_slot(slot))).collect()
    }
}

/// What units are sorted by in their slot.
fn place(unit: &Unit) -> (u32, bool, &str, &TemplateRef) {
    (unit.head.order, !unit.from_bundled, unit.id(), &unit.reference)
}

/// One text of the rendered units of a slot: each trimmed, those without text left out, a blank line between two.
pub fn join_units<'t>(rendered: impl IntoIterator<Item = &'t str>) -> String {
    let said: Vec<&str> = rendered.into_iter().map(str::trim).filter(|text| !text.is_empty()).collect();
    said.join("\n\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::unit::UnitHead;

    fn unit(id: &str, change: impl FnOnce(&mut UnitHead)) -> Unit {
        let mut head = UnitHead {
            description: "d".to_owned(),
            slot: Slot::Conduct,
            order: 100,
            attaches: Vec::new(),
            needed_with: Vec::new(),
            modes: Vec::new(),
            hosts: vec![Host::Worker],
        };
        change(&mut head);
        let reference = TemplateRef::parse(&format!("units/{id}.md")).expect("a name");
        Unit { reference, head, from_bundled: false }
    }

    #[track_caller]
    fn check(change: impl FnOnce(&mut UnitHead), expect: bool) {
        let roster = Roster::new(["read"]);
        let selection = Selection { roster: &roster, host: Host::Worker, mode: Some(Mode::Investigate) };
        let unit = unit("a", change);
        assert_eq!(selection.takes(&unit), expect, "{:?}", unit.head);
    }

    #[test]
    fn host_mode_and_tools_must_fit() {
        check(|_| {}, true);
        check(|head| head.hosts = vec![Host::Coordinator], false);
        check(|head| head.hosts = Host::ALL.to_vec(), true);
        check(|head| head.modes = vec![Mode::Investigate, Mode::Wrapup], true);
        check(|head| head.modes = vec![Mode::Wrapup], false);
        check(|head| head.attaches = vec!["write".to_owned()], false);
        check(|head| head.attaches = vec!["write".to_owned(), "read".to_owned()], true);
        check(|head| head.needed_with = vec!["write".to_owned()], true);
    }

    #[test]
    fn without_a_mode_only_units_of_every_mode_are_said() {
        let roster = Roster::default();
        let selection = Selection { roster: &roster, host: Host::Worker, mode: None };
        assert!(selection.takes(&unit("a", |_| {})));
        assert!(!selection.takes(&unit("a", |head| head.modes = Mode::ALL.to_vec())));
    }

    fn chosen(units: &[Unit]) -> Vec<(Slot, Vec<&str>)> {
        let roster = Roster::default();
        let selection = Selection { roster: &roster, host: Host::Worker, mode: None };
        let slots = selection.choose(units);
        slots.into_iter().map(|(slot, units)| (slot, units.iter().map(|unit| unit.id()).collect())).collect()
    }

    #[test]
    fn order_then_bundled_then_id() {
        let units = [
            unit("z", |head| head.slot = Slot::Orientation),
            unit("b", |_| {}),
            unit("a", |_| {}),
            unit("c", |_| {}).bundled(),
            unit("d", |head| head.order = 1),
            unit("e", |head| head.slot = Slot::Procedures),
        ];
        assert_eq!(
            chosen(&units),
            [
                (Slot::Orientation, vec!["z"]),
                (Slot::Conduct, vec!["d", "c", "a", "b"]),
                (Slot::Evidence, vec![]),
                (Slot::Execution, vec![]),
                (Slot::Procedures, vec!["e"]),
            ]
        );
    }

    #[test]
    fn rendered_units_are_joined_by_a_blank_line() {
        assert_eq!(join_units([" a\n", "\n \n", "b\n\nc"]), "a\n\nb\n\nc");
        assert_eq!(join_units([""]), "");
    }

    fn any_unit() -> impl Strategy<Value = Unit> {
        ("[ab]{1,2}", 0_u32..2, any::<bool>(), 0..Slot::ALL.len(), any::<bool>()).prop_map(
            |(id, order, from_bundled, slot, nested)| {
                let unit = unit(&if nested { format!("n/{id}") } else { id }, |head| {
                    head.order = order;
                    head.slot = Slot::ALL[slot];
                });
                Unit { from_bundled, ..unit }
            },
        )
    }

    proptest! {
        #[test]
        fn the_order_of_the_input_does_not_count(
            (units, shuffled) in prop::collection::vec(any_unit(), 0..12)
                .prop_map(|mut units| {
                    units.sort_by(|one, other| one.reference.cmp(&other.reference));
                    units.dedup_by(|one, other| one.reference == other.reference);
                    units
                })
                .prop_flat_map(|units| (Just(units.clone()), Just(units).prop_shuffle()))
        ) {
            prop_assert_eq!(chosen(&units), chosen(&shuffled));
            prop_assert_eq!(chosen(&units).iter().map(|(_, ids)| ids.len()).sum::<usize>(), units.len());
        }
    }
}
