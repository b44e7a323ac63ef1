//! The tags that prompts seldom use.

use std::cmp::Ordering;

use super::items::{Item, Items};
use super::trace::Trace;
use super::{Machine, Stop};
use crate::pongo::buffer::Buffer;
use crate::pongo::fault::{Fault, code};
use crate::pongo::filters::{Civil, format_time};
use crate::pongo::program::{Code, Cycle, Expr, FilterBlock, For, IfChanged, Node, Now, Site, WidthRatio};
use crate::pongo::tree::{Lorem, LoremMethod};
use crate::pongo::view::{Data, Loop, View};
use crate::trust::Trust;

/// The paragraphs of the original, with its spelling; see the notice beside the file.
const LOREM: &str = include_str!("lorem.txt");

/// What `{% now … fake %}` shows.
const FAKE_NOW: Civil =
    Civil { year: 2014, month: 2, day: 5, hour: 18, minute: 31, second: 45, nanosecond: 0, offset: 0 };

impl<'a, T: Trace> Machine<'a, T> {
    pub(super) fn rare(&mut self, node: &'a Node) -> Result<(), Stop> {
        match node {
            Node::IfChanged(node) => self.if_changed(node),
            Node::Cycle(cycle) => self.cycle(cycle),
            Node::FirstOf(values, site) => self.first_of(values, *site),
            Node::Filter(block) => self.filter_block(block),
            Node::Spaceless(code, site) => self.spaceless(code, *site),
            Node::WidthRatio(node) => self.width_ratio(node),
            Node::Now(now, site) => self.now(now, *site),
            Node::Lorem(lorem, site) => self.lorem(**lorem, *site),
            // Every other node is at home among the common ones.
            _ => Ok(()),
        }
    }

    fn if_changed(&mut self, node: &'a IfChanged) -> Result<(), Stop> {
        if node.watched.is_empty() {
            return self.if_content_changed(node);
        }
        self.burn(node.watched.len())?;
        let mut changed = false;
        for (slot, watched) in (node.seen..).zip(&node.watched) {
            let now = self.eval(watched)?;
            let before = self.slot(slot);
            // A slot that was never set is undefined; a value that is undefined is kept as nil.
            let first = matches!(before.data, Data::Undefined);
            changed |= first || !self.at(before.data.equals(now.data), node.site)?;
            let kept = if now.data.is_nil() { Data::Nil } else { now.data };
            self.set(slot, View { data: kept, ..now });
        }
        self.run(if changed { &node.then } else { &node.otherwise })
    }

    /// Without watched values the rendered content is what may change; unchanged, it is left out.
    fn if_content_changed(&mut self, node: &'a IfChanged) -> Result<(), Stop> {
        let (content, trust) = self.buffered(node.site, |machine| machine.run(&node.then))?;
        if matches!(self.slot(node.seen).data, Data::Str(before) if before == content.as_str()) {
            return self.run(&node.otherwise);
        }
        let kept = self.env.keep(content.as_str());
        let kept = self.at(kept, node.site)?;
        self.set(node.seen, View::new(Data::Str(kept), trust));
        self.put(kept, trust, node.site)
    }

    fn cycle(&mut self, cycle: &'a Cycle) -> Result<(), Stop> {
        let turn = usize::try_from(self.slot(cycle.turn).data.integer()).unwrap_or(0);
        let next = i64::try_from((turn + 1) % cycle.values.len().max(1)).unwrap_or(0);
        self.set(cycle.turn, View::trusted(Data::Int(next)));
        let Some(value) = cycle.values.get(turn) else { return Ok(()) };
        let view = self.eval(value)?;
        if let Some(name) = cycle.name {
            self.set(name, view);
        }
        if cycle.silent { Ok(()) } else { self.put_escaped(view, false, cycle.site) }
    }

    fn first_of(&mut self, values: &'a [(Expr, bool)], site: Site) -> Result<(), Stop> {
        self.burn(values.len())?;
        for (value, escape) in values {
            let view = self.eval(value)?;
            if view.data.is_true() {
                return self.put_escaped(view, *escape, site);
            }
        }
        Ok(())
    }

    fn filter_block(&mut self, block: &'a FilterBlock) -> Result<(), Stop> {
        let (body, trust) = self.buffered(block.site, |machine| machine.run(&block.code))?;
        let kept = self.env.keep(body.as_str());
        let mut view = View::new(Data::Str(self.at(kept, block.site)?), trust);
        for call in &block.calls {
            view = self.filter(call, view)?;
        }
        self.put_escaped(view, false, block.site)
    }

