//! TOML with places.

use cuebook_template::{Diagnostic, Source, Span};
use cuebook_wire::ErrorCode;
use serde_json::Value as Json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{first_line, steps};
use crate::report::Problems;

/// Parses the part `within` of a text; `code` is that of a syntax error.
pub(super) fn parse(source: &Source, within: Span, code: ErrorCode) -> Result<Json, Problems> {
    let text = source.slice(within).unwrap_or_default();
    toml::from_str::<Json>(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        let span = Span::new(within.start + span.start, within.start + span.end);
        let message = format!("this is not TOML: {}", error.message());
        Diagnostic::error(code.as_str(), message).at(source, first_line(source, span)).into()
    })
}

/// The place of a pointer in the part `within` of a text.
pub(super) fn locate(source: &Source, within: Span, pointer: &str) -> Span {
    let text = source.slice(within).unwrap_or_default();
    let Ok(table) = DeTable::parse(text) else { return first_line(source, within) };
    let mut span = None;
    let mut open = Some(Node::Table(table.get_ref()));
    for step in steps(pointer) {
        let Some((inner, place)) = open.take().and_then(|node| node.descend(&step)) else { break };
        span = Some(place);
        open = inner;
    }
    let span = span.map_or(within, |span| Span::new(within.start + span.start, within.start + span.end));
    first_line(source, span)
}

#[derive(Clone, Copy)]
enum Node<'t> {
    Table(&'t DeTable<'t>),
    Array(&'t [Spanned<DeValue<'t>>]),
}

impl<'t> Node<'t> {
    /// One step further in: what is there to descend into, and the place.
    fn descend(self, step: &str) -> Option<(Option<Node<'t>>, std::ops::Range<usize>)> {
        match self {
            Node::Table(table) => {
                let (key, value) = table.iter().find(|(key, _)| key.get_ref() == step)?;
                let (key, whole) = (key.span(), value.span());
                let place = key.start.min(whole.start)..key.end.max(whole.end);
                Some((Node::of(value.get_ref()), place))
            }
            Node::Array(items) => {
                let value = items.get(step.parse::<usize>().ok()?)?;
                Some((Node::of(value.get_ref()), value.span()))
            }
        }
    }

    fn of(value: &'t DeValue<'t>) -> Option<Self> {
        match value {
            DeValue::Table(table) => Some(Node::Table(table)),
            DeValue::Array(items) => Some(Node::Array(items)),
            _ => None,
        }
    }
}
