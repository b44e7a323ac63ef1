//! A linked template: what is left of its files once nothing has to be looked up any more.
//!
//! It owns the nodes that a render walks, and the places they came from. It refuses change: a program is built once,
//! shared between threads, and holds no data of any render. The only thing that moves in it are hints, which say
//! where in a map a key was found the last time; a wrong one costs a look-up and nothing else.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::filters::Filter;
use super::loader::Dependency;
use super::options::Options;
use super::tree::{Lorem, Operator};
use super::view::LoopField;
use super::word::Word;
use crate::diagnostic::{Diagnostic, Location};
use crate::source::Source;
use crate::span::Span;

/// A template, its includes and its parents, ready to be rendered any number of times.
#[derive(Debug)]
pub struct Program {
    pub(super) options: Options,
    pub(super) unit: Unit,
    pub(super) roots: Box<[Root]>,
    pub(super) places: Places,
    pub(super) dependencies: Box<[Dependency]>,
    pub(super) warnings: Vec<Diagnostic>,
    /// Statements, operations and filters after linking.
    pub(super) nodes: usize,
}

/// Code with a frame of slots of its own.
#[derive(Debug, Default)]
pub(crate) struct Unit {
    pub(super) code: Code,
    /// Slots in its frame.
    pub(super) slots: usize,
    /// Blocks and expressions within each other in it.
    pub(super) depth: usize,
}

/// Nodes in order.
#[derive(Debug, Default)]
pub(crate) struct Code(pub(super) Box<[Node]>);

/// A place in the frame.
pub(super) type Slot = u32;

/// A place in the files: an index into [`Places::sites`].
pub(super) type Site = u32;

/// A name that is looked up in the context when a render begins.
#[derive(Debug)]
pub(crate) struct Root {
    pub(super) name: Word,
    pub(super) slot: Slot,
    pub(super) hint: Hint,
    /// Where it is read before the program gives it a value.
    pub(super) reads: Vec<Site>,
    /// Whether strict mode would miss it somewhere.
    pub(super) is_needed: bool,
    /// Whether a test or a default asks somewhere whether it is there.
    pub(super) is_asked: bool,
}

/// Where in a map a key was found the last time.
#[derive(Debug, Default)]
pub(crate) struct Hint(AtomicU32);

impl Hint {
    pub(super) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed) as usize
    }

    /// Remembers `found`; threads write only when the shape of their data differs.
    pub(super) fn set(&self, found: usize) {
        if let Ok(found) = u32::try_from(found)
            && self.0.load(Ordering::Relaxed) != found
        {
            self.0.store(found, Ordering::Relaxed);
        }
    }
}

/// The files of a program, and every place in them that a node remembers.
#[derive(Debug, Default)]
pub(crate) struct Places {
    pub(super) files: Vec<Source>,
    pub(super) sites: Vec<SitePlace>,
    /// The include tags, with the place each stands at.
    pub(super) inclusions: Vec<Site>,
    /// The parts of merged texts: lengths in bytes and places.
    pub(super) parts: Vec<(u32, Site)>,
}

/// A place, and the include tag through which its file came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SitePlace {
    pub(super) file: u32,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) inclusion: Option<u32>,
}

impl Places {
    pub(super) fn location(&self, site: Site) -> Option<Location> {
        let place = self.sites.get(site as usize)?;
        let source = self.files.get(place.file as usize)?.clone();
        Some(Location { source, span: Span::new(place.start as usize, place.end as usize) })
    }

    /// The include tags that led to `site`, innermost first.
    pub(super) fn included_from(&self, site: Site) -> Vec<Location> {
        let mut chain = Vec::new();
        let mut inclusion = self.sites.get(site as usize).and_then(|place| place.inclusion);
        while let Some(at) = inclusion.and_then(|index| self.inclusions.get(index as usize)).copied() {
            chain.extend(self.location(at));
            inclusion = self.sites.get(at as usize).and_then(|place| place.inclusion);
        }
        chain
    }

    pub(super) fn text(&self, site: Site) -> &str {
        let place = self.sites.get(site as usize);
        place
            .and_then(|place| {
                let text = self.files.get(place.file as usize)?.text();
                text.get(place.start as usize..place.end as usize)
            })
            .unwrap_or_default()
    }
}

