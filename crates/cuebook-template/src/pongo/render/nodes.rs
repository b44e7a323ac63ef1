//! The nodes that prompts are made of: text, values, conditions, loops.

use super::items::{Item, Items};
use super::trace::Trace;
use super::{Machine, Stop};
use crate::pongo::context as data;
use crate::pongo::fault::Fault;
use crate::pongo::filters::{Run, escape_markup};
use crate::pongo::limits::LimitKind;
use crate::pongo::program::{Emit, Expr, For, If, IfEqual, Key, Missing, Node, Site, Slot};
use crate::pongo::view::{Data, Loop, LoopField, View};
use crate::trust::Trust;

impl<'a, T: Trace> Machine<'a, T> {
    /// Puts out a text, or a value that is at hand and needs no conversion: nine in ten nodes of a prompt.
    ///
    /// Gives `false` for all others, and has done nothing then.
    #[expect(clippy::inline_always, reason = "it is the body of the loop over nodes")]
    #[inline(always)]
    pub(super) fn plain(&mut self, node: &'a Node) -> Result<bool, Stop> {
        let mut number = itoa::Buffer::new();
        let (text, trust, site) = match node {
            Node::Raw(text, parts) => return self.raw(text, *parts).map(|()| true),
            Node::Slot(slot, site) => match self.slot(*slot) {
                View { data: Data::Str(text), trust, .. } => (text, trust, *site),
                _ => return Ok(false),
            },
            Node::Member(slot, key, site) => match self.slot(*slot) {
                View { data: Data::Map(members), trust, .. } => match members.at(key.hint.get(), &key.word) {
                    Some(data::Node::Str(text)) => (&**text, trust, *site),
                    Some(data::Node::Int(integer)) => (number.format(*integer), trust, *site),
                    _ => return Ok(false),
                },
                View { data: Data::Loop(state), .. } => match key.field.map(|field| state.field(field)) {
                    Some(Data::Int(integer)) => (number.format(integer), Trust::Trusted, *site),
                    _ => return Ok(false),
                },
                _ => return Ok(false),
            },
            _ => return Ok(false),
        };
        let start = self.out.len();
        if let Err(fault) = self.out.push_str(text) {
            return Err(self.stop(fault, site));
        }
        self.put_from(start, trust, site);
        Ok(true)
    }

    #[inline(never)]
    pub(super) fn node(&mut self, node: &'a Node) -> Result<(), Stop> {
        match node {
            Node::Raw(text, parts) => self.raw(text, *parts),
            Node::Slot(slot, site) => {
                let view = self.slot_value(*slot, Missing::Fault, *site)?;
                self.put_view(view, *site)
            }
            Node::Member(slot, key, site) => {
                let view = self.member_value(*slot, key, Missing::Fault, *site)?;
                self.put_view(view, *site)
            }
            Node::Emit(emit) => self.emit(emit),
            Node::If(node) => self.if_node(node),
            Node::For(each) => self.for_node(each),
            Node::Set(slot, value) => {
                let view = self.eval(value)?;
                self.set(*slot, view);
                Ok(())
            }
            Node::Copy(copies) => self.copy(copies),
            Node::IfEqual(node) => self.if_equal(node),
            Node::Define(slot, defined) => {
                self.set(*slot, View::trusted(Data::Macro(defined, self.base)));
                Ok(())
            }
            Node::Include(include) => self.include(include),
            Node::Inline(code) => self.run(code),
            rare => self.rare(rare),
        }
    }

