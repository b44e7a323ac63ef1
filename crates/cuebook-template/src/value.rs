//! Values that know whether they may be trusted.
//!
//! It owns the pair of JSON and [`Trust`], the envelope that carries trust on the wire, and the text that a value
//! becomes in a prompt. It refuses secrets (they are never JSON here) and types (whoever binds a value checks them).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::canonical::canonical_json;
use crate::trust::Trust;

/// A JSON value and the trust of everything that went into it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Value {
    #[serde(rename = "value")]
    json: Json,
    trust: Trust,
}

impl Value {
    /// A value with the trust given.
    pub const fn new(json: Json, trust: Trust) -> Self {
        Self { json, trust }
    }

    /// A trusted value.
    pub const fn trusted(json: Json) -> Self {
        Self::new(json, Trust::Trusted)
    }

    /// An untrusted value.
    pub const fn untrusted(json: Json) -> Self {
        Self::new(json, Trust::Untrusted)
    }

    /// Takes JSON from outside, with every trust envelope opened.
    ///
    /// An envelope is an object with exactly the keys `value` and `meta`, where `meta.contentTrust` is `"trusted"` or
    /// `"untrusted"` (`meta` may say more); any other `contentTrust` is taken for untrusted. Envelopes are replaced by
    /// what they hold, at any depth. One that says untrusted makes the whole value untrusted, wherever it is; one that
    /// says trusted counts only around the whole value, and there it replaces `default`. An object that is no envelope,
    /// but for its `meta.contentTrust` of `"untrusted"`, stays as it is and makes the value untrusted too: a mark is
    /// never lost.
    ///
    /// Whoever wrote the JSON may thereby raise the trust of all of it. Where the writer has no such say, as with tool
    /// output, add [`Value::join_trust`].
    pub fn from_tagged(json: Json, default: Trust) -> Self {
        let (json, outer) = open_envelopes(json);
        let mut inner = Trust::Trusted;
        let json = open_nested(json, &mut inner);
        Self::new(json, outer.unwrap_or(default).join(inner))
    }

    /// The JSON.
    pub const fn json(&self) -> &Json {
        &self.json
    }

    /// The trust.
    pub const fn trust(&self) -> Trust {
        self.trust
    }

    /// Whether this is JSON null, which callers treat as not bound.
    pub const fn is_null(&self) -> bool {
        matches!(self.json, Json::Null)
    }

    /// The JSON alone; the caller takes over what the trust meant.
    pub fn into_json(self) -> Json {
        self.json
    }

    /// Another value made from this one: the trust stays.
    pub fn map_json(self, change: impl FnOnce(Json) -> Json) -> Self {
        Self { json: change(self.json), trust: self.trust }
    }

    /// The same value, at best as trusted as `trust`.
    pub fn join_trust(self, trust: Trust) -> Self {
        Self { trust: self.trust.join(trust), ..self }
    }

    /// What the value is in a prompt: a string as it is, all else as [`canonical_json`].
    ///
    /// Null is `null`; a caller that treats null as not bound does not come here with it.
    pub fn text(&self) -> Cow<'_, str> {
        match &self.json {
            Json::String(text) => Cow::Borrowed(text),
            other => Cow::Owned(canonical_json(other)),
        }
    }
}

/// Opens the envelopes around a whole value; the trust is theirs joined, or `None` without any.
fn open_envelopes(mut json: Json) -> (Json, Option<Trust>) {
    let mut trust: Option<Trust> = None;
    while let Some(found) = envelope_trust(&json) {
        trust = Some(trust.unwrap_or_default().join(found));
        json = envelope_content(json);
    }
    (json, trust)
}

/// Opens every envelope within `json`, which is none itself, and joins what they say into `trust`.
fn open_nested(json: Json, trust: &mut Trust) -> Json {
    if content_trust(&json) == Some(Trust::Untrusted) {
        *trust = Trust::Untrusted;
    }
    match json {
        Json::Array(items) => Json::Array(items.into_iter().map(|item| open(item, trust)).collect()),
        Json::Object(members) => {
            Json::Object(members.into_iter().map(|(key, member)| (key, open(member, trust))).collect())
        }
        scalar => scalar,
    }
}

fn open(json: Json, trust: &mut Trust) -> Json {
    let (json, said) = open_envelopes(json);
    *trust = trust.join(said.unwrap_or_default());
    open_nested(json, trust)
}

/// What an envelope says; `None` when `json` is no envelope.
fn envelope_trust(json: &Json) -> Option<Trust> {
    let members = json.as_object()?;
    (members.len() == 2 && members.contains_key("value")).then(|| content_trust(json)).flatten()
}

/// What `meta.contentTrust` says, if it is there; whatever is not the word for trusted is not trusted.
fn content_trust(json: &Json) -> Option<Trust> {
    let said = json.get("meta")?.get("contentTrust")?;
    Some(said.as_str().and_then(Trust::from_wire).unwrap_or(Trust::Untrusted))
}

fn envelope_content(mut json: Json) -> Json {
    json.get_mut("value").map(Json::take).unwrap_or_default()
}
