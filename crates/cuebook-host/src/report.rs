//! What is wrong with what a person handed us, all of it at once, shown where it stands.

use std::fmt;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use cuebook_template::{Diagnostic, Location, Severity, Span};
use serde_json::{Map, Value as Json, json};

/// One or more problems that stop what was asked; nothing was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems(Vec<Diagnostic>);

impl Problems {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a problem.
    pub fn push(&mut self, problem: Diagnostic) {
        self.0.push(problem);
    }

    /// Adds the problems of `result` if it failed, and gives its value otherwise.
    pub fn collect<T>(&mut self, result: Result<T, Problems>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(problems) => {
                self.0.extend(problems.0);
                None
            }
        }
    }

    /// The problems in the order they were found.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.0.iter()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `value` when there is no problem.
    ///
    /// # Errors
    ///
    /// The problems, when there are any.
    pub fn or<T>(self, value: T) -> Result<T, Self> {
        if self.0.is_empty() { Ok(value) } else { Err(self) }
    }

    /// All problems as a person reads them, with the line and a caret; in colour when `colour` is set.
    pub fn render(&self, colour: bool) -> String {
        self.0.iter().map(|problem| render(problem, colour)).collect::<Vec<_>>().join("\n\n")
    }

    /// All problems as JSON: `code`, `severity`, `message`, `file`, `layer`, `line`, `column`, `includedFrom`,
    /// `nearest`, `hint`.
    pub fn to_json(&self) -> Json {
        self.0.iter().map(to_json).collect()
    }
}

impl From<Diagnostic> for Problems {
    fn from(problem: Diagnostic) -> Self {
        Self(vec![problem])
    }
}

impl Extend<Diagnostic> for Problems {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, problems: I) {
        self.0.extend(problems);
    }
}

impl IntoIterator for Problems {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl FromIterator<Diagnostic> for Problems {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(problems: I) -> Self {
        Self(problems.into_iter().collect())
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    }
}

impl std::error::Error for Problems {}

/// One diagnostic with its source line, a caret, the includes that led there, and its hint.
pub fn render(problem: &Diagnostic, colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let level = match problem.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(problem.message.as_str()).id(&*problem.code);
    let help =
        problem.hint.as_ref().map(|hint| Group::with_title(Level::HELP.secondary_title(hint.as_str())));
    match &problem.label {
        None => {
            let parts = std::iter::once(Group::with_title(title)).chain(help);
            parts.map(|part| renderer.render(&[part])).collect::<Vec<_>>().join("\n")
        }
        Some(label) => {
            let window = Window::around(label);
            let source = Snippet::source(window.text).line_start(window.line).path(&**label.source.name());
            let shown = title.element(source.annotation(AnnotationKind::Primary.span(window.span.range())));
            let shown =
                shown.elements(notes(problem, label).into_iter().map(|note| Level::NOTE.message(note)));
            renderer.render(&std::iter::once(shown).chain(help).collect::<Vec<_>>())
        }
    }
}

/// What is told below the caret: the layer, and each tag that included the file.
fn notes(problem: &Diagnostic, label: &Location) -> Vec<String> {
    let layer = label.source.layer().map(|layer| format!("{} is in layer {layer}", label.source.name()));
    let included = problem.included_from.iter().map(|from| match from.source.layer() {
        Some(layer) => format!("included from {from} in layer {layer}"),
        None => format!("included from {from}"),
    });
    layer.into_iter().chain(included).collect()
}

/// The lines that a span touches, so that the work for one problem does not grow with the file.
struct Window<'s> {
    text: &'s str,
    /// The number of the first line, from 1.
    line: usize,
    /// The span within the text.
    span: Span,
}

