//! Documents that people write: JSON, TOML, YAML, and text behind TOML front matter.
//!
//! It owns the way from a file's text to a JSON value and from a JSON pointer back to the place in the text. It
//! refuses syntax errors and duplicate keys; what the value must look like is the reader's.

mod json;
mod toml;

use cuebook_template::{Diagnostic, Source, Span};
use cuebook_wire::{ErrorCode, Fault};
use cuebook_yaml::Node;
use serde_json::Value as Json;

use crate::report::Problems;

/// A document that has been parsed.
#[derive(Debug)]
pub(crate) struct Document {
    source: Source,
    format: Format,
    json: Json,
}

#[derive(Debug)]
enum Format {
    Json,
    Toml,
    Yaml(Node),
    /// TOML between `+++` lines, then a text under the key `text`.
    FrontMatter {
        matter: Span,
        text: Span,
    },
}

impl Document {
    /// Parses JSON.
    pub(crate) fn json(source: Source) -> Result<Self, Problems> {
        let json = json::parse(&source)?;
        Ok(Self { source, format: Format::Json, json })
    }

    /// Parses TOML.
    pub(crate) fn toml(source: Source) -> Result<Self, Problems> {
        let all = Span::new(0, source.text().len());
        let json = toml::parse(&source, all, ErrorCode::ConfigInvalid)?;
        Ok(Self { source, format: Format::Toml, json })
    }

    /// Parses YAML; what is wrong has `code`.
    pub(crate) fn yaml(source: Source, code: ErrorCode) -> Result<Self, Problems> {
        let tree = cuebook_yaml::parse(&source, code).map_err(Problems::from_iter)?;
        Ok(Self { source, json: tree.to_json(), format: Format::Yaml(tree) })
    }

    /// Parses TOML front matter; what follows becomes the key `text`, without the final line end.
    pub(crate) fn front_matter(source: Source) -> Result<Self, Problems> {
        let (matter, text) = split_front_matter(source.text()).ok_or_else(|| no_front_matter(&source))?;
        let mut json = toml::parse(&source, matter, ErrorCode::PromptTemplateInvalid)?;
        if let (Json::Object(map), Some(body)) = (&mut json, source.slice(text)) {
            if map.contains_key("text") {
                let problem = Diagnostic::error(
                    ErrorCode::PromptTemplateInvalid.as_str(),
                    "'text' is what follows the front matter",
                )
                .at(&source, toml::locate(&source, matter, "/text"));
                return Err(problem.into());
            }
            map.insert("text".to_owned(), body.into());
        }
        Ok(Self { source, format: Format::FrontMatter { matter, text }, json })
    }

    /// The value.
    pub(crate) fn value(&self) -> &Json {
        &self.json
    }

    /// The text with its name.
    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// The place of a JSON pointer, or of the nearest thing around it that is there.
    pub(crate) fn locate(&self, pointer: &str) -> Span {
        match &self.format {
            Format::Json => json::locate(&self.source, pointer),
            Format::Toml => toml::locate(&self.source, Span::new(0, self.source.text().len()), pointer),
            Format::Yaml(tree) => tree.locate(pointer).span,
            Format::FrontMatter { text, .. } if pointer == "/text" => self.source.first_line(*text),
            Format::FrontMatter { matter, .. } => toml::locate(&self.source, *matter, pointer),
        }
    }

    /// The place of `span` of the text at a JSON pointer: exact where the text stands as it is, else that of the whole.
    pub(crate) fn within_text(&self, pointer: &str, span: Span) -> Span {
        match self.format {
            Format::FrontMatter { text, .. } if pointer == "/text" => {
                self.source.first_line(Span::new(text.start + span.start, text.start + span.end))
            }
            _ => self.locate(pointer),
        }
    }

    /// The faults of the value as problems of the text.
    pub(crate) fn problems(&self, faults: Vec<Fault>) -> Problems {
        faults.into_iter().map(|fault| self.problem(fault)).collect()
    }

