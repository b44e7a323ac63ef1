//! Values while a template is rendered: cheap to copy, borrowed from the context, the program or the arena.
//!
//! It owns the rules of pongo2 6.0.0 on what a value is as a number, a text or a condition, and how values compare.
//! It refuses to allocate: what needs memory goes through [`Env`](super::env::Env) or a [`Buffer`].

use std::cell::Cell;

use super::buffer::Buffer;
use super::context::Node;
use super::fault::Fault;
use super::map::Map;
use super::program::Macro;
use crate::canonical::write_string;
use crate::trust::Trust;

/// A value, and what is known about its origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(crate) data: Data<'a>,
    /// The trust of everything that went into it.
    pub(crate) trust: Trust,
    /// Whether it is markup already, so that autoescape leaves it alone.
    pub(crate) safe: bool,
}

impl<'a> View<'a> {
    /// What a name without value gives.
    pub(crate) const UNDEFINED: Self = Self::trusted(Data::Undefined);

    /// A value that the template itself wrote or counted.
    pub(crate) const fn trusted(data: Data<'a>) -> Self {
        Self { data, trust: Trust::Trusted, safe: false }
    }

    pub(crate) const fn new(data: Data<'a>, trust: Trust) -> Self {
        Self { data, trust, safe: false }
    }
}

/// What a value is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Data<'a> {
    /// No such name, key or item. Everywhere but in strict mode it is as [`Data::Nil`].
    Undefined,
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(&'a str),
    /// A list of the context.
    List(&'a [Node]),
    /// A list that the template made, and how many such lists are within each other in it.
    Views(&'a [View<'a>], u32),
    Map(&'a Map),
    Loop(&'a Loop<'a>),
    /// A macro, and the frame in which it was defined.
    Macro(&'a Macro, usize),
}

/// The state of a `for` block, as `forloop` shows it.
///
/// It is shared, not copied: a template that keeps `forloop` under another name sees it move on.
#[derive(Debug)]
pub(crate) struct Loop<'a> {
    /// Items already passed.
    pub(crate) index: Cell<usize>,
    /// Items in all.
    pub(crate) count: usize,
    pub(crate) parent: Option<&'a Self>,
}

impl<'a> Loop<'a> {
    pub(crate) fn field(&self, field: LoopField) -> Data<'a> {
        let number = |count: usize| Data::Int(i64::try_from(count).unwrap_or(i64::MAX));
        let (index, left) = (self.index.get(), self.count.saturating_sub(self.index.get()));
        match field {
            LoopField::Counter => number(index + 1),
            LoopField::Counter0 => number(index),
            LoopField::Revcounter => number(left),
            LoopField::Revcounter0 => number(left.saturating_sub(1)),
            LoopField::First => Data::Bool(index == 0),
            LoopField::Last => Data::Bool(left == 1),
            LoopField::Parentloop => self.parent.map_or(Data::Nil, Data::Loop),
        }
    }
}

/// A member of `forloop`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoopField {
    Counter,
    Counter0,
    Revcounter,
    Revcounter0,
    First,
    Last,
    Parentloop,
}

impl LoopField {
    pub(crate) const ALL: [Self; 7] = [
        Self::Counter,
        Self::Counter0,
        Self::Revcounter,
        Self::Revcounter0,
        Self::First,
        Self::Last,
        Self::Parentloop,
    ];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "Counter",
            Self::Counter0 => "Counter0",
            Self::Revcounter => "Revcounter",
            Self::Revcounter0 => "Revcounter0",
            Self::First => "First",
            Self::Last => "Last",
            Self::Parentloop => "Parentloop",
        }
    }

    /// The member called `name`; letter case counts.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.as_str() == name)
    }
}

impl<'a> From<&'a Node> for Data<'a> {
    #[inline]
    fn from(node: &'a Node) -> Self {
        // Most values are strings: a branch of their own is guessed right more often than a jump by kind.
        if let Node::Str(text) = node {
            return Self::Str(text);
        }
        match node {
            Node::Nil => Self::Nil,
            Node::Bool(bool) => Self::Bool(*bool),
            Node::Int(integer) => Self::Int(*integer),
            Node::Float(float) => Self::Float(*float),
            Node::Str(text) => Self::Str(text),
            Node::List(items) => Self::List(items),
            Node::Map(members) => Self::Map(members),
        }
    }
}

