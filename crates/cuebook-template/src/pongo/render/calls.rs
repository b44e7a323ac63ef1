//! Code with a frame of its own: macros, and files that only a render can name.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::trace::Trace;
use super::{Home, Machine, Stop};
use crate::diagnostic::{Diagnostic, Location};
use crate::pongo::context::Context;
use crate::pongo::fault::{Fault, code};
use crate::pongo::limits::LimitKind;
use crate::pongo::misses::Misses;
use crate::pongo::program::{Expr, Hint, Include, Macro, Program, Site, Unit};
use crate::pongo::view::{Data, View};
use crate::pongo::word::Word;

/// Where the roots of a program get their values.
pub(super) struct Names<'a> {
    given: HashMap<&'a str, View<'a>>,
    outer: Option<Rc<Self>>,
    context: Option<&'a Context>,
}

impl<'a> Names<'a> {
    pub(super) fn of(context: &'a Context) -> Self {
        Self { given: HashMap::new(), outer: None, context: Some(context) }
    }

    pub(super) fn get(&self, name: &Word, hint: &Hint) -> View<'a> {
        if let Some(view) = self.given.get(name.as_str()) {
            return *view;
        }
        if let Some(outer) = &self.outer {
            return outer.get(name, hint);
        }
        let Some((found, root)) = self.context.and_then(|context| context.get(name, hint.get())) else {
            return View::UNDEFINED;
        };
        hint.set(found);
        View::new(Data::from(&root.node), root.trust)
    }

    /// Every name that has a value.
    pub(super) fn known(&self) -> Vec<&str> {
        let outer = self.outer.iter().flat_map(|outer| outer.known());
        let context = self.context.iter().flat_map(|context| context.names());
        self.given.keys().copied().chain(outer).chain(context).collect()
    }
}

impl<'a, T: Trace> Machine<'a, T> {
    /// Calls a macro that was defined in the frame at `frame`; gives its text.
    pub(super) fn call_macro(
        &mut self,
        called: &'a Macro,
        frame: usize,
        arguments: &[View<'a>],
        site: Site,
    ) -> Result<View<'a>, Stop> {
        if arguments.len() > called.parameters.len() {
            return Err(self.too_many_arguments(called, arguments.len(), site));
        }
        let (text, trust) = self.buffered(site, |machine| {
            machine.in_frame(&called.unit, site, |machine| {
                machine.at_home(frame, |machine| {
                    machine.enter_macro(called, frame, arguments)?;
                    machine.run(&called.unit.code)
                })
            })
        })?;
        let kept = self.env.keep(text.as_str());
        let text = self.at(kept, site)?;
        Ok(View { data: Data::Str(text), trust, safe: true })
    }

    /// Runs as part of the program whose frame is at `frame`: its places and names are those of a macro.
    fn at_home(&mut self, frame: usize, run: impl FnOnce(&mut Self) -> Result<(), Stop>) -> Result<(), Stop> {
        let home = self.homes.iter().rev().find(|home| home.base <= frame).unwrap_or(&self.entry);
        let (program, names) = (home.program, Rc::clone(&home.names));
        let program = std::mem::replace(&mut self.program, program);
        let names = std::mem::replace(&mut self.names, names);
        let ran = run(self);
        self.program = program;
        self.names = names;
        ran
    }

    #[cold]
    fn too_many_arguments(&self, called: &Macro, given: usize, site: Site) -> Stop {
        let most = called.parameters.len();
        let noun = if most == 1 { "argument" } else { "arguments" };
        let message = format!("macro '{}' takes at most {most} {noun}, got {given}", called.name);
        self.stop(Fault::new(code::MACRO, message).hint("leave the others out"), site)
    }

