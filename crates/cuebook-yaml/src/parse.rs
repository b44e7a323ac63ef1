//! From the text of a document to its tree.
//!
//! It owns the syntax: one document, keys that are texts and stand once, anchors within bounds. It refuses what YAML lets
//! through and nobody means: merge keys, numbers that are no numbers, keys given twice.

use std::fmt;

use cuebook_template::{Diagnostic, Source, Span};
use cuebook_wire::ErrorCode;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use serde_saphyr::options::{DuplicateKeyPolicy, MergeKeyPolicy};
use serde_saphyr::{Options, Spanned};

use crate::tree::{Entry, Map, Node, Value, place};

/// The most nodes that aliases may stand for in one file.
const MAX_ALIASED: usize = 10_000;

/// Parses `source`; its faults have `code`.
///
/// # Errors
///
/// The syntax error, or every key that stands twice or is no text.
pub fn parse(source: &Source, code: ErrorCode) -> Result<Node, Vec<Diagnostic>> {
    let text: &str = source.text();
    let raw = serde_saphyr::from_str_with_options::<Spanned<Raw>>(text, options())
        .map_err(|error| vec![syntax(source, code, &error)])?;
    let mut reader = Reader { source, code, problems: Vec::new() };
    let node = reader.node(raw);
    if reader.problems.is_empty() { Ok(node) } else { Err(reader.problems) }
}

fn options() -> Options {
    let mut options = Options::default();
    options.duplicate_keys = DuplicateKeyPolicy::PassThrough;
    options.merge_keys = MergeKeyPolicy::AsOrdinary;
    // `yes` and `no` are texts since YAML 1.2.
    options.strict_booleans = true;
    options.alias_limits.max_total_replayed_events = MAX_ALIASED;
    options
}

fn syntax(source: &Source, code: ErrorCode, error: &serde_saphyr::Error) -> Diagnostic {
    let plain = error.without_snippet();
    let message = in_plain_words(&plain.to_string());
    let problem = Diagnostic::error(code.as_str(), message);
    match plain.location() {
        Some(location) => {
            let start = byte_of(source, location.line(), location.column());
            let place = place(source, Span::new(start, source.text().len()));
            problem.at(source, place.span)
        }
        None => problem,
    }
}

/// The parser's words without the place, which is told beside them.
fn in_plain_words(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let line = line.rsplit_once(" at line ").map_or(line, |(words, _)| words);
    if line.starts_with("multiple YAML documents") {
        return "a file is one document, and a second one begins here".to_owned();
    }
    line.to_owned()
}

/// The byte at a 1-based line and column, the latter in characters.
fn byte_of(source: &Source, line: u64, column: u64) -> usize {
    let text = source.text();
    let index = |number: u64| usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
    let start: usize = text.split_inclusive('\n').take(index(line)).map(str::len).sum();
    let rest = text.get(start..).unwrap_or_default();
    start + rest.char_indices().nth(index(column)).map_or(rest.len(), |(at, _)| at)
}

/// Puts places to raw values and collects what is wrong with keys.
struct Reader<'s> {
    source: &'s Source,
    code: ErrorCode,
    problems: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn node(&mut self, raw: Spanned<Raw>) -> Node {
        let place = place(self.source, span(&raw));
        let value = match raw.value {
            Raw::Null => Value::Null,
            Raw::Bool(flag) => Value::Bool(flag),
            Raw::Number(number) => Value::Number(number),
            Raw::Text(text) => Value::Text(text),
            Raw::List(items) => Value::List(items.into_iter().map(|item| self.node(item)).collect()),
            Raw::Map(entries) => Value::Map(self.map(entries)),
        };
        Node { value, place }
    }

    fn map(&mut self, entries: Vec<(Spanned<Raw>, Spanned<Raw>)>) -> Map {
        let mut map = Map::new();
        for (key, value) in entries {
            let place = place(self.source, span(&key));
            let Raw::Text(name) = key.value else {
                self.problems.push(self.problem("a key is a text", place.span).with_hint("put it in quotes"));
                continue;
            };
            if let Some(first) = map.get(&name) {
                let problem = self.doubled(&name, &first.key, place.span);
                self.problems.push(problem);
                continue;
            }
            let node = self.node(value);
            map.insert(name, Entry { key: place, node });
        }
        map
    }

    fn doubled(&self, name: &str, first: &cuebook_template::Location, span: Span) -> Diagnostic {
        let line = first.position().line;
        let message = format!("key `{name}` stands here again");
        self.problem(&message, span)
            .with_hint(format!("it stands in line {line} already; keep one of the two"))
    }

    fn problem(&self, message: &str, span: Span) -> Diagnostic {
        Diagnostic::error(self.code.as_str(), message).at(self.source, span)
    }
}

fn span(raw: &Spanned<Raw>) -> Span {
    let span = raw.referenced.span();
    let number = |bytes: Option<u64>| bytes.and_then(|it| usize::try_from(it).ok()).unwrap_or_default();
    let start = number(span.byte_offset());
    Span::new(start, start + number(span.byte_len()))
}

/// A value as the parser hands it over.
enum Raw {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<Raw>, Spanned<Raw>)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Raw, E> {
        Ok(Raw::Bool(flag))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Raw, E> {
        Ok(Raw::Number(number.into()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Raw, E> {
        Ok(Raw::Number(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Raw, E> {
        Number::from_f64(number).map(Raw::Number).ok_or_else(|| E::custom("a number is finite"))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Raw, E> {
        Ok(Raw::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(Raw::Map(entries))
    }
}
