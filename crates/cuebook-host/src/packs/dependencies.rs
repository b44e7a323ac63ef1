//! What packs need of each other: every dependency is met by a pack that is there, and no two packs have one name.

use std::collections::BTreeMap;

use cuebook_template::Diagnostic;
use cuebook_wire::{ErrorCode, Fault, Version, VersionRange, names, pointer};

use super::Pack;
use super::files::refused;
use crate::files::shown;

/// The versions of the program's own packs of templates by name.
pub(crate) type OwnVersions<'o> = BTreeMap<&'o str, &'o Version>;

/// One problem for each dependency that no pack of `packs` meets, nor of the program's `own`, at its place in the manifest.
pub(crate) fn unresolved(packs: &[Pack], own: &OwnVersions<'_>) -> Vec<Diagnostic> {
    unmet_by(packs, own, |_, _| true)
}

/// As [`unresolved`], of what the pack called `name` needs and of what others need of it.
pub(crate) fn unresolved_about(name: &str, packs: &[Pack], own: &OwnVersions<'_>) -> Vec<Diagnostic> {
    unmet_by(packs, own, |pack, needed| pack.name == name || needed == name)
}

/// The dependencies, of those that `concern` us, that no pack meets.
fn unmet_by(packs: &[Pack], own: &OwnVersions<'_>, concern: impl Fn(&Pack, &str) -> bool) -> Vec<Diagnostic> {
    let of_kind = |is_layered: bool| -> OwnVersions<'_> {
        let others = packs.iter().filter(|pack| pack.layered().is_some() == is_layered);
        let others = others.map(|pack| (pack.name.as_str(), &pack.version));
        own.iter().filter(|_| is_layered).map(|(name, version)| (*name, *version)).chain(others).collect()
    };
    let (layered, published) = (of_kind(true), of_kind(false));
    let problems = packs.iter().map(|pack| {
        let known = if pack.layered().is_some() { &layered } else { &published };
        let needed = pack.dependencies.iter().filter(|(name, _)| concern(pack, name));
        let faults = needed.filter_map(|(name, range)| unmet(known, pack, (name, range)));
        pack.document.problems(faults.collect())
    });
    problems.flatten().collect()
}

/// Why no pack is the one that the pack `by` needs.
fn unmet(known: &OwnVersions<'_>, by: &Pack, (name, range): (&String, &VersionRange)) -> Option<Fault> {
    let message = match known.get(name.as_str()) {
        Some(version) if range.contains(version) => return None,
        Some(version) => format!("the pack needs '{name}' {range}, but {version} is installed"),
        None => format!("the pack needs '{name}' {range}, which is not installed"),
    };
    let place = format!("/dependencies{}", pointer::step(name));
    let code = match by.layered() {
        Some(_) => ErrorCode::ExtensionDependencyUnmet,
        None => ErrorCode::PromptPackDependencyUnresolvable,
    };
    let fault = Fault::new(place, code, message);
    let near = names::nearest(name, known.keys().copied().filter(|near| near != name && *near != by.name));
    Some(fault.nearest(near).hint("install the pack that it needs first"))
}

/// One problem for each pack whose name another has.
pub(crate) fn doubles(packs: &[Pack]) -> Vec<Diagnostic> {
    let mut seen: BTreeMap<&str, &Pack> = BTreeMap::new();
    let mut problems = Vec::new();
    for pack in packs {
        if let Some(first) = seen.insert(&pack.name, pack) {
            let (one, other) = (shown(&first.directory), shown(&pack.directory));
            let problem = refused(format!("the pack '{}' is in {one} and in {other}", pack.name));
            problems.push(problem.with_hint("one version of a pack can be used at a time; remove the other"));
        }
    }
    problems
}
