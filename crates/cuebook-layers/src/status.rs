//! How overrides stand to what they cover.
//!
//! It owns the comparison of each overlay file with the bundled one, now and when it was overridden. It refuses to judge the
//! texts: that a bundled file has changed is for a person to look at.

use std::path::Path;
use std::sync::Arc;

use cuebook_prompt::ContentHash;
use serde::Serialize;

use crate::layer::{Layer, LayerFile, Tier};
use crate::lock::Lock;
use crate::locks::Locks;
use crate::own::Own;
use crate::reference::TemplateRef;
use crate::snapshot::Snapshot;

/// A file of an overlay and what it covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OverrideStatus {
    /// The name.
    pub reference: String,
    /// The rank of the overlay.
    pub tier: Tier,
    /// What the overlay is called.
    pub layer: Arc<str>,
    /// The file's path below the overlay's root.
    pub path: String,
    /// Why the file cannot be had, if it cannot.
    pub fault: Option<String>,
    /// Whether the host trusts the overlay, so that the file takes part.
    pub is_trusted: bool,
    /// Whether the name stands for this file.
    pub wins: bool,
    /// Whether `owns` names the file.
    pub is_owned: bool,
    /// The next lower file of that name.
    pub below: Option<Below>,
    /// How the bundled file of that name stands to the record.
    pub bundled: BundledState,
}

/// The file that an override covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Below {
    /// The rank of its layer.
    pub tier: Tier,
    /// What its layer is called.
    pub layer: Arc<str>,
    /// Whether it has the same bytes.
    pub is_same: bool,
}

/// How a bundled file stands to the record of the override.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BundledState {
    /// No pack brings a file of that name that can be had.
    NothingBelow,
    /// The override has the bundled bytes, and so changes nothing.
    SameAsBundled,
    /// Nobody recorded what the bundled file was like.
    NotRecorded,
    /// The bundled file is as it was.
    Unchanged,
    /// The bundled file has changed since.
    Changed,
}

/// How every overlay file of `snapshot` stands, layer by layer from the highest; those of refused overlays come last.
///
/// A file is held against the record of its own project; those of a site have none.
pub fn status(snapshot: &Snapshot, locks: &Locks, owns: &[Own]) -> Vec<OverrideStatus> {
    let view = View { snapshot, locks, owns };
    let overlays = snapshot.layers().filter(|layer| layer.tier != Tier::Bundled);
    let trusted = overlays.enumerate().flat_map(|(rank, layer)| view.layer(layer, Some(rank)));
    trusted.chain(snapshot.refused().iter().flat_map(|layer| view.layer(layer, None))).collect()
}

/// Records the bundled text below each file of the overlay of `project` that has no record yet, and of those in `looked_at`
/// anew; forgets names that this overlay has no more. Gives the names whose record is another now.
pub(crate) fn record(
    snapshot: &Snapshot,
    project: &Path,
    lock: &mut Lock,
    looked_at: &[TemplateRef],
) -> Vec<TemplateRef> {
    let before = lock.clone();
    let overridden: Vec<TemplateRef> = overridden_in(snapshot, project).cloned().collect();
    for reference in lock.references().cloned().collect::<Vec<_>>() {
        if !overridden.contains(&reference) {
            lock.forget(&reference);
        }
    }
    for reference in &overridden {
        let is_due = lock.hash(reference).is_none() || looked_at.contains(reference);
        match bundled(snapshot, reference) {
            Some(hash) if is_due => lock.set(reference.clone(), hash),
            _ => {}
        }
    }
    let mut names: Vec<TemplateRef> = before.references().chain(lock.references()).cloned().collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| before.hash(name) != lock.hash(name));
    names
}

/// The names that a project overrides, also when nobody trusts it at the moment.
fn overridden_in<'s>(snapshot: &'s Snapshot, project: &Path) -> impl Iterator<Item = &'s TemplateRef> {
    let layers = snapshot.layers().chain(snapshot.refused());
    layers
        .filter(move |layer| layer.project() == Some(project))
        .flat_map(|layer| layer.files().map(|(name, _)| name))
}

/// The hash of the bundled text of a name.
fn bundled(snapshot: &Snapshot, reference: &TemplateRef) -> Option<ContentHash> {
    snapshot.catalog().layer().find(reference)?.hash()
}

struct View<'s> {
    snapshot: &'s Snapshot,
    locks: &'s Locks,
    owns: &'s [Own],
}

