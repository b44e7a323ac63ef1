//! The nodes that prompts are made of: text, values, conditions, loops.

use super::trace::Trace;
use super::{Machine, Stop};
use crate::pongo::filters::{Run, escape_markup};
use crate::pongo::limits::LimitKind;
use crate::pongo::program::{Code, Emit, Expr, For, IfEqual, Missing, Node, Site, Slot};
use crate::pongo::view::{Data, Loop, View};

impl<'a, T: Trace> Machine<'a, T> {
    pub(super) fn node(&mut self, node: &'a Node) -> Result<(), Stop> {
        match node {
            Node::Raw { text, parts } => self.raw(text, *parts),
            Node::Slot(slot, site) => {
                let view = self.slot_value(*slot, Missing::Fault, *site)?;
                self.put_view(view, *site)
            }
            Node::Member(slot, key, site) => {
                let view = self.member_value(*slot, key, Missing::Fault, *site)?;
                self.put_view(view, *site)
            }
            Node::Emit(emit) => self.emit(emit),
            Node::If(branches, otherwise) => self.if_node(branches, otherwise),
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

    fn raw(&mut self, text: &str, parts: (u32, u32)) -> Result<(), Stop> {
        let start = self.out.len();
        if let Err(fault) = self.out.push_str(text) {
            let site = self.program.places.parts.get(parts.0 as usize).map_or(0, |part| part.1);
            return Err(self.stop(fault, site));
        }
        if T::ON && self.buffering == 0 {
            self.trace.text(&self.program.places, start, parts);
        }
        Ok(())
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

    fn if_node(&mut self, branches: &'a [(Expr, Code)], otherwise: &'a Code) -> Result<(), Stop> {
        for (condition, code) in branches {
            if self.condition(condition)? {
                return self.run(code);
            }
            self.burn(1)?;
        }
        self.run(otherwise)
    }

    /// A condition; the commonest shapes are judged without a value in between.
    fn condition(&mut self, condition: &'a Expr) -> Result<bool, Stop> {
        match condition {
            Expr::Not(inner) => Ok(!self.condition(inner)?),
            Expr::And(operands) => Ok(self.condition(&operands.0)? && self.condition(&operands.1)?),
            Expr::Or(operands) => Ok(self.condition(&operands.0)? || self.condition(&operands.1)?),
            other => Ok(self.eval(other)?.data.is_true()),
        }
    }

    fn if_equal(&mut self, node: &'a IfEqual) -> Result<(), Stop> {
        let (left, right) = (self.eval(&node.left)?, self.eval(&node.right)?);
        let equal = self.at(left.data.equals(right.data), node.site)?;
        self.run(if equal == node.negated { &node.otherwise } else { &node.then })
    }

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
        match sequence.data {
            Data::List(items) => {
                let views = items.iter().map(|item| View::new(Data::from(item), sequence.trust));
                self.loop_over(each, state, views.map(|view| (view, None)))
            }
            Data::Views(items, _) => {
                self.loop_over(each, state, items.iter().map(|item| (joined(*item, sequence), None)))
            }
            Data::Map(members) => self.loop_over(
                each,
                state,
                members.iter().map(|(key, node)| {
                    let value = View::new(Data::from(node), sequence.trust);
                    (View::new(Data::Str(key), sequence.trust), Some(value))
                }),
            ),
            Data::Str(text) => self.loop_over(
                each,
                state,
                text.char_indices().map(|(start, character)| {
                    let one = &text[start..start + character.len_utf8()];
                    (View::new(Data::Str(one), sequence.trust), None)
                }),
            ),
            _ => Ok(()),
        }
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
        items: impl Iterator<Item = (View<'a>, Option<View<'a>>)>,
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

/// An item of a list: at best as trusted as the list.
pub(super) fn joined<'a>(item: View<'a>, list: View<'a>) -> View<'a> {
    View { trust: item.trust.join(list.trust), ..item }
}
