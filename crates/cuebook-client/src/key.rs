//! Owns the bearer key: how it is sent and how it is kept out of everything that people read.
//!
//! It refuses `Debug`, `Display` and `Serialize`. Hosts quote keys in their answers, so whatever becomes part of an error
//! passes [`Scrubber`] first.

use std::sync::Arc;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::HeaderValue;
use serde_json::{Map, Value};

const MARKER: &str = "[REDACTED]";

/// A key as it is sent.
#[derive(Clone)]
pub(crate) struct ApiKey {
    header: HeaderValue,
    spellings: Arc<[String]>,
}

impl ApiKey {
    /// Takes `key`; the problem names no part of it.
    pub(crate) fn parse(key: &str) -> Result<Self, &'static str> {
        if key.trim() != key || key.is_empty() {
            return Err("the key is empty or has white space at an end; pass the bare key");
        }
        let mut header = HeaderValue::from_str(&format!("Bearer {key}"))
            .map_err(|_| "the key has characters that no header can carry; pass the bare key")?;
        header.set_sensitive(true);
        Ok(Self { header, spellings: spellings(key).into() })
    }

    /// The value of `Authorization` (RFC 6750, section 2.1).
    pub(crate) fn header(&self) -> HeaderValue {
        self.header.clone()
    }
}

/// The key, and the key as JSON and addresses spell it, each once.
fn spellings(key: &str) -> Vec<String> {
    let quoted = Value::from(key).to_string();
    let json = quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(key).to_owned();
    let percent = utf8_percent_encode(key, NON_ALPHANUMERIC).to_string();
    let mut spellings = vec![key.to_owned(), json, percent];
    spellings.dedup();
    spellings
}

/// Takes a key out of texts.
#[derive(Clone, Copy)]
pub(crate) struct Scrubber<'a>(pub(crate) Option<&'a ApiKey>);

impl Scrubber<'_> {
    /// `text` with a marker in place of the key.
    pub(crate) fn text(self, text: &str) -> String {
        let spellings = self.0.map(|key| &*key.spellings).unwrap_or_default();
        spellings.iter().fold(text.to_owned(), |text, spelling| text.replace(spelling, MARKER))
    }

    /// `value` with a marker in place of the key in every string and every name.
    pub(crate) fn value(self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(members) => {
                let member = |(name, value): (String, Value)| (self.text(&name), self.value(value));
                Value::Object(members.into_iter().map(member).collect::<Map<_, _>>())
            }
            plain => plain,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(key: &str, text: &str, expect: &str) {
        let key = ApiKey::parse(key).expect("a good key");
        assert_eq!(Scrubber(Some(&key)).text(text), expect);
    }

    #[test]
    fn every_spelling_is_taken_out() {
        check("k-1", "a k-1 b k-1", "a [REDACTED] b [REDACTED]");
        check("k\"1", r#"{"m":"no k\"1"}"#, r#"{"m":"no [REDACTED]"}"#);
        check("k\"", r#"{"m":"k\""}"#, r#"{"m":"[REDACTED]"}"#);
        check("k/1", "/x?key=k%2F1", "/x?key=[REDACTED]");
    }

    #[test]
    fn values_are_searched_to_their_depth() {
        let key = ApiKey::parse("secret").expect("a good key");
        let value = json!({ "secret": [1, null, { "a": "my secret" }] });
        assert_eq!(
            Scrubber(Some(&key)).value(value),
            json!({ "[REDACTED]": [1, null, { "a": "my [REDACTED]" }] })
        );
    }

    #[test]
    fn unsendable_keys_are_refused_without_naming_them() {
        for key in ["", " k", "k\n", "canary\u{7f}k", "a\nb"] {
            let problem = ApiKey::parse(key).err().expect(key);
            assert!(!problem.contains("canary"), "{problem}");
        }
    }
}
