//! Ranges of rendered text, each with where it came from.
//!
//! It owns that a unit which stands in a template keeps the origins and the trust of its own ranges.

use std::sync::Arc;

use cuebook_template::pongo::Segment;
use cuebook_template::{Trust, Value};
use indexmap::IndexMap;

use super::UNITS;
use crate::compound::JOINT;

/// A range of a rendered layered template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) text: String,
    /// The file that it stands in or that asked for the value.
    pub(crate) file: Arc<str>,
    /// The layer that the file was found in.
    pub(crate) layer: Option<Arc<str>>,
    /// The 1-based line there.
    pub(crate) line: usize,
    /// The path of the value, when it is one.
    pub(crate) name: Option<String>,
    pub(crate) trust: Trust,
}

/// The ranges of `text`.
pub(super) fn pieces_of(text: &str, segments: Vec<Segment>) -> Vec<Piece> {
    segments.into_iter().map(|segment| piece(text, segment)).collect()
}

fn piece(text: &str, segment: Segment) -> Piece {
    let source = &segment.location.source;
    Piece {
        text: text[segment.range].to_owned(),
        file: Arc::clone(source.name()),
        layer: source.layer().map(Arc::from),
        line: segment.location.position().line,
        name: segment.name,
        trust: segment.trust,
    }
}

/// The ranges without the white space at both ends of their text.
pub(super) fn trimmed(mut pieces: Vec<Piece>) -> Vec<Piece> {
    while let Some(last) = pieces.last_mut() {
        last.text.truncate(last.text.trim_end().len());
        if !last.text.is_empty() {
            break;
        }
        pieces.pop();
    }
    let first = pieces.iter().position(|piece| !piece.text.trim().is_empty()).unwrap_or(pieces.len());
    pieces.drain(..first);
    if let Some(piece) = pieces.first_mut() {
        let blank = piece.text.len() - piece.text.trim_start().len();
        piece.line += piece.text[..blank].matches('\n').count();
        piece.text.drain(..blank);
    }
    pieces
}

/// Puts a unit behind others, a blank line between them; an empty one leaves no trace.
pub(super) fn join(joined: &mut Vec<Piece>, unit: Vec<Piece>) {
    let Some(first) = unit.first() else { return };
    if !joined.is_empty() {
        joined.push(Piece { text: JOINT.to_owned(), name: None, trust: Trust::Trusted, ..first.clone() });
    }
    joined.extend(unit);
}

/// The texts of all slots as one value, which has the trust of them all.
pub(super) fn as_value(slots: &IndexMap<String, Vec<Piece>>) -> Value {
    let members = slots.iter().map(|(slot, pieces)| (slot.clone(), text_of(pieces).into())).collect();
    let trust = slots.values().flatten().fold(Trust::Trusted, |trust, piece| trust.join(piece.trust));
    Value::new(serde_json::Value::Object(members), trust)
}

/// The same text with the units' own ranges where a whole slot was put out.
pub(super) fn splice(pieces: Vec<Piece>, slots: &IndexMap<String, Vec<Piece>>) -> Vec<Piece> {
    let mut spliced = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match slot_of(&piece, slots) {
            Some(unit) => spliced.extend(unit.iter().cloned()),
            None => spliced.push(piece),
        }
    }
    spliced
}

fn slot_of<'s>(piece: &Piece, slots: &'s IndexMap<String, Vec<Piece>>) -> Option<&'s [Piece]> {
    let slot = piece.name.as_deref()?.strip_prefix(UNITS)?.strip_prefix('.')?;
    let unit = slots.get(slot)?;
    (text_of(unit) == piece.text).then_some(unit)
}

fn text_of(pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| &*piece.text).collect()
}
