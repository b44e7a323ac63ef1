//! Which packs take part.
//!
//! It owns ids and dependencies: one pack an id, and every pack that it needs in a version that will do. It refuses half a
//! pack: one that lacks something contributes nothing, and the reason is told.

use std::collections::BTreeMap;

use cuebook_template::{Diagnostic, nearest};
use cuebook_wire::{ErrorCode, Version};

use super::choice::Choice;
use crate::pack::{Dependency, Pack, PackId};

/// The packs that take part, by their ids, and why others do not.
pub(super) fn admit(packs: Vec<Pack>, choice: &Choice) -> (Vec<Pack>, Vec<Diagnostic>) {
    let mut by_id: BTreeMap<PackId, Vec<Pack>> = BTreeMap::new();
    for pack in packs {
        by_id.entry(pack.manifest.id.clone()).or_default().push(pack);
    }
    let mut problems = unknown(choice, &by_id);
    let mut admitted = BTreeMap::new();
    for (id, mut same) in by_id {
        match same.pop() {
            _ if choice.disabled_packs.contains(&id) => {}
            Some(pack) if same.is_empty() => drop(admitted.insert(id, pack)),
            pack => problems.push(doubled(&id, same.iter().chain(&pack))),
        }
    }
    problems.extend(drop_unmet(&mut admitted, choice));
    (admitted.into_values().collect(), problems)
}

/// Findings about disabled packs that are not there.
fn unknown(choice: &Choice, by_id: &BTreeMap<PackId, Vec<Pack>>) -> Vec<Diagnostic> {
    let strangers = choice.disabled_packs.iter().filter(|id| !by_id.contains_key(*id));
    strangers
        .map(|id| {
            let message = format!("`disabled` names the pack {id}, and there is none of that id");
            let problem = Diagnostic::warning(ErrorCode::OwnInvalid.as_str(), message);
            match nearest(id.as_str(), by_id.keys().map(PackId::as_str)) {
                Some(name) => problem.with_nearest(name).with_hint(format!("did you mean '{name}'?")),
                None => problem.with_hint("take the entry out"),
            }
        })
        .collect()
}

fn doubled<'p>(id: &PackId, packs: impl Iterator<Item = &'p Pack>) -> Diagnostic {
    let mut labels: Vec<&str> = packs.map(|pack| &*pack.label).collect();
    labels.sort_unstable();
    let code = ErrorCode::ExtensionDoubled;
    let message = format!("{} have the id {id}, and none of them is taken", labels.join(" and "));
    Diagnostic::error(code.as_str(), message).with_hint(code.hint())
}

/// Drops packs that lack what they need, until all that remain have it.
fn drop_unmet(packs: &mut BTreeMap<PackId, Pack>, choice: &Choice) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    loop {
        let versions: BTreeMap<PackId, Version> =
            packs.iter().map(|(id, pack)| (id.clone(), pack.manifest.version.clone())).collect();
        let before = packs.len();
        packs.retain(|id, pack| {
            let needs = pack.manifest.dependencies.iter();
            let unmet: Vec<Diagnostic> = needs
                .filter_map(|(need, it)| Some(problem(id, need, &unmet(need, it, &versions, choice)?)))
                .collect();
            let is_met = unmet.is_empty();
            problems.extend(unmet);
            is_met
        });
        if packs.len() == before {
            return problems;
        }
    }
}

/// Why a dependency is not met.
fn unmet(
    need: &PackId,
    dependency: &Dependency,
    versions: &BTreeMap<PackId, Version>,
    choice: &Choice,
) -> Option<String> {
    match versions.get(need) {
        Some(version) if dependency.version.contains(version) => None,
        Some(version) => Some(format!("is there in version {version}")),
        None if choice.disabled_packs.contains(need) => Some("is disabled by the host".to_owned()),
        None => Some("takes no part here".to_owned()),
    }
    .map(|reason| format!("{need} in {}, which {reason}", dependency.version))
}

fn problem(id: &PackId, need: &PackId, reason: &str) -> Diagnostic {
    let message = format!("{id} contributes nothing: it needs {reason}");
    Diagnostic::error(ErrorCode::ExtensionDependencyUnmet.as_str(), message)
        .with_hint(format!("add {need} in a version of that range, or disable {id}"))
}
