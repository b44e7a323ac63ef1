//! Versioned libraries in memory: which template an id and version mean.
//!
//! It owns the rules between libraries: the host's ids are the host's, a ref without library means the host's or the
//! user's template before any pack's, and packs among themselves are ambiguous.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, OnceLock};

use cuebook_template::nearest;
use cuebook_wire::template::TemplateOrigin;
use cuebook_wire::{ErrorCode, LibraryId, PromptKind, PromptRef, PromptRefs, PromptTemplate, TemplateId};
use futures_util::future::{BoxFuture, ready};

use crate::failure::PromptError;
use crate::pinned::{Pinned, SharedPin};
use crate::principal::Principal;
use crate::source::{Source, reserved_prefix, template_not_found};
use crate::versions::Versions;

/// Where the templates of a library come from, in the order a ref without library looks them up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// The host's own, read-only.
    Host,
    /// Created at run time.
    User,
    /// Installed with a pack, read-only.
    Pack,
}

impl Owner {
    /// The provenance that the wire shows of the owner's templates.
    pub fn source(self) -> TemplateOrigin {
        match self {
            Self::Host => TemplateOrigin::Host,
            Self::User => TemplateOrigin::User,
            Self::Pack => TemplateOrigin::Pack,
        }
    }
}

/// One library: ids, each with its versions.
#[derive(Debug)]
pub struct Library {
    id: LibraryId,
    owner: Owner,
    templates: BTreeMap<TemplateId, Versions>,
}

/// A template of a library, and what a ref to it is fixed to.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The template as it was read.
    pub template: Arc<PromptTemplate>,
    library: LibraryId,
    pinned: OnceLock<SharedPin>,
}

impl Entry {
    /// A template of `library`.
    pub fn new(library: &LibraryId, template: impl Into<Arc<PromptTemplate>>) -> Self {
        Self { template: template.into(), library: library.clone(), pinned: OnceLock::new() }
    }

    /// The library that has the template.
    pub fn library(&self) -> &LibraryId {
        &self.library
    }

    /// The template ready to be composed: parsed and hashed when it is asked for the first time.
    pub fn pinned(&self) -> &SharedPin {
        self.pinned.get_or_init(|| Arc::new(Pinned::template(&self.library, &self.template)))
    }
}

impl Library {
    /// An empty library.
    pub fn new(id: LibraryId, owner: Owner) -> Self {
        Self { id, owner, templates: BTreeMap::new() }
    }

    /// The library's id.
    pub fn id(&self) -> &LibraryId {
        &self.id
    }

    /// Adds a template.
    ///
    /// # Errors
    ///
    /// `prompt_already_exists` when the library has this id and version; `prompt_template_invalid` when the id begins
    /// with one of [`crate::RESERVED_PREFIXES`].
    pub fn add(&mut self, template: impl Into<Arc<PromptTemplate>>) -> Result<(), PromptError> {
        let template = template.into();
        if let Some(prefix) = reserved_prefix(template.template_id.as_str()) {
            return Err(reserved(&template, prefix));
        }
        let entry = Entry::new(&self.id, Arc::clone(&template));
        let versions = self.templates.entry(template.template_id.clone()).or_default();
        if versions.add(entry) { Ok(()) } else { Err(doubled(&template)) }
    }

    /// All templates, by id and then by version.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.templates.values().flat_map(Versions::iter)
    }

    /// The `default-<kind>` templates, which an agent with this `promptLibraryRef` falls back to.
    pub fn defaults(&self) -> PromptRefs {
        let default_for = |kind: PromptKind| {
            let template_id = TemplateId::parse(&format!("default-{kind}")).ok()?;
            self.templates.contains_key(&template_id).then(|| PromptRef {
                library_id: Some(self.id.clone()),
                template_id,
                version: None,
                variable_overrides: serde_json::Map::new(),
            })
        };
        PromptRefs {
            system: default_for(PromptKind::System),
            user: default_for(PromptKind::User),
            few_shot: default_for(PromptKind::FewShot),
            schema_hint: default_for(PromptKind::SchemaHint),
        }
    }

    fn find(&self, reference: &PromptRef) -> Result<&Entry, PromptError> {
        let Some(versions) = self.templates.get(&reference.template_id) else {
            return Err(template_not_found(reference, self.templates.keys().map(TemplateId::as_str)));
        };
        let found = match &reference.version {
            Some(version) => versions.get(version),
            None => versions.latest(),
        };
        found.ok_or_else(|| version_not_found(reference, versions))
    }
}

fn name_of(template: &PromptTemplate) -> String {
    format!("prompt:{}@{}", template.template_id, template.version)
}

fn reserved(template: &PromptTemplate, prefix: &str) -> PromptError {
    let message = format!("the id '{}' begins with '{prefix}', which is reserved", template.template_id);
    PromptError::new(ErrorCode::PromptTemplateInvalid, message).about_pinned(&name_of(template))
}

fn doubled(template: &PromptTemplate) -> PromptError {
    let name = name_of(template);
    PromptError::new(ErrorCode::PromptAlreadyExists, format!("'{name}' is there already")).about_pinned(&name)
}

fn version_not_found(reference: &PromptRef, versions: &Versions) -> PromptError {
    let known: Vec<String> = versions.iter().map(|entry| entry.template.version.to_string()).collect();
    let wanted = reference.version.as_ref().map(ToString::to_string).unwrap_or_default();
    let near =
        nearest(&wanted, known.iter().map(String::as_str)).unwrap_or_else(|| known[known.len() - 1].as_str());
    PromptError::new(
        ErrorCode::PromptTemplateNotFound,
        format!("'prompt:{}' has no version {wanted}; it has {}", reference.template_id, known.join(", ")),
    )
    .about(reference)
    .hint(format!("did you mean 'prompt:{}@{near}'?", reference.template_id))
}

