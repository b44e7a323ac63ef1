//! JSON whose objects have each key once, and that is not nested too deep.
//!
//! It owns the refusal of a key that is there twice, of which readers take the one or the other, and of more levels than a
//! run may have in its values. It refuses nothing else that is JSON.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

/// What the error of a body that is nested too deep says.
pub(crate) const TOO_DEEP: &str = "it is nested too deep";
/// What the error of a repeated key begins with.
pub(crate) const REPEATED: &str = "the key ";

/// Reads JSON.
///
/// # Errors
///
/// Where it is no JSON, or a key is repeated.
pub(crate) fn from_slice(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = Unique::WHOLE.deserialize(&mut deserializer)?;
    deserializer.end().map(|()| value)
}

/// The members of an object, each key once; for `deserialize_with`.
pub(crate) fn members<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Value>, D::Error> {
    match Unique::WHOLE.deserialize(deserializer)? {
        Value::Object(members) => Ok(members),
        _ => Err(D::Error::custom("an object is expected")),
    }
}

/// The most levels of a body: its own, and those that the values of a run may have.
const MAX_LEVELS: usize = 64;

/// Reads a value of at most so many levels.
#[derive(Clone, Copy)]
struct Unique {
    levels: usize,
}

impl Unique {
    const WHOLE: Self = Self { levels: MAX_LEVELS };

    /// What is within; refused when there is no level left.
    fn inner<E: Error>(self) -> Result<Self, E> {
        self.levels.checked_sub(1).map(|levels| Self { levels }).ok_or_else(|| E::custom(TOO_DEEP))
    }
}

impl<'de> DeserializeSeed<'de> for Unique {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        let inner = self.inner()?;
        while let Some(item) = items.next_element_seed(inner)? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut all = Map::new();
        let inner = self.inner()?;
        while let Some(key) = members.next_key::<String>()? {
            match all.entry(key) {
                Entry::Vacant(free) => drop(free.insert(members.next_value_seed(inner)?)),
                Entry::Occupied(known) => {
                    let key: String = known.key().chars().take(80).collect();
                    return Err(A::Error::custom(format!("{REPEATED}'{key}' is there twice")));
                }
            }
        }
        Ok(Value::Object(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Result<(), &str>) {
        let found = from_slice(text.as_bytes());
        match expect {
            Ok(()) => assert_eq!(found.ok(), serde_json::from_str(text).ok(), "{text}"),
            Err(part) => assert!(found.expect_err(text).to_string().contains(part), "{text}"),
        }
    }

    #[test]
    fn keys_are_there_once_at_any_depth() {
        check(r#"{"a": [1, -2, 2.5, 18446744073709551615, "x", true, null, {"b": {}}]}"#, Ok(()));
        check(r#"{"a": 1, "b": 2, "a": 3}"#, Err("the key 'a' is there twice at line 1 column 20"));
        check(r#"[{"a": {"\u0061": 1, "a": 2}}]"#, Err("'a' is there twice"));
        check(&format!("{}{}", "[".repeat(64), "]".repeat(64)), Ok(()));
        check(&format!("{}{}", "[".repeat(65), "]".repeat(65)), Err(TOO_DEEP));
        check("{} x", Err("trailing characters"));
        check("", Err("EOF"));
    }
}
