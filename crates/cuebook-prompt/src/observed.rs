//! The observed face of a composition and the payload and record made of it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use cuebook_template::Trust;
use cuebook_wire::payload::{CompositionKind, ContentTrust, PromptComposed};
use cuebook_wire::{LibraryId, NodeId, Observability, PromptKind, VariableSource, Version};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::bind::{Bound, BoundValue};
use crate::compose::Part;
use crate::hash::ContentHash;
use crate::pinned::{Pin, Pinned};
use crate::recall::UsedSecret;
use crate::segment::Segment;

/// What may be seen of a composition.
#[derive(Clone, Debug)]
pub struct Observed {
    /// Which bodies there are.
    pub kind: CompositionKind,
    /// The pinned refs in order: system, schema-hint, few-shot, user, additional.
    pub refs: Vec<String>,
    /// The hash of `composed`.
    pub hash: ContentHash,
    /// The system and user bodies, joined by a blank line.
    pub composed: String,
    /// The bytes of the system body.
    pub system: Option<Range<usize>>,
    /// The bytes of the user body.
    pub user: Option<Range<usize>>,
    /// Untrusted if anything in it is.
    pub content_trust: Trust,
    /// The variables of all texts.
    pub variables: VariableTable,
    /// Where every byte of `composed` came from.
    pub segments: Vec<Segment>,
    /// One entry a text, in the order of the composed text.
    pub bodies: Vec<BodyFacts>,
    /// The secrets that its variables are bound to.
    pub secrets: Vec<UsedSecret>,
}

/// One text of a composition: its identity and the hash of what it became.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyFacts {
    /// The pinned ref, or the name of the inline field.
    pub reference: String,
    /// The kind the text was written for.
    pub kind: PromptKind,
    /// The library that had it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<LibraryId>,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// The hash of the text as written, with kind and variables.
    pub content_hash: ContentHash,
    /// The hash of the text as composed; equal to that of `:render`.
    pub hash: ContentHash,
}

impl Observed {
    /// The text without what untrusted values put there.
    pub fn trusted_text(&self) -> String {
        let trusted = self.segments.iter().filter(|segment| !segment.origin.is_untrusted());
        trusted.filter_map(|segment| self.composed.get(segment.start..segment.end)).collect()
    }
}

impl BodyFacts {
    pub(crate) fn of(pinned: &Pinned, hash: ContentHash) -> Self {
        Self {
            reference: pinned.reference.clone(),
            kind: pinned.kind,
            library: pinned.library.clone(),
            version: pinned.version.clone(),
            content_hash: pinned.content_hash.clone(),
            hash,
        }
    }
}

/// The variables of a composition under the names that the event gives them, in the order of these.
#[derive(Clone, Debug, Default)]
pub struct VariableTable(Vec<(Arc<str>, Bound)>);

/// What the record keeps of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariableFacts {
    /// Where its value came from.
    pub source: VariableSource,
    /// Whether the value may be trusted.
    pub trust: Trust,
    /// Whether it is a secret.
    pub secret: bool,
    /// Whether it had no value.
    pub empty: bool,
}

impl VariableTable {
    /// Puts the variables of all texts together: one plain entry where the values of a name agree, else one entry
    /// `<templateId>.<name>` for each text (`<templateId>@<version>.<name>` for another version of a template, and
    /// `<templateId>@<version>#<n>.<name>` where a text comes in more than once). No entry takes another's place.
    pub fn of(mut parts: Vec<Part>) -> Self {
        match parts.as_mut_slice() {
            [only] => Self::of_one(std::mem::take(&mut only.bindings.variables)),
            _ => Self::of_several(parts),
        }
    }

    /// Of one text, which has each name once.
    fn of_one(variables: Vec<Bound>) -> Self {
        let mut table: Vec<_> = variables.into_iter().map(|bound| (Arc::clone(&bound.name), bound)).collect();
        table.sort_unstable_by(|(name, _), (other, _)| name.cmp(other));
        Self(table)
    }

    fn of_several(parts: Vec<Part>) -> Self {
        let disputed = disputed(&parts);
        let mut table = BTreeMap::new();
        for part in parts {
            for bound in part.bindings.variables {
                let key = if disputed.contains(&bound.name) {
                    disputed_key(&table, &part.pinned.reference, &bound).into()
                } else {
                    Arc::clone(&bound.name)
                };
                table.insert(key, bound);
            }
        }
        Self(table.into_iter().collect())
    }

    /// Untrusted if any value is.
    pub fn trust(&self) -> Trust {
        self.0.iter().fold(Trust::Trusted, |trust, (_, bound)| trust.join(bound.value.trust()))
    }

    /// The bound values, secrets as their markers.
    pub fn bindings(&self) -> Map<String, Json> {
        self.0.iter().map(|(name, bound)| (name.to_string(), bound.value.observed_json())).collect()
    }

