//! Expressions to values.

use super::operators::binary;
use super::trace::Trace;
use super::{Machine, Stop};
use crate::nearest::nearest;
use crate::pongo::fault::Fault;
use crate::pongo::filters::Run;
use crate::pongo::map::Map;
use crate::pongo::program::{Expr, FilterStep, Key, Missing, Path, PathStep, Site};
use crate::pongo::view::{Data, LoopField, View};

impl<'a, T: Trace> Machine<'a, T> {
    pub(super) fn eval(&mut self, expr: &'a Expr) -> Result<View<'a>, Stop> {
        if let Expr::Member(slot, key, missing, site) = expr {
            return self.member_value(*slot, key, *missing, *site);
        }
        match expr {
            Expr::Str(text) => Ok(View::trusted(Data::Str(text))),
            Expr::Int(integer) => Ok(View::trusted(Data::Int(*integer))),
            Expr::Float(float) => Ok(View::trusted(Data::Float(*float))),
            Expr::Bool(bool) => Ok(View::trusted(Data::Bool(*bool))),
            Expr::Slot(slot, missing, site) => self.slot_value(*slot, *missing, *site),
            Expr::Member(slot, key, missing, site) => self.member_value(*slot, key, *missing, *site),
            Expr::Path(path) => self.path(path),
            Expr::List(items, site) => self.list(items, *site),
            Expr::Not(inner) => self.eval(inner).map(not),
            Expr::Negative(inner, site) => {
                let view = self.eval(inner)?;
                let data = self.at(negative(view.data), *site)?;
                Ok(View::new(data, view.trust))
            }
            Expr::And(operands) => self.junction(operands, false),
            Expr::Or(operands) => self.junction(operands, true),
            Expr::Binary(operator, operands, site) => {
                let (left, right) = (self.eval(&operands.0)?, self.eval(&operands.1)?);
                self.burn(left.data.weight() + right.data.weight())?;
                let data = self.at(binary(&self.env, *operator, left.data, right.data), *site)?;
                Ok(View::new(data, left.trust.join(right.trust)))
            }
            Expr::Filtered(input, steps) => {
                let mut view = self.eval(input)?;
                for step in steps {
                    view = self.filter(step, view)?;
                }
                Ok(view)
            }
            Expr::Super(code, site) => {
                let (text, trust) = self.buffered(*site, |machine| machine.run(code))?;
                let kept = self.env.keep(text.as_str());
                Ok(View { data: Data::Str(self.at(kept, *site)?), trust, safe: true })
            }
        }
    }

    /// `and` and `or`: always a boolean; the right side is left alone when the left decides.
    fn junction(&mut self, operands: &'a (Expr, Expr), decides: bool) -> Result<View<'a>, Stop> {
        let left = self.eval(&operands.0)?;
        if left.data.is_true() == decides {
            return Ok(View::new(Data::Bool(decides), left.trust));
        }
        let right = self.eval(&operands.1)?;
        Ok(View::new(Data::Bool(right.data.is_true()), left.trust.join(right.trust)))
    }

    #[inline]
    pub(super) fn slot_value(&mut self, slot: u32, missing: Missing, site: Site) -> Result<View<'a>, Stop> {
        let view = self.slot(slot);
        match view.data {
            Data::Undefined if self.settings.strict && missing == Missing::Fault => self.missed_name(site),
            Data::Macro(called, frame) => self.call_macro(called, frame, &[], site),
            _ => Ok(view),
        }
    }

    #[inline]
    pub(super) fn member_value(
        &mut self,
        slot: u32,
        key: &'a Key,
        missing: Missing,
        site: Site,
    ) -> Result<View<'a>, Stop> {
        let base = self.slot(slot);
        if let Data::Map(members) = base.data
            && let Some(node) = members.at(key.hint.get(), &key.word)
        {
            return Ok(View::new(Data::from(node), base.trust));
        }
        let base = self.slot_value(slot, missing, site)?;
        self.member(base, key, missing, (site, 0))
    }

