//! The shelves of prompt templates in memory.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

use cuebook_prompt::{ContentHash, Principal};
use cuebook_wire::{TemplateId, Timestamp, Version};

use super::MemoryStore;
use crate::ports::Answer;
use crate::prompts::{
    Added, ImportedPrompts, KeptPrompt, NewPrompt, PromptImport, PromptLibrary, PromptRemoval, PromptVersion,
    Removed, Which, latest,
};

/// The shelves of a tenant: its own, and one for each workspace.
pub(super) type Shelves = HashMap<Option<String>, Shelf>;

/// One shelf.
#[derive(Debug, Default)]
pub(super) struct Shelf(BTreeMap<TemplateId, BTreeMap<Version, Kept>>);

/// A version that is there, or was.
#[derive(Debug)]
struct Kept {
    prompt: KeptPrompt,
    hash: ContentHash,
    content: ContentHash,
    ticket: String,
    added_at: Timestamp,
    removed: Option<(String, Timestamp)>,
}

impl Kept {
    fn new(new: NewPrompt) -> Self {
        Self {
            hash: ContentHash::of(&new.prompt.document),
            prompt: new.prompt,
            content: new.content,
            ticket: new.ticket,
            added_at: new.at,
            removed: None,
        }
    }
}

impl Shelf {
    fn latest(&self, template_id: &TemplateId) -> Option<&Kept> {
        let versions = self.0.get(template_id)?;
        let present = versions.iter().filter(|(_, kept)| kept.removed.is_none());
        versions.get(latest(present.map(|(version, _)| version))?)
    }

    fn add(&mut self, new: NewPrompt) -> Added {
        let KeptPrompt { template_id, version, .. } = &new.prompt;
        let known = self.0.get(template_id).and_then(|versions| versions.get(version));
        if let Some(own) = known.filter(|kept| kept.removed.is_none() && kept.ticket == new.ticket) {
            return Added::Kept(own.prompt.clone());
        }
        let latest = self.latest(template_id).map(|kept| &kept.hash);
        let present = self.0.get(template_id).into_iter().flatten();
        let present = present.filter(|(_, kept)| kept.removed.is_none()).map(|(version, _)| version);
        if let Some(refused) = new.rule.refuse(version, latest, present) {
            return refused;
        }
        if self.is_taken(&new) {
            return Added::Taken;
        }
        let prompt = new.prompt.clone();
        self.0.entry(template_id.clone()).or_default().insert(version.clone(), Kept::new(new));
        Added::Kept(prompt)
    }

    fn import(&mut self, import: PromptImport) -> ImportedPrompts {
        let is_other = |(id, seen): &&(TemplateId, Option<Version>)| {
            self.latest(id).map(|kept| &kept.prompt.version) != seen.as_ref()
        };
        if let Some((id, _)) = import.seen.iter().find(is_other) {
            return ImportedPrompts::Changed(id.clone());
        }
        if let Some(taken) = import.new.iter().find(|new| self.is_taken(new)) {
            return ImportedPrompts::Taken(taken.prompt.template_id.clone(), taken.prompt.version.clone());
        }
        let add = |new| match self.add(new) {
            Added::Kept(kept) => Some(kept),
            _ => None,
        };
        ImportedPrompts::Kept(import.new.into_iter().filter_map(add).collect())
    }

    /// Whether the version is there, or was with other content.
    fn is_taken(&self, new: &NewPrompt) -> bool {
        let versions = self.0.get(&new.prompt.template_id);
        let known = versions.and_then(|versions| versions.get(&new.prompt.version));
        known.is_some_and(|kept| kept.removed.is_none() || kept.content != new.content)
    }

    fn find(&self, template_id: &TemplateId, which: &Which) -> Option<KeptPrompt> {
        let exact = |version| self.0.get(template_id).and_then(|versions| versions.get(version));
        let found = match which {
            Which::Latest => self.latest(template_id),
            Which::Exact(version) => exact(version).filter(|kept| kept.removed.is_none()),
            Which::Kept(version) => exact(version),
        };
        found.map(|kept| kept.prompt.clone())
    }

