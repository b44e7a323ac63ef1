//! Owns the words for what a schema finds: one violation in, faults with place, expectation and nearest valid thing out.
//! Refuses to quote values beyond 80 characters, and never answers "matches none of the given schemas".
//!
//! A schema can carry its own words: `x-fault` replaces the message, `x-hint` is the hint, `x-form` says in plain words what
//! a pattern asks for.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use super::Fault;
use crate::error::ErrorCode;
use crate::id::{NAME_PATTERN, TemplateId};
use crate::names::nearest;
use crate::pointer::step;
use crate::reference::{PromptRef, REF_PATTERN};
use crate::text::shorten;
use crate::version::{VERSION_PATTERN, Version};

/// The faults behind one violation found by the schema `root`.
pub(super) fn explain(root: &Value, error: &ValidationError<'_>, code: ErrorCode) -> Vec<Fault> {
    let violation =
        Violation { path: error.instance_path().as_str(), schema: around(root, error), error, code };
    match error.kind() {
        _ if violation.note("x-fault").is_some() => vec![violation.fault(String::new())],
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unexpected.iter().map(|key| violation.unknown_key(key)).collect()
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => closest_branch(root, context, code)
            .unwrap_or_else(|| vec![violation.fault("has none of the forms allowed here".to_owned())]),
        Kind::Pattern { pattern } => vec![violation.pattern(pattern)],
        Kind::Enum { options } => vec![violation.not_among(options)],
        Kind::Required { property } => vec![violation.missing(property.as_str().unwrap_or_default())],
        kind => vec![violation.fault(plain(kind, error.instance()))],
    }
}

/// The schema object that holds the violated keyword.
fn around<'s>(root: &'s Value, error: &ValidationError<'_>) -> Option<&'s Value> {
    let keyword = error.schema_path().as_str();
    root.pointer(keyword.rsplit_once('/')?.0)
}

/// The faults of the branch that was most likely meant: the one with the fewest faults, of which one at its very top or in a
/// constant counts most, since those tell branches apart.
fn closest_branch(
    root: &Value,
    branches: &[Vec<ValidationError<'static>>],
    code: ErrorCode,
) -> Option<Vec<Fault>> {
    let distance = |errors: &Vec<ValidationError<'static>>| -> usize {
        errors.iter().map(|error| if tells_apart(error.kind()) { 100 } else { 1 }).sum()
    };
    let closest = branches.iter().min_by_key(|errors| distance(errors))?;
    Some(closest.iter().flat_map(|error| explain(root, error, code)).collect())
}

fn tells_apart(kind: &Kind) -> bool {
    matches!(kind, Kind::Constant { .. } | Kind::Enum { .. } | Kind::Type { .. })
}

/// One violation with what is known around it.
struct Violation<'a> {
    path: &'a str,
    schema: Option<&'a Value>,
    error: &'a ValidationError<'a>,
    code: ErrorCode,
}

