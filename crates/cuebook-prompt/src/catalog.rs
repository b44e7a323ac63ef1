//! All libraries of a host together: those that are fixed when it starts, and the one that its users write while it runs.
//!
//! It owns the order in which a ref without library is looked up: host, user, packs. It refuses to fall through: an id that
//! a library has is that library's, also when it lacks the version.

use std::sync::Arc;

use cuebook_wire::{ErrorCode, LibraryId, PromptRef, TemplateId, Version};
use futures_util::future::BoxFuture;

use crate::failure::PromptError;
use crate::library::{Entry, Libraries, Owner};
use crate::pinned::SharedPin;
use crate::principal::Principal;
use crate::source::{Source, template_not_found};

/// What is asked of the user library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted<'v> {
    /// The highest version that is no pre-release, else the highest.
    Latest,
    /// This version, unless it was removed.
    Exact(&'v Version),
    /// This version, also when it was removed.
    Held(&'v Version),
}

/// The library that users write: each tenant, and each workspace within it, sees its own.
pub trait UserLibrary: Send + Sync {
    /// Its id.
    fn id(&self) -> &LibraryId;

    /// The template that is wanted, if it is there.
    ///
    /// # Errors
    ///
    /// `service_unavailable` when the place where templates are kept cannot answer.
    fn find<'a>(
        &'a self,
        principal: &'a Principal,
        template_id: &'a TemplateId,
        wanted: Wanted<'a>,
    ) -> BoxFuture<'a, Result<Option<Arc<Entry>>, PromptError>>;
}

/// Every library of a host.
#[derive(Clone)]
#[expect(missing_debug_implementations, reason = "the user library is opaque")]
pub struct Catalog {
    fixed: Arc<Libraries>,
    user: Arc<dyn UserLibrary>,
}

/// Whether a ref is met for the first time, or a run was held to its version before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    First,
    Again,
}

impl Catalog {
    /// Puts the user library between the host's and the packs'.
    pub fn new(fixed: Arc<Libraries>, user: Arc<dyn UserLibrary>) -> Self {
        Self { fixed, user }
    }

    /// The template that `reference` means to `principal`, and whose it is.
    ///
    /// # Errors
    ///
    /// As [`Source::pin`].
    pub async fn find(
        &self,
        principal: &Principal,
        reference: &PromptRef,
    ) -> Result<(Owner, Entry), PromptError> {
        match self.find_user(principal, reference, None, Use::First).await? {
            Some(entry) => Ok((Owner::User, (*entry).clone())),
            None => self.fixed.find_owned(reference).map(|(owner, entry)| (owner, entry.clone())),
        }
    }

    /// The user's template, if that is what `reference` means.
    async fn find_user(
        &self,
        principal: &Principal,
        reference: &PromptRef,
        within: Option<&LibraryId>,
        how: Use,
    ) -> Result<Option<Arc<Entry>>, PromptError> {
        let library = reference.library_id.as_ref().or(within);
        let is_users = library.is_some_and(|library| library == self.user.id());
        let is_elsewhere = within.is_some_and(|within| within != self.user.id());
        let is_anyones = library.is_none() && !self.fixed.owns(Owner::Host, &reference.template_id);
        if is_elsewhere || !(is_users || is_anyones) {
            return Ok(None);
        }
        let wanted = match (&reference.version, how) {
            (None, _) => Wanted::Latest,
            (Some(version), Use::First) => Wanted::Exact(version),
            (Some(version), Use::Again) => Wanted::Held(version),
        };
        match self.user.find(principal, &reference.template_id, wanted).await? {
            None => self.missing(principal, reference, is_users).await,
            found => Ok(found),
        }
    }

    /// What follows from the user library not having what was wanted; it must have it when the ref names it.
    async fn missing(
        &self,
        principal: &Principal,
        reference: &PromptRef,
        is_users: bool,
    ) -> Result<Option<Arc<Entry>>, PromptError> {
        if let Some(version) = &reference.version
            && let Some(latest) = self.user.find(principal, &reference.template_id, Wanted::Latest).await?
        {
            return Err(version_not_found(reference, version, &latest.template.version));
        }
        if is_users { Err(template_not_found(reference, [])) } else { Ok(None) }
    }

    async fn pin_for(
        &self,
        principal: &Principal,
        reference: &PromptRef,
        within: Option<&LibraryId>,
        how: Use,
    ) -> Result<SharedPin, PromptError> {
        match self.find_user(principal, reference, within, how).await? {
            Some(entry) => Ok(Arc::clone(entry.pinned())),
            None => self.fixed.find(reference, within).map(|entry| Arc::clone(entry.pinned())),
        }
    }
}

fn version_not_found(reference: &PromptRef, version: &Version, latest: &Version) -> PromptError {
    let id = &reference.template_id;
    PromptError::new(ErrorCode::PromptTemplateNotFound, format!("'prompt:{id}' has no version {version}"))
        .about(reference)
        .hint(format!("its latest is 'prompt:{id}@{latest}'"))
}

impl Source for Catalog {
    fn pin<'a>(
        &'a self,
        principal: &'a Principal,
        reference: &'a PromptRef,
        within: Option<&'a LibraryId>,
    ) -> BoxFuture<'a, Result<SharedPin, PromptError>> {
        Box::pin(self.pin_for(principal, reference, within, Use::First))
    }

    fn pin_again<'a>(
        &'a self,
        principal: &'a Principal,
        reference: &'a PromptRef,
        within: Option<&'a LibraryId>,
    ) -> BoxFuture<'a, Result<SharedPin, PromptError>> {
        Box::pin(self.pin_for(principal, reference, within, Use::Again))
    }
}