impl View<'_> {
    /// The files of an overlay with that place among those that take part, the highest first.
    fn layer<'l>(
        &'l self,
        layer: &'l Layer,
        rank: Option<usize>,
    ) -> impl Iterator<Item = OverrideStatus> + 'l {
        layer.files().map(move |(reference, file)| OverrideStatus {
            reference: reference.to_string(),
            tier: layer.tier,
            layer: Arc::clone(&layer.label),
            path: file.path.clone(),
            fault: file.source.as_ref().err().map(ToString::to_string),
            is_trusted: rank.is_some(),
            wins: rank
                .is_some_and(|rank| self.layers_above(rank).all(|above| above.find(reference).is_none())),
            is_owned: self.owns.contains(&Own::Overlay(reference.clone())),
            below: self.below(reference, file, rank),
            bundled: self.bundled(reference, file, layer),
        })
    }

    fn layers_above(&self, rank: usize) -> impl Iterator<Item = &Layer> {
        self.snapshot.layers().take(rank)
    }

    /// The next file below an overlay of that rank; of one that takes no part, the file that stands in its place.
    fn below(&self, reference: &TemplateRef, file: &LayerFile, rank: Option<usize>) -> Option<Below> {
        let skipped = rank.map_or(0, |rank| rank + 1);
        let (layer, below) =
            self.snapshot.layers().skip(skipped).find_map(|layer| Some((layer, layer.find(reference)?)))?;
        let own_label = below.source.as_ref().ok().and_then(|source| source.layer().map(Arc::from));
        Some(Below {
            tier: layer.tier,
            layer: own_label.unwrap_or_else(|| Arc::clone(&layer.label)),
            is_same: file.hash().is_some() && file.hash() == below.hash(),
        })
    }

    fn bundled(&self, reference: &TemplateRef, file: &LayerFile, layer: &Layer) -> BundledState {
        let Some(now) = bundled(self.snapshot, reference) else { return BundledState::NothingBelow };
        if file.hash().as_ref() == Some(&now) {
            return BundledState::SameAsBundled;
        }
        match self.locks.of(layer).and_then(|lock| lock.hash(reference)) {
            None => BundledState::NotRecorded,
            Some(then) if *then == now => BundledState::Unchanged,
            Some(_) => BundledState::Changed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;
    use crate::files::FileTree;

    type Files<'f> = &'f [(&'f str, &'f str)];

    fn layer(tier: Tier, label: &str, files: Files<'_>) -> Layer {
        let project = (tier == Tier::Project).then(|| Path::new(label).into());
        Layer::overlay(tier, label, &FileTree::of(files.iter().copied())).of_project(project)
    }

    fn locks(project: &str, names: &[(&str, &str)]) -> Locks {
        let mut lock = Lock::default();
        for (name, text) in names {
            lock.set(reference(name), ContentHash::of(text));
        }
        Locks::of_projects([(project, lock)])
    }

    fn snapshot(site: Files<'_>, project: Files<'_>, bundled: Files<'_>, refused: Files<'_>) -> Snapshot {
        let overlays = vec![layer(Tier::Site, "site", site), layer(Tier::Project, "here", project)];
        let catalog = Catalog::new(layer(Tier::Bundled, "packs", bundled));
        Snapshot::new(overlays, Arc::new(catalog), vec![layer(Tier::Project, "strange", refused)])
    }

    fn reference(name: &str) -> TemplateRef {
        TemplateRef::parse(name).expect("a name")
    }

    fn shown(all: &[OverrideStatus]) -> Vec<String> {
        let flag = |is: bool, word: &'static str| if is { word } else { "" };
        all.iter()
            .map(|it| {
                let below = it.below.as_ref().map_or_else(String::new, |below| {
                    format!("over {}{}", below.layer, flag(below.is_same, " same"))
                });
                let (wins, owned) = (flag(it.wins, "wins"), flag(it.is_owned, "owned"));
                let trust = flag(!it.is_trusted, "refused");
                format!("{} {} [{wins}{owned}{trust}] {below} {:?}", it.layer, it.reference, it.bundled)
            })
            .collect()
    }

    #[test]
    fn every_override_is_told_with_what_it_covers() {
        let locks = locks("here", &[("partials/a.md", "old"), ("partials/b.md", "b")]);
        let files = [
            ("partials/a.md", "A"),
            ("partials/b.md", "B"),
            ("partials/c.md", "c"),
            ("partials/d.md", "D"),
            ("partials/mine.md", "m"),
        ];
        let bundled =
            [("partials/a.md", "a"), ("partials/b.md", "b"), ("partials/c.md", "c"), ("partials/d.md", "d")];
        let snapshot = snapshot(&[("partials/b.md", "B")], &files, &bundled, &[("partials/a.md", "x")]);
        let found = status(&snapshot, &locks, &[Own::parse("partials/a.md").expect("an entry")]);
        assert_eq!(
            shown(&found),
            [
                "site partials/b.md [wins] over here same NotRecorded",
                "here partials/a.md [winsowned] over packs Changed",
                "here partials/b.md [] over packs Unchanged",
                "here partials/c.md [wins] over packs same SameAsBundled",
                "here partials/d.md [wins] over packs NotRecorded",
                "here partials/mine.md [wins]  NothingBelow",
                "strange partials/a.md [ownedrefused] over here NotRecorded",
            ]
        );
    }

    #[test]
    fn a_record_is_made_once_and_anew_on_request() {
        let mut all = locks("here", &[]);
        let files = [("partials/a.md", "A"), ("partials/mine.md", "m")];
        let one = snapshot(
            &[("partials/s.md", "S")],
            &files,
            &[("partials/a.md", "1"), ("partials/s.md", "s")],
            &[],
        );
        assert_eq!(all.record(&one, &[]), [reference("partials/a.md")]);
        let two = snapshot(&[], &files, &[("partials/a.md", "2")], &[]);
        assert_eq!(all.record(&two, &[]), []);
        assert_eq!(status(&two, &all, &[])[0].bundled, BundledState::Changed);
        assert_eq!(all.record(&two, &[reference("partials/a.md")]), [reference("partials/a.md")]);
        assert_eq!(status(&two, &all, &[])[0].bundled, BundledState::Unchanged);
        let none = snapshot(&[], &[], &[("partials/a.md", "2")], &[]);
        assert_eq!(all.record(&none, &[]), [reference("partials/a.md")]);
        assert_eq!(all, locks("here", &[]));
    }

    #[test]
    fn each_project_has_its_own_record() {
        let old = snapshot(&[], &[("partials/a.md", "A")], &[("partials/a.md", "1")], &[]);
        let mut all = Locks::of_projects([("here", Lock::default()), ("strange", Lock::default())]);
        all.record(&old, &[]);
        let new =
            snapshot(&[], &[("partials/a.md", "A")], &[("partials/a.md", "2")], &[("partials/a.md", "B")]);
        all.record(&new, &[]);
        let states: Vec<BundledState> = status(&new, &all, &[]).iter().map(|it| it.bundled).collect();
        assert_eq!(states, [BundledState::Changed, BundledState::Unchanged]);
    }
}
