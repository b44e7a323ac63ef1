//! Which file each bundled name stands for.
//!
//! It owns contests between packs: a name that several bring stands for nothing until `owns` names the winner. It refuses to
//! choose by order, and to let anyone choose among files whose names begin with `_`.

use std::collections::BTreeMap;

use cuebook_template::{Diagnostic, nearest};
use cuebook_wire::ErrorCode;

use super::choice::Choice;
use crate::files::FileFault;
use crate::layer::LayerFile;
use crate::pack::{Pack, PackId};
use crate::reference::TemplateRef;

/// What packs bring together.
#[derive(Default)]
pub(super) struct Provided {
    /// The templates, also those that cannot be had.
    pub(super) files: BTreeMap<TemplateRef, LayerFile>,
    /// The pack whose file each name stands for, documents included.
    pub(super) providers: BTreeMap<TemplateRef, PackId>,
    pub(super) problems: Vec<Diagnostic>,
}

/// A file that a pack brings: a template, or a document.
type Brought<'p> = (&'p PackId, Option<&'p LayerFile>);

/// What `packs` bring together by what was chosen.
pub(super) fn provide(packs: &[Pack], choice: &Choice) -> Provided {
    let brought = brought(packs);
    let mut provided = Provided { problems: strangers(&brought, choice), ..Provided::default() };
    for (reference, files) in brought {
        let file = match settle(&reference, &files, choice) {
            Ok((pack, file)) => {
                provided.providers.insert(reference.clone(), pack.clone());
                file.cloned()
            }
            Err(fault) => {
                provided.problems.extend(contested(&reference, &fault));
                without_text(&files, fault)
            }
        };
        provided.files.extend(file.map(|file| (reference, file)));
    }
    provided
}

/// Every name that packs bring, with the files of that name in the order of the packs.
fn brought(packs: &[Pack]) -> BTreeMap<TemplateRef, Vec<Brought<'_>>> {
    let mut all: BTreeMap<TemplateRef, Vec<Brought<'_>>> = BTreeMap::new();
    for pack in packs {
        let id = &pack.manifest.id;
        for (reference, file) in &pack.templates {
            all.entry(reference.clone()).or_default().push((id, Some(file)));
        }
        for reference in pack.units() {
            all.entry(reference).or_default().push((id, None));
        }
    }
    all
}

/// The file that a name stands for.
fn settle<'p>(
    reference: &TemplateRef,
    files: &[Brought<'p>],
    choice: &Choice,
) -> Result<Brought<'p>, FileFault> {
    if choice.disabled.contains(reference) && !reference.is_reserved() {
        return Err(FileFault::Disabled);
    }
    let mut winners = choice.winners(reference).filter(|_| !reference.is_reserved());
    match (files, winners.next(), winners.next()) {
        ([file], _, _) => Ok(*file),
        (_, Some(winner), None) => {
            files.iter().find(|(pack, _)| *pack == winner).copied().ok_or_else(|| among(files))
        }
        _ => Err(among(files)),
    }
}

fn among(files: &[Brought<'_>]) -> FileFault {
    FileFault::Contested(files.iter().map(|(pack, _)| pack.to_string()).collect())
}

/// The file of a template's name without a text.
fn without_text(files: &[Brought<'_>], fault: FileFault) -> Option<LayerFile> {
    let path = files.iter().find_map(|(_, file)| Some(file.as_ref()?.path.clone()))?;
    Some(LayerFile { path, source: Err(fault) })
}

fn contested(reference: &TemplateRef, fault: &FileFault) -> Option<Diagnostic> {
    let FileFault::Contested(packs) = fault else { return None };
    let message = format!("{reference} stands for nothing: {fault}");
    let problem = Diagnostic::error(ErrorCode::TemplateContested.as_str(), message);
    Some(match packs.first().filter(|_| !reference.is_reserved()) {
        Some(pack) => problem.with_hint(format!("name one under `owns`, as in `{pack}:{reference}`")),
        None => problem.with_hint("files whose names begin with `_` come from one pack: disable one of them"),
    })
}

/// Findings about names that were chosen and that nobody brings.
fn strangers(brought: &BTreeMap<TemplateRef, Vec<Brought<'_>>>, choice: &Choice) -> Vec<Diagnostic> {
    let names = || brought.keys().map(TemplateRef::as_str);
    let disabled = choice.disabled.iter().filter_map(|reference| {
        if reference.is_reserved() {
            return Some(finding(
                &format!("`disabled` names {reference}, and such files are not chosen"),
                None,
            ));
        }
        let message = format!("`disabled` names {reference}, and no pack brings it");
        (!brought.contains_key(reference)).then(|| finding(&message, nearest(reference.as_str(), names())))
    });
    let winners = choice.winning().filter_map(|(pack, reference)| {
        let has = brought.get(reference).is_some_and(|files| files.iter().any(|(it, _)| *it == pack));
        let message = format!("`owns` names {pack}:{reference}, and that pack does not bring it");
        (!has).then(|| finding(&message, nearest(reference.as_str(), names())))
    });
    let twice = brought.keys().filter(|reference| choice.winners(reference).count() > 1);
    let twice = twice.map(|reference| finding(&format!("`owns` names several winners of {reference}"), None));
    disabled.chain(winners).chain(twice).collect()
}

fn finding(message: &str, near: Option<&str>) -> Diagnostic {
    let problem = Diagnostic::error(ErrorCode::OwnInvalid.as_str(), message);
    match near {
        Some(name) => problem.with_nearest(name).with_hint(format!("did you mean '{name}'?")),
        None => problem.with_hint("take the entry out, or correct it"),
    }
}