    fn problem(&self, fault: Fault) -> Diagnostic {
        let span = self.locate(&fault.path);
        let hint = fault.advice();
        let place = if fault.path.is_empty() { String::new() } else { format!(" (at {})", fault.path) };
        let problem = Diagnostic::error(fault.code.as_str(), format!("{}{place}", fault.message))
            .at(&self.source, span);
        Diagnostic { nearest: fault.nearest, hint, ..problem }
    }
}

/// The byte behind the line that opens front matter.
fn opening(text: &str) -> Option<usize> {
    ["+++\r\n", "+++\n"].into_iter().find(|line| text.starts_with(line)).map(str::len)
}

/// The bytes of the front matter and of the text behind it.
fn split_front_matter(text: &str) -> Option<(Span, Span)> {
    let start = opening(text)?;
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        if line.trim_end_matches(['\r', '\n']) == "+++" {
            let body = at + line.len();
            let end =
                text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')).map_or(text.len(), str::len);
            return Some((Span::new(start, at), Span::new(body, end.max(body))));
        }
        at += line.len();
    }
    None
}

fn no_front_matter(source: &Source) -> Problems {
    let message = if opening(source.text()).is_some() {
        "the front matter has no closing line '+++'"
    } else {
        "a prompt file begins with TOML front matter between two lines '+++'"
    };
    Diagnostic::error(ErrorCode::PromptTemplateInvalid.as_str(), message)
        .at(source, source.first_line(Span::new(0, source.text().len())))
        .with_hint("write templateId, version and kind between the lines, and the text after them")
        .into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Texts that are likely to be nearly documents.
    fn nearly(text: &str) -> impl Strategy<Value = String> + use<> {
        let text = text.to_owned();
        let length = text.chars().count();
        (0..=length, any::<char>(), 0..3_usize).prop_map(move |(at, new, gone)| {
            let chars: Vec<char> = text.chars().collect();
            let (head, tail) = chars.split_at(at);
            head.iter().chain(std::iter::once(&new)).chain(tail.iter().skip(gone)).collect()
        })
    }

    proptest! {
        #[test]
        fn no_text_and_no_pointer_panics(
            text in prop_oneof![
                nearly("{\"a\": [1, {\"é\": \"x\"}], \"a\": {}}"),
                nearly("a = 1\n[b.c]\nd = [\"x\", { e = 1 }]\n"),
                nearly("+++\na = \"é\"\n+++\r\nbody\n"),
                any::<String>(),
            ],
            pointer in "(/[a-e0-2~é]{0,2}){0,4}",
        ) {
            let source = || Source::new("t", text.clone());
            for document in [Document::json(source()), Document::toml(source()), Document::front_matter(source())] {
                match document {
                    Ok(document) => {
                        let place = document.locate(&pointer);
                        prop_assert!(source().slice(place).is_some_and(|text| !text.contains('\n')));
                    }
                    Err(problems) => prop_assert!(!problems.render(false).is_empty()),
                }
            }
        }
    }

    #[track_caller]
    fn check_split(text: &str, expect: Option<(&str, &str)>) {
        let found =
            split_front_matter(text).map(|(matter, body)| (&text[matter.range()], &text[body.range()]));
        assert_eq!(found, expect, "of {text:?}");
    }

    #[test]
    fn front_matter_is_split_off() {
        check_split("+++\na = 1\n+++\nbody\n", Some(("a = 1\n", "body")));
        check_split("+++\r\na = 1\r\n+++\r\nbody\r\n", Some(("a = 1\r\n", "body")));
        check_split("+++\n+++\n", Some(("", "")));
        check_split("+++\n+++", Some(("", "")));
        check_split("+++\n+++\n\n\n", Some(("", "\n")));
        check_split("+++\na = 1\n", None);
        check_split("body", None);
    }
}
