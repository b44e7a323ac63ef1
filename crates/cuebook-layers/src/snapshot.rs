//! All layers at one moment: which file each name stands for, and the programs made of them.
//!
//! It owns the order of the layers: site, the active root, the other roots, what packs bring. It refuses to fall through
//! on anything but a file that is not there, and never changes: an edit makes another snapshot.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use cuebook_prompt::ContentHash;
use cuebook_template::pongo::{Cache, LoadError, Loader, Options, Profile, Program, code};
use cuebook_template::{Diagnostic, Source, nearest};
use cuebook_wire::ErrorCode;

use crate::catalog::Catalog;
use crate::files::FileFault;
use crate::front_matter;
use crate::layer::{Layer, LayerFile, Tier};
use crate::reference::{BadRef, RefKind, TemplateRef};
use crate::revision::Digest;
use crate::units::Units;

/// Programs kept at a time.
const MAX_PROGRAMS: usize = 64;

/// Every layer at one moment.
pub struct Snapshot {
    /// Overlays, the highest first.
    overlays: Vec<Layer>,
    catalog: Arc<Catalog>,
    /// Overlays that take no part, because nobody trusts them.
    refused: Vec<Layer>,
    revision: ContentHash,
    programs: Cache,
    /// The names by the ids of their templates.
    ids: OnceLock<HashMap<String, TemplateRef>>,
    units: OnceLock<Units>,
}

/// A file that a name stands for in some layer.
#[derive(Clone, Debug)]
pub struct Found {
    /// The name in its one form.
    pub reference: TemplateRef,
    /// The rank of the layer.
    pub tier: Tier,
    /// What the layer is called.
    pub layer: Arc<str>,
    /// The file.
    pub file: LayerFile,
}

impl Found {
    /// The template: of a unit, what stands below its front matter.
    ///
    /// # Errors
    ///
    /// As [`Self::source`].
    pub fn template(&self) -> Result<Source, Box<Diagnostic>> {
        self.source().map(|source| template_of(&self.reference, source))
    }

    /// The whole file.
    ///
    /// # Errors
    ///
    /// `template_unreadable` with the layer, the path and the reason; `template_disabled` and `template_contested` for files
    /// of packs that take no part.
    pub fn source(&self) -> Result<&Source, Box<Diagnostic>> {
        self.file.source.as_ref().map_err(|fault| Box::new(self.unreadable(fault)))
    }

    fn unreadable(&self, fault: &FileFault) -> Diagnostic {
        let message = format!("{} cannot be had: {}", self.reference, self.reason(fault));
        let code = match fault {
            FileFault::Disabled => ErrorCode::TemplateDisabled,
            FileFault::Contested(_) => ErrorCode::TemplateContested,
            _ => {
                return Diagnostic::error(code::UNREADABLE, message)
                    .with_hint("a layer that has a name is never passed over: mend or remove the file");
            }
        };
        Diagnostic::error(code.as_str(), message).with_hint(code.hint())
    }

    fn reason(&self, fault: &FileFault) -> String {
        format!("in layer {}, {}: {fault}", self.layer, self.file.path)
    }
}

impl Snapshot {
    /// The layers `overlays`, the highest first, above `catalog`; `refused` ones are only told of.
    pub fn new(overlays: Vec<Layer>, catalog: Arc<Catalog>, refused: Vec<Layer>) -> Self {
        let mut digest = Digest::default();
        digest.below(catalog.revision());
        for layer in &overlays {
            digest.layer(layer);
        }
        let revision = digest.finish();
        Self {
            overlays,
            catalog,
            refused,
            revision,
            programs: Cache::new(MAX_PROGRAMS),
            ids: OnceLock::new(),
            units: OnceLock::new(),
        }
    }

    /// The hash of everything that a render may draw on.
    pub fn revision(&self) -> &ContentHash {
        &self.revision
    }

    /// What packs bring.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// Overlays that take no part, because the host does not trust their projects.
    pub fn refused(&self) -> &[Layer] {
        &self.refused
    }

    /// All layers that take part, the highest first.
    pub fn layers(&self) -> impl Iterator<Item = &Layer> {
        self.overlays.iter().chain(std::iter::once(self.catalog.layer()))
    }

