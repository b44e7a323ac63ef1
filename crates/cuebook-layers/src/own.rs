//! Entries of `owns`: paths that a project, or a site, holds at bytes it chose.
//!
//! It owns their two forms. `partials/tone.md` is held by the overlay's own file; `acme/voice:partials/tone.md` by that pack's. It
//! refuses entries that hold nothing.

use std::fmt;

use cuebook_template::{Diagnostic, nearest};
use cuebook_wire::ErrorCode;

use crate::layer::Tier;
use crate::pack::{BadPackId, PackId};
use crate::reference::{BadRef, TemplateRef};
use crate::snapshot::Snapshot;

/// A path that is held.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Own {
    /// By the file of an overlay.
    Overlay(TemplateRef),
    /// By the file of one pack, whichever others have the name.
    Pack(PackId, TemplateRef),
}

/// Why a text is no entry of `owns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadOwn {
    /// What stands before the colon is no pack's id.
    Pack(BadPackId),
    /// The path is no template's name.
    Reference(BadRef),
    /// Files whose names begin with `_` come from exactly one pack, and nobody chooses among several.
    Reserved,
}

impl Own {
    /// Reads an entry.
    ///
    /// # Errors
    ///
    /// As [`BadOwn`] says.
    pub fn parse(text: &str) -> Result<Self, BadOwn> {
        let Some((pack, path)) = text.split_once(':') else {
            return TemplateRef::parse(text).map(Self::Overlay).map_err(BadOwn::Reference);
        };
        let pack = PackId::parse(pack.trim()).map_err(BadOwn::Pack)?;
        let reference = TemplateRef::parse(path).map_err(BadOwn::Reference)?;
        if reference.is_reserved() { Err(BadOwn::Reserved) } else { Ok(Self::Pack(pack, reference)) }
    }

    /// The path.
    pub const fn reference(&self) -> &TemplateRef {
        match self {
            Self::Overlay(reference) | Self::Pack(_, reference) => reference,
        }
    }
}

/// The overlay files that `owns` names and no overlay of `snapshot` has.
pub fn missing_owned(owns: &[Own], snapshot: &Snapshot) -> Vec<Diagnostic> {
    let overlays = || snapshot.layers().filter(|layer| layer.tier != Tier::Bundled);
    let names: Vec<&str> =
        overlays().flat_map(|layer| layer.files().map(|(reference, _)| reference.as_str())).collect();
    let is_missing = |reference: &TemplateRef| overlays().all(|layer| layer.find(reference).is_none());
    owns.iter()
        .filter_map(|own| match own {
            Own::Overlay(reference) if is_missing(reference) => Some(missing(reference, &names)),
            _ => None,
        })
        .collect()
}

fn missing(reference: &TemplateRef, names: &[&str]) -> Diagnostic {
    let message = format!("`owns` names {reference}, and no overlay has that file");
    let problem = Diagnostic::error(ErrorCode::OwnInvalid.as_str(), message);
    match nearest(reference.as_str(), names.iter().copied()) {
        Some(name) => problem.with_nearest(name).with_hint(format!("did you mean '{name}'?")),
        None => problem.with_hint("put the file into the overlay, or name a pack: `vendor/leaf:path`"),
    }
}

/// As [`Own::parse`] reads it back.
impl fmt::Display for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overlay(reference) => reference.fmt(f),
            Self::Pack(pack, reference) => write!(f, "{pack}:{reference}"),
        }
    }
}

impl fmt::Display for BadOwn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pack(bad) => write!(f, "of what stands before the colon: {bad}"),
            Self::Reference(bad) => bad.fmt(f),
            Self::Reserved => f.write_str(
                "a file whose name begins with `_` comes from exactly one pack: there is nothing to choose",
            ),
        }
    }
}

impl std::error::Error for BadOwn {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::catalog::Catalog;
    use crate::files::FileTree;
    use crate::layer::Layer;

    #[track_caller]
    fn check(text: &str, expect: Result<&str, BadOwn>) {
        let found = Own::parse(text).map(|own| own.to_string());
        assert_eq!(found.as_deref(), expect.as_deref(), "{text:?}");
    }

    #[test]
    fn an_entry_names_a_file_or_a_pack_and_a_file() {
        check("shared/partials/x", Ok("partials/x.md"));
        check("acme/voice:kicks/x.md", Ok("acme/voice:guidance/x.md"));
        check("acme/voice: partials/x.md", Ok("acme/voice:partials/x.md"));
        check("agents/_shell.md", Ok("agents/_shell.md"));
        check("acme:partials/x.md", Err(BadOwn::Pack(BadPackId)));
        check("acme/voice:", Err(BadOwn::Reference(BadRef::Empty)));
        check("../x", Err(BadOwn::Reference(BadRef::Escapes)));
        check("acme/voice:agents/_shell.md", Err(BadOwn::Reserved));
    }

    #[test]
    fn an_owned_file_is_there() {
        let overlay = Layer::overlay(Tier::Project, "here", &FileTree::of([("partials/tone.md", "a")]));
        let catalog = Catalog::new(Layer::of(Tier::Bundled, "packs", BTreeMap::new()));
        let snapshot = Snapshot::new(vec![overlay], Arc::new(catalog), Vec::new());
        let owns = |text: &str| missing_owned(&[Own::parse(text).expect("an entry")], &snapshot);
        assert_eq!(owns("partials/tone.md"), []);
        assert_eq!(owns("acme/voice:partials/x.md"), []);
        let found = owns("partials/tome.md");
        assert_eq!(found[0].message, "`owns` names partials/tome.md, and no overlay has that file");
        assert_eq!(found[0].nearest.as_deref(), Some("partials/tone.md"));
    }
}
