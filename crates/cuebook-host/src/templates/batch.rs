//! Many templates, one a line, in the order in which they come.
//!
//! It owns the two line formats, and the promise that every line in gives exactly one line out. It holds one line at a
//! time, and refuses to stop at a bad one.

use std::io::{self, BufRead, BufReader, Read, Write};

use cuebook_template::{Diagnostic, Source};
use cuebook_wire::ErrorCode;
use serde_json::{Map, Value as Json, json};

use super::input::kind_of;
use super::renderer::Renderer;
use crate::files::utf8;
use crate::report::Problems;

/// The longest line that is read, in bytes.
const MAX_LINE_BYTES: u64 = 64 * 1024 * 1024;

/// What became of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchSummary {
    /// How many lines there were.
    pub lines: usize,
    /// How many of them gave an error.
    pub errors: usize,
}

impl Renderer {
    /// Renders each line of `input`, called `name` in errors, and writes a line for it to `output`.
    ///
    /// A line is a JSON object with a `source` and perhaps a `context`, whose members come before those of the
    /// renderer's; other members are passed over. Its answer is an object with `output`, or with `error`, `code`,
    /// `line` and `column`, and with `file` where the place is not in the line's own template.
    ///
    /// # Errors
    ///
    /// When `input` cannot be read or `output` not be written; what is wrong with a line is in its answer.
    pub fn batch<R: Read>(
        &self,
        name: &str,
        input: &mut BufReader<R>,
        output: &mut impl Write,
    ) -> io::Result<BatchSummary> {
        let mut summary = BatchSummary::default();
        let mut line = Vec::new();
        while read_line(input, &mut line)? {
            summary.lines += 1;
            let answer = self.answer(name, summary.lines, std::mem::take(&mut line));
            summary.errors += usize::from(answer.get("error").is_some());
            writeln!(output, "{answer}")?;
            if input.buffer().is_empty() {
                output.flush()?;
            }
        }
        output.flush().map(|()| summary)
    }

    fn answer(&self, name: &str, number: usize, line: Vec<u8>) -> Json {
        let item = match Item::read(line) {
            Ok(item) => item,
            Err(refusal) => return refusal.to_json(name, number),
        };
        let source = Source::new(format!("{name}#{number}"), item.source);
        let own = source.name().to_string();
        let rendered = match item.context {
            Some(context) => self.render_with(source, &self.data.clone().with(context)),
            None => self.render(source),
        };
        match rendered {
            Ok(rendered) => rendered.to_line(),
            Err(problems) => error_line(&problems, &own),
        }
    }
}

/// Reads a line without its end; `false` at the end of the input. Of a line that is too long, one byte too many is kept.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    input.by_ref().take(MAX_LINE_BYTES + 1).read_until(b'\n', line)?;
    let is_whole = line.ends_with(b"\n") || line.len() as u64 <= MAX_LINE_BYTES;
    if !is_whole {
        skip_line(input)?;
    }
    let is_there = !line.is_empty();
    if line.ends_with(b"\n") {
        line.pop();
    }
    Ok(is_there)
}

fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let len = end.map_or(buffer.len(), |at| at + 1);
        let is_done = end.is_some() || buffer.is_empty();
        input.consume(len);
        if is_done {
            return Ok(());
        }
    }
}

/// What a line asks for.
struct Item {
    source: String,
    context: Option<Map<String, Json>>,
}

/// Why a line asks for nothing; never holds anything of it.
struct Refusal {
    message: String,
    /// In bytes of the line, from 1.
    column: usize,
}

impl Refusal {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), column: 1 }
    }

    fn to_json(&self, name: &str, number: usize) -> Json {
        json!({
            "error": self.message,
            "code": ErrorCode::ValidationError,
            "file": name,
            "line": number,
            "column": self.column,
        })
    }
}

impl Item {
    fn read(line: Vec<u8>) -> Result<Self, Refusal> {
        if line.len() as u64 > MAX_LINE_BYTES {
            return Err(Refusal::new(format!("the line has more than {MAX_LINE_BYTES} bytes")));
        }
        let text = utf8(line).map_err(|reason| Refusal::new(format!("of the line, {reason}")))?;
        let json = serde_json::from_str(&text).map_err(|error| not_json(&error))?;
        let Json::Object(mut members) = json else {
            let message = format!("the line is {}, not an object with a 'source'", kind_of(&json));
            return Err(Refusal::new(message));
        };
        let source = match members.remove("source") {
            Some(Json::String(source)) => source,
            Some(other) => {
                return Err(Refusal::new(format!("'source' is {}, not a string", kind_of(&other))));
            }
            None => return Err(Refusal::new("the line has no 'source'")),
        };
        match members.remove("context") {
            None | Some(Json::Null) => Ok(Self { source, context: None }),
            Some(Json::Object(context)) => Ok(Self { source, context: Some(context) }),
            Some(other) => Err(Refusal::new(format!("'context' is {}, not an object", kind_of(&other)))),
        }
    }
}

fn not_json(error: &serde_json::Error) -> Refusal {
    let message = error.to_string();
    let reason = message.split(" at line ").next().unwrap_or_default();
    Refusal { message: format!("the line is not JSON: {reason}"), column: error.column().max(1) }
}

/// The first of some problems as a line; `own` is the name of the line's own template.
fn error_line(problems: &Problems, own: &str) -> Json {
    let Some(first) = problems.iter().next() else { return json!({ "error": "unknown" }) };
    let mut facts = json!({ "error": message_of(first), "code": first.code });
    if let Some(place) = &first.label {
        if &**place.source.name() != own {
            facts["file"] = Json::from(&**place.source.name());
        }
        let position = place.position();
        facts["line"] = position.line.into();
        facts["column"] = position.column.into();
    }
    facts
}

/// The message with its hint.
fn message_of(problem: &Diagnostic) -> String {
    match &problem.hint {
        Some(hint) => format!("{}; {hint}", problem.message),
        None => problem.message.clone(),
    }
}