impl Violation<'_> {
    /// An annotation of the schema around the violation.
    fn note(&self, key: &str) -> Option<&str> {
        self.schema?.get(key)?.as_str()
    }

    /// The fault at the place of the violation, in the schema's own words where it has them.
    fn fault(&self, message: String) -> Fault {
        let message = self.note("x-fault").map_or(message, str::to_owned);
        let fault = Fault::new(self.path, self.code, message);
        match self.note("x-hint") {
            Some(hint) => fault.hint(hint),
            None => fault,
        }
    }

    fn unknown_key(&self, key: &str) -> Fault {
        let path = format!("{}{}", self.path, step(key));
        let known = self.properties();
        let fault = Fault::new(path, self.code, format!("unknown key `{}`", shorten(key)));
        match nearest(key, known.iter().copied()) {
            Some(name) => fault.nearest(Some(name)),
            None if known.is_empty() => fault,
            None => fault.hint(format!("known keys: {}", known.join(", "))),
        }
    }

    fn properties(&self) -> Vec<&str> {
        let properties = self.schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
        properties.map(|properties| properties.keys().map(String::as_str).collect()).unwrap_or_default()
    }

    fn missing(&self, key: &str) -> Fault {
        let property = self.schema.and_then(|schema| schema.get("properties")?.get(key));
        let fault = self.fault(format!("`{key}` is missing"));
        match property.and_then(|property| property.get("description")?.as_str()) {
            Some(meaning) if fault.hint.is_none() => fault.hint(meaning.trim_end_matches('.')),
            _ => fault,
        }
    }

    fn not_among(&self, options: &Value) -> Fault {
        let names: Vec<&str> = options.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let given = self.error.instance();
        let likely = given.as_str().and_then(|given| nearest(given, names.iter().copied()));
        self.fault(format!("{} is not one of {}", quote(given), names.join(", "))).nearest(likely)
    }

    /// A text that does not fit its pattern; for ids, versions and references their own readers say why.
    fn pattern(&self, pattern: &str) -> Fault {
        let given = self.error.instance().as_str().unwrap_or_default();
        let (message, likely) = match pattern {
            REF_PATTERN => why(PromptRef::parse(given).err(), |error| error.suggestion().map(str::to_owned)),
            NAME_PATTERN => {
                why(TemplateId::parse(given).err(), |error| error.suggestion().map(str::to_owned))
            }
            VERSION_PATTERN => {
                why(Version::parse(given).err(), |error| error.suggestion().map(str::to_owned))
            }
            _ => None,
        }
        .unwrap_or_else(|| (self.unfitting(given, pattern), None));
        let fault = self.fault(message).nearest(likely);
        if pattern == REF_PATTERN { Fault { code: ErrorCode::PromptRefInvalid, ..fault } } else { fault }
    }

    fn unfitting(&self, given: &str, pattern: &str) -> String {
        let given = shorten(given);
        match self.note("x-form") {
            Some(form) => format!("`{given}` is not {form}"),
            None => format!("`{given}` does not fit the pattern {pattern}"),
        }
    }
}

/// The message and the suggestion of a reader's error.
fn why<E: ToString>(
    error: Option<E>,
    suggestion: impl Fn(&E) -> Option<String>,
) -> Option<(String, Option<String>)> {
    error.map(|error| (error.to_string(), suggestion(&error)))
}

/// The words for violations that need nothing from around them.
fn plain(kind: &Kind, given: &Value) -> String {
    match kind {
        Kind::Type { kind } => format!("expected {}, found {}", expected(kind), found(given)),
        Kind::Constant { expected_value } => {
            format!("expected {}, found {}", quote(expected_value), quote(given))
        }
        Kind::MinLength { limit: 1 } => "expected some text, found an empty one".to_owned(),
        Kind::MinLength { limit } => format!("expected at least {limit} characters, found {}", length(given)),
        Kind::MaxLength { limit } => format!("expected at most {limit} characters, found {}", length(given)),
        Kind::MinItems { limit } => format!("expected at least {limit} entries, found {}", length(given)),
        Kind::MaxItems { limit } => format!("expected at most {limit} entries, found {}", length(given)),
        Kind::Minimum { limit } => format!("expected at least {limit}, found {}", quote(given)),
        Kind::Maximum { limit } => format!("expected at most {limit}, found {}", quote(given)),
        Kind::UniqueItems => "the same entry is there twice".to_owned(),
        Kind::Format { format } => format!("expected a {format}, found {}", quote(given)),
        Kind::FalseSchema | Kind::Not { .. } => "is not allowed here".to_owned(),
        Kind::OneOfMultipleValid { .. } => {
            "has several forms at once, of which only one is allowed".to_owned()
        }
        other => format!("does not satisfy the rule `{}`", other.keyword()),
    }
}

fn expected(kind: &TypeKind) -> String {
    let names: Vec<String> = match kind {
        TypeKind::Single(name) => vec![type_word(&name.to_string()).to_owned()],
        TypeKind::Multiple(names) => {
            names.iter().map(|name| type_word(&name.to_string()).to_owned()).collect()
        }
    };
    names.join(" or ")
}

fn type_word(name: &str) -> &str {
    match name {
        "string" => "text",
        "array" => "a list",
        "object" => "an object",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        other => other,
    }
}

fn found(given: &Value) -> &'static str {
    match given {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// How long a text or list is.
fn length(given: &Value) -> usize {
    match given {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    }
}

/// A short value as it is, a compound one by its type.
fn quote(given: &Value) -> String {
    match given {
        Value::String(text) => format!("`{}`", shorten(text)),
        Value::Array(_) | Value::Object(_) => found(given).to_owned(),
        other => other.to_string(),
    }
}
