//! The files of a program: each is loaded and parsed once.
//!
//! It owns what was looked for and what was found, which is what a cache holds a program against.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::Linker;
use crate::diagnostic::{Diagnostic, Location};
use crate::nearest::nearest;
use crate::pongo::fault::code;
use crate::pongo::limits::{LimitKind, exceeded};
use crate::pongo::loader::{Dependency, Loader};
use crate::pongo::parse::parse;
use crate::pongo::tree::{File, Literal};
use crate::source::Source;
use crate::span::Span;

/// What became of a name.
#[derive(Clone, Copy)]
enum Known {
    /// The index of the parsed file.
    Parsed(u32),
    Missing,
    /// It has been reported.
    Broken,
}

/// A loader that failed, which has been reported.
struct Reported;

/// A file to be linked.
#[derive(Clone)]
pub(super) struct Parsed {
    pub(super) index: u32,
    pub(super) tree: Rc<File>,
}

pub(super) struct Files<'l> {
    loader: &'l dyn Loader,
    known: HashMap<Arc<str>, Known>,
    trees: Vec<Rc<File>>,
    /// What the loader was asked for, in order, and where each name is among it.
    dependencies: Vec<Dependency>,
    asked: HashMap<Arc<str>, usize>,
    /// Files so far; the entry is the first.
    found: usize,
}

impl<'l> Files<'l> {
    pub(super) fn new(loader: &'l dyn Loader) -> Self {
        Self {
            loader,
            known: HashMap::new(),
            trees: Vec::new(),
            dependencies: Vec::new(),
            asked: HashMap::new(),
            found: 1,
        }
    }

    pub(super) fn into_dependencies(self) -> Box<[Dependency]> {
        self.dependencies.into_boxed_slice()
    }
}

impl Linker<'_> {
    pub(super) fn add_entry(&mut self, entry: Source) -> Option<Parsed> {
        let name = Arc::clone(entry.name());
        let known = self.parse(entry, &[]);
        self.files.known.insert(name, known);
        self.parsed(known)
    }

    /// The file that a tag names; `None` when there is none or it cannot be used, which has been reported unless
    /// `if_exists` says that none is fine.
    pub(super) fn file_named(&mut self, name: &Literal, if_exists: bool) -> Option<Parsed> {
        let known = match self.files.known.get(&*name.text) {
            Some(known) => *known,
            None => self.load(name),
        };
        if matches!(known, Known::Missing) && !if_exists {
            self.report_missing(name);
        }
        self.parsed(known)
    }

    /// A file's text, not parsed.
    pub(super) fn text_named(&mut self, name: &Literal) -> Option<Source> {
        let found = self.look_up(name).ok()?;
        let Some(source) = &found else {
            self.report_missing(name);
            return None;
        };
        match self.options.limits.check(LimitKind::SourceBytes, source.text().len()) {
            Ok(()) => found,
            Err(fault) => {
                self.report_fault(fault, name.span);
                None
            }
        }
    }

    fn parsed(&self, known: Known) -> Option<Parsed> {
        let Known::Parsed(index) = known else { return None };
        Some(Parsed { index, tree: Rc::clone(&self.files.trees[index as usize]) })
    }

    fn load(&mut self, name: &Literal) -> Known {
        let known = match self.look_up(name) {
            Err(Reported) => Known::Broken,
            Ok(None) => Known::Missing,
            Ok(Some(source)) => self.parse(source, &self.led_here(name.span)),
        };
        self.files.known.insert(Arc::from(&*name.text), known);
        known
    }

    /// What the loader has; it is asked for each name once.
    fn look_up(&mut self, name: &Literal) -> Result<Option<Source>, Reported> {
        if let Some(at) = self.files.asked.get(&*name.text) {
            return Ok(self.files.dependencies[*at].found.clone());
        }
        let found = self.files.loader.load(&name.text).map_err(|error| {
            let message = format!("'{}' cannot be read: {error}", name.text);
            self.report(
                Diagnostic::error(code::UNREADABLE, message).with_hint("check the file and its permissions"),
                name.span,
            );
            Reported
        })?;
        self.check_files(found.is_some(), name.span)?;
        let key: Arc<str> = Arc::from(&*name.text);
        self.files.asked.insert(Arc::clone(&key), self.files.dependencies.len());
        self.files.dependencies.push(Dependency { name: key, found: found.clone() });
        Ok(found)
    }

    /// Holds the files found so far, the entry and one more if it `is_there`, against the limit.
    fn check_files(&mut self, is_there: bool, span: Span) -> Result<(), Reported> {
        let limit = self.options.limits.get(LimitKind::Files);
        self.files.found += usize::from(is_there);
        if self.files.found <= limit {
            return Ok(());
        }
        self.report_fault(exceeded(LimitKind::Files, limit, &self.files.found.to_string()), span);
        Err(Reported)
    }

    /// The place that names a file, and the include tags that led to it.
    fn led_here(&self, span: Span) -> Vec<Location> {
        let source = self.places.files[self.file as usize].clone();
        [Location { source, span }].into_iter().chain(self.including()).collect()
    }

    fn parse(&mut self, source: Source, included_from: &[Location]) -> Known {
        match parse(&source, self.options.profile, &self.options.limits) {
            Ok(tree) => {
                let index = u32::try_from(self.places.files.len()).unwrap_or(u32::MAX);
                self.places.files.push(source);
                self.files.trees.push(Rc::new(tree));
                Known::Parsed(index)
            }
            Err(faults) => {
                let with_chain = |fault| Diagnostic { included_from: included_from.to_vec(), ..fault };
                self.faults.extend(faults.into_iter().map(with_chain));
                Known::Broken
            }
        }
    }

    fn report_missing(&mut self, name: &Literal) {
        let names = self.files.loader.names();
        let fault = Diagnostic::error(code::NOT_FOUND, format!("there is no template '{}'", name.text));
        let fault = match nearest(&name.text, names.iter().map(String::as_str)) {
            Some(near) => fault.with_hint(format!("did you mean '{near}'?")),
            None => fault.with_hint("check the name, or say if_exists when it may be missing"),
        };
        self.report(fault, name.span);
    }
}
