//! The values of a context, in the form that its dialect reads.

use std::collections::BTreeMap;

use cuebook_template::pongo::Context;
use cuebook_template::{Trust, Value, nearest};
use serde_json::{Map, Value as Json};

use super::renderer::Dialect;

/// Named values. Those without a trust envelope are the author's own, and trusted.
#[derive(Clone, Debug)]
pub(super) enum Data {
    Pongo(Context),
    Mustache(BTreeMap<String, Value>),
}

impl Data {
    pub(super) fn new(dialect: Dialect, members: Map<String, Json>) -> Self {
        let data = match dialect {
            Dialect::Pongo => Self::Pongo(Context::new()),
            Dialect::Mustache => Self::Mustache(BTreeMap::new()),
        };
        data.with(members)
    }

    /// The same values, and `members` in the place of those of the same names.
    pub(super) fn with(mut self, members: Map<String, Json>) -> Self {
        for (name, json) in members {
            let value = Value::from_tagged(json, Trust::Trusted);
            match &mut self {
                Self::Pongo(context) => context.insert(name, value),
                Self::Mustache(values) => drop(values.insert(name, value)),
            }
        }
        self
    }

    /// The names, in no order that matters.
    pub(super) fn names(&self) -> Vec<&str> {
        match self {
            Self::Pongo(context) => context.names().collect(),
            Self::Mustache(values) => values.keys().map(String::as_str).collect(),
        }
    }

    /// The name that was probably meant by `name`.
    pub(super) fn nearest(&self, name: &str) -> Option<String> {
        nearest(name, self.names()).map(str::to_owned)
    }
}
