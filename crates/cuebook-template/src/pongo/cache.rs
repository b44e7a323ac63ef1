//! Compiled programs, kept as long as their files are what they were.
//!
//! It owns the rule of freshness: a program is used again only if every name that was looked for when it was compiled
//! still gives the same text from the same layer, or still gives nothing. A file that appears in a higher layer, or
//! where there was none, makes a new program. It refuses data: nothing of any render is kept.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::loader::Loader;
use super::options::Options;
use super::program::Program;
use super::render::unreadable;
use crate::diagnostic::Diagnostic;

/// Programs kept unless another number is asked for.
const DEFAULT_CAPACITY: usize = 64;

/// A bounded cache of programs, shared between threads.
#[derive(Debug)]
pub struct Cache {
    capacity: usize,
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    slots: HashMap<Key, Entry>,
    /// Counts uses; the entry with the smallest number was used longest ago.
    clock: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    name: Box<str>,
    options: Options,
}

#[derive(Debug)]
struct Entry {
    slot: Arc<Slot>,
    used: u64,
}

/// The place of one program; whoever compiles it holds the lock, and others wait for the result.
type Slot = Mutex<Option<Arc<Program>>>;

impl Default for Cache {
    fn default() -> Self {
        Self::new(DEFAULT_CAPACITY)
    }
}

impl Cache {
    /// A cache of at most `capacity` programs, and at least one.
    pub fn new(capacity: usize) -> Self {
        Self { capacity: capacity.max(1), entries: Mutex::default() }
    }

    /// The program for `name`: kept, or compiled now; `None` when there is no such template.
    ///
    /// # Errors
    ///
    /// As [`Program::compile`], and `template_unreadable` when the loader fails. Nothing is kept then.
    pub fn get(
        &self,
        name: &str,
        loader: &dyn Loader,
        options: &Options,
    ) -> Result<Option<Arc<Program>>, Vec<Diagnostic>> {
        let slot = self.slot(Key { name: name.into(), options: *options });
        let mut held = slot.lock().unwrap_or_else(PoisonError::into_inner);
        // Whatever fails from here on leaves nothing behind.
        let kept = held.take();
        let source = loader.load(name).map_err(|error| vec![unreadable(name, &error.message)])?;
        let Some(source) = source else { return Ok(None) };
        if let Some(program) = kept.filter(|program| is_fresh(program, &source, loader)) {
            *held = Some(Arc::clone(&program));
            return Ok(Some(program));
        }
        let program = Arc::new(Program::compile(source, loader, options)?);
        *held = Some(Arc::clone(&program));
        Ok(Some(program))
    }

    /// Programs and places for programs at the moment.
    pub fn len(&self) -> usize {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).slots.len()
    }

    /// Whether nothing has been asked for yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn slot(&self, key: Key) -> Arc<Slot> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.clock += 1;
        let used = entries.clock;
        if !entries.slots.contains_key(&key) && entries.slots.len() >= self.capacity {
            entries.forget_oldest();
        }
        let entry = entries.slots.entry(key).or_insert_with(|| Entry { slot: Arc::default(), used });
        entry.used = used;
        Arc::clone(&entry.slot)
    }
}

impl Entries {
    fn forget_oldest(&mut self) {
        let oldest = self.slots.iter().min_by_key(|(_, entry)| entry.used).map(|(key, _)| key.clone());
        if let Some(oldest) = oldest {
            self.slots.remove(&oldest);
        }
    }
}

fn is_fresh(program: &Program, entry: &crate::Source, loader: &dyn Loader) -> bool {
    program.files().first() == Some(entry)
        && program.dependencies().iter().all(|dependency| dependency.is_fresh(loader))
}
