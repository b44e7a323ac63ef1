//! Pinning within a run: a ref without version means the same text from its first use to the run's end.
//!
//! It owns which earlier pin holds for a ref. It refuses to choose versions itself: the source does, once.

use cuebook_wire::{LibraryId, PromptRef, Version};

use crate::failure::PromptError;
use crate::pinned::{Pin, SharedPin};
use crate::principal::Principal;
use crate::source::SourceSet;

/// The pins of a run: those of earlier compositions and those of this one.
pub(crate) struct Pins<'a> {
    pub(crate) sources: &'a SourceSet,
    pub(crate) principal: &'a Principal,
    pub(crate) earlier: &'a [Pin],
    pub(crate) now: Vec<Pin>,
}

impl Pins<'_> {
    /// Pins one ref, looked for in `within` alone if that is given.
    pub(crate) async fn pin(
        &mut self,
        reference: &PromptRef,
        within: Option<&LibraryId>,
    ) -> Result<SharedPin, PromptError> {
        if reference.version.is_some() {
            return self.sources.pin(self.principal, reference, within).await;
        }
        let name = reference.to_string();
        let library = reference.library_id.as_ref().or(within);
        let held = self.find(|pin| pin.reference == name && pin.library.as_ref() == library).cloned();
        match held {
            Some(pin) => self.pin_at(reference, &pin.version, pin.found_in.as_ref()).await,
            None => self.pin_first(reference, name, library, within).await,
        }
    }

    /// Pins a spelling for the first time; another spelling may have fixed the same template already.
    async fn pin_first(
        &mut self,
        reference: &PromptRef,
        name: String,
        library: Option<&LibraryId>,
        within: Option<&LibraryId>,
    ) -> Result<SharedPin, PromptError> {
        let fresh = self.sources.pin(self.principal, reference, within).await?;
        let Some(version) = fresh.version.clone() else { return Ok(fresh) };
        let found_in = fresh.library.clone();
        let same = |pin: &&Pin| pin.reference == name && pin.found_in == found_in;
        let version = self.find(same).map_or_else(|| version.clone(), |pin| pin.version.clone());
        let pinned = if fresh.version.as_ref() == Some(&version) {
            fresh
        } else {
            self.pin_at(reference, &version, found_in.as_ref()).await?
        };
        self.now.push(Pin { reference: name, library: library.cloned(), found_in, version });
        Ok(pinned)
    }

    async fn pin_at(
        &self,
        reference: &PromptRef,
        version: &Version,
        found_in: Option<&LibraryId>,
    ) -> Result<SharedPin, PromptError> {
        let exact = reference.clone().at(version.clone());
        self.sources.pin_again(self.principal, &exact, found_in).await
    }

    fn find(&self, holds: impl FnMut(&&Pin) -> bool) -> Option<&Pin> {
        self.earlier.iter().chain(&self.now).find(holds)
    }
}