    /// The member of `base`, which is the path at a site up to so many steps.
    fn member(
        &mut self,
        base: View<'a>,
        key: &Key,
        missing: Missing,
        (site, steps): (Site, usize),
    ) -> Result<View<'a>, Stop> {
        let data = match base.data {
            Data::Map(members) => look_up(members, key),
            Data::Loop(state) => key.field.map(|field| state.field(field)),
            Data::Undefined | Data::Nil => None,
            other => return Err(self.no_members(other, key, site)),
        };
        match data {
            Some(data) => Ok(View::new(data, base.trust)),
            None if matches!(base.data, Data::Undefined) => Ok(View::new(Data::Undefined, base.trust)),
            None if self.settings.strict && missing == Missing::Fault => {
                self.missed_key(base, self.no_key(base.data, key.word.as_str(), site, steps))
            }
            None => Ok(View::new(Data::Undefined, base.trust)),
        }
    }

    fn path(&mut self, path: &'a Path) -> Result<View<'a>, Stop> {
        let mut view = self.slot(path.root);
        if view.data.is_nil() {
            let absent = matches!(view.data, Data::Undefined);
            let fault = absent && self.settings.strict && path.missing == Missing::Fault;
            return if fault { self.missed_name(path.site) } else { Ok(view) };
        }
        for (index, step) in path.steps.iter().enumerate() {
            view = match step {
                PathStep::Call(arguments) => self.call(view, arguments, path, index)?,
                _ => self.step(view, step, path, index)?,
            };
            if view.data.is_nil() {
                return Ok(view);
            }
        }
        match view.data {
            Data::Macro(called, frame) => self.call_macro(called, frame, &[], path.site),
            _ => Ok(view),
        }
    }

    fn step(
        &mut self,
        view: View<'a>,
        step: &'a PathStep,
        path: &Path,
        index: usize,
    ) -> Result<View<'a>, Stop> {
        match step {
            PathStep::Key(key) => self.member(view, key, path.missing, (path.site, index)),
            PathStep::Index(index) => self.item(view, *index, path),
            PathStep::Subscript(subscript) => {
                let subscript = self.eval(subscript)?;
                let found = self.subscript(view, subscript.data, path)?;
                Ok(View { trust: found.trust.join(subscript.trust), ..found })
            }
            // A call is made where the arguments are.
            PathStep::Call(_) => Ok(view),
        }
    }

    fn item(&mut self, view: View<'a>, index: usize, path: &Path) -> Result<View<'a>, Stop> {
        if !view.data.is_list() && !view.data.is_string() {
            let message = format!("{} has no items by number", view.data.kind());
            return Err(
                self.stop(Fault::type_mismatch(message).hint("only lists and strings have them"), path.site)
            );
        }
        if view.data.is_string() {
            self.burn(view.data.weight())?;
        }
        match view.data.item(index) {
            Some(data) => Ok(View::new(data, view.trust)),
            None if self.settings.strict && path.missing == Missing::Fault => {
                self.missed_key(view, self.undefined(format!("there is no item {index}"), None, path.site))
            }
            None => Ok(View::new(Data::Undefined, view.trust)),
        }
    }

    fn subscript(&mut self, view: View<'a>, subscript: Data<'a>, path: &Path) -> Result<View<'a>, Stop> {
        let data = match view.data {
            Data::Map(members) => match subscript {
                Data::Str(key) => members.get(key).map(Data::from),
                _ => None,
            },
            Data::Loop(state) => match subscript {
                Data::Str(key) => LoopField::parse(key).map(|field| state.field(field)),
                _ => None,
            },
            _ => {
                // A negative number is beyond every list.
                let index = usize::try_from(subscript.integer()).unwrap_or(usize::MAX);
                return self.item(view, index, path);
            }
        };
        match data {
            Some(data) => Ok(View::new(data, view.trust)),
            None if self.settings.strict && path.missing == Missing::Fault => {
                self.missed_key(view, self.undefined("there is no such key".to_owned(), None, path.site))
            }
            None => Ok(View::new(Data::Undefined, view.trust)),
        }
    }

    fn call(
        &mut self,
        view: View<'a>,
        arguments: &'a [Expr],
        path: &Path,
        index: usize,
    ) -> Result<View<'a>, Stop> {
        let Data::Macro(called, frame) = view.data else {
            let name = first_steps(self.program.places.text(path.site), index);
            let message = format!("'{name}' is {}, and only a macro can be called", view.data.kind());
            return Err(self.stop(Fault::type_mismatch(message).hint("leave the parentheses out"), path.site));
        };
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.eval(argument)?);
        }
        self.call_macro(called, frame, &values, path.site)
    }

    fn list(&mut self, items: &'a [Expr], site: Site) -> Result<View<'a>, Stop> {
        let mut views = Vec::with_capacity(items.len());
        for item in items {
            views.push(self.eval(item)?);
        }
        let trust = views.iter().fold(crate::Trust::Trusted, |trust, view| trust.join(view.trust));
        let list = self.env.list(&views);
        Ok(View::new(self.at(list, site)?, trust))
    }

    /// Applies a filter; the trust of its input and of its argument stay with the result.
    pub(super) fn filter(&mut self, step: &'a FilterStep, input: View<'a>) -> Result<View<'a>, Stop> {
        let argument = self.argument(step)?;
        self.burn(1 + input.data.weight() + argument.data.weight())?;
        let data = match step.filter.run {
            Run::Value(run) => run(&self.env, input.data, argument.data),
            Run::Text(run) => {
                self.env.text(|out| run(&self.env, input.data, argument.data, out)).map(Data::Str)
            }
        };
        let data = self.at(data, step.site)?;
        Ok(View { data, trust: input.trust.join(argument.trust), safe: step.filter.gives_markup() })
    }

    pub(super) fn argument(&mut self, step: &'a FilterStep) -> Result<View<'a>, Stop> {
        match &step.argument {
            Some(argument) => self.eval(argument),
            None => Ok(View::trusted(Data::Nil)),
        }
    }

    /// What becomes of a name without a value: the end of the render, or a note of it.
    #[cold]
    fn missed_name(&self, site: Site) -> Result<View<'a>, Stop> {
        let stop = self.no_name(site);
        let Some(misses) = self.settings.misses else { return Err(stop) };
        misses.note(Some(self.root_name(site)), *stop);
        Ok(View::UNDEFINED)
    }

    /// The same of a key that `base` lacks, whose trust stays with what is not there.
    #[cold]
    fn missed_key(&self, base: View<'a>, stop: Stop) -> Result<View<'a>, Stop> {
        let Some(misses) = self.settings.misses else { return Err(stop) };
        misses.note(None, *stop);
        Ok(View::new(Data::Undefined, base.trust))
    }

    /// The name that the path at a site begins with.
    fn root_name(&self, site: Site) -> &'a str {
        let written = self.program.places.text(site);
        let end = written.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(written.len());
        &written[..end]
    }

    #[cold]
    fn no_name(&self, site: Site) -> Stop {
        let name = self.root_name(site);
        let known = self.names.known();
        let near = nearest(name, known).filter(|near| *near != name);
        let hint = near.map(|near| format!("did you mean '{near}'?"));
        self.undefined(format!("'{name}' has no value"), hint, site)
    }

    #[cold]
    fn no_key(&self, base: Data<'a>, key: &str, site: Site, steps: usize) -> Stop {
        let near = match base {
            Data::Map(members) => nearest(key, members.keys()).map(str::to_owned),
            Data::Loop(_) => nearest(key, LoopField::ALL.map(LoopField::as_str)).map(str::to_owned),
            _ => None,
        };
        let hint = near.map(|near| format!("did you mean '{near}'?"));
        let base = first_steps(self.program.places.text(site), steps);
        self.undefined(format!("there is no '{key}' in '{base}'"), hint, site)
    }

    #[cold]
    fn no_members(&self, base: Data<'a>, key: &Key, site: Site) -> Stop {
        let message = format!("{} has no member '{}'", base.kind(), key.word.as_str());
        self.stop(Fault::type_mismatch(message).hint("only a map has members by name"), site)
    }
}