/// One step of a render.
#[derive(Debug)]
pub(super) enum Node {
    /// Text of the template, and the first of its parts in [`Places::parts`].
    Raw(Box<str>, u32),
    /// `{{ name }}` without escaping.
    Slot(Slot, Site),
    /// `{{ name.key }}` without escaping.
    Member(Slot, Box<Key>, Site),
    /// `{{ … }}` of any other kind.
    Emit(Box<Emit>),
    If(Box<If>),
    IfEqual(Box<IfEqual>),
    IfChanged(Box<IfChanged>),
    For(Box<For>),
    Set(Slot, Box<Expr>),
    /// Entry into a scope: each name it binds begins with the value it has outside.
    Copy(Box<[(Slot, Slot)]>),
    Include(Box<Include>),
    Define(Slot, Arc<Macro>),
    /// A `cycle` tag, or another turn of a named one.
    Cycle(Arc<Cycle>),
    /// Each value with whether it is escaped.
    FirstOf(Box<[(Expr, bool)]>, Site),
    Filter(Box<FilterBlock>),
    Spaceless(Code, Site),
    WidthRatio(Box<WidthRatio>),
    Now(Box<Now>, Site),
    Lorem(Box<Lorem>, Site),
    /// Code of another scope that is put out where it stands: a block's parent.
    Inline(Code),
}

/// `if` with its branches.
#[derive(Debug)]
pub(super) struct If {
    /// Conditions, each with what runs when it is the first that holds.
    pub(super) branches: Box<[(Expr, Code)]>,
    pub(super) otherwise: Code,
}

/// An expression that is put out.
#[derive(Debug)]
pub(super) struct Emit {
    pub(super) value: Expr,
    /// A filter that writes a text, applied last and straight to the output.
    pub(super) last: Option<FilterStep>,
    pub(super) escape: bool,
    pub(super) site: Site,
}

/// `ifequal` and `ifnotequal`.
#[derive(Debug)]
pub(super) struct IfEqual {
    pub(super) negated: bool,
    pub(super) left: Expr,
    pub(super) right: Expr,
    pub(super) then: Code,
    pub(super) otherwise: Code,
    pub(super) site: Site,
}

/// `ifchanged`: what it saw last is kept in slots.
#[derive(Debug)]
pub(super) struct IfChanged {
    /// Empty when the rendered content is what counts.
    pub(super) watched: Box<[Expr]>,
    /// The first of the slots for what was seen: one for each watched value, or one for the content.
    pub(super) seen: Slot,
    pub(super) then: Code,
    pub(super) otherwise: Code,
    pub(super) site: Site,
}

/// A loop.
#[derive(Debug)]
pub(super) struct For {
    pub(super) sequence: Expr,
    pub(super) copies: Box<[(Slot, Slot)]>,
    pub(super) key: Slot,
    pub(super) value: Option<Slot>,
    pub(super) state: Slot,
    /// `forloop` outside.
    pub(super) outer: Slot,
    pub(super) reversed: bool,
    pub(super) sorted: bool,
    pub(super) body: Code,
    pub(super) empty: Code,
    pub(super) site: Site,
}

/// An include whose file is known only when it is reached.
#[derive(Debug)]
pub(super) struct Include {
    pub(super) file: Expr,
    pub(super) if_exists: bool,
    pub(super) pairs: Box<[(Box<str>, Expr)]>,
    /// Names that the included file may see besides the pairs; none after `only`.
    pub(super) visible: Visible,
    /// Whether it sees the names of the context as well: no `only` stands here or further out.
    pub(super) open: bool,
    pub(super) site: Site,
}

/// Names with their slots at some place.
pub(super) type Visible = Box<[(Box<str>, Slot)]>;

/// A macro: code with a frame, and what its frame begins with.
#[derive(Debug, Default)]
pub(crate) struct Macro {
    pub(super) name: Box<str>,
    pub(super) unit: Unit,
    /// From the frame of the definition, to its own.
    pub(super) captures: Vec<(Slot, Slot)>,
    /// Slots of the parameters, with their defaults.
    pub(super) parameters: Vec<(Slot, Option<Expr>)>,
}

/// A `now` tag.
#[derive(Debug)]
pub(super) struct Now {
    pub(super) layout: Box<str>,
    pub(super) fake: bool,
}

