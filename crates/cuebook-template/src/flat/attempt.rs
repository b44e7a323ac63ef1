//! What a piece of literal text was probably meant to be, and what to write instead.
//!
//! It owns the codes, messages and hints of the flat language's lints. It refuses to search: it is given the piece.

use std::borrow::Cow;

use super::scan::{MAX_NAME_BYTES, is_name};
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Source;
use crate::span::Span;

/// Longest quotation of the template in a message, in characters.
const MAX_EXCERPT_CHARS: usize = 40;

/// Words that begin a statement in the languages people come from.
const STATEMENT_WORDS: [&str; 14] = [
    "block", "each", "elif", "else", "end", "endif", "for", "if", "include", "partial", "range", "template",
    "unless", "with",
];

/// A finding that does not know its place yet.
#[derive(Debug)]
pub(super) struct Attempt {
    severity: Severity,
    code: &'static str,
    message: String,
    hint: Cow<'static, str>,
}

impl Attempt {
    fn warning(code: &'static str, message: String, hint: impl Into<Cow<'static, str>>) -> Self {
        Self { severity: Severity::Warning, code, message, hint: hint.into() }
    }

    fn note(code: &'static str, message: String, hint: impl Into<Cow<'static, str>>) -> Self {
        Self { severity: Severity::Note, ..Self::warning(code, message, hint) }
    }

    pub(super) fn into_diagnostic(self, source: &Source, span: Span) -> Diagnostic {
        Diagnostic::new(self.severity, self.code, self.message).at(source, span).with_hint(self.hint)
    }
}

/// `content` between as many as `braces` opening braces, two at least, and their closing ones.
pub(super) fn closed(braces: usize, content: &str) -> Attempt {
    let content = content.trim();
    if content.is_empty() {
        return empty();
    }
    if braces > 2 && is_name(content) {
        return extra_braces(braces, content);
    }
    logic(content)
        .or_else(|| path(content))
        .or_else(|| filter(content))
        .or_else(|| invalid_name(content))
        .unwrap_or_else(self::braces)
}

/// The first word of a tag without an end, if it is a sigil and a name.
pub(super) fn section(word: &str) -> Option<Attempt> {
    let name = word.strip_prefix(['#', '/', '^', '>'])?;
    is_name(name).then(|| no_logic(word))
}

fn empty() -> Attempt {
    let hint = "put a variable name between the braces, or leave it if the braces are meant";
    Attempt::note("placeholder_empty", "braces without a name are literal text".to_owned(), hint)
}

fn extra_braces(braces: usize, name: &str) -> Attempt {
    let message = format!("{braces} braces around `{name}` are literal text");
    let hint = format!("write `{{{{{name}}}}}`; values are never escaped");
    Attempt::warning("placeholder_extra_braces", message, hint)
}

/// Mustache's sigils, and statements of Handlebars, Jinja and Go templates.
fn logic(content: &str) -> Option<Attempt> {
    let sigil = content.starts_with(['#', '/', '^', '>', '!', '=', '&', '~', '*']);
    let mut words = content.split_whitespace();
    let statement =
        words.next().is_some_and(|word| STATEMENT_WORDS.contains(&word)) && words.next().is_some();
    if !sigil && !statement {
        return None;
    }
    Some(no_logic(content))
}

fn no_logic(content: &str) -> Attempt {
    let message = format!("`{}` is literal text: this language has no logic", excerpt(content));
    let unescaped = content.strip_prefix('&').map(str::trim).filter(|name| is_name(name));
    let hint = match unescaped {
        Some(name) => format!("write `{{{{{name}}}}}`; values are never escaped").into(),
        None => Cow::Borrowed("use only `{{name}}` here, and let the caller bind the value"),
    };
    Attempt::warning("placeholder_logic", message, hint)
}