/// A path as written, up to so many steps from its name.
fn first_steps(path: &str, steps: usize) -> &str {
    let mut inner = 0_usize;
    let begins_step = |(_, character): &(usize, char)| {
        let begins = inner == 0 && matches!(character, '.' | '[' | '(');
        match character {
            '[' | '(' => inner += 1,
            ']' | ')' => inner = inner.saturating_sub(1),
            _ => {}
        }
        begins
    };
    let end = path.char_indices().filter(begins_step).nth(steps).map_or(path.len(), |(at, _)| at);
    path[..end].trim_end()
}

/// The member that `key` names; where it was found is where it is looked for first the next time.
fn look_up<'a>(members: &'a Map, key: &Key) -> Option<Data<'a>> {
    if let Some(node) = members.at(key.hint.get(), &key.word) {
        return Some(Data::from(node));
    }
    let (found, node) = members.find(&key.word)?;
    key.hint.set(found);
    Some(Data::from(node))
}

/// `not` on a number gives a number, and on anything else a boolean.
fn not(view: View<'_>) -> View<'_> {
    let data = match view.data {
        Data::Int(integer) => Data::Int(i64::from(integer == 0)),
        Data::Float(float) => Data::Float(if float == 0.0 { 1.1 } else { 0.0 }),
        other => Data::Bool(!other.is_true()),
    };
    View::new(data, view.trust)
}

fn negative(data: Data<'_>) -> Result<Data<'_>, Fault> {
    match data {
        Data::Int(integer) => Ok(Data::Int(integer.wrapping_neg())),
        Data::Float(float) => Ok(Data::Float(-float)),
        other => {
            let message = format!("{} has no negative", other.kind());
            Err(Fault::type_mismatch(message).hint("only numbers have one"))
        }
    }
}