    /// The file that wins `reference`, also when it cannot be had; `None` when no layer has it.
    pub fn find(&self, reference: &TemplateRef) -> Option<Found> {
        self.stack(reference).next()
    }

    /// The files of that name in all layers, the one that wins first.
    pub fn stack(&self, reference: &TemplateRef) -> impl Iterator<Item = Found> {
        let reference = reference.clone();
        self.layers().filter_map(move |layer| {
            let file = layer.find(&reference)?;
            let label = file.source.as_ref().ok().and_then(|source| source.layer().map(Arc::from));
            let layer_name = label.unwrap_or_else(|| Arc::clone(&layer.label));
            Some(Found { reference: reference.clone(), tier: layer.tier, layer: layer_name, file })
        })
    }

    /// The file that wins a name as a person writes it: one without an extension may be a `.yaml` file.
    ///
    /// # Errors
    ///
    /// As [`TemplateRef::parse`].
    pub fn resolve(&self, text: &str) -> Result<Option<Found>, BadRef> {
        let (first, second) = TemplateRef::spellings(text)?;
        let found = self.find(&first);
        Ok(found.or_else(|| self.find(&second?)))
    }

    /// The names of all files, each once, in order.
    pub fn references(&self) -> Vec<&TemplateRef> {
        let mut all: Vec<&TemplateRef> =
            self.layers().flat_map(|layer| layer.files().map(|(reference, _)| reference)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The name of the template with the id `layered.…`.
    pub fn by_id(&self, id: &str) -> Option<&TemplateRef> {
        let all = || self.references().into_iter().map(|name| (name.template_id(), name.clone())).collect();
        self.ids.get_or_init(all).get(id)
    }

    /// The units of all layers, read when they are asked for first.
    pub(crate) fn units(&self) -> &Units {
        self.units.get_or_init(|| Units::of(self))
    }

    /// The program of the template called `text`.
    ///
    /// # Errors
    ///
    /// `template_not_found` with the nearest name, `template_unreadable`, or everything that is wrong with the files it is
    /// made of; never the copy of a lower layer.
    pub fn program(&self, text: &str) -> Result<Arc<Program>, Vec<Diagnostic>> {
        let found = self.resolve(text).map_err(|bad| {
            vec![Diagnostic::error(code::NOT_FOUND, format!("{text:?} names no template: {bad}"))]
        })?;
        let Some(found) = found else { return Err(vec![self.not_found(text)]) };
        found.source().map_err(|problem| vec![*problem])?;
        let program = self.programs.get(found.reference.as_str(), self, &Options::of(Profile::Composed))?;
        program.ok_or_else(|| vec![self.not_found(text)])
    }

    /// The error for a name that no layer has.
    pub fn not_found(&self, text: &str) -> Diagnostic {
        let problem = Diagnostic::error(code::NOT_FOUND, format!("no layer has a template '{text}'"));
        let wanted = TemplateRef::parse(text).map_or_else(|_| text.to_owned(), |it| it.to_string());
        let names = self.names();
        match nearest(&wanted, names.iter().map(String::as_str)) {
            Some(name) => problem.with_nearest(name).with_hint(format!("did you mean '{name}'?")),
            None => problem
                .with_hint("templates are named agents/…, partials/…, units/…, archetypes/… or guidance/…"),
        }
    }
}

fn template_of(reference: &TemplateRef, source: &Source) -> Source {
    match front_matter::split(source) {
        Some((_, body)) if reference.kind() == RefKind::Unit => body,
        _ => source.clone(),
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").field("revision", &self.revision).finish_non_exhaustive()
    }
}

/// Includes are looked up as entries are.
impl Loader for Snapshot {
    fn load(&self, name: &str) -> Result<Option<Source>, LoadError> {
        let found = self.resolve(name).map_err(|bad| LoadError { message: bad.to_string() })?;
        found.map_or(Ok(None), |found| match &found.file.source {
            Ok(source) => Ok(Some(template_of(&found.reference, source))),
            Err(fault) => Err(LoadError { message: found.reason(fault) }),
        })
    }

    fn names(&self) -> Vec<String> {
        self.references().into_iter().map(ToString::to_string).collect()
    }
}
