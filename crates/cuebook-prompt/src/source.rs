//! The port through which refs become texts, and the one place that tells the name spaces of refs apart.

use std::sync::Arc;

use cuebook_template::nearest;
use cuebook_wire::{ErrorCode, LibraryId, PromptRef};
use futures_util::future::BoxFuture;

use crate::failure::PromptError;
use crate::pinned::SharedPin;
use crate::principal::Principal;

/// Something that has prompt texts.
pub trait Source: Send + Sync {
    /// Fixes `reference` for `principal`; `within` limits the search to one library.
    ///
    /// # Errors
    ///
    /// `prompt_template_not_found` when nothing has the id or version, `prompt_ref_ambiguous` when several packs have
    /// it and the ref names none of them.
    fn pin<'a>(
        &'a self,
        principal: &'a Principal,
        reference: &'a PromptRef,
        within: Option<&'a LibraryId>,
    ) -> BoxFuture<'a, Result<SharedPin, PromptError>>;

    /// As [`Self::pin`], for a version that a run was held to before: it has it though it was removed since.
    ///
    /// # Errors
    ///
    /// As [`Self::pin`].
    fn pin_again<'a>(
        &'a self,
        principal: &'a Principal,
        reference: &'a PromptRef,
        within: Option<&'a LibraryId>,
    ) -> BoxFuture<'a, Result<SharedPin, PromptError>> {
        self.pin(principal, reference, within)
    }
}

/// The id prefixes of synthetic refs; no library may own an id that begins with one.
pub const RESERVED_PREFIXES: [&str; 3] = ["agent-intrinsic.", "layered.", "project."];

/// All sources of a host, picked by the name space of the ref.
#[derive(Clone)]
#[expect(missing_debug_implementations, reason = "sources are opaque")]
pub struct SourceSet {
    library: Arc<dyn Source>,
    /// The sources of synthetic refs, by their prefix.
    spaces: Vec<(&'static str, Arc<dyn Source>)>,
}

impl SourceSet {
    /// A set with the versioned library (host, packs, user).
    pub fn new(library: Arc<dyn Source>) -> Self {
        Self { library, spaces: Vec::new() }
    }

    /// The same set with another library; the sources of synthetic refs stay.
    pub fn with_library(self, library: Arc<dyn Source>) -> Self {
        Self { library, ..self }
    }

    /// The same set with a source for the refs that begin with `prefix`, one of [`RESERVED_PREFIXES`].
    pub fn with_space(mut self, prefix: &'static str, source: Arc<dyn Source>) -> Self {
        self.spaces.push((prefix, source));
        self
    }

    /// Fixes `reference` in the source that its name space belongs to.
    ///
    /// # Errors
    ///
    /// As [`Source::pin`]; `prompt_template_not_found` for a name space that this host has no source for.
    pub async fn pin(
        &self,
        principal: &Principal,
        reference: &PromptRef,
        within: Option<&LibraryId>,
    ) -> Result<SharedPin, PromptError> {
        let Some(prefix) = reserved_prefix(reference.template_id.as_str()) else {
            return self.library.pin(principal, reference, within).await;
        };
        match self.spaces.iter().find(|(known, _)| *known == prefix) {
            Some((_, source)) => source.pin(principal, reference, within).await,
            None => Err(no_such_space(reference, prefix)),
        }
    }

    /// Fixes a version that a run was held to before, in the library that it was found in.
    ///
    /// # Errors
    ///
    /// As [`Source::pin_again`].
    pub(crate) async fn pin_again(
        &self,
        principal: &Principal,
        reference: &PromptRef,
        within: Option<&LibraryId>,
    ) -> Result<SharedPin, PromptError> {
        self.library.pin_again(principal, reference, within).await
    }
}

/// The reserved prefix that `template_id` begins with, if any.
pub fn reserved_prefix(template_id: &str) -> Option<&'static str> {
    RESERVED_PREFIXES.into_iter().find(|prefix| template_id.starts_with(prefix))
}

fn no_such_space(reference: &PromptRef, prefix: &str) -> PromptError {
    PromptError::new(
        ErrorCode::PromptTemplateNotFound,
        format!("'{reference}' names a text of '{prefix}*', which cannot be chosen by ref here"),
    )
    .about(reference)
    .hint("name a template of a library")
}

/// The error for an id that no library has, with the nearest one.
pub fn template_not_found<'a>(
    reference: &PromptRef,
    known: impl IntoIterator<Item = &'a str>,
) -> PromptError {
    let error = PromptError::new(
        ErrorCode::PromptTemplateNotFound,
        format!("no library has a template '{}'", reference.template_id),
    )
    .about(reference);
    match nearest(reference.template_id.as_str(), known) {
        Some(name) => error.hint(format!("did you mean 'prompt:{name}'?")),
        None => error,
    }
}