    /// Gives a macro's frame what it takes over, its defaults and its arguments.
    fn enter_macro(&mut self, called: &'a Macro, frame: usize, arguments: &[View<'a>]) -> Result<(), Stop> {
        for (outer, inner) in &called.captures {
            let view = self.slots[frame + *outer as usize];
            self.set(*inner, view);
        }
        for (index, (slot, default)) in called.parameters.iter().enumerate() {
            let view = match (arguments.get(index), default) {
                (Some(argument), _) => *argument,
                (None, Some(default)) => self.eval(default)?,
                (None, None) => View::trusted(Data::Nil),
            };
            self.set(*slot, view);
        }
        Ok(())
    }

    /// Runs with a new frame on top, for a macro or a file.
    fn in_frame(
        &mut self,
        unit: &Unit,
        site: Site,
        run: impl FnOnce(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        self.check_depth(self.calls + 1, LimitKind::IncludeDepth, site)?;
        self.check_depth(self.depth + unit.depth, LimitKind::Nesting, site)?;
        self.burn(unit.slots)?;
        let base = std::mem::replace(&mut self.base, self.slots.len());
        self.slots.resize(self.base + unit.slots, View::UNDEFINED);
        self.calls += 1;
        self.depth += unit.depth;
        let ran = run(self);
        self.depth -= unit.depth;
        self.calls -= 1;
        self.slots.truncate(self.base);
        self.base = base;
        ran
    }

    /// Holds a depth that a call would reach against its limit.
    fn check_depth(&self, depth: usize, kind: LimitKind, site: Site) -> Result<(), Stop> {
        let checked = self.env.limits().check(kind, depth);
        self.at(checked.map_err(|fault| fault.hint("end the recursion earlier")), site)
    }

    /// Includes a file whose name is an expression.
    pub(super) fn include(&mut self, include: &'a Include) -> Result<(), Stop> {
        let site = include.site;
        let file = self.eval(&include.file)?;
        let name = self.env.text_of(file.data);
        let name = self.at(name, site)?;
        if name.is_empty() {
            let fault = Fault::new(code::NOT_FOUND, "the name of the included file is empty");
            return Err(self.stop(fault.hint("give the name a value"), site));
        }
        let names = self.names_for(include)?;
        let Some(program) = self.program_named(name, include)? else { return Ok(()) };
        let base = self.slots.len();
        let missed = self.settings.misses.map_or(0, Misses::count);
        self.in_frame(&program.unit, site, |machine| {
            machine.homes.push(Home { base, program, names: Rc::new(names) });
            let ran = machine.at_home(base, |machine| {
                machine.load_roots();
                machine.run(&program.unit.code)
            });
            machine.homes.pop();
            if let Some(misses) = machine.settings.misses {
                misses.included_at(missed, &machine.inclusions(site));
            }
            ran.map_err(|stop| machine.included_at(stop, site))
        })
    }

    /// The names that an included file sees.
    fn names_for(&mut self, include: &'a Include) -> Result<Names<'a>, Stop> {
        self.burn(include.visible.len())?;
        let mut given = HashMap::new();
        for (name, slot) in &include.visible {
            given.insert(&**name, self.slot(*slot));
        }
        for (name, value) in &include.pairs {
            let value: &'a Expr = value;
            given.insert(&**name, self.eval(value)?);
        }
        let outer = include.open.then(|| Rc::clone(&self.names));
        Ok(Names { given, outer, context: None })
    }

    /// The program of a file that an expression names; a render asks for each name once.
    fn program_named(&mut self, name: &str, include: &Include) -> Result<Option<&'a Program>, Stop> {
        let site = include.site;
        if let Some(program) = self.found.get(name) {
            return Ok(Some(program));
        }
        let Some(found) = self.load_program(name, site)? else {
            return if include.if_exists { Ok(None) } else { Err(self.no_template(site)) };
        };
        let files = self.found.len() + 1;
        let counted = self.env.limits().check(LimitKind::Files, files);
        self.at(counted, site)?;
        let program = self.held.keep(found);
        self.found.insert(name.into(), program);
        Ok(Some(program))
    }

    fn load_program(&self, name: &str, site: Site) -> Result<Option<Arc<Program>>, Stop> {
        let Some(loader) = self.settings.loader else {
            let fault = Fault::new(code::NOT_FOUND, "this render can load no templates");
            return Err(self.stop(fault.hint("name the file in quotes"), site));
        };
        let options = &self.program.options;
        let found = match self.settings.cache {
            Some(cache) => cache.get(name, loader, options),
            None => {
                loader.load(name).map_err(|error| vec![unreadable(name, &error.message)]).and_then(|source| {
                    source.map(|source| Program::compile(source, loader, options).map(Arc::new)).transpose()
                })
            }
        };
        found.map_err(|faults| self.first_of_many(faults, site))
    }

    /// The name is a value, so an error shows the tag that has it and not the name.
    #[cold]
    fn no_template(&self, site: Site) -> Stop {
        let fault = Fault::new(code::NOT_FOUND, "there is no template of the name that this include has");
        self.stop(fault.hint("check the value, or say if_exists when the file may be missing"), site)
    }

    /// The first of the faults that a file has; a render stops at one.
    fn first_of_many(&self, faults: Vec<Diagnostic>, site: Site) -> Stop {
        match faults.into_iter().next() {
            Some(first) if first.label.is_some() => self.included_at(Box::new(first), site),
            _ => {
                let message = "the template of the name that this include has cannot be read";
                self.stop(
                    Fault::new(code::UNREADABLE, message).hint("check the file and its permissions"),
                    site,
                )
            }
        }
    }

    /// Says that a fault's file came in at `site`.
    fn included_at(&self, mut stop: Stop, site: Site) -> Stop {
        stop.included_from.extend(self.inclusions(site));
        stop
    }

    /// The place of a tag that includes a file, and of those that led there.
    fn inclusions(&self, site: Site) -> Vec<Location> {
        let places = &self.program.places;
        places.location(site).into_iter().chain(places.included_from(site)).collect()
    }
}

/// The error of a file that exists and cannot be read.
pub(in crate::pongo) fn unreadable(name: &str, why: &str) -> Diagnostic {
    Diagnostic::error(code::UNREADABLE, format!("'{name}' cannot be read: {why}"))
}
