//! The port for prompt templates that are created at run time: versions by id, and which of them is the latest.
//!
//! A shelf is a tenant's, or a workspace's within it; the two share nothing. This module owns what "latest" means and when
//! a version may be put on a shelf. It refuses to read documents: they are text to it, kept byte by byte.

use std::cmp::Ordering;

use cuebook_prompt::{ContentHash, Principal};
use cuebook_wire::{TemplateId, Timestamp, Version};

use crate::ports::Answer;

/// One version of a template as it was put on a shelf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptPrompt {
    /// The template.
    pub template_id: TemplateId,
    /// The version.
    pub version: Version,
    /// The template as JSON text.
    pub document: String,
}

/// One version of a template as its history shows it, without the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptVersion {
    /// The version.
    pub version: Version,
    /// The hash of the document.
    pub hash: ContentHash,
    /// When it was put on the shelf.
    pub added_at: Timestamp,
    /// When it was removed; then only [`Which::Kept`] finds it.
    pub removed_at: Option<Timestamp>,
}

/// A version that is to be put on a shelf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPrompt {
    /// What is put there.
    pub prompt: KeptPrompt,
    /// The hash of what its author decides, without what the host stamps on it: a removed version may come back with it.
    pub content: ContentHash,
    /// What must hold of the versions that are there.
    pub rule: AddRule,
    /// The name of the request: the same one again finds its own version and is answered as before.
    pub ticket: String,
    /// When.
    pub at: Timestamp,
}

/// What must hold of the versions that are there when one is added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddRule {
    /// This version is not among them.
    Unused,
    /// There is a latest one, and this one is above all of them by precedence, pre-releases too.
    AboveAll {
        /// The hashes of which the document of the latest must have one, if any are named.
        matching: Option<Vec<ContentHash>>,
    },
}

/// What became of a version that was to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Added {
    /// It is there, as it was put there first under its ticket.
    Kept(KeptPrompt),
    /// The version is there, or was there with other content.
    Taken,
    /// It is not above this version, the highest that is there.
    NotAbove(Version),
    /// There is no latest version to be above of.
    Unknown,
    /// The latest is not the one that was to be replaced.
    Changed,
}

/// Versions that are put on a shelf together, or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptImport {
    /// The versions, each of them once; the rule of each is [`AddRule::Unused`].
    pub new: Vec<NewPrompt>,
    /// The latest version of each of their templates, as it was when they were checked.
    pub seen: Vec<(TemplateId, Option<Version>)>,
}

/// What became of versions that were to be added together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportedPrompts {
    /// All of them are there.
    Kept(Vec<KeptPrompt>),
    /// None is there: the latest version of this template is another one by now.
    Changed(TemplateId),
    /// None is there: this version is, or was with other content.
    Taken(TemplateId, Version),
}

/// What is to be removed from a shelf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptRemoval {
    /// The template.
    pub template_id: TemplateId,
    /// One version; all when absent.
    pub version: Option<Version>,
    /// The hashes of which the document of the latest must have one, if any are named.
    pub matching: Option<Vec<ContentHash>>,
    /// The name of the request: the same one again is answered as before.
    pub ticket: String,
    /// When.
    pub at: Timestamp,
}

/// What became of a removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removed {
    /// What was named is gone from the shelf; its documents are kept for those who name them exactly.
    Gone,
    /// There is nothing of that name.
    Unknown,
    /// The latest is not the one that was to be removed.
    Changed,
}

/// Which version of a template is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// The latest.
    Latest,
    /// This one, as long as it is on the shelf.
    Exact(Version),
    /// This one, also when it was removed.
    Kept(Version),
}

/// Prompt templates by tenant and workspace.
pub trait PromptLibrary: Send + Sync {
    /// Puts a version on the principal's shelf; when this returns, it is durable and visible.
    ///
    /// Of several equal versions at once one is kept. A version that was removed may come back with the content it had.
    fn add_prompt<'a>(&'a self, principal: &'a Principal, new: NewPrompt) -> Answer<'a, Added>;

    /// Puts several versions on the principal's shelf, all or none; when this returns, they are durable and visible.
    fn import_prompts<'a>(
        &'a self,
        principal: &'a Principal,
        import: PromptImport,
    ) -> Answer<'a, ImportedPrompts>;

    /// The version of a template that `which` means.
    fn prompt<'a>(
        &'a self,
        principal: &'a Principal,
        template_id: &'a TemplateId,
        which: &'a Which,
    ) -> Answer<'a, Option<KeptPrompt>>;

    /// Every version of a template, removed ones too, in their order.
    fn prompt_versions<'a>(
        &'a self,
        principal: &'a Principal,
        template_id: &'a TemplateId,
    ) -> Answer<'a, Vec<PromptVersion>>;

    /// The latest version of each template in the order of their ids' bytes, at most `limit`.
    ///
    /// The page begins after the id `after`, whether that is on the shelf or not; without it, at the first. What a page
    /// costs does not depend on how many templates there are.
    fn prompts<'a>(
        &'a self,
        principal: &'a Principal,
        after: Option<&'a TemplateId>,
        limit: usize,
    ) -> Answer<'a, Vec<KeptPrompt>>;

    /// Removes a version or a template from the principal's shelf; when this returns, that is durable and visible.
    fn remove_prompt<'a>(&'a self, principal: &'a Principal, removal: PromptRemoval) -> Answer<'a, Removed>;
}

/// Whether `new` is the latest version when `old` was: a release goes before any pre-release, else the higher one does.
pub fn is_later(new: &Version, old: &Version) -> bool {
    old.is_prerelease().cmp(&new.is_prerelease()).then_with(|| new.cmp(old)) == Ordering::Greater
}

/// The latest of `versions`.
pub fn latest<'v>(versions: impl IntoIterator<Item = &'v Version>) -> Option<&'v Version> {
    versions.into_iter().reduce(|old, new| if is_later(new, old) { new } else { old })
}

impl AddRule {
    /// What stands against adding `version` to the versions `present`, when the document of the latest has the hash
    /// `latest`.
    pub fn refuse<'v>(
        &self,
        version: &Version,
        latest: Option<&ContentHash>,
        present: impl IntoIterator<Item = &'v Version>,
    ) -> Option<Added> {
        let Self::AboveAll { matching } = self else { return None };
        let Some(hash) = latest else { return Some(Added::Unknown) };
        if matching.as_ref().is_some_and(|expected| !expected.contains(hash)) {
            return Some(Added::Changed);
        }
        let highest = present.into_iter().max()?;
        let is_above = version.precedence(highest) == Ordering::Greater;
        (!is_above).then(|| Added::NotAbove(highest.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(versions: &[&str], expect: &str) {
        let versions: Vec<Version> =
            versions.iter().map(|it| Version::parse(it).expect("a version")).collect();
        assert_eq!(latest(&versions).map(ToString::to_string).as_deref(), Some(expect), "of {versions:?}");
        let reversed = latest(versions.iter().rev()).map(ToString::to_string);
        assert_eq!(reversed.as_deref(), Some(expect), "of {versions:?} reversed");
    }

    #[test]
    fn the_latest_is_the_highest_release_or_else_the_highest() {
        check(&["1.2.0"], "1.2.0");
        check(&["1.9.0", "1.10.0", "1.2.0"], "1.10.0");
        check(&["1.0.0", "2.0.0-rc.1"], "1.0.0");
        check(&["2.0.0-rc.1", "2.0.0-rc.2", "1.0.0-a"], "2.0.0-rc.2");
        check(&["1.0.0+b", "1.0.0+a"], "1.0.0+b");
        assert_eq!(latest([]), None);
    }
}
