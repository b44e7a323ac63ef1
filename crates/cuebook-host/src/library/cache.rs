//! Templates that were looked up, and that there are none: bounded by bytes, and never older than the last write.
//!
//! A write shuts its template out of the cache while it is under way, and what a reader loaded meanwhile is not kept. So
//! a reader sees either what the store has or what no write has touched since it was loaded.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cuebook_prompt::{Entry, Principal};
use cuebook_wire::{TemplateId, Version};

/// How many bytes the cached templates may take, about.
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// What an id takes besides its templates, and a template besides its text: about, in bytes.
const OVERHEAD: usize = 512;

/// A template, or that there is none.
type Found = Option<Arc<Entry>>;

/// The state of the writes when a look-up missed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Missed(u64);

/// What a look-up gives.
#[derive(Debug)]
pub(super) enum Looked {
    /// It is known.
    Found(Found),
    /// It is not; what is loaded now may be kept, unless a write is under way.
    Missed(Option<Missed>),
}

/// The cache.
#[derive(Debug, Default)]
pub(super) struct Cache(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    slots: HashMap<Principal, HashMap<TemplateId, Slot>>,
    bytes: usize,
    /// Counts look-ups, so that slots know when they were used.
    clock: u64,
    /// Counts the beginnings of writes.
    writes: u64,
    writing: HashMap<(Principal, TemplateId), usize>,
}

/// What is known of one id.
#[derive(Debug, Default)]
struct Slot {
    latest: Option<Found>,
    exact: HashMap<Version, Found>,
    used: u64,
    bytes: usize,
}

impl Slot {
    fn get(&self, version: Option<&Version>) -> Option<Found> {
        match version {
            None => self.latest.clone(),
            Some(version) => self.exact.get(version).cloned(),
        }
    }

    fn set(&mut self, version: Option<&Version>, found: Found) {
        self.bytes += OVERHEAD + found.as_ref().map_or(0, |entry| 2 * entry.template.text.len());
        match version {
            None => self.latest = Some(found),
            Some(version) => drop(self.exact.insert(version.clone(), found)),
        }
    }
}

impl State {
    fn forget(&mut self, principal: &Principal, template_id: &TemplateId) {
        let slot = self.slots.get_mut(principal).and_then(|slots| slots.remove(template_id));
        self.bytes -= slot.map_or(0, |slot| slot.bytes);
    }

    /// Lets go of the half that was used longest ago.
    fn shrink(&mut self) {
        let mut used: Vec<u64> =
            self.slots.values().flat_map(HashMap::values).map(|slot| slot.used).collect();
        let half = used.len() / 2;
        let (_, &mut median, _) = used.select_nth_unstable(half);
        for slots in self.slots.values_mut() {
            slots.retain(|_, slot| slot.used > median);
        }
        self.slots.retain(|_, slots| !slots.is_empty());
        self.bytes = self.slots.values().flat_map(HashMap::values).map(|slot| slot.bytes).sum();
    }
}

impl Cache {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks for a version of a template; the latest when none is named.
    pub(super) fn look(
        &self,
        principal: &Principal,
        template_id: &TemplateId,
        version: Option<&Version>,
    ) -> Looked {
        let mut state = self.state();
        state.clock += 1;
        let now = state.clock;
        let slot = state.slots.get_mut(principal).and_then(|slots| slots.get_mut(template_id));
        if let Some(slot) = slot
            && let Some(found) = slot.get(version)
        {
            slot.used = now;
            return Looked::Found(found);
        }
        let is_written = !state.writing.is_empty()
            && state.writing.contains_key(&(principal.clone(), template_id.clone()));
        Looked::Missed((!is_written).then_some(Missed(state.writes)))
    }

    /// Keeps what was loaded after a look-up missed, unless a write began in between.
    pub(super) fn keep(
        &self,
        principal: &Principal,
        template_id: &TemplateId,
        version: Option<&Version>,
        missed: Missed,
        found: Found,
    ) {
        let mut state = self.state();
        if state.writes != missed.0 {
            return;
        }
        let now = state.clock;
        let slot = state.slots.entry(principal.clone()).or_default().entry(template_id.clone()).or_default();
        let before = slot.bytes;
        slot.used = now;
        slot.set(version, found);
        let more = slot.bytes - before;
        state.bytes += more;
        if state.bytes > MAX_BYTES {
            state.shrink();
        }
    }

