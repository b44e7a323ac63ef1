//! Files to a program.
//!
//! It owns the way from one parsed file to all of them: static includes are put in where they stand, inheritance is
//! flattened, names become slots. It refuses to run anything; a file that only a render can name stays a call. Faults
//! of all files are collected.

mod code;
mod expression;
mod files;
mod inherit;
mod scope;
mod statement;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::fault::Fault;
use super::limits::{LimitKind, exceeded};
use super::loader::Loader;
use super::options::Options;
use super::program::{Cycle, Missing, Places, Program, Site, SitePlace, Unit};
use crate::diagnostic::Diagnostic;
use crate::source::Source;
use crate::span::Span;
use code::CodeBuilder;
use files::Files;
use inherit::Document;
use scope::Frame;

impl Program {
    /// Compiles `entry` and everything it includes, extends or imports by a literal name.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with any of the files, with the chain of includes that led there; see
    /// [`code`](super::code) for the codes.
    pub fn compile(entry: Source, loader: &dyn Loader, options: &Options) -> Result<Self, Vec<Diagnostic>> {
        let mut linker = Linker {
            options,
            files: Files::new(loader),
            places: Places::default(),
            frames: vec![Frame::root()],
            documents: Vec::new(),
            open_blocks: Vec::new(),
            cycles: HashMap::new(),
            faults: Vec::new(),
            warnings: Vec::new(),
            nodes: 0,
            bytes: 0,
            depth: 0,
            levels: 0,
            file: 0,
            inclusion: None,
            chain: Vec::new(),
            escape: options.autoescape,
            missing: Missing::Fault,
        };
        let code = linker.entry(entry);
        linker.finish(code)
    }
}

struct Linker<'l> {
    options: &'l Options,
    files: Files<'l>,
    places: Places,
    /// The program's frame, then those of the macros that are being linked.
    frames: Vec<Frame>,
    /// The file at hand with the files it extends; one for each include that is open.
    documents: Vec<Document>,
    /// The blocks that are open, with how far up the chain of parents each body is.
    open_blocks: Vec<(Box<str>, usize)>,
    /// The named cycles so far; a name stands for the one that was linked last.
    cycles: HashMap<Box<str>, Arc<Cycle>>,
    faults: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    nodes: usize,
    /// Bytes of source so far.
    bytes: usize,
    /// Blocks within each other, includes counted through.
    depth: usize,
    /// Blocks and expressions within each other in the frame at hand.
    levels: usize,
    /// The file that the statement at hand was written in.
    file: u32,
    /// The include tag through which it came in.
    inclusion: Option<u32>,
    /// The files that include each other, entry first.
    chain: Vec<u32>,
    escape: bool,
    missing: Missing,
}

impl Linker<'_> {
    fn entry(&mut self, entry: Source) -> CodeBuilder {
        let mut code = CodeBuilder::default();
        if let Some(file) = self.add_entry(entry) {
            self.document(file, &mut code, |_, _, _| {});
        }
        code
    }

    fn finish(mut self, code: CodeBuilder) -> Result<Program, Vec<Diagnostic>> {
        let code = code.finish(&mut self.places);
        if !self.faults.is_empty() {
            return Err(distinct(self.faults));
        }
        let frame = self.frames.swap_remove(0);
        let depth = frame.deepest;
        let (roots, slots) = frame.into_roots();
        Ok(Program {
            options: *self.options,
            unit: Unit { code, slots, depth },
            roots,
            places: self.places,
            dependencies: self.files.into_dependencies(),
            warnings: distinct(self.warnings),
            nodes: self.nodes,
        })
    }

    fn frame(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Remembers a place in the file at hand.
    fn site(&mut self, span: Span) -> Site {
        let clip = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        self.places.sites.push(SitePlace {
            file: self.file,
            start: clip(span.start),
            end: clip(span.end),
            inclusion: self.inclusion,
        });
        clip(self.places.sites.len() - 1)
    }

    fn report(&mut self, diagnostic: Diagnostic, span: Span) {
        let source = self.places.files[self.file as usize].clone();
        let mut diagnostic = diagnostic.at(&source, span);
        diagnostic.included_from = self.including();
        self.faults.push(diagnostic);
    }

    fn report_fault(&mut self, fault: Fault, span: Span) {
        self.report(fault.into_diagnostic(), span);
    }

    /// The include tags that led to the file at hand, innermost first.
    fn including(&self) -> Vec<crate::diagnostic::Location> {
        let Some(inclusion) = self.inclusion else { return Vec::new() };
        let site = self.places.inclusions[inclusion as usize];
        let mut chain: Vec<_> = self.places.location(site).into_iter().collect();
        chain.extend(self.places.included_from(site));
        chain
    }

    /// Counts what is linked at `span`; `false` when there is too much.
    fn count(&mut self, nodes: usize, span: Span) -> bool {
        let limit = self.options.limits.get(LimitKind::ProgramNodes);
        let fine = self.nodes <= limit;
        self.nodes = self.nodes.saturating_add(nodes);
        if fine && self.nodes > limit {
            self.report_fault(exceeded(LimitKind::ProgramNodes, limit, "more"), span);
        }
        self.nodes <= limit
    }

    /// Counts source that becomes part of the program; `false` when there is too much.
    fn count_source(&mut self, bytes: usize, span: Span) -> bool {
        let limit = self.options.limits.get(LimitKind::ProgramBytes);
        let fine = self.bytes <= limit;
        self.bytes = self.bytes.saturating_add(bytes);
        if fine && self.bytes > limit {
            self.report_fault(
                exceeded(LimitKind::ProgramBytes, limit, &format!("at least {}", self.bytes)),
                span,
            );
        }
        self.bytes <= limit
    }

    /// Links one level further in.
    fn deeper<T>(&mut self, link: impl FnOnce(&mut Self) -> T) -> T {
        self.levels += 1;
        let levels = self.levels;
        let frame = self.frame();
        frame.deepest = frame.deepest.max(levels);
        let linked = link(self);
        self.levels -= 1;
        linked
    }
}

/// A file that is included twice is read twice; the same fault is worth telling once.
fn distinct(faults: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = HashSet::new();
    let key = |fault: &Diagnostic| {
        let place = fault.label.as_ref().map(|label| (label.source.name().clone(), label.span));
        (fault.code.clone(), fault.message.clone(), place)
    };
    faults.into_iter().filter(|fault| seen.insert(key(fault))).collect()
}