    /// The hash of each value's text; for a secret, of its marker.
    pub fn hashes(&self) -> impl Iterator<Item = (&str, ContentHash)> {
        self.iter().map(|(name, bound)| (name, ContentHash::of(&bound.value.observed_text())))
    }

    /// The variables by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Bound)> {
        self.0.iter().map(|(name, bound)| (&**name, bound))
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    fn facts(&self) -> BTreeMap<String, VariableFacts> {
        let facts = |bound: &Bound| VariableFacts {
            source: bound.source,
            trust: bound.value.trust(),
            secret: matches!(bound.value, BoundValue::Secret(_)),
            empty: bound.value == BoundValue::Empty,
        };
        self.0.iter().map(|(name, bound)| (name.to_string(), facts(bound))).collect()
    }
}

/// The names that have several values.
fn disputed(parts: &[Part]) -> BTreeSet<Arc<str>> {
    let all = parts.iter().flat_map(|part| &part.bindings.variables);
    let mut seen: BTreeMap<&str, &Bound> = BTreeMap::new();
    let differing = all.filter(|bound| seen.entry(&bound.name).or_insert(bound).value != bound.value);
    differing.map(|bound| Arc::clone(&bound.name)).collect()
}

/// The first free name of a disputed variable; one that holds the same value is as good as free.
fn disputed_key(table: &BTreeMap<Arc<str>, Bound>, reference: &str, bound: &Bound) -> String {
    let full = reference.strip_prefix("prompt:").unwrap_or(reference);
    let id = full.split('@').next().unwrap_or(full);
    let prefixes = [id.to_owned(), full.to_owned()].into_iter();
    let keys = prefixes.chain((2..=usize::MAX).map(|occurrence| format!("{full}#{occurrence}")));
    let mut keys = keys.map(|prefix| format!("{prefix}.{}", bound.name));
    let free = |key: &String| table.get(key.as_str()).is_none_or(|other| other.value == bound.value);
    keys.find(free).unwrap_or_default()
}

/// The private part of `prompt.composed`: what the closed payload cannot carry; no text and no value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompositionRecord {
    /// The length of the composed text in bytes.
    pub length: usize,
    /// The bytes of the system body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<Range<usize>>,
    /// The bytes of the user body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<Range<usize>>,
    /// The texts.
    pub bodies: Vec<BodyFacts>,
    /// The source map.
    pub segments: Vec<Segment>,
    /// Trust and secrecy of each variable.
    pub variables: BTreeMap<String, VariableFacts>,
    /// Versions fixed by this composition for the rest of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<Pin>,
    /// The secrets that its variables are bound to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<UsedSecret>,
}

fn owned((name, hash): (&str, ContentHash)) -> (String, String) {
    (name.to_owned(), hash.into_string())
}

impl Observed {
    /// The observed system body.
    pub fn system_text(&self) -> Option<&str> {
        self.system.clone().map(|range| &self.composed[range])
    }

    /// The observed user body.
    pub fn user_text(&self) -> Option<&str> {
        self.user.clone().map(|range| &self.composed[range])
    }

    /// The payload of `prompt.composed` as `observability` allows it; `None` when it is off.
    pub fn to_payload(&self, node_id: &NodeId, observability: Observability) -> Option<PromptComposed> {
        if observability == Observability::Off {
            return None;
        }
        let full = observability == Observability::Full;
        Some(PromptComposed {
            node_id: node_id.clone(),
            refs: self.refs.clone(),
            kind: self.kind,
            hash: self.hash.to_string(),
            composed: full.then(|| self.composed.clone()),
            system_prompt: self.system_text().filter(|_| full).map(str::to_owned),
            user_prompt: self.user_text().filter(|_| full).map(str::to_owned),
            variable_bindings: full.then(|| self.variables.bindings()),
            variable_hashes: Some(self.variables.hashes().map(owned).collect()),
            content_trust: Some(self.wire_trust()),
            causation_host_id: None,
        })
    }

    /// The trust of the whole in its wire form.
    pub fn wire_trust(&self) -> ContentTrust {
        match self.content_trust {
            Trust::Trusted => ContentTrust::Trusted,
            Trust::Untrusted => ContentTrust::Untrusted,
        }
    }

    /// The private part, with the versions that this composition fixed.
    pub fn to_record(&self, pins: Vec<Pin>) -> CompositionRecord {
        CompositionRecord {
            length: self.composed.len(),
            system: self.system.clone(),
            user: self.user.clone(),
            bodies: self.bodies.clone(),
            segments: self.segments.clone(),
            variables: self.variables.facts(),
            pins,
            secrets: self.secrets.clone(),
        }
    }
}