    #[expect(
        clippy::inline_always,
        reason = "a prompt is mostly text: without this a fifth of a render is its calls"
    )]
    #[inline(always)]
    fn raw(&mut self, text: &str, parts: u32) -> Result<(), Stop> {
        let start = self.out.len();
        if let Err(fault) = self.out.push_str(text) {
            return Err(self.stop_in_text(fault, parts));
        }
        if T::ON && self.buffering == 0 {
            self.trace.text(&self.program.places, start..self.out.len(), parts);
        }
        Ok(())
    }

    #[cold]
    fn stop_in_text(&self, fault: Fault, parts: u32) -> Stop {
        let site = self.program.places.parts.get(parts as usize).map_or(0, |part| part.1);
        self.stop(fault, site)
    }

    #[inline]
    fn put_view(&mut self, view: View<'a>, site: Site) -> Result<(), Stop> {
        let start = self.out.len();
        match view.data.write(&mut self.out) {
            Ok(()) => {
                self.put_from(start, view.trust, site);
                Ok(())
            }
            Err(fault) => Err(self.stop(fault, site)),
        }
    }

    fn copy(&mut self, copies: &[(Slot, Slot)]) -> Result<(), Stop> {
        self.burn(copies.len())?;
        for (from, to) in copies {
            let view = self.slot(*from);
            self.set(*to, view);
        }
        Ok(())
    }

    #[inline(never)]
    fn emit(&mut self, emit: &'a Emit) -> Result<(), Stop> {
        let view = self.eval(&emit.value)?;
        if let Some(step) = &emit.last {
            let argument = self.argument(step)?;
            self.burn(view.data.weight() + argument.data.weight())?;
            let start = self.out.len();
            let written = match step.filter.run {
                Run::Text(run) => run(&self.env, view.data, argument.data, &mut self.out),
                Run::Value(run) => {
                    run(&self.env, view.data, argument.data).and_then(|data| data.write(&mut self.out))
                }
            };
            self.at(written, step.site)?;
            self.put_from(start, view.trust.join(argument.trust), emit.site);
            return Ok(());
        }
        self.put_escaped(view, emit.escape, emit.site)
    }

    /// Puts out a value; a string that is no markup yet is escaped first if `escape` says so.
    pub(super) fn put_escaped(&mut self, view: View<'a>, escape: bool, site: Site) -> Result<(), Stop> {
        match view.data {
            Data::Str(text) if escape && !view.safe => {
                let start = self.out.len();
                let written = escape_markup(text, &mut self.out);
                self.at(written, site)?;
                self.put_from(start, view.trust, site);
                Ok(())
            }
            _ => self.put_view(view, site),
        }
    }

    fn if_node(&mut self, node: &'a If) -> Result<(), Stop> {
        for (condition, code) in &node.branches {
            if self.condition(condition)? {
                return self.run(code);
            }
            self.burn(1)?;
        }
        self.run(&node.otherwise)
    }

    /// A condition; the commonest shapes are judged without a value in between.
    fn condition(&mut self, condition: &'a Expr) -> Result<bool, Stop> {
        if let Expr::Member(slot, key, ..) = condition
            && let Some(holds) = member_is_true(self.slot(*slot).data, key)
        {
            return Ok(holds);
        }
        match condition {
            Expr::Not(inner) => Ok(!self.condition(inner)?),
            Expr::And(operands) => Ok(self.condition(&operands.0)? && self.condition(&operands.1)?),
            Expr::Or(operands) => Ok(self.condition(&operands.0)? || self.condition(&operands.1)?),
            other => Ok(self.eval(other)?.data.is_true()),
        }
    }

    #[inline(never)]
    fn if_equal(&mut self, node: &'a IfEqual) -> Result<(), Stop> {
        let (left, right) = (self.eval(&node.left)?, self.eval(&node.right)?);
        let equal = self.at(left.data.equals(right.data), node.site)?;
        self.run(if equal == node.negated { &node.otherwise } else { &node.then })
    }

    #[inline(never)]
    fn for_node(&mut self, each: &'a For) -> Result<(), Stop> {
        let sequence = self.eval(&each.sequence)?;
        self.copy(&each.copies)?;
        let count = self.countable(sequence, each.site)?;
        let parent = match self.slot(each.outer).data {
            Data::Loop(state) => Some(state),
            _ => None,
        };
        let state = self.env.loop_state(count, parent);
        let state = self.at(state, each.site)?;
        self.set(each.state, View::trusted(Data::Loop(state)));
        if count == 0 {
            return self.run(&each.empty);
        }
        if each.sorted || each.reversed {
            return self.loop_in_order(each, sequence, state);
        }
        self.loop_over(each, state, Items::of(sequence))
    }

    /// The number of items; 0 for what cannot be looped over.
    fn countable(&mut self, sequence: View<'a>, site: Site) -> Result<usize, Stop> {
        let count = sequence.data.len();
        self.at(self.env.limits().check(LimitKind::LoopItems, count), site)?;
        Ok(count)
    }

    pub(super) fn loop_over(
        &mut self,
        each: &'a For,
        state: &'a Loop<'a>,
        items: impl Iterator<Item = Item<'a>>,
    ) -> Result<(), Stop> {
        for (index, (key, value)) in items.enumerate() {
            state.index.set(index);
            self.set(each.key, key);
            if let (Some(slot), Some(value)) = (each.value, value) {
                self.set(slot, value);
            }
            self.run(&each.body)?;
        }
        Ok(())
    }
}

/// Whether a member is true, if it is of a common kind and stands where it stood the last time.
#[inline]
fn member_is_true(base: Data<'_>, key: &Key) -> Option<bool> {
    match base {
        Data::Map(members) => match members.at(key.hint.get(), &key.word)? {
            data::Node::Bool(bool) => Some(*bool),
            data::Node::Str(text) => Some(!text.is_empty()),
            other => Some(Data::from(other).is_true()),
        },
        Data::Loop(state) => match key.field? {
            LoopField::Last => Some(state.index.get() + 1 == state.count),
            LoopField::First => Some(state.index.get() == 0),
            other => Some(state.field(other).is_true()),
        },
        _ => None,
    }
}
