//! The data a pongo template reads: named values, held in a form that rendering can borrow.
//!
//! It owns the tree of values and the counts that limits are held against, so that a render checks them without a
//! walk. It refuses secrets (a [`Value`] is JSON and trust, never a secret) and functions: a context is data.

use indexmap::IndexMap;
use serde_json::{Map as JsonMap, Number, Value as Json};

use super::limits::{LimitKind, Limits};
use crate::trust::Trust;
use crate::value::Value;

/// A value in a context.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(Box<str>),
    List(Box<[Self]>),
    Map(Box<Map>),
}

/// Members in the order in which they were given.
pub(crate) type Map = IndexMap<Box<str>, Node>;

/// A root name's value, and the trust of everything in it.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub(crate) node: Node,
    pub(crate) trust: Trust,
}

/// What a context holds, as the limits count it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    /// Bytes of all strings and keys.
    pub(crate) bytes: usize,
    /// Values of any kind.
    pub(crate) nodes: usize,
    /// Items of the longest list or map.
    pub(crate) longest: usize,
    /// Lists and maps within each other; a plain value has depth 0.
    pub(crate) depth: usize,
}

/// Named values for a render.
#[derive(Clone, Debug, Default)]
pub struct Context {
    roots: IndexMap<Box<str>, Root>,
    size: Size,
}

impl Context {
    /// A context without names.
    pub fn new() -> Self {
        Self::default()
    }

    /// A context with the members of a JSON object, all of the same trust; envelopes in it are opened as by
    /// [`Value::from_tagged`].
    pub fn from_json(members: JsonMap<String, Json>, trust: Trust) -> Self {
        let mut context = Self::new();
        for (name, json) in members {
            context.insert(name, Value::from_tagged(json, trust));
        }
        context
    }

    /// Gives `name` a value; an earlier one is replaced, and goes on counting towards the limits.
    ///
    /// Integers beyond the range of `i64` become floats.
    pub fn insert(&mut self, name: impl Into<Box<str>>, value: Value) {
        let name = name.into();
        let trust = value.trust();
        self.size.bytes += name.len();
        let node = measure(value.into_json(), 0, &mut self.size);
        self.roots.insert(name, Root { node, trust });
    }

    /// The names, in the order in which they were first given.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.roots.keys().map(AsRef::as_ref)
    }

    /// The value of `name`; `hint` is where it stood the last time.
    pub(crate) fn get(&self, name: &str, hint: usize) -> Option<(usize, &Root)> {
        find(&self.roots, name, hint)
    }

    /// The first limit that the context is beyond, with what was seen.
    pub(crate) fn excess(&self, limits: &Limits) -> Option<(LimitKind, usize)> {
        let size = self.size;
        let counts = [
            (LimitKind::ContextBytes, size.bytes),
            (LimitKind::ContextValues, size.nodes),
            (LimitKind::ContextDepth, size.depth),
            (LimitKind::LoopItems, size.longest),
        ];
        counts.into_iter().find(|&(kind, seen)| seen > limits.get(kind))
    }
}

/// The member called `key`, looked for at `hint` first.
pub(crate) fn find<'a, V>(
    members: &'a IndexMap<Box<str>, V>,
    key: &str,
    hint: usize,
) -> Option<(usize, &'a V)> {
    match members.get_index(hint) {
        Some((found, value)) if **found == *key => Some((hint, value)),
        _ => members.get_full(key).map(|(index, _, value)| (index, value)),
    }
}

fn measure(json: Json, depth: usize, size: &mut Size) -> Node {
    size.nodes += 1;
    size.depth = size.depth.max(depth);
    match json {
        Json::Null => Node::Nil,
        Json::Bool(bool) => Node::Bool(bool),
        Json::Number(number) => measure_number(&number),
        Json::String(text) => {
            size.bytes += text.len();
            Node::Str(text.into_boxed_str())
        }
        Json::Array(items) => {
            size.longest = size.longest.max(items.len());
            size.depth = size.depth.max(depth + 1);
            Node::List(items.into_iter().map(|item| measure(item, depth + 1, size)).collect())
        }
        Json::Object(members) => measure_map(members, depth, size),
    }
}

fn measure_map(members: JsonMap<String, Json>, depth: usize, size: &mut Size) -> Node {
    size.longest = size.longest.max(members.len());
    size.depth = size.depth.max(depth + 1);
    let member = |(key, value): (String, Json)| {
        size.bytes += key.len();
        (key.into_boxed_str(), measure(value, depth + 1, size))
    };
    Node::Map(Box::new(members.into_iter().map(member).collect()))
}

fn measure_number(number: &Number) -> Node {
    match number.as_i64() {
        Some(integer) => Node::Int(integer),
        None => Node::Float(number.as_f64().unwrap_or_default()),
    }
}