    /// Shuts a template out of the cache until the write is over.
    pub(super) fn write(self: &Arc<Self>, principal: &Principal, template_id: &TemplateId) -> Writing {
        let mut state = self.state();
        state.writes += 1;
        state.forget(principal, template_id);
        let key = (principal.clone(), template_id.clone());
        *state.writing.entry(key.clone()).or_default() += 1;
        Writing { cache: Arc::clone(self), key }
    }
}

/// A write that is under way; dropped when what it wrote is what the store has.
#[derive(Debug)]
pub(super) struct Writing {
    cache: Arc<Cache>,
    key: (Principal, TemplateId),
}

impl Drop for Writing {
    fn drop(&mut self) {
        let mut state = self.cache.state();
        if let Some(count) = state.writing.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                state.writing.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use cuebook_wire::LibraryId;

    use super::*;

    fn id(text: &str) -> TemplateId {
        TemplateId::parse(text).expect("an id")
    }

    #[expect(clippy::unnecessary_wraps, reason = "it is what a look-up found")]
    fn entry(text: &str) -> Found {
        let json = serde_json::json!({
            "templateId": "t", "version": "1.0.0", "kind": "user", "text": text,
        });
        let template: cuebook_wire::PromptTemplate = serde_json::from_value(json).expect("a template");
        Some(Arc::new(Entry::new(&LibraryId::host(), template)))
    }

    fn missed(cache: &Cache, template_id: &TemplateId) -> Option<Missed> {
        match cache.look(&Principal::local(), template_id, None) {
            Looked::Missed(missed) => missed,
            Looked::Found(found) => panic!("{found:?} is cached"),
        }
    }

    fn keep(cache: &Cache, template_id: &TemplateId, missed: Missed, found: Found) {
        cache.keep(&Principal::local(), template_id, None, missed, found);
    }

    #[test]
    fn what_was_kept_is_found_until_it_is_written() {
        let (cache, a) = (Arc::new(Cache::default()), id("a"));
        keep(&cache, &a, missed(&cache, &a).expect("nobody writes"), None);
        let look = cache.look(&Principal::local(), &a, None);
        assert!(matches!(look, Looked::Found(None)), "that there is none is known: {look:?}");
        drop(cache.write(&Principal::local(), &a));
        let fresh = missed(&cache, &a).expect("the write is over");
        keep(&cache, &a, fresh, entry("text"));
        assert!(matches!(cache.look(&Principal::local(), &a, None), Looked::Found(Some(_))));
    }

    #[test]
    fn nothing_is_kept_of_what_a_write_has_overtaken() {
        let (cache, a) = (Arc::new(Cache::default()), id("a"));
        let before = missed(&cache, &a).expect("nobody writes");
        let writing = cache.write(&Principal::local(), &a);
        let another = cache.write(&Principal::local(), &a);
        assert!(missed(&cache, &a).is_none(), "while a write is under way nothing may be kept");
        drop(writing);
        assert!(missed(&cache, &a).is_none(), "another write is under way");
        drop(another);
        keep(&cache, &a, before, entry("old"));
        assert!(missed(&cache, &a).is_some(), "the old text was not kept");
    }

    #[test]
    fn memory_is_bounded_and_the_latest_used_stay() {
        let (cache, text) = (Arc::new(Cache::default()), "x".repeat(64 * 1024));
        for number in 0..1_000 {
            let this = id(&format!("t{number}"));
            keep(&cache, &this, missed(&cache, &this).expect("nobody writes"), entry(&text));
            assert!(cache.state().bytes <= MAX_BYTES);
        }
        let last = cache.look(&Principal::local(), &id("t999"), None);
        assert!(matches!(last, Looked::Found(Some(_))), "{last:?}");
        assert!(missed(&cache, &id("t0")).is_some());
    }
}
