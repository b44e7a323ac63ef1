//! A program and data to text.
//!
//! It owns the walk over a program's nodes, and the promise that a render ends: every node costs fuel, every text has
//! a limit, every call a depth. It refuses to look anything up that the linker could have: names are slots by now.

mod calls;
mod eval;
mod items;
mod nodes;
mod operators;
mod rare;
mod trace;

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use bumpalo::Bump;

use super::buffer::Buffer;
use super::context::Context;
use super::env::Env;
use super::fault::{Fault, code};
use super::limits::{LimitKind, exceeded};
use super::options::Settings;
use super::program::{Code, Program, Site, Slot};
use super::view::View;
use crate::diagnostic::Diagnostic;
use crate::trust::Trust;
use calls::Names;
pub(super) use calls::unreadable;
pub use trace::Segment;
use trace::Trace;

/// What a render gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The text.
    pub text: String,
    /// Untrusted when any value in it is.
    pub trust: Trust,
}

/// Why a render stopped.
type Stop = Box<Diagnostic>;

impl Program {
    /// Renders the program with the values of `context`.
    ///
    /// # Errors
    ///
    /// The first thing that went wrong, with its place and the includes that led there. Nothing of the text is given.
    pub fn render(&self, context: &Context, settings: &Settings<'_>) -> Result<Rendered, Box<Diagnostic>> {
        self.render_traced(context, settings, ()).map(|(rendered, ())| rendered)
    }

    /// As [`Program::render`], and says of every range of the text where it came from.
    ///
    /// The segments are in order and cover the text.
    ///
    /// # Errors
    ///
    /// As [`Program::render`].
    pub fn render_with_origins(
        &self,
        context: &Context,
        settings: &Settings<'_>,
    ) -> Result<(Rendered, Vec<Segment>), Box<Diagnostic>> {
        self.render_traced(context, settings, Vec::new())
    }

    fn render_traced<T: Trace>(
        &self,
        context: &Context,
        settings: &Settings<'_>,
        trace: T,
    ) -> Result<(Rendered, T), Box<Diagnostic>> {
        let limits = &self.options.limits;
        if let Some((kind, seen)) = context.excess(limits) {
            let fault = exceeded(kind, limits.get(kind), &seen.to_string());
            return Err(fault.hint("give the template less data").into_diagnostic().into());
        }
        let arena = Bump::new();
        let held = Held::default();
        let limit = limits.get(LimitKind::OutputBytes);
        let room = self.places.files.first().map_or(0, |file| file.text().len() * 2);
        let names = Rc::new(Names::of(context));
        let mut machine = Machine {
            program: self,
            env: Env::new(&arena, limits, settings.seed),
            settings,
            held: &held,
            entry: Home { base: 0, program: self, names: Rc::clone(&names) },
            homes: Vec::new(),
            names,
            found: HashMap::new(),
            slots: Vec::new(),
            base: 0,
            out: Buffer::with_room(LimitKind::OutputBytes, limit, room),
            trust: Trust::Trusted,
            fuel: limits.get(LimitKind::Fuel),
            calls: 0,
            depth: self.unit.depth,
            buffering: 0,
            trace,
        };
        machine.slots.resize(self.unit.slots, View::UNDEFINED);
        machine.load_roots();
        machine.run(&self.unit.code)?;
        let rendered = Rendered { text: machine.out.into_string(), trust: machine.trust };
        Ok((rendered, machine.trace))
    }
}

/// Programs that a render has found on its way; they live until it ends.
#[derive(Default)]
struct Held(OnceCell<(Arc<Program>, Box<Self>)>);

impl Held {
    /// Keeps a program.
    fn keep(&self, program: Arc<Program>) -> &Program {
        let mut last = self;
        while let Some((_, next)) = last.0.get() {
            last = next;
        }
        &last.0.get_or_init(|| (program, Box::default())).0
    }
}

/// The list is taken apart link by link: a long one must not cost a stack.
impl Drop for Held {
    fn drop(&mut self) {
        let mut last = self.0.take();
        while let Some((_, mut next)) = last {
            last = next.0.take();
        }
    }
}

/// Where a program runs: its frame and those above it, up to the next home, are its own.
struct Home<'a> {
    base: usize,
    program: &'a Program,
    names: Rc<Names<'a>>,
}