/// A `filter` block.
#[derive(Debug)]
pub(super) struct FilterBlock {
    pub(super) calls: Box<[FilterStep]>,
    pub(super) code: Code,
    pub(super) site: Site,
}

/// A `cycle` tag; its turn is kept in a slot.
#[derive(Debug)]
pub(super) struct Cycle {
    pub(super) values: Box<[Expr]>,
    pub(super) turn: Slot,
    pub(super) name: Option<Slot>,
    pub(super) silent: bool,
    pub(super) site: Site,
}

/// A `widthratio` tag.
#[derive(Debug)]
pub(super) struct WidthRatio {
    pub(super) value: Expr,
    pub(super) max: Expr,
    pub(super) width: Expr,
    pub(super) name: Option<Slot>,
    pub(super) site: Site,
}

/// A filter at its place in a chain.
#[derive(Debug)]
pub(super) struct FilterStep {
    pub(super) filter: &'static Filter,
    pub(super) argument: Option<Expr>,
    pub(super) site: Site,
}

/// An expression with its names resolved to slots.
#[derive(Debug)]
pub(super) enum Expr {
    Str(Box<str>),
    Int(i64),
    Float(f64),
    Bool(bool),
    Slot(Slot, Missing, Site),
    Member(Slot, Box<Key>, Missing, Site),
    Path(Box<Path>),
    List(Box<[Self]>, Site),
    Not(Box<Self>),
    Negative(Box<Self>, Site),
    And(Box<(Self, Self)>),
    Or(Box<(Self, Self)>),
    Binary(Operator, Box<(Self, Self)>, Site),
    Filtered(Box<Self>, Box<[FilterStep]>),
    /// `block.Super`.
    Super(Box<Code>, Site),
}

/// What strict mode makes of a missing name or key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// An error.
    Fault,
    /// Nothing: a test or a default asks just whether it is there.
    Fine,
}

/// A name and the steps from it.
#[derive(Debug)]
pub(super) struct Path {
    pub(super) root: Slot,
    pub(super) steps: Box<[PathStep]>,
    pub(super) missing: Missing,
    pub(super) site: Site,
}

/// One step along a path.
#[derive(Debug)]
pub(super) enum PathStep {
    Key(Key),
    Index(usize),
    Subscript(Expr),
    Call(Box<[Expr]>),
}

/// A key of a map, or a member of `forloop`.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) word: Word,
    pub(super) hint: Hint,
    /// The member of `forloop` with this name.
    pub(super) field: Option<LoopField>,
}

/// A name that a program reads from its context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootName {
    /// The name.
    pub name: String,
    /// Where it is read, in the order of linking; the same place may stand in several includes of a file.
    pub places: Vec<Location>,
    /// Whether it is needed at any of them, and no test or default asks anywhere whether it is there.
    pub is_needed: bool,
}

impl Program {
    /// How it was compiled.
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// The file it was compiled from.
    pub fn entry(&self) -> &Source {
        // A program is made from a parsed entry, which is the first file.
        &self.places.files[0]
    }

    /// The files it is made of, the entry first.
    pub fn files(&self) -> &[Source] {
        &self.places.files
    }

    /// What was looked for while it was linked, and what was found.
    pub fn dependencies(&self) -> &[Dependency] {
        &self.dependencies
    }

    /// What works and is probably not as meant.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Statements, operations and filters after linking, as the limit `program_nodes` counts them.
    pub const fn node_count(&self) -> usize {
        self.nodes
    }
}

/// Every root name that `program` reads, with its places, in the order in which they are first read.
///
/// A name that the program itself gives a value to counts only where it is read before that.
pub fn undefined_names(program: &Program) -> Vec<RootName> {
    let mut read: Vec<&Root> = program.roots.iter().filter(|root| !root.reads.is_empty()).collect();
    // Places are numbered as they are linked; a root may be known before it is read.
    read.sort_by_key(|root| root.reads.first());
    read.into_iter()
        .map(|root| RootName {
            name: root.name.as_str().to_owned(),
            places: root.reads.iter().filter_map(|site| program.places.location(*site)).collect(),
            is_needed: root.is_needed && !root.is_asked,
        })
        .collect()
}