impl Data<'_> {
    /// The kind, as an error names it.
    pub(crate) const fn kind(self) -> &'static str {
        match self {
            Self::Undefined | Self::Nil => "nil",
            Self::Bool(_) => "a bool",
            Self::Int(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Str(_) => "a string",
            Self::List(_) | Self::Views(..) => "a list",
            Self::Map(_) => "a map",
            Self::Loop(_) => "a forloop",
            Self::Macro(..) => "a macro",
        }
    }

    pub(crate) const fn is_nil(self) -> bool {
        matches!(self, Self::Undefined | Self::Nil)
    }

    pub(crate) const fn is_string(self) -> bool {
        matches!(self, Self::Str(_))
    }

    pub(crate) const fn is_float(self) -> bool {
        matches!(self, Self::Float(_))
    }

    pub(crate) const fn is_number(self) -> bool {
        matches!(self, Self::Int(_) | Self::Float(_))
    }

    pub(crate) const fn is_list(self) -> bool {
        matches!(self, Self::List(_) | Self::Views(..))
    }

    /// Whether a condition takes it for true: not nil, zero, false or empty.
    pub(crate) fn is_true(self) -> bool {
        match self {
            Self::Undefined | Self::Nil | Self::Macro(..) => false,
            Self::Bool(bool) => bool,
            Self::Int(integer) => integer != 0,
            Self::Float(float) => float != 0.0,
            Self::Str(text) => !text.is_empty(),
            Self::List(items) => !items.is_empty(),
            Self::Views(items, _) => !items.is_empty(),
            Self::Map(members) => !members.is_empty(),
            Self::Loop(_) => true,
        }
    }

    /// The value as an integer: floats are cut, strings read as decimal numbers, all else is 0.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a float beyond the integers becomes the nearest one"
    )]
    pub(crate) fn integer(self) -> i64 {
        match self {
            Self::Int(integer) => integer,
            Self::Float(float) => float as i64,
            Self::Str(text) => parse_float(text) as i64,
            _ => 0,
        }
    }

    /// The value as a float: strings are read as decimal numbers, all that is no number is 0.
    #[expect(clippy::cast_precision_loss, reason = "a big integer becomes the nearest float")]
    pub(crate) fn float(self) -> f64 {
        match self {
            Self::Int(integer) => integer as f64,
            Self::Float(float) => float,
            Self::Str(text) => parse_float(text),
            _ => 0.0,
        }
    }

    /// What reading all of it costs, in steps of a render: nothing for what is small.
    #[inline]
    pub(crate) const fn weight(self) -> usize {
        match self {
            Self::Str(text) => text.len() / 64,
            Self::List(items) => items.len() / 4,
            Self::Views(items, _) => items.len() / 4,
            _ => 0,
        }
    }

    /// Characters of a string, items of a list, members of a map; 0 for all else.
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Str(text) => text.chars().count(),
            Self::List(items) => items.len(),
            Self::Views(items, _) => items.len(),
            Self::Map(members) => members.len(),
            _ => 0,
        }
    }

    /// The item of a list or the character of a string; `None` for all else and beyond the end.
    pub(crate) fn item(self, index: usize) -> Option<Self> {
        match self {
            Self::Str(text) => {
                let (start, character) = text.char_indices().nth(index)?;
                Some(Self::Str(&text[start..start + character.len_utf8()]))
            }
            Self::List(items) => items.get(index).map(Self::from),
            Self::Views(items, _) => items.get(index).map(|item| item.data),
            _ => None,
        }
    }

    /// Whether both are the same, as `==` has it: integers by value, all else only within its own kind.
    ///
    /// # Errors
    ///
    /// `template_type_mismatch` for two lists or two maps, which have no equality.
    pub(crate) fn equals(self, other: Self) -> Result<bool, Fault> {
        Ok(match (self, other) {
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.total_cmp(&b).is_eq() || (a == 0.0 && b == 0.0),
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Str(a), Self::Str(b)) => a == b,
            (Self::Loop(a), Self::Loop(b)) => std::ptr::eq(a, b),
            (a, b) if a.is_nil() && b.is_nil() => true,
            (a, b) if (a.is_list() && b.is_list()) || matches!((a, b), (Self::Map(_), Self::Map(_))) => {
                let message = format!("{} cannot be compared with {}", a.kind(), b.kind());
                return Err(Fault::type_mismatch(message).hint("compare their lengths, or loop over them"));
            }
            _ => false,
        })
    }

    /// Whether `item` is in it: a substring, an item of a list, or a key of a map.
    ///
    /// # Errors
    ///
    /// As [`Data::equals`], for an item of a list.
    pub(crate) fn contains(self, item: Self, item_text: &str) -> Result<bool, Fault> {
        match self {
            Self::Str(text) => Ok(text.contains(item_text)),
            Self::Map(members) => Ok(item.is_string() && members.get(item_text).is_some()),
            Self::List(items) => any_equals(items.iter().map(Self::from), item),
            Self::Views(items, _) => any_equals(items.iter().map(|view| view.data), item),
            _ => Ok(false),
        }
    }

    /// Writes the value as a template shows it: floats with six decimals, `True` and `False`, nothing for nil, lists
    /// and maps as JSON.
    ///
    /// # Errors
    ///
    /// When the buffer is full.
    #[inline]
    pub(crate) fn write(self, out: &mut Buffer) -> Result<(), Fault> {
        if let Self::Str(text) = self {
            return out.push_str(text);
        }
        match self {
            Self::Int(integer) => out.push_str(itoa::Buffer::new().format(integer)),
            other => other.write_rare(out),
        }
    }

    fn write_rare(self, out: &mut Buffer) -> Result<(), Fault> {
        match self {
            Self::Undefined | Self::Nil | Self::Macro(..) => Ok(()),
            Self::Bool(true) => out.push_str("True"),
            Self::Bool(false) => out.push_str("False"),
            Self::Float(float) => write_float(float, out),
            container => container.write_json(out),
        }
    }

    /// Writes the value as compact JSON, members in their order.
    ///
    /// # Errors
    ///
    /// When the buffer is full.
    pub(crate) fn write_json(self, out: &mut Buffer) -> Result<(), Fault> {
        match self {
            Self::Bool(bool) => out.push_str(if bool { "true" } else { "false" }),
            Self::Int(integer) => out.push_str(itoa::Buffer::new().format(integer)),
            Self::Float(float) if float.is_finite() => out.push_str(ryu_js::Buffer::new().format(float)),
            Self::Float(_) | Self::Undefined | Self::Nil | Self::Macro(..) => out.push_str("null"),
            Self::Str(text) => write_json_string(text, out),
            Self::List(items) => write_json_list(items.iter().map(Self::from), out),
            Self::Views(items, _) => write_json_list(items.iter().map(|view| view.data), out),
            Self::Map(members) => {
                write_json_map(members.iter().map(|(key, node)| (key, Self::from(node))), out)
            }
            Self::Loop(state) => {
                let plain = LoopField::ALL.into_iter().filter(|field| *field != LoopField::Parentloop);
                write_json_map(plain.map(|field| (field.as_str(), state.field(field))), out)
            }
        }
    }
}