    fn spaceless(&mut self, code: &'a Code, site: Site) -> Result<(), Stop> {
        let (body, trust) = self.buffered(site, |machine| machine.run(code))?;
        let start = self.out.len();
        let written = write_spaceless(body.as_str(), &mut self.out);
        self.at(written, site)?;
        self.put_from(start, trust, site);
        Ok(())
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "a ratio beyond the integers becomes the nearest one"
    )]
    fn width_ratio(&mut self, node: &'a WidthRatio) -> Result<(), Stop> {
        let (value, max, width) = (self.eval(&node.value)?, self.eval(&node.max)?, self.eval(&node.width)?);
        let ratio = (value.data.float() / max.data.float() * width.data.float() + 0.5).ceil();
        if !ratio.is_finite() {
            let fault = Fault::new(code::DIVISION, "the largest value of 'widthratio' is zero");
            return Err(self.stop(fault.hint("give a second value other than 0"), node.site));
        }
        let trust = value.trust.join(max.trust).join(width.trust);
        let view = View::new(Data::Int(ratio as i64), trust);
        match node.name {
            Some(slot) => self.set(slot, view),
            None => self.put_escaped(view, false, node.site)?,
        }
        Ok(())
    }

    fn now(&mut self, tag: &Now, site: Site) -> Result<(), Stop> {
        let now = if tag.fake { Some(FAKE_NOW) } else { self.settings.now };
        let Some(now) = now else {
            let fault = Fault::new(code::NONDETERMINISTIC, "tag 'now' needs a clock from the host");
            return Err(self.stop(fault.hint("render with a time, or pass the date as a value"), site));
        };
        self.put(&format_time(&tag.layout, &now), Trust::Trusted, site)
    }

    fn lorem(&mut self, lorem: Lorem, site: Site) -> Result<(), Stop> {
        let start = self.out.len();
        let parts: Vec<&str> = match lorem.method {
            LoremMethod::Words => LOREM.split_ascii_whitespace().collect(),
            LoremMethod::Paragraphs | LoremMethod::Plain => LOREM.lines().collect(),
        };
        for index in 0..lorem.count {
            self.burn(1)?;
            let written = self.lorem_part(lorem, &parts, index);
            self.at(written, site)?;
        }
        self.put_from(start, Trust::Trusted, site);
        Ok(())
    }

    fn lorem_part(&mut self, lorem: Lorem, parts: &[&str], index: usize) -> Result<(), Fault> {
        let words = lorem.method == LoremMethod::Words;
        let chosen = if lorem.random { self.env.random_below(parts.len())? } else { index % parts.len() };
        if index > 0 {
            self.out.push_str(if words { " " } else { "\n" })?;
        }
        if lorem.method == LoremMethod::Paragraphs {
            return self.out.format(format_args!("<p>{}</p>", parts[chosen]));
        }
        self.out.push_str(parts[chosen])
    }

    /// A loop that does not take the items as they come.
    pub(super) fn loop_in_order(
        &mut self,
        each: &'a For,
        sequence: View<'a>,
        state: &'a Loop<'a>,
    ) -> Result<(), Stop> {
        let mut items: Vec<Item<'a>> = Items::of(sequence).collect();
        self.burn(items.len())?;
        if each.sorted {
            let keys: Result<Vec<&'a str>, Fault> =
                items.iter().map(|(key, _)| self.env.text_of(key.data)).collect();
            let keys = self.at(keys, each.site)?;
            let mut order: Vec<usize> = (0..items.len()).collect();
            order.sort_by(|a, b| compare(items[*a].0.data, keys[*a], items[*b].0.data, keys[*b]));
            items = order.into_iter().map(|index| items[index]).collect();
        }
        if each.reversed {
            items.reverse();
        }
        self.loop_over(each, state, items.into_iter())
    }
}

/// The order of `sorted`: integers and floats by value, everything else by its text.
fn compare(left: Data<'_>, left_text: &str, right: Data<'_>, right_text: &str) -> Ordering {
    match (left, right) {
        (Data::Int(left), Data::Int(right)) => left.cmp(&right),
        (Data::Float(left), Data::Float(right)) => left.total_cmp(&right),
        _ => left_text.cmp(right_text),
    }
}

/// Leaves out white space between `>` and `<` where both belong to a tag that does not span lines.
fn write_spaceless(text: &str, out: &mut Buffer) -> Result<(), Fault> {
    let bytes = text.as_bytes();
    let mut copied = 0;
    let mut opened = false;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'<' => opened = true,
            b'\n' => opened = false,
            b'>' if opened && at + 1 >= copied => {
                let space = bytes[at + 1..].iter().take_while(|byte| is_space(**byte)).count();
                let next = at + 1 + space;
                if space > 0 && begins_tag(&bytes[next..]) {
                    out.push_str(&text[copied..=at])?;
                    copied = next;
                }
            }
            _ => {}
        }
    }
    out.push_str(&text[copied..])
}

/// Whether `<` stands here, and a `>` on the same line.
fn begins_tag(bytes: &[u8]) -> bool {
    let close = bytes.iter().position(|byte| matches!(byte, b'>' | b'\n'));
    bytes.first() == Some(&b'<') && close.is_some_and(|at| bytes[at] == b'>')
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0B | 0x0C | b'\r' | b' ')
}
