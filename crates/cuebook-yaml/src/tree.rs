//! YAML as it was written: values with the place of each.
//!
//! It owns the tree and the way from it to JSON. It refuses to know what a key means.

use cuebook_template::{Location, Source, Span};
use cuebook_wire::pointer::steps;
use indexmap::IndexMap;
use serde_json::{Map as JsonMap, Number, Value as Json};

/// A value at its place.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// The place, no longer than its first line.
    pub place: Location,
}

/// What YAML's core schema makes of a node.
#[derive(Clone, Debug)]
pub enum Value {
    /// Nothing: `null`, `~` or no text at all.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A finite number.
    Number(Number),
    /// A text.
    Text(String),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping.
    Map(Map),
}

/// The entries of a mapping in the order of the file.
pub type Map = IndexMap<String, Entry>;

/// A value with the place of its key.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The place of the key.
    pub key: Location,
    /// The value.
    pub node: Node,
}

impl Node {
    /// The entries of a mapping.
    pub fn map(&self) -> Option<&Map> {
        match &self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The node under `key` of a mapping.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.map()?.get(key).map(|entry| &entry.node)
    }

    /// The text of a text.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether it is nothing.
    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    /// The value as JSON; entries that are null are left out of mappings, since null removes.
    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(flag) => Json::Bool(*flag),
            Value::Number(number) => Json::Number(number.clone()),
            Value::Text(text) => Json::String(text.clone()),
            Value::List(items) => items.iter().map(Self::to_json).collect(),
            Value::Map(map) => Json::Object(object(map)),
        }
    }

    /// The place of a JSON pointer: of a scalar itself, else of its key, else of the nearest value around it.
    pub fn locate(&self, pointer: &str) -> Location {
        let (node, key) = self.walk(pointer);
        if node.is_scalar() { node.place.clone() } else { key.clone() }
    }

    /// The place of the key that a JSON pointer ends in.
    pub fn locate_key(&self, pointer: &str) -> Location {
        self.walk(pointer).1.clone()
    }

    /// The node that a JSON pointer leads to, as far as it goes, and the place of its key or, in a list, its own.
    fn walk(&self, pointer: &str) -> (&Self, &Location) {
        let mut node = self;
        let mut place = &self.place;
        for step in steps(pointer) {
            match &node.value {
                Value::Map(map) => {
                    let Some(entry) = map.get(&step) else { break };
                    (node, place) = (&entry.node, &entry.key);
                }
                Value::List(items) => {
                    let Some(item) = step.parse().ok().and_then(|at: usize| items.get(at)) else { break };
                    (node, place) = (item, &item.place);
                }
                _ => break,
            }
        }
        (node, place)
    }

    /// The node at a JSON pointer.
    pub fn at(&self, pointer: &str) -> Option<&Self> {
        steps(pointer).try_fold(self, |node, step| match &node.value {
            Value::List(items) => items.get(step.parse::<usize>().ok()?),
            _ => node.get(&step),
        })
    }

    fn is_scalar(&self) -> bool {
        !matches!(self.value, Value::Null | Value::List(_) | Value::Map(_))
    }
}

fn object(map: &Map) -> JsonMap<String, Json> {
    let present = map.iter().filter(|(_, entry)| !entry.node.is_null());
    present.map(|(key, entry)| (key.clone(), entry.node.to_json())).collect()
}

/// The place of `span` in `source`, cut at the end of its first line so that a caret fits.
pub(crate) fn place(source: &Source, span: Span) -> Location {
    Location { source: source.clone(), span: source.first_line(span) }
}