/// Every library of a host.
#[derive(Debug, Default)]
pub struct Libraries {
    libraries: Vec<Library>,
}

impl Libraries {
    /// Puts the libraries in look-up order: host, user, packs.
    pub fn new(mut libraries: Vec<Library>) -> Self {
        libraries.sort_by_key(|library| library.owner);
        Self { libraries }
    }

    /// The libraries in look-up order.
    pub fn iter(&self) -> impl Iterator<Item = &Library> {
        self.libraries.iter()
    }

    /// The library called `id`.
    pub fn get(&self, id: &LibraryId) -> Option<&Library> {
        self.libraries.iter().find(|library| library.id == *id)
    }

    /// The entry that `reference` means, looked for in `within` or in the library it names, else in all of them.
    ///
    /// # Errors
    ///
    /// As [`Source::pin`].
    pub fn find(&self, reference: &PromptRef, within: Option<&LibraryId>) -> Result<&Entry, PromptError> {
        match (reference.library_id.as_ref(), within) {
            (Some(named), Some(within)) if named != within => Err(elsewhere(reference, named, within)),
            (Some(id), _) | (None, Some(id)) => {
                self.get(id).ok_or_else(|| self.library_not_found(reference, id))?.find(reference)
            }
            (None, None) => self.find_anywhere(reference),
        }
    }

    /// Whether a library of `owner` has a template of this id, in whatever version.
    pub fn owns(&self, owner: Owner, template_id: &TemplateId) -> bool {
        let mut libraries = self.libraries.iter().filter(|library| library.owner == owner);
        libraries.any(|library| library.templates.contains_key(template_id))
    }

    /// As [`Self::find`], with the owner of the library that has it.
    ///
    /// # Errors
    ///
    /// As [`Source::pin`].
    pub fn find_owned(&self, reference: &PromptRef) -> Result<(Owner, &Entry), PromptError> {
        let entry = self.find(reference, None)?;
        let library = self.get(entry.library());
        Ok((library.map_or(Owner::Host, |library| library.owner), entry))
    }

    /// The latest version of each template, by library and id, beginning after `place`.
    pub fn latest_after<'a>(
        &'a self,
        place: Option<&'a (LibraryId, TemplateId)>,
    ) -> impl Iterator<Item = (&'a LibraryId, Owner, &'a Entry)> {
        let mut libraries: Vec<&Library> = self.libraries.iter().collect();
        libraries.sort_by(|one, other| one.id.cmp(&other.id));
        libraries.into_iter().filter(move |it| place.is_none_or(|(id, _)| it.id >= *id)).flat_map(
            move |library| {
                let after = place.filter(|(id, _)| *id == library.id).map(|(_, template)| template);
                let bounds = (after.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded);
                let found = library.templates.range::<TemplateId, _>(bounds);
                found.filter_map(move |(_, versions)| Some((&library.id, library.owner, versions.latest()?)))
            },
        )
    }

    fn find_anywhere(&self, reference: &PromptRef) -> Result<&Entry, PromptError> {
        let having: Vec<&Library> = self
            .libraries
            .iter()
            .filter(|library| library.templates.contains_key(&reference.template_id))
            .collect();
        match having.as_slice() {
            [] => Err(template_not_found(reference, self.ids())),
            [first, second, ..] if first.owner == Owner::Pack && second.owner == Owner::Pack => {
                Err(ambiguous(reference, &having))
            }
            [first, ..] => first.find(reference),
        }
    }

    fn ids(&self) -> impl Iterator<Item = &str> {
        self.libraries.iter().flat_map(|library| library.templates.keys().map(TemplateId::as_str))
    }

    fn library_not_found(&self, reference: &PromptRef, id: &LibraryId) -> PromptError {
        let message = format!("there is no library '{id}'");
        let error = PromptError::new(ErrorCode::PromptTemplateNotFound, message).about(reference);
        match nearest(id.as_str(), self.libraries.iter().map(|library| library.id.as_str())) {
            Some(name) => error.hint(format!("did you mean the library '{name}'?")),
            None => error,
        }
    }
}

fn elsewhere(reference: &PromptRef, named: &LibraryId, within: &LibraryId) -> PromptError {
    let message = format!("the ref names the library '{named}', but only '{within}' is looked in");
    PromptError::new(ErrorCode::PromptTemplateNotFound, message)
        .about(reference)
        .hint("leave \"libraryId\" out, or name the ref at another layer")
}

fn ambiguous(reference: &PromptRef, having: &[&Library]) -> PromptError {
    let names: Vec<&str> = having.iter().map(|library| library.id.as_str()).collect();
    PromptError::new(
        ErrorCode::PromptRefAmbiguous,
        format!("'{}' is in several packs: {}", reference.template_id, names.join(", ")),
    )
    .about(reference)
    .hint("write the ref as an object with \"libraryId\"")
}

impl Source for Libraries {
    fn pin<'a>(
        &'a self,
        _principal: &'a Principal,
        reference: &'a PromptRef,
        within: Option<&'a LibraryId>,
    ) -> BoxFuture<'a, Result<SharedPin, PromptError>> {
        Box::pin(ready(self.find(reference, within).map(|entry| Arc::clone(entry.pinned()))))
    }
}
