//! Maps whose keys are shared.
//!
//! The rows of a table are maps with the same keys. Here they share them: a map is a *shape*, which knows the keys and
//! their order, and the values. It owns the look-up; it refuses to change once it is made.

use std::collections::HashMap;
use std::sync::Arc;

use super::context::Node;
use super::word::Word;

/// Keys up to which a look-up reads them one by one.
const FEW: usize = 8;

/// Members in the order in which they were given.
#[derive(Clone, Debug)]
pub(crate) struct Map {
    shape: Arc<Shape>,
    values: Box<[Node]>,
}

/// The keys of one or many maps.
#[derive(Debug)]
pub(crate) struct Shape {
    names: Box<[Word]>,
    /// Where each key stands, when there are many.
    index: HashMap<Word, usize>,
}

impl Map {
    /// A map of `values`, one for each key of `shape`.
    pub(crate) fn new(shape: Arc<Shape>, values: Box<[Node]>) -> Self {
        Self { shape, values }
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub(crate) fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.shape.names.iter().map(Word::as_str)
    }

    /// The key at `place`.
    pub(crate) fn key(&self, place: usize) -> Option<&str> {
        self.shape.names.get(place).map(Word::as_str)
    }

    pub(crate) fn values(&self) -> std::slice::Iter<'_, Node> {
        self.values.iter()
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Node)> {
        self.keys().zip(&self.values)
    }

    /// The value of `key` if it stands at `place`.
    #[inline]
    pub(crate) fn at(&self, place: usize, key: &Word) -> Option<&Node> {
        let name = self.shape.names.get(place)?;
        if name == key { self.values.get(place) } else { None }
    }

    /// The value of `key`, and its place.
    pub(crate) fn find(&self, key: &Word) -> Option<(usize, &Node)> {
        let place = self.shape.place(key)?;
        Some((place, self.values.get(place)?))
    }

    /// The value of `key`.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.find(&Word::from(key)).map(|(_, value)| value)
    }
}

impl Shape {
    /// A shape of distinct keys.
    pub(crate) fn new(names: Box<[Word]>) -> Self {
        let many = names.len() > FEW;
        let index = if many { names.iter().cloned().zip(0..).collect() } else { HashMap::new() };
        Self { names, index }
    }

    /// Whether it has exactly these keys, in this order.
    pub(crate) fn is_of<'k>(&self, keys: impl ExactSizeIterator<Item = &'k String>) -> bool {
        keys.len() == self.names.len() && keys.zip(&self.names).all(|(key, name)| *key == name.as_str())
    }

    fn place(&self, key: &Word) -> Option<usize> {
        if self.names.len() > FEW {
            return self.index.get(key).copied();
        }
        self.names.iter().position(|name| name == key)
    }
}
