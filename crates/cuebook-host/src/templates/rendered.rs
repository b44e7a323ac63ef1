//! What a render gives, and its forms for people and machines.

use cuebook_template::Trust;
use cuebook_template::pongo::Segment;
use serde_json::{Value as Json, json};

use crate::report::{Problems, place};

/// A rendered template.
#[derive(Clone, Debug)]
pub struct RenderedTemplate {
    /// The text, byte for byte.
    pub text: String,
    /// Untrusted when any value in it is.
    pub trust: Trust,
    /// Where each range of the text came from, if that was asked for; in order, covering the text.
    pub segments: Option<Vec<Segment>>,
    /// What works and is probably not as meant.
    pub warnings: Problems,
}

impl RenderedTemplate {
    /// As JSON: `output`, `trust`, `warnings`, and `segments` if there are any to tell of.
    pub fn to_json(&self) -> Json {
        let mut facts = json!({ "output": self.text, "trust": self.trust.as_str() });
        self.add_segments(&mut facts);
        facts["warnings"] = self.warnings.to_json();
        facts
    }

    /// As a line of a batch: `output`, and `segments` if there are any to tell of.
    pub(super) fn to_line(&self) -> Json {
        let mut facts = json!({ "output": self.text });
        self.add_segments(&mut facts);
        facts
    }

    fn add_segments(&self, facts: &mut Json) {
        if let Some(segments) = &self.segments {
            facts["segments"] = segments.iter().map(segment_json).collect();
        }
    }
}

/// `start` and `end` in bytes of the text, the place that made it, the `name` of a value, and its `trust`.
fn segment_json(segment: &Segment) -> Json {
    let mut facts = json!({ "start": segment.range.start, "end": segment.range.end });
    if let Json::Object(facts) = &mut facts {
        facts.extend(place(&segment.location));
    }
    if let Some(name) = &segment.name {
        facts["name"] = name.as_str().into();
    }
    facts["trust"] = segment.trust.as_str().into();
    facts
}

/// A segment on one line, its columns parted by tabs: `start..end`, `file:line:column`, the name or `-`, the trust.
pub fn segment_line(segment: &Segment) -> String {
    let name = segment.name.as_deref().unwrap_or("-");
    let (start, end) = (segment.range.start, segment.range.end);
    format!("{start}..{end}\t{}\t{name}\t{}", segment.location, segment.trust.as_str())
}
