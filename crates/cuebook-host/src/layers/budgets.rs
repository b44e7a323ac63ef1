//! Making the caps of packs as small as what is rendered.
//!
//! It owns which texts are measured and which files are written. It refuses to touch a pack whose hash is stated, and to shrink
//! the cap of a text that cannot be had whole: with the rest of it the text would be over its cap.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cuebook_layers::{
    BUDGET_FILE, BudgetFile, CapChange, Category, Measured, Prepared, TemplateRef, rewrite_budgets, tighten,
};
use cuebook_prompt::Principal;
use cuebook_template::pongo::{code, undefined_names};
use cuebook_template::{Diagnostic, Severity, Source};
use cuebook_wire::ErrorCode;
use serde::Serialize;

use super::author::{AuthorRequest, budgeted};
use super::pack_places;
use crate::files::{replace, shown};
use crate::host::Host;
use crate::packs::{PackPolicy, Reading, read};
use crate::report::Problems;

/// What became of the grandfathered caps of packs.
#[derive(Clone, Debug)]
pub struct TightenedBudgets {
    /// The files with a cap that gets smaller.
    pub files: Vec<TightenedFile>,
    /// The caps that are left as they are because something stands in the way.
    pub findings: Problems,
}

/// A file of budgets with caps that get smaller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TightenedFile {
    /// The file.
    pub file: String,
    /// The caps.
    pub changes: Vec<CapChange>,
}

/// A category and an id in it.
type Key = (Category, String);

/// The bytes of a whole text, or why it cannot be had.
type Bytes = Result<usize, Box<Diagnostic>>;

/// The budgets of a pack that lies in a directory.
struct PackBudgets {
    path: PathBuf,
    source: Source,
    budgets: BudgetFile,
    /// Whether somebody states the hash of the pack's files.
    is_stated: bool,
}

impl Host {
    /// Renders what has a grandfathered cap in a pack of a directory, and makes each cap as small as its text; caps that the
    /// limit of their category covers are taken out. With `write` the files are changed, each in one step, else nothing is.
    ///
    /// # Errors
    ///
    /// `budget_invalid` when a file does not let its numbers alone be changed; nothing is written then. `file_unreadable`
    /// when a file cannot be read or written.
    pub async fn tighten_budgets(
        &self,
        principal: &Principal,
        write: bool,
    ) -> Result<TightenedBudgets, Problems> {
        let packs = self.budgets_of_packs()?;
        let (measured, mut findings) = self.measure(principal, &packs).await;
        let changes = tighten(self.layered.layers().catalog().budgets(), &measured);
        let (mut files, mut rewritten, mut problems) = (Vec::new(), Vec::new(), Problems::new());
        for pack in &packs {
            let changes = pack.held(&changes);
            if pack.is_stated && !changes.is_empty() {
                findings.push(pack.stated());
            } else if !changes.is_empty() {
                let text = rewrite_budgets(&pack.source, &changes).map_err(Problems::from_iter);
                rewritten.extend(problems.collect(text).map(|text| (&pack.path, text)));
                files.push(TightenedFile { file: shown(&pack.path).to_string(), changes });
            }
        }
        problems.or(())?;
        for (path, text) in rewritten.iter().filter(|_| write) {
            replace(path, text)?;
        }
        Ok(TightenedBudgets { files, findings })
    }

    /// The budgets of the packs that take part, without the program's own.
    fn budgets_of_packs(&self) -> Result<Vec<PackBudgets>, Problems> {
        let policy = self.config.packs.policy(&self.config.prompts.library);
        let (mut problems, mut found) = (Problems::new(), Vec::new());
        for directory in &self.directories.packs {
            for place in problems.collect(pack_places(directory)).unwrap_or_default() {
                found.extend(problems.collect(self.budgets_in(&place, &policy)).flatten());
            }
        }
        problems.or(found)
    }

    /// The budgets of the pack in `place`; none when it has no budgets or takes no part.
    fn budgets_in(&self, place: &Path, policy: &PackPolicy) -> Result<Option<PackBudgets>, Problems> {
        let Reading::Ours(pack) = read(place, policy)? else { return Ok(None) };
        let admitted = self.layered.layers().catalog().packs();
        let takes_part = admitted.iter().any(|it| it.manifest.id.as_str() == pack.name);
        let Some(source) = pack.files.text(BUDGET_FILE).filter(|_| takes_part) else { return Ok(None) };
        let source = source?;
        let (budgets, _) = BudgetFile::read(&source).map_err(Problems::from_iter)?;
        let is_stated = pack.is_stated(policy);
        Ok(Some(PackBudgets { path: place.join(BUDGET_FILE), source, budgets, is_stated }))
    }

