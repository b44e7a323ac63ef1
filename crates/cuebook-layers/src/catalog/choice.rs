//! What a host and its projects choose among packs.
//!
//! It owns which packs and names are off and which pack wins a name. It refuses two winners of one name.

use std::collections::BTreeSet;

use crate::own::Own;
use crate::pack::PackId;
use crate::reference::TemplateRef;

/// What is chosen among packs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Packs that take no part.
    pub disabled_packs: BTreeSet<PackId>,
    /// Names that stand for nothing, also when a pack brings them.
    pub disabled: BTreeSet<TemplateRef>,
    /// Paths that are held; those held by packs name winners.
    pub owns: BTreeSet<Own>,
}

impl Choice {
    /// The packs that `owns` names as winners of a name.
    pub(super) fn winners<'c>(&'c self, reference: &'c TemplateRef) -> impl Iterator<Item = &'c PackId> {
        self.winning().filter(move |(_, name)| *name == reference).map(|(pack, _)| pack)
    }

    /// The packs that `owns` names as winners, with the names that they win.
    pub(super) fn winning(&self) -> impl Iterator<Item = (&PackId, &TemplateRef)> {
        self.owns.iter().filter_map(|own| match own {
            Own::Pack(pack, reference) => Some((pack, reference)),
            Own::Overlay(_) => None,
        })
    }

    /// Everything chosen, in one order.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&'static str, String)> + '_ {
        let packs = self.disabled_packs.iter().map(|pack| ("disabled pack", pack.to_string()));
        let names = self.disabled.iter().map(|name| ("disabled", name.to_string()));
        let winners = self.winning().map(|(pack, name)| ("owns", format!("{pack}:{name}")));
        packs.chain(names).chain(winners)
    }
}