    fn remove(&mut self, removal: &PromptRemoval) -> Removed {
        let latest = self.latest(&removal.template_id).map(|kept| kept.hash.clone());
        let is_other =
            |expected: &Vec<ContentHash>| latest.as_ref().is_some_and(|hash| !expected.contains(hash));
        let is_changed = removal.matching.as_ref().is_some_and(is_other);
        let versions = self.0.get_mut(&removal.template_id).into_iter().flatten();
        let named = versions.filter(|(version, _)| removal.version.as_ref().is_none_or(|it| it == *version));
        let (mut removed, mut again) = (Removed::Unknown, false);
        for (_, kept) in named {
            match &kept.removed {
                None if is_changed => return Removed::Changed,
                None => {
                    kept.removed = Some((removal.ticket.clone(), removal.at));
                    removed = Removed::Gone;
                }
                Some((ticket, _)) => again |= *ticket == removal.ticket,
            }
        }
        if again { Removed::Gone } else { removed }
    }
}

impl Shelf {
    /// Forgets at most `limit` versions that were removed at `by` or before, unless `is_held` says that they are needed;
    /// gives how many, and the bytes of their documents.
    pub(super) fn forget(
        &mut self,
        by: Timestamp,
        limit: usize,
        is_held: impl Fn(&TemplateId, &Version) -> bool,
    ) -> (usize, usize) {
        let (mut count, mut bytes) = (0, 0);
        for (template_id, versions) in &mut self.0 {
            versions.retain(|version, kept| {
                let is_old = kept.removed.as_ref().is_some_and(|(_, at)| *at <= by);
                let goes = is_old && count < limit && !is_held(template_id, version);
                if goes {
                    count += 1;
                    bytes += kept.prompt.document.len();
                }
                !goes
            });
        }
        self.0.retain(|_, versions| !versions.is_empty());
        (count, bytes)
    }
}

impl MemoryStore {
    fn on_shelf<T>(&self, principal: &Principal, act: impl FnOnce(&mut Shelf) -> T) -> T {
        let mut tenants = self.tenants();
        let shelves = &mut tenants.entry(principal.tenant.clone()).or_default().shelves;
        act(shelves.entry(principal.workspace.clone()).or_default())
    }
}

impl PromptLibrary for MemoryStore {
    fn add_prompt<'a>(&'a self, principal: &'a Principal, new: NewPrompt) -> Answer<'a, Added> {
        Box::pin(async move { Ok(self.on_shelf(principal, |shelf| shelf.add(new))) })
    }

    fn import_prompts<'a>(
        &'a self,
        principal: &'a Principal,
        import: PromptImport,
    ) -> Answer<'a, ImportedPrompts> {
        Box::pin(async move { Ok(self.on_shelf(principal, |shelf| shelf.import(import))) })
    }

    fn prompt<'a>(
        &'a self,
        principal: &'a Principal,
        template_id: &'a TemplateId,
        which: &'a Which,
    ) -> Answer<'a, Option<KeptPrompt>> {
        Box::pin(async move { Ok(self.on_shelf(principal, |shelf| shelf.find(template_id, which))) })
    }

    fn prompt_versions<'a>(
        &'a self,
        principal: &'a Principal,
        template_id: &'a TemplateId,
    ) -> Answer<'a, Vec<PromptVersion>> {
        let shown = |(version, kept): (&Version, &Kept)| PromptVersion {
            version: version.clone(),
            hash: kept.hash.clone(),
            added_at: kept.added_at,
            removed_at: kept.removed.as_ref().map(|(_, at)| *at),
        };
        Box::pin(async move {
            let list =
                |shelf: &mut Shelf| shelf.0.get(template_id).into_iter().flatten().map(shown).collect();
            Ok(self.on_shelf(principal, list))
        })
    }

    fn prompts<'a>(
        &'a self,
        principal: &'a Principal,
        after: Option<&'a TemplateId>,
        limit: usize,
    ) -> Answer<'a, Vec<KeptPrompt>> {
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        Box::pin(async move {
            Ok(self.on_shelf(principal, |shelf| {
                let ids = shelf.0.range::<TemplateId, _>((start, Bound::Unbounded)).map(|(id, _)| id);
                ids.filter_map(|id| Some(shelf.latest(id)?.prompt.clone())).take(limit).collect()
            }))
        })
    }

    fn remove_prompt<'a>(&'a self, principal: &'a Principal, removal: PromptRemoval) -> Answer<'a, Removed> {
        Box::pin(async move { Ok(self.on_shelf(principal, |shelf| shelf.remove(&removal))) })
    }
}
