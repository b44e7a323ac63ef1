//! The data a pongo template reads: named values, held in a form that rendering can borrow.
//!
//! It owns the tree of values and the counts that limits are held against, so that a render checks them without a
//! walk. It refuses secrets (a [`Value`] is JSON and trust, never a secret) and functions: a context is data.

use std::collections::VecDeque;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Map as JsonMap, Number, Value as Json};

use super::limits::{LimitKind, Limits};
use super::map::{Map, Shape};
use super::word::Word;
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

/// Shapes that a new map is compared with.
const RECENT_SHAPES: usize = 8;

/// Named values for a render.
#[derive(Clone, Debug, Default)]
pub struct Context {
    roots: IndexMap<Word, Root>,
    size: Size,
    /// The shapes that were made last; rows of a table come one after the other.
    shapes: VecDeque<Arc<Shape>>,
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
        let node = self.measure(value.into_json(), 0);
        self.roots.insert(name.into(), Root { node, trust });
    }

    /// The names, in the order in which they were first given.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.roots.keys().map(Word::as_str)
    }

    /// The value of `name`; `hint` is where it stood the last time.
    pub(crate) fn get(&self, name: &Word, hint: usize) -> Option<(usize, &Root)> {
        match self.roots.get_index(hint) {
            Some((found, root)) if found == name => Some((hint, root)),
            _ => self.roots.get_full(name).map(|(index, _, root)| (index, root)),
        }
    }

    fn measure(&mut self, json: Json, depth: usize) -> Node {
        self.size.nodes += 1;
        self.size.depth = self.size.depth.max(depth);
        match json {
            Json::Null => Node::Nil,
            Json::Bool(bool) => Node::Bool(bool),
            Json::Number(number) => measure_number(&number),
            Json::String(text) => {
                self.size.bytes += text.len();
                Node::Str(text.into_boxed_str())
            }
            Json::Array(items) => {
                self.enter(items.len(), depth);
                Node::List(items.into_iter().map(|item| self.measure(item, depth + 1)).collect())
            }
            Json::Object(members) => {
                self.enter(members.len(), depth);
                self.size.bytes += members.keys().map(String::len).sum::<usize>();
                let shape = self.shape_of(&members);
                let values = members.into_iter().map(|(_, member)| self.measure(member, depth + 1)).collect();
                Node::Map(Box::new(Map::new(shape, values)))
            }
        }
    }

    fn enter(&mut self, items: usize, depth: usize) {
        self.size.longest = self.size.longest.max(items);
        self.size.depth = self.size.depth.max(depth + 1);
    }

    /// A shape with the keys of `members`, shared with others where one was made lately.
    fn shape_of(&mut self, members: &JsonMap<String, Json>) -> Arc<Shape> {
        if let Some(shape) = self.shapes.iter().find(|shape| shape.is_of(members.keys())) {
            return Arc::clone(shape);
        }
        let shape = Arc::new(Shape::new(members.keys().map(|key| Word::from(key.as_str())).collect()));
        self.shapes.truncate(RECENT_SHAPES - 1);
        self.shapes.push_front(Arc::clone(&shape));
        shape
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

fn measure_number(number: &Number) -> Node {
    match number.as_i64() {
        Some(integer) => Node::Int(integer),
        None => Node::Float(number.as_f64().unwrap_or_default()),
    }
}
