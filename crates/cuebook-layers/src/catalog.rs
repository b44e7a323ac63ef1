//! What the packs of a host bring together: the lowest layer.
//!
//! It owns the bundled files by name: what enabled packs provide, without what is disabled, with what `owns` decides. It refuses
//! to depend on the order of packs, and to change: another set of packs is another catalog.

mod admit;
mod choice;
mod provide;

use std::collections::BTreeMap;

use cuebook_prompt::ContentHash;
use cuebook_template::Diagnostic;

pub use self::choice::Choice;
use crate::budget::Budgets;
use crate::layer::{Layer, Tier};
use crate::pack::{Pack, PackId};
use crate::reference::TemplateRef;
use crate::revision::Digest;

/// The files of all packs, one a name.
#[derive(Debug)]
pub struct Catalog {
    layer: Layer,
    packs: Vec<Pack>,
    providers: BTreeMap<TemplateRef, PackId>,
    budgets: Budgets,
    revision: ContentHash,
}

impl Catalog {
    /// The catalog of `layer`, without anything else that packs bring.
    pub fn new(layer: Layer) -> Self {
        let mut digest = Digest::default();
        digest.layer(&layer);
        Self {
            revision: digest.finish(),
            layer,
            packs: Vec::new(),
            providers: BTreeMap::new(),
            budgets: Budgets::default(),
        }
    }

    /// The catalog of `packs` by what the host and its projects chose, and everything that is wrong with it. A pack or a name
    /// that is wrong contributes nothing; all others do.
    pub fn of(packs: Vec<Pack>, choice: &Choice) -> (Self, Vec<Diagnostic>) {
        let (packs, mut problems) = admit::admit(packs, choice);
        let provided = provide::provide(&packs, choice);
        problems.extend(provided.problems);
        let parts: Vec<_> = packs.iter().filter_map(|pack| pack.budgets.clone()).collect();
        let (budgets, contested) = Budgets::of(&parts);
        problems.extend(contested);
        let layer = Layer::of(Tier::Bundled, "bundled", provided.files);
        let revision = revision(&layer, &packs, choice);
        (Self { layer, packs, providers: provided.providers, budgets, revision }, problems)
    }

    /// The lowest layer.
    pub const fn layer(&self) -> &Layer {
        &self.layer
    }

    /// The hash of everything in it.
    pub const fn revision(&self) -> &ContentHash {
        &self.revision
    }

    /// The packs that take part, by their ids.
    pub fn packs(&self) -> &[Pack] {
        &self.packs
    }

    /// The pack whose file a name stands for: of a template, an agent (`agents/x.yaml`) or a playbook (`playbooks/x.yaml`).
    pub fn provider(&self, reference: &TemplateRef) -> Option<&PackId> {
        self.providers.get(reference)
    }

    /// The budgets of all packs.
    pub const fn budgets(&self) -> &Budgets {
        &self.budgets
    }
}

/// The hash of the layer, of every document of the packs, and of what was chosen.
fn revision(layer: &Layer, packs: &[Pack], choice: &Choice) -> ContentHash {
    let mut digest = Digest::default();
    digest.layer(layer);
    for pack in packs {
        digest.text(pack.manifest.id.as_str(), &pack.manifest.version.to_string());
        pack.documents.iter().for_each(|(path, source)| digest.text(path, source.text()));
    }
    choice.entries().for_each(|(key, entry)| digest.text(key, &entry));
    digest.finish()
}
