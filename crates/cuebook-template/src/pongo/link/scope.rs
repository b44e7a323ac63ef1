//! Names to slots.
//!
//! A scope of pongo2 is a copy of the one around it: what is bound inside does not reach out, and what is not bound
//! inside is read from outside. Here each name that a scope binds gets a slot of its own, which begins with the value
//! that the name has outside; all other names keep the slot they have there. Which names a scope binds is known
//! before its first statement is linked.
//!
//! It owns frames and scopes. `for`, `with`, `include`, `macro` and `block.Super` open a scope; no other tag does.

use std::collections::{HashMap, HashSet};

use super::Linker;
use super::code::CodeBuilder;
use super::inherit::bodies;
use crate::pongo::program::{Hint, Missing, Node, Root, Site, Slot};
use crate::pongo::tree::{Statement, StatementKind};
use crate::pongo::word::Word;

/// The slots of a program or of a macro.
#[derive(Default)]
pub(super) struct Frame {
    scopes: Vec<Scope>,
    slots: Slot,
    /// Blocks and expressions within each other.
    pub(super) deepest: usize,
    /// Names from outside the frame: roots of a program, captures of a macro.
    outer: HashMap<Box<str>, usize>,
    roots: Vec<Root>,
    captures: Vec<(Slot, Slot)>,
    /// Root names that the program has given a value to so far.
    assigned: HashSet<Box<str>>,
    is_root: bool,
    /// A slot that never has a value.
    nothing: Option<Slot>,
}

#[derive(Default)]
struct Scope {
    names: HashMap<Box<str>, Slot>,
    /// Names that still have the value from outside.
    inherited: HashSet<Box<str>>,
    /// Whether nothing outside is seen, as after `only`.
    closed: bool,
}

impl Frame {
    pub(super) fn root() -> Self {
        Self { is_root: true, ..Self::default() }
    }

    pub(super) fn new_slot(&mut self) -> Slot {
        self.slots += 1;
        self.slots - 1
    }

    /// The root names and the number of slots.
    pub(super) fn into_roots(self) -> (Box<[Root]>, usize) {
        (self.roots.into_boxed_slice(), self.slots as usize)
    }

    /// What a macro takes over from the frame of its definition, and the number of slots.
    pub(super) fn into_captures(self) -> (Vec<(Slot, Slot)>, usize) {
        (self.captures, self.slots as usize)
    }

    fn add_root(&mut self, name: &str) -> usize {
        let slot = self.new_slot();
        self.roots.push(Root {
            name: Word::from(name),
            slot,
            hint: Hint::default(),
            reads: Vec::new(),
            is_needed: false,
            is_asked: false,
        });
        self.outer.insert(name.into(), self.roots.len() - 1);
        self.roots.len() - 1
    }
}