    /// The bytes of the texts that have a grandfathered cap in one of `packs`, and why others have none.
    async fn measure(&self, principal: &Principal, packs: &[PackBudgets]) -> (Measured, Problems) {
        let wanted: BTreeSet<Key> = packs.iter().flat_map(PackBudgets::keys).collect();
        let mut texts = self.texts(principal, &wanted).await;
        let (mut measured, mut left) = (Measured::new(), Problems::new());
        for key in wanted {
            match texts.remove(&key).unwrap_or_else(|| Err(nothing_of_that_name())) {
                Ok(bytes) => drop(measured.insert(key, bytes)),
                Err(reason) => left.push(keeps_its_cap(&key, *reason)),
            }
        }
        (measured, left)
    }

    /// The bytes of the texts with one of the `wanted` keys; of two texts with one key, those of the longer one.
    async fn texts(&self, principal: &Principal, wanted: &BTreeSet<Key>) -> BTreeMap<Key, Bytes> {
        let snapshot = self.layered.layers().snapshot();
        let mut found: BTreeMap<Key, Bytes> = BTreeMap::new();
        for reference in snapshot.references() {
            let agent = self.layered.personas().agent_of(reference);
            let key = budgeted(agent, reference).map(|(category, id)| (category, id.to_owned()));
            let Some(key) = key.filter(|key| wanted.contains(key)) else { continue };
            let bytes = self.bytes_of(principal, reference).await;
            let longest = match found.remove(&key) {
                None => bytes,
                Some(known) => known.and_then(|known| Ok(known.max(bytes?))),
            };
            found.insert(key, longest);
        }
        found
    }

    /// The bytes of the whole text of a template.
    async fn bytes_of(&self, principal: &Principal, reference: &TemplateRef) -> Bytes {
        let prepared = self.layered.prepare(reference.as_str()).map_err(first)?;
        if let Some(problem) = unknown_value(&prepared) {
            return Err(Box::new(problem));
        }
        let request = AuthorRequest::without_values(reference.as_str(), true);
        let render = self.render_layered(principal, &request).await;
        let render = render.map_err(first)?;
        let is_flaw =
            |it: &Diagnostic| it.severity == Severity::Error && it.code != ErrorCode::BudgetExceeded.as_str();
        match render.findings.into_iter().find(is_flaw) {
            Some(flaw) => Err(Box::new(flaw)),
            None => Ok(render.rendered.observed.composed.len()),
        }
    }
}

impl PackBudgets {
    /// What has a grandfathered cap.
    fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        let all = self.budgets.sizes.grandfathered.iter();
        all.flat_map(|(category, caps)| caps.keys().map(move |id| (category, id.clone())))
    }

    /// Those of `changes` that make a cap of this file smaller, from the cap that it has.
    fn held(&self, changes: &[CapChange]) -> Vec<CapChange> {
        let held = changes.iter().filter_map(|change| {
            let before = *self.budgets.sizes.grandfathered.get(change.category)?.get(&change.id)?;
            let is_smaller = change.after.is_none_or(|cap| cap < before);
            is_smaller.then(|| CapChange { before, ..change.clone() })
        });
        held.collect()
    }

    /// The finding about a pack whose files must stay as they are.
    fn stated(&self) -> Diagnostic {
        let message = format!("the caps of {} are left: the hash of its pack is stated", shown(&self.path));
        Diagnostic::warning(ErrorCode::PackIntegrityFailure.as_str(), message)
            .with_hint("tighten them where the pack is made, and install it again")
    }
}

/// The finding about a text that reads what a run alone could give; an agent's prompt has all its values from the host.
fn unknown_value(prepared: &Prepared) -> Option<Diagnostic> {
    if prepared.persona.is_some() {
        return None;
    }
    let root = prepared.layered.programs().flat_map(undefined_names).next()?;
    let problem =
        Diagnostic::error(code::UNDEFINED, format!("'{}' has its value from a run alone", root.name));
    Some(match root.places.first() {
        Some(place) => problem.at(&place.source, place.span),
        None => problem,
    })
}

/// The first of the problems that a text was refused with.
fn first(problems: impl IntoIterator<Item = Diagnostic>) -> Box<Diagnostic> {
    problems.into_iter().next().map_or_else(nothing_of_that_name, Box::new)
}

fn nothing_of_that_name() -> Box<Diagnostic> {
    let message = "no agent and no template of that name is rendered by itself";
    let problem = Diagnostic::error(ErrorCode::BudgetInvalid.as_str(), message);
    Box::new(problem.with_hint("take the cap out, or correct its id"))
}

/// The finding about a cap that stays, with the reason and its place.
fn keeps_its_cap((category, id): &Key, reason: Diagnostic) -> Diagnostic {
    let message = format!("{category} {id} keeps its cap: {}", reason.message);
    Diagnostic { message, ..reason }.with_severity(Severity::Warning)
}
