//! Composition: one text with two faces.
//!
//! The *dispatch* face is what the model gets; the *observed* face has markers in place of secrets and is all that
//! hashes, events and people see. The observed face is written in one pass, inserted values are never scanned again, and
//! the dispatch face is the observed one with every secret in the place of its marker.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use cuebook_template::flat::Sink;
use cuebook_template::{Source as TextSource, Span};
use cuebook_wire::PromptKind;
use cuebook_wire::payload::CompositionKind;

use crate::bind::{Bindings, Bound, BoundValue};
use crate::compound::{Compound, JOINT};
use crate::dispatch::{Dispatch, Sent};
use crate::hash::ContentHash;
use crate::markers::wrap_untrusted;
use crate::observed::{BodyFacts, Observed, VariableTable};
use crate::pinned::{Blocks, Body, SharedPin, StaticPlace};
use crate::recall::used_secrets;
use crate::secret::{SecretId, SecretText};
use crate::segment::{Origin, Segment};

/// The values of the secrets that a composition needs; one that is missing shows as its marker on both faces.
pub type SecretValues = BTreeMap<SecretId, SecretText>;

/// One text of a composition with its bound variables.
#[derive(Debug)]
pub struct Part {
    /// The text.
    pub pinned: SharedPin,
    /// The slot that decides its place.
    pub slot: Slot,
    /// Its variables.
    pub bindings: Bindings,
}

/// The place a text was named for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The winner of the chain for a kind.
    Chain(PromptKind),
    /// An inline body of a kind; it is in no list of refs.
    Inline(PromptKind),
    /// An additional ref; it ends the body of its own kind.
    Additional(PromptKind),
}

impl Slot {
    /// Orders refs and texts: system, schema-hint, few-shot, user, then additional.
    fn rank(self) -> u8 {
        match self {
            Self::Chain(kind) | Self::Inline(kind) => match kind {
                PromptKind::System => 0,
                PromptKind::SchemaHint => 1,
                PromptKind::FewShot => 2,
                PromptKind::User => 3,
            },
            Self::Additional(_) => 4,
        }
    }

    fn is_system_body(self) -> bool {
        let (Self::Chain(kind) | Self::Inline(kind) | Self::Additional(kind)) = self;
        matches!(kind, PromptKind::System | PromptKind::SchemaHint)
    }
}

/// A composed prompt: what is sent, and what may be seen of it.
#[expect(missing_debug_implementations, reason = "the dispatch face holds secrets")]
pub struct Composition {
    /// What the model gets.
    pub dispatch: Dispatch,
    /// What may be logged.
    pub observed: Observed,
}

/// Composes `parts`; `None` when there are none.
pub fn compose(mut parts: Vec<Part>, secrets: &SecretValues) -> Option<Composition> {
    parts.sort_by_key(|part| part.slot.rank());
    let mut writer = Writer::new(secrets, &parts);
    let system = writer.write_body(parts.iter().filter(|part| part.slot.is_system_body()));
    let user = writer.write_body(parts.iter().filter(|part| !part.slot.is_system_body()));
    let kind = match (&system, &user) {
        (Some(_), Some(_)) => CompositionKind::SystemAndUser,
        (Some(_), None) => CompositionKind::SystemOnly,
        (None, Some(_)) => CompositionKind::UserOnly,
        (None, None) => return None,
    };
    let (system, system_sent) = system.unzip();
    let (user, user_sent) = user.unzip();
    let listed = |part: &&Part| !matches!(part.slot, Slot::Inline(_));
    let refs = parts.iter().filter(listed).map(|part| part.pinned.reference.clone()).collect();
    let secrets = used_secrets(&parts);
    let table = VariableTable::of(parts);
    let observed = Observed {
        kind,
        refs,
        hash: writer.hash(),
        composed: writer.observed,
        system,
        user,
        content_trust: table.trust(),
        variables: table,
        segments: writer.segments,
        bodies: writer.bodies,
        secrets,
    };
    Some(Composition { dispatch: Dispatch::of(system_sent, user_sent), observed })
}

/// About how many bytes the parts come to: their texts, and the values as far as they are texts.
fn length_of(parts: &[Part]) -> usize {
    let text = |part: &Part| match &part.pinned.body {
        Body::Template(program) => program.source().text().len(),
        Body::Static { text, .. } => text.text().len(),
        Body::Layered(_) | Body::Compound(_) | Body::Blocks(_) => 0,
    };
    let values = |part: &Part| part.bindings.variables.iter().map(value_length).sum::<usize>();
    parts.iter().map(|part| text(part) + values(part)).sum()
}

/// About how many bytes a value comes to: what is no text is taken to be short.
fn value_length(bound: &Bound) -> usize {
    const SHORT: usize = 32;
    match &bound.value {
        BoundValue::Plain(value) => SHORT + value.json().as_str().map_or(0, str::len),
        BoundValue::Secret(_) => SHORT,
        BoundValue::Empty => 0,
    }
}

/// Writes the observed face with its source map, and makes the dispatch face from it.
struct Writer<'a> {
    secrets: &'a SecretValues,
    observed: String,
    segments: Vec<Segment>,
    bodies: Vec<BodyFacts>,
    /// The markers of the body that is being written, each with the secret it stands for.
    hidden: Vec<(Range<usize>, &'a SecretText)>,
}

impl<'a> Writer<'a> {
    /// Begins with room for what `parts` come to: mostly text, a value, text, and so on.
    fn new(secrets: &'a SecretValues, parts: &[Part]) -> Self {
        let pieces = parts.iter().map(|part| 2 * part.bindings.variables.len() + 2).sum();
        Self {
            secrets,
            observed: String::with_capacity(length_of(parts)),
            segments: Vec::with_capacity(pieces),
            bodies: Vec::with_capacity(parts.len()),
            hidden: Vec::new(),
        }
    }