impl<'s> Window<'s> {
    fn around(label: &'s Location) -> Self {
        let all: &str = label.source.text();
        let (mut from, to) = (label.span.start.min(all.len()), label.span.end.min(all.len()));
        // The end of a text is shown behind its last line, not on the empty one that follows.
        if from > 0 && from == all.len() && all.ends_with('\n') {
            from -= 1;
        }
        let mark = if all.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
        let start = all[..from].rfind('\n').map_or_else(|| mark.min(from), |at| at + 1);
        let end = all[to..].find('\n').map_or(all.len(), |at| to + at);
        let end = if all[to..end].ends_with('\r') { end - 1 } else { end };
        Self {
            text: &all[start..end],
            line: label.source.position(from).line,
            span: Span::new(from - start, to - start),
        }
    }
}

/// One problem as JSON; see [`Problems::to_json`].
pub(crate) fn to_json(problem: &Diagnostic) -> Json {
    let mut facts = json!({
        "code": problem.code,
        "severity": problem.severity.as_str(),
        "message": problem.message,
    });
    if let (Some(label), Json::Object(facts)) = (&problem.label, &mut facts) {
        facts.extend(place(label));
    }
    if !problem.included_from.is_empty() {
        facts["includedFrom"] = problem.included_from.iter().map(place).collect();
    }
    if let Some(nearest) = &problem.nearest {
        facts["nearest"] = nearest.as_str().into();
    }
    if let Some(hint) = &problem.hint {
        facts["hint"] = hint.as_str().into();
    }
    facts
}

/// A place as JSON: `file`, `layer` where there is one, `line`, `column`.
pub(crate) fn place(location: &Location) -> Map<String, Json> {
    let mut facts = Map::new();
    facts.insert("file".to_owned(), (&**location.source.name()).into());
    if let Some(layer) = location.source.layer() {
        facts.insert("layer".to_owned(), layer.into());
    }
    let position = location.position();
    facts.insert("line".to_owned(), position.line.into());
    facts.insert("column".to_owned(), position.column.into());
    facts
}

#[cfg(test)]
mod tests {
    use cuebook_template::Source;

    use super::*;

    /// Checks the line that is drawn for the last `mark` of a text, and the place above it.
    #[track_caller]
    fn check(text: &str, mark: &str, place: &str, line: &str) {
        let at = text.rfind(mark).expect("the mark");
        let problem = Diagnostic::error("c", "m").at(&Source::new("t", text), Span::new(at, at + mark.len()));
        let drawn = render(&problem, false);
        assert!(drawn.contains(&format!("--> {place}\n")), "{drawn}");
        assert!(drawn.lines().any(|drawn| drawn == line), "{drawn}");
    }

    #[test]
    fn the_line_of_the_span_is_drawn_with_its_number() {
        check("one X", "X", "t:1:5", "1 | one X");
        check("one\ntwo X\nthree", "X", "t:2:5", "2 | two X");
        check("one\r\ntwo X\r\n", "X", "t:2:5", "2 | two X");
        check("\u{FEFF}one X", "X", "t:1:5", "1 | one X");
        check("one\n", "", "t:1:4", "1 | one");
        check("h\u{e9} X", "X", "t:1:4", "1 | h\u{e9} X");
        check("a\nb X\nX c\nd", "X\nX", "t:2:3", "3 | | X c");
    }

    #[test]
    fn layers_and_includes_are_told() {
        let part = Source::new("part", "X").in_layer("site");
        let mut problem = Diagnostic::error("c", "m").at(&part, Span::new(0, 1));
        let tag = Source::new("main", "\nY").in_layer("base");
        problem.included_from.push(Location { source: tag, span: Span::new(1, 2) });
        let drawn = render(&problem, false);
        for note in ["= note: part is in layer site", "= note: included from main:2:1 in layer base"] {
            assert!(drawn.contains(note), "{drawn}");
        }
        let json = Problems::from(problem).to_json();
        assert_eq!(json[0]["layer"], "site");
        let from = json!([{ "file": "main", "layer": "base", "line": 2, "column": 1 }]);
        assert_eq!(json[0]["includedFrom"], from);
    }
}