/// One render.
struct Machine<'a, T> {
    /// The program whose nodes run: the one rendered, or one that it includes.
    program: &'a Program,
    env: Env<'a>,
    settings: &'a Settings<'a>,
    held: &'a Held,
    /// Where the roots of the program get their values.
    names: Rc<Names<'a>>,
    /// Where the program that is rendered runs.
    entry: Home<'a>,
    /// The programs that run within it and within each other, outermost first.
    homes: Vec<Home<'a>>,
    /// The programs that this render has named so far.
    found: HashMap<Box<str>, &'a Program>,
    slots: Vec<View<'a>>,
    /// Where the frame at hand begins in `slots`.
    base: usize,
    out: Buffer,
    /// The trust of everything in `out`.
    trust: Trust,
    fuel: usize,
    calls: usize,
    /// Blocks and expressions that may be within each other in the code that runs.
    depth: usize,
    /// Texts that are being put together on their way to the output.
    buffering: usize,
    trace: T,
}

impl<'a, T: Trace> Machine<'a, T> {
    fn run(&mut self, code: &'a Code) -> Result<(), Stop> {
        self.burn(code.0.len() + 1)?;
        for node in &code.0 {
            if !self.plain(node)? {
                self.node(node)?;
            }
        }
        Ok(())
    }

    fn burn(&mut self, steps: usize) -> Result<(), Stop> {
        match self.fuel.checked_sub(steps) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => Err(self.out_of_fuel()),
        }
    }

    #[cold]
    fn out_of_fuel(&self) -> Stop {
        let limit = self.env.limits().get(LimitKind::Fuel);
        let fault = exceeded(LimitKind::Fuel, limit, "more steps");
        let fault = fault.hint("loop over less, or raise the limit 'fuel'").into_diagnostic();
        let entry = self.program.places.files.first();
        Box::new(match entry {
            Some(source) => fault.at(source, crate::Span::new(0, 0)),
            None => fault,
        })
    }

    fn slot(&self, slot: Slot) -> View<'a> {
        self.slots[self.base + slot as usize]
    }

    fn set(&mut self, slot: Slot, view: View<'a>) {
        self.slots[self.base + slot as usize] = view;
    }

    fn load_roots(&mut self) {
        let program = self.program;
        for root in &program.roots {
            let view = self.names.get(&root.name, &root.hint);
            self.set(root.slot, view);
        }
    }

    /// Gives a fault its place.
    #[cold]
    fn stop(&self, fault: Fault, site: Site) -> Stop {
        let mut diagnostic = fault.into_diagnostic();
        diagnostic.label = self.program.places.location(site);
        diagnostic.included_from = self.program.places.included_from(site);
        Box::new(diagnostic)
    }

    fn at<V>(&self, result: Result<V, Fault>, site: Site) -> Result<V, Stop> {
        result.map_err(|fault| self.stop(fault, site))
    }

    /// Runs `write` with a buffer of its own in place of the output; gives the text and its trust.
    fn buffered(
        &mut self,
        site: Site,
        write: impl FnOnce(&mut Self) -> Result<(), Stop>,
    ) -> Result<(Buffer, Trust), Stop> {
        let limit = self.env.limits().get(LimitKind::OutputBytes);
        // The output itself has a limit of its own; texts on their way to it are memory while they wait.
        let waiting = if self.buffering > 0 { self.out.len() } else { 0 };
        let charged = self.env.charge(waiting);
        self.at(charged, site)?;
        let out = std::mem::replace(&mut self.out, Buffer::new(LimitKind::OutputBytes, limit));
        let trust = std::mem::take(&mut self.trust);
        self.buffering += 1;
        let written = write(self);
        self.buffering -= 1;
        self.env.release(waiting);
        let buffer = std::mem::replace(&mut self.out, out);
        let trust = std::mem::replace(&mut self.trust, trust);
        written.map(|()| (buffer, trust))
    }

    /// Puts out a text that was made from values of the trust given.
    fn put(&mut self, text: &str, trust: Trust, site: Site) -> Result<(), Stop> {
        let start = self.out.len();
        let pushed = self.out.push_str(text);
        self.at(pushed, site)?;
        self.put_from(start, trust, site);
        Ok(())
    }

    /// Accounts for what has been written since `start`.
    #[inline]
    fn put_from(&mut self, start: usize, trust: Trust, site: Site) {
        self.trust = self.trust.join(trust);
        if T::ON && self.buffering == 0 && self.out.len() > start {
            self.trace.value(&self.program.places, start..self.out.len(), site, trust);
        }
    }

    /// The error of a name or key without value.
    #[cold]
    fn undefined(&self, what: String, hint: Option<String>, site: Site) -> Stop {
        let fault = Fault::new(code::UNDEFINED, what);
        let hint =
            hint.unwrap_or_else(|| "give it a value, or a default: {{ name|default:\"…\" }}".to_owned());
        self.stop(fault.hint(hint), site)
    }
}