    /// The hash of the observed text; of a single text that is its own.
    fn hash(&self) -> ContentHash {
        match self.bodies.as_slice() {
            [only] => only.hash.clone(),
            _ => ContentHash::of(&self.observed),
        }
    }

    /// Writes the parts of one body; gives its range in the observed text and what is sent of it.
    fn write_body<'p>(&mut self, parts: impl Iterator<Item = &'p Part>) -> Option<(Range<usize>, Sent)> {
        let mut start = None;
        for part in parts {
            if !self.bodies.is_empty() {
                self.write_plain(JOINT, Origin::Joint);
            }
            start.get_or_insert(self.observed.len());
            self.write_part(part);
        }
        let body = start?..self.observed.len();
        let hidden = std::mem::take(&mut self.hidden);
        let sent = Sent::of(&self.observed, body.clone(), &hidden);
        Some((body, sent))
    }

    fn write_part(&mut self, part: &Part) {
        let start = self.observed.len();
        match &part.pinned.body {
            Body::Template(program) => {
                let reference = part.pinned.reference.as_str().into();
                program.render(&mut PartSink { writer: self, part, reference, source: program.source() });
            }
            Body::Layered(_) => self.write_layered(part),
            Body::Static { text, place } => self.write_static(text, *place),
            Body::Compound(compound) => self.write_compound(compound),
            Body::Blocks(blocks) => self.write_blocks(blocks, part),
        }
        let text = &self.observed[start..];
        self.bodies.push(BodyFacts::of(&part.pinned, ContentHash::of(text)));
    }

    /// Writes a rendered template; what came from an untrusted value is wrapped, each range by itself.
    fn write_layered(&mut self, part: &Part) {
        let reference = part.pinned.reference.as_str().into();
        for piece in &part.bindings.pieces {
            let origin = part.bindings.origin_of(piece, &reference);
            if piece.trust.is_untrusted() {
                self.write_untrusted(&piece.text, origin);
            } else {
                self.write_plain(&piece.text, origin);
            }
        }
    }

    fn write_untrusted(&mut self, text: &str, origin: Origin) {
        let start = self.observed.len();
        wrap_untrusted(text, &mut self.observed);
        self.end_segment(start, origin);
    }

    fn write_static(&mut self, text: &TextSource, place: StaticPlace) {
        let name = text.name().to_string();
        let origin = match place {
            StaticPlace::File => Origin::File { path: name, line: 1, layer: None },
            StaticPlace::Field => Origin::Inline { field: name, line: 1 },
        };
        self.write_plain(text.text(), origin);
    }

    fn write_compound(&mut self, compound: &Compound) {
        for (at, part) in compound.parts().iter().enumerate() {
            if at > 0 {
                self.write_plain(JOINT, Origin::Joint);
            }
            let path = part.source().name().to_string();
            self.write_plain(part.text(), Origin::File { path, line: part.line(), layer: None });
        }
    }

    /// Writes each value between its name's tags; the tags are the project's, the value may be untrusted.
    fn write_blocks(&mut self, blocks: &Blocks, part: &Part) {
        let tag = || Origin::Inline { field: blocks.field.clone(), line: 1 };
        let reference = part.pinned.reference.as_str().into();
        for (at, bound) in part.bindings.variables.iter().enumerate() {
            if at > 0 {
                self.write_plain(JOINT, Origin::Joint);
            }
            let name = &bound.name;
            self.write_plain(&format!("<{name}>\n"), tag());
            self.write_bound(bound, bound.origin(&reference, 1));
            self.write_plain(&format!("\n</{name}>"), tag());
        }
    }

    fn write_plain(&mut self, text: &str, origin: Origin) {
        let start = self.observed.len();
        self.observed.push_str(text);
        self.end_segment(start, origin);
    }

    /// Says where the bytes from `start` on came from.
    fn end_segment(&mut self, start: usize, origin: Origin) {
        self.segments.push(Segment { start, end: self.observed.len(), origin });
    }

    fn write_bound(&mut self, bound: &Bound, origin: Origin) {
        match &bound.value {
            BoundValue::Secret(id) => self.write_secret(id, origin),
            BoundValue::Plain(value) if value.trust().is_untrusted() => {
                self.write_untrusted(&value.text(), origin);
            }
            value => self.write_plain(&value.observed_text(), origin),
        }
    }

    fn write_secret(&mut self, id: &SecretId, origin: Origin) {
        let start = self.observed.len();
        self.write_plain(&id.marker(), origin);
        if let Some(secret) = self.secrets.get(id) {
            self.hidden.push((start..self.observed.len(), secret));
        }
    }
}

/// Receives one template's literals and slots.
struct PartSink<'w, 'a, 'p> {
    writer: &'w mut Writer<'a>,
    part: &'p Part,
    reference: Arc<str>,
    source: &'p TextSource,
}

impl PartSink<'_, '_, '_> {
    fn line(&self, span: Span) -> usize {
        self.source.position(span.start).line
    }
}

impl Sink for PartSink<'_, '_, '_> {
    fn literal(&mut self, text: &str, span: Span) {
        let origin = Origin::Template { reference: Arc::clone(&self.reference), line: self.line(span) };
        self.writer.write_plain(text, origin);
    }

    fn slot(&mut self, slot: usize, span: Span) {
        let Some(bound) = self.part.bindings.variables.get(slot) else { return };
        let origin = bound.origin(&self.reference, self.line(span));
        self.writer.write_bound(bound, origin);
    }
}