/// `user.name`, `items[0]`, `.Name`, `@index`.
fn path(content: &str) -> Option<Attempt> {
    let steps = content.trim_start_matches(['.', '@', '$']);
    let head = steps.split(|c: char| !is_name_char(c)).next().filter(|head| is_name(head))?;
    let tail = &steps[head.len()..];
    let leads = content.len() > steps.len() && tail.is_empty();
    if !leads && !tail.starts_with(['.', '[']) {
        return None;
    }
    let message = format!("`{}` is a path, not a variable name, so it is literal text", excerpt(content));
    let name = suggestion(steps);
    let hint =
        format!("declare a variable, take the value with its `extractPath`, and write `{{{{{name}}}}}`");
    Some(Attempt::warning("placeholder_path", message, hint))
}

/// `name | upper`, `name|default:"x"`.
fn filter(content: &str) -> Option<Attempt> {
    let (name, _) = content.split_once('|')?;
    let name = Some(name.trim()).filter(|name| is_name(name))?;
    let message = format!("`{}` is literal text: this language has no filters", excerpt(content));
    let hint = format!("write `{{{{{name}}}}}` and bind the finished value");
    Some(Attempt::warning("placeholder_filter", message, hint))
}

/// One word that breaks the rule for names.
fn invalid_name(content: &str) -> Option<Attempt> {
    if !content.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '$' | '@')) {
        return None;
    }
    let reason = if content.len() > MAX_NAME_BYTES && content.chars().all(is_name_char) {
        format!("longer than {MAX_NAME_BYTES} characters")
    } else {
        "not a variable name".to_owned()
    };
    let message = format!("`{}` is {reason}, so it is literal text", excerpt(content));
    let name = suggestion(content);
    let hint = format!(
        "names are letters, digits and `_`, no digit first, at most {MAX_NAME_BYTES}: \
         for instance `{{{{{name}}}}}`"
    );
    Some(Attempt::warning("placeholder_name_invalid", message, hint))
}

/// Doubled braces around anything else, as in JSON samples.
pub(super) fn braces() -> Attempt {
    let hint = "a brace needs no escape here: write one where one is meant";
    Attempt::note("placeholder_literal_braces", "doubled braces are literal text".to_owned(), hint)
}

/// A name behind `{{` without `}}`; `half` when one brace closes it.
pub(super) fn unclosed(name: &str, half: bool) -> Attempt {
    let why = if half { "closed by one brace" } else { "not closed" };
    let message = format!("`{{{{{}` is {why}, so it is literal text", excerpt(name));
    let hint = format!("write `{{{{{}}}}}`", suggestion(name));
    Attempt::warning("placeholder_unclosed", message, hint)
}

/// `{name}` or `${name}` where `name` is a variable of this template.
pub(super) fn foreign(name: &str, dollar: bool) -> Attempt {
    let sign = if dollar { "$" } else { "" };
    let message = format!("`{sign}{{{name}}}` is literal text, and `{name}` is a variable of this template");
    let hint = format!("write `{{{{{name}}}}}` if the value is meant");
    Attempt::warning("placeholder_single_braces", message, hint)
}

/// A tag of a bigger language, by its first word.
pub(super) fn tag(word: &str) -> Attempt {
    let message = format!("`{{% {} … %}}` is literal text: this language has no tags", excerpt(word));
    Attempt::warning("placeholder_tag", message, "use only `{{name}}` here, or a layered template for logic")
}

/// A comment of a bigger language.
pub(super) fn comment() -> Attempt {
    let message = "`{# … #}` is literal text: this language has no comments".to_owned();
    Attempt::warning("placeholder_comment", message, "remove it: the model would read it")
}

/// The nearest valid name: every other character becomes `_`.
fn suggestion(text: &str) -> String {
    let mut name: String = text.chars().map(|c| if is_name_char(c) { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    name.truncate(MAX_NAME_BYTES);
    name
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// A short quotation on one line.
fn excerpt(text: &str) -> String {
    let mut short: String = text.chars().take(MAX_EXCERPT_CHARS).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