impl Linker<'_> {
    /// The slot of `name`, to be read at `site`.
    pub(super) fn read(&mut self, name: &str, site: Site) -> Slot {
        let frame = self.frames.len() - 1;
        let scope = self.frames[frame].scopes.len();
        self.note_read(name, frame, scope, site);
        self.slot_in(name, frame, scope)
    }

    /// The slot of `name`, for a value that a scope takes over without reading it.
    pub(super) fn slot(&mut self, name: &str) -> Slot {
        let frame = self.frames.len() - 1;
        self.slot_in(name, frame, self.frames[frame].scopes.len())
    }

    /// The slot of `name` to be given a value.
    pub(super) fn assign(&mut self, name: &str) -> Slot {
        let frame = self.frame();
        match frame.scopes.last_mut() {
            Some(scope) => {
                scope.inherited.remove(name);
            }
            None => {
                frame.assigned.insert(name.into());
            }
        }
        self.slot(name)
    }

    /// The slot of `name` as seen from within the first `scope` scopes of a frame.
    fn slot_in(&mut self, name: &str, frame: usize, scope: usize) -> Slot {
        for scope in self.frames[frame].scopes[..scope].iter().rev() {
            if let Some(&slot) = scope.names.get(name) {
                return slot;
            }
            if scope.closed {
                return self.nothing(frame);
            }
        }
        let known = self.frames[frame].outer.get(name).copied();
        if self.frames[frame].is_root {
            let root = known.unwrap_or_else(|| self.frames[frame].add_root(name));
            return self.frames[frame].roots[root].slot;
        }
        let capture = known.unwrap_or_else(|| self.capture(name, frame));
        self.frames[frame].captures[capture].1
    }

    fn nothing(&mut self, frame: usize) -> Slot {
        let frame = &mut self.frames[frame];
        match frame.nothing {
            Some(slot) => slot,
            None => *frame.nothing.insert({
                frame.slots += 1;
                frame.slots - 1
            }),
        }
    }

    /// Lets a macro's frame begin with the value that `name` has where the macro is defined.
    fn capture(&mut self, name: &str, frame: usize) -> usize {
        let outer = self.slot_in(name, frame - 1, self.frames[frame - 1].scopes.len());
        let frame = &mut self.frames[frame];
        let inner = frame.new_slot();
        frame.captures.push((outer, inner));
        frame.outer.insert(name.into(), frame.captures.len() - 1);
        frame.captures.len() - 1
    }

    /// Remembers that a root name is read, if `name` may still have the value of one.
    fn note_read(&mut self, name: &str, frame: usize, scope: usize, site: Site) {
        for scope in self.frames[frame].scopes[..scope].iter().rev() {
            let bound = scope.names.contains_key(name) && !scope.inherited.contains(name);
            if bound || (scope.closed && !scope.names.contains_key(name)) {
                return;
            }
        }
        if !self.frames[frame].is_root {
            return self.note_read(name, frame - 1, self.frames[frame - 1].scopes.len(), site);
        }
        if self.frames[frame].assigned.contains(name) {
            return;
        }
        let is_needed = self.missing == Missing::Fault;
        let frame = &mut self.frames[frame];
        let root = frame.outer.get(name).copied().unwrap_or_else(|| frame.add_root(name));
        let root = &mut frame.roots[root];
        root.reads.push(site);
        root.is_needed |= is_needed;
        root.is_asked |= !is_needed;
    }

    /// Opens a scope that binds `names`, which get their values at once, and whatever `bodies` bind.
    ///
    /// Gives what the scope takes over from outside, as pairs of slots.
    pub(super) fn open_scope(
        &mut self,
        bodies: &[&[Statement]],
        names: &[&str],
        closed: bool,
    ) -> Vec<(Slot, Slot)> {
        let mut bound = Vec::new();
        for body in bodies {
            self.bound_names(body, &mut bound);
        }
        let mut scope = Scope { closed, ..Scope::default() };
        let mut copies = Vec::new();
        for name in bound {
            if names.contains(&&*name) || scope.names.contains_key(&name) {
                continue;
            }
            if !closed {
                let outer = self.slot(&name);
                copies.push((outer, self.frame().new_slot()));
                scope.inherited.insert(name.clone());
            }
            let slot = match copies.last() {
                Some((_, slot)) if !closed => *slot,
                _ => self.frame().new_slot(),
            };
            scope.names.insert(name, slot);
        }
        for name in names {
            scope.names.insert((*name).into(), self.frame().new_slot());
        }
        self.frame().scopes.push(scope);
        copies
    }

    pub(super) fn close_scope(&mut self) {
        self.frame().scopes.pop();
    }

    /// Links into a scope of its own, entered where `out` is.
    pub(super) fn in_scope<T>(
        &mut self,
        bodies: &[&[Statement]],
        names: &[&str],
        closed: bool,
        out: &mut CodeBuilder,
        link: impl FnOnce(&mut Self, &mut CodeBuilder) -> T,
    ) -> T {
        let copies = self.open_scope(bodies, names, closed);
        self.push_copies(copies, out);
        let linked = link(self, out);
        self.close_scope();
        linked
    }

    pub(super) fn push_copies(&mut self, copies: Vec<(Slot, Slot)>, out: &mut CodeBuilder) {
        if !copies.is_empty() {
            out.push(Node::Copy(copies.into_boxed_slice()), &mut self.places);
        }
    }

    /// Whether names that nothing here binds have the values of the context.
    pub(super) fn sees_context(&self) -> bool {
        !self.frames.iter().flat_map(|frame| &frame.scopes).any(|scope| scope.closed)
    }

    /// Every name that is bound somewhere, with the slot it has here.
    pub(super) fn visible(&mut self) -> Vec<(Box<str>, Slot)> {
        let mut names: Vec<Box<str>> = Vec::new();
        'frames: for frame in self.frames.iter().rev() {
            for scope in frame.scopes.iter().rev() {
                names.extend(scope.names.keys().cloned());
                if scope.closed {
                    break 'frames;
                }
            }
            names.extend(frame.outer.keys().cloned());
        }
        names.sort_unstable();
        names.dedup();
        names
            .into_iter()
            .map(|name| {
                let slot = self.slot(&name);
                (name, slot)
            })
            .collect()
    }

    /// The names that statements bind in the scope they run in.
    fn bound_names(&self, statements: &[Statement], names: &mut Vec<Box<str>>) {
        for statement in statements {
            match &statement.kind {
                StatementKind::Set(pair) => names.push(pair.name.text.clone()),
                StatementKind::Cycle { name: Some(name), .. }
                | StatementKind::WidthRatio { name: Some(name), .. } => names.push(name.text.clone()),
                StatementKind::Macro(definition) => names.push(definition.name.text.clone()),
                StatementKind::Import { macros, .. } => {
                    names.extend(macros.iter().map(|import| import.alias.text.clone()));
                }
                // These open a scope of their own.
                StatementKind::For(_) | StatementKind::With { .. } | StatementKind::Include(_) => {}
                StatementKind::Block(name) => {
                    if let Some((_, body)) = self.block_at(&name.text, 0) {
                        self.bound_names(&body, names);
                    }
                }
                kind => bodies(kind).into_iter().for_each(|body| self.bound_names(body, names)),
            }
        }
    }
}
