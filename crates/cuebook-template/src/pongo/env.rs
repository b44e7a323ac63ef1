//! What expressions and filters may use besides their arguments: memory, limits, and what the host lends.
//!
//! It owns the arena of one render and the account of what was taken from it. It refuses the real clock and real
//! randomness: both come from the host or not at all.

use std::cell::{Cell, RefCell};

use bumpalo::Bump;

use super::buffer::Buffer;
use super::fault::{Fault, code};
use super::limits::{LimitKind, Limits};
use super::view::{Data, Loop, View};

/// Lent to every expression and filter of a render.
pub(crate) struct Env<'a> {
    arena: &'a Bump,
    limits: &'a Limits,
    /// Bytes taken from the arena so far, and those of texts that are being put together.
    used: Cell<usize>,
    /// A buffer that texts are built in before they move to the arena.
    spare: RefCell<Option<Buffer>>,
    /// The state of the generator; `None` without a seed.
    random: Cell<Option<u64>>,
}

impl<'a> Env<'a> {
    pub(crate) fn new(arena: &'a Bump, limits: &'a Limits, seed: Option<u64>) -> Self {
        Self { arena, limits, used: Cell::new(0), spare: RefCell::new(None), random: Cell::new(seed) }
    }

    pub(crate) fn limits(&self) -> &'a Limits {
        self.limits
    }

    /// Keeps a text that `build` writes.
    ///
    /// # Errors
    ///
    /// What `build` gives, and `template_limit_exceeded` when the render has taken too much memory.
    pub(crate) fn text(
        &self,
        build: impl FnOnce(&mut Buffer) -> Result<(), Fault>,
    ) -> Result<&'a str, Fault> {
        let limit = self.limits.get(LimitKind::MemoryBytes);
        let spare = self.spare.take();
        let mut buffer = spare.unwrap_or_else(|| Buffer::new(LimitKind::MemoryBytes, limit));
        let start = buffer.len();
        let kept = build(&mut buffer).and_then(|()| self.keep(&buffer.as_str()[start..]));
        buffer.truncate(start);
        self.spare.replace(Some(buffer));
        kept
    }

    /// Copies a text to the arena.
    ///
    /// # Errors
    ///
    /// `template_limit_exceeded` when the render has taken too much memory.
    pub(crate) fn keep(&self, text: &str) -> Result<&'a str, Fault> {
        self.charge(text.len())?;
        Ok(self.arena.alloc_str(text))
    }

    /// Keeps a list.
    ///
    /// # Errors
    ///
    /// `template_limit_exceeded` when it has too many items or is too many lists deep, or the render has taken too
    /// much memory.
    pub(crate) fn list(&self, items: &[View<'a>]) -> Result<Data<'a>, Fault> {
        self.limits.check(LimitKind::LoopItems, items.len())?;
        let inner = |item: &View<'_>| if let Data::Views(_, depth) = item.data { depth } else { 0 };
        let depth = items.iter().map(inner).max().unwrap_or(0) + 1;
        self.limits.check(LimitKind::Nesting, depth as usize)?;
        self.charge(size_of_val(items))?;
        Ok(Data::Views(self.arena.alloc_slice_copy(items), depth))
    }

    /// Keeps the state of a loop.
    ///
    /// # Errors
    ///
    /// `template_limit_exceeded` when the render has taken too much memory.
    pub(crate) fn loop_state(
        &self,
        count: usize,
        parent: Option<&'a Loop<'a>>,
    ) -> Result<&'a Loop<'a>, Fault> {
        self.charge(size_of::<Loop<'_>>())?;
        Ok(self.arena.alloc(Loop { index: Cell::new(0), count, parent }))
    }

    /// The text of `data` as a template shows it; a string is borrowed.
    ///
    /// # Errors
    ///
    /// `template_limit_exceeded` when the render has taken too much memory.
    #[inline]
    pub(crate) fn text_of(&self, data: Data<'a>) -> Result<&'a str, Fault> {
        if let Data::Str(text) = data { Ok(text) } else { self.text_of_other(data) }
    }

    fn text_of_other(&self, data: Data<'a>) -> Result<&'a str, Fault> {
        if data.is_nil() { Ok("") } else { self.text(|out| data.write(out)) }
    }

    /// A number below `bound`, which is greater than 0, drawn from the seed.
    ///
    /// # Errors
    ///
    /// `template_nondeterministic` when the host gave no seed.
    pub(crate) fn random_below(&self, bound: usize) -> Result<usize, Fault> {
        let Some(state) = self.random.get() else {
            return Err(Fault::new(code::NONDETERMINISTIC, "a random choice needs a seed from the host")
                .hint("render with a seed, or choose without chance"));
        };
        let state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        self.random.set(Some(state));
        let bound = u64::try_from(bound).unwrap_or(u64::MAX);
        Ok(usize::try_from(scramble(state) % bound).unwrap_or(0))
    }

    /// Accounts for memory outside the arena that was charged and is free again.
    pub(crate) fn release(&self, bytes: usize) {
        self.used.set(self.used.get().saturating_sub(bytes));
    }

    /// Accounts for memory.
    ///
    /// # Errors
    ///
    /// `template_limit_exceeded` when the render has taken too much of it.
    pub(crate) fn charge(&self, bytes: usize) -> Result<(), Fault> {
        let used = self.used.get().saturating_add(bytes);
        self.used.set(used);
        self.limits.check(LimitKind::MemoryBytes, used)
    }
}

/// The output function of `SplitMix64` (Steele, Lea, Flood 2014).
const fn scramble(state: u64) -> u64 {
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