fn any_equals<'a>(items: impl Iterator<Item = Data<'a>>, wanted: Data<'a>) -> Result<bool, Fault> {
    for item in items {
        if wanted.equals(item)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn write_float(float: f64, out: &mut Buffer) -> Result<(), Fault> {
    match (float.is_nan(), float.is_infinite()) {
        (true, _) => out.push_str("NaN"),
        (_, true) => out.push_str(if float > 0.0 { "+Inf" } else { "-Inf" }),
        _ => out.format(format_args!("{float:.6}")),
    }
}

fn write_json_string(text: &str, out: &mut Buffer) -> Result<(), Fault> {
    let mut quoted = String::with_capacity(text.len() + 2);
    write_string(&mut quoted, text);
    out.push_str(&quoted)
}

fn write_json_list<'a>(items: impl Iterator<Item = Data<'a>>, out: &mut Buffer) -> Result<(), Fault> {
    out.push_str("[")?;
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push_str(",")?;
        }
        item.write_json(out)?;
    }
    out.push_str("]")
}

fn write_json_map<'a>(
    members: impl Iterator<Item = (&'a str, Data<'a>)>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    out.push_str("{")?;
    for (index, (key, value)) in members.enumerate() {
        if index > 0 {
            out.push_str(",")?;
        }
        write_json_string(key, out)?;
        out.push_str(":")?;
        value.write_json(out)?;
    }
    out.push_str("}")
}

/// Reads a decimal number as a whole; 0 when it is none.
fn parse_float(text: &str) -> f64 {
    text.parse().unwrap_or(0.0)
}
