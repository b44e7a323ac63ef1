//! The filter `stringformat`: one value in a format string of Go.
//!
//! It owns the reading of a format string and the verbs of each kind. What Go marks as a mistake in its output, such as
//! `%!d(string=x)`, is marked the same. It refuses `*`, which takes a width from a second value, and Go's notation of
//! lists and maps, which are JSON under every verb.

use std::borrow::Cow;

use super::list::offset;
use super::{Buffer, Data, Env, Fault, LimitKind};

mod float;
mod integer;
mod quote;

/// The input in the format string that the argument is.
///
/// # Errors
///
/// `template_limit_exceeded` for a width or precision beyond the limit of filter arguments, and
/// `template_filter_failed` for `*`.
pub(super) fn stringformat<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    argument: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    let value = if input.is_nil() || matches!(input, Data::Macro(..)) { Data::Nil } else { input };
    let mut rest = env.text_of(argument)?;
    let mut used = false;
    while let Some((text, directive)) = rest.split_once('%') {
        out.push_str(text)?;
        let (spec, index, after) = Spec::read(env, directive)?;
        let mut characters = after.chars();
        match (characters.next(), index) {
            (None, _) => out.push_str("%!(NOVERB)")?,
            (Some('%'), _) => out.push('%')?,
            (Some(verb), Index::Bad) => out.format(format_args!("%!{verb}(BADINDEX)"))?,
            (Some(verb), Index::Next) if used => out.format(format_args!("%!{verb}(MISSING)"))?,
            (Some(verb), _) => {
                used = true;
                spec.write_asked(env, verb, value, out)?;
            }
        }
        rest = characters.as_str();
    }
    out.push_str(rest)?;
    if used { Ok(()) } else { write_extra(env, value, out) }
}

/// Marks a value that the format string did not use.
fn write_extra<'a>(env: &Env<'a>, value: Data<'a>, out: &mut Buffer) -> Result<(), Fault> {
    out.push_str("%!(EXTRA ")?;
    if !value.is_nil() {
        out.push_str(type_name(value))?;
        out.push('=')?;
    }
    Spec::default().write(env, 'v', value, out)?;
    out.push(')')
}

/// What Go calls the type of a value.
const fn type_name(value: Data<'_>) -> &'static str {
    match value {
        Data::Undefined | Data::Nil | Data::Macro(..) => "<nil>",
        Data::Bool(_) => "bool",
        Data::Int(_) => "int",
        Data::Float(_) => "float64",
        Data::Str(_) => "string",
        Data::List(_) | Data::Views(..) => "[]interface {}",
        Data::Map(_) | Data::Loop(_) => "map[string]interface {}",
    }
}

/// Which value a directive asks for; there is one.
#[derive(Clone, Copy)]
enum Index {
    Next,
    /// `[1]`.
    First,
    /// Any other number, or none, in brackets.
    Bad,
}

const MINUS: u8 = 1;
const PLUS: u8 = 2;
const SHARP: u8 = 4;
const SPACE: u8 = 8;
const ZERO: u8 = 16;

/// What stands between `%` and the verb.
#[derive(Clone, Copy, Default)]
struct Spec {
    flags: u8,
    width: Option<usize>,
    precision: Option<usize>,
}

impl Spec {
    /// Reads flags, width, precision and index; the rest begins with the verb.
    fn read<'t>(env: &Env<'_>, directive: &'t str) -> Result<(Self, Index, &'t str), Fault> {
        let after_flags = directive.trim_start_matches(['-', '+', '#', ' ', '0']);
        let flags = &directive[..directive.len() - after_flags.len()];
        let (width, mut rest) = read_number(env, after_flags)?;
        let mut precision = None;
        if let Some(digits) = rest.strip_prefix('.') {
            let (number, after) = read_number(env, digits)?;
            (precision, rest) = (Some(number.unwrap_or(0)), after);
        }
        let (index, rest) = read_index(rest);
        if rest.starts_with('*') {
            return Err(Fault::filter("'stringformat' has one value, and '*' asks for a second")
                .hint("write the width as a number: stringformat:\"%8d\""));
        }
        Ok((
            Self { flags: flags.bytes().map(flag).fold(0, |all, one| all | one), width, precision },
            index,
            rest,
        ))
    }

    const fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    const fn without(self, flags: u8) -> Self {
        Self { flags: self.flags & !flags, ..self }
    }

    /// Writes a value under the verb of a directive: `v` has a meaning of its own for two flags.
    fn write_asked<'a>(
        self,
        env: &Env<'a>,
        verb: char,
        value: Data<'a>,
        out: &mut Buffer,
    ) -> Result<(), Fault> {
        match (verb, value) {
            ('T', _) => self.pad(self.cut(type_name(value)), out),
            ('v', Data::Str(_)) if self.has(SHARP) => self.without(SHARP | PLUS).write(env, 'q', value, out),
            ('v', _) => self.without(SHARP | PLUS).write(env, 'v', value, out),
            _ => self.write(env, verb, value, out),
        }
    }

    fn write<'a>(self, env: &Env<'a>, verb: char, value: Data<'a>, out: &mut Buffer) -> Result<(), Fault> {
        let text = match value {
            Data::Bool(bool) if matches!(verb, 'v' | 't') => {
                Some(Cow::Borrowed(if bool { "true" } else { "false" }))
            }
            Data::Bool(_) => None,
            Data::Int(integer) => integer::format(self, verb, integer).map(Cow::Owned),
            Data::Float(float) => float::format(self, verb, float).map(Cow::Owned),
            Data::Str(text) => self.format_string(env, verb, text)?.map(Cow::Borrowed),
            _ if value.is_nil() => (verb == 'v').then_some(Cow::Borrowed("<nil>")),
            container => Some(Cow::Borrowed(env.text_of(container)?)),
        };
        match text {
            Some(text) if value.is_number() && !matches!(verb, 'c' | 'q') => {
                self.without(ZERO).pad(&text, out)
            }
            Some(text) => self.pad(&text, out),
            None => self.write_bad_verb(env, verb, value, out),
        }
    }

    fn format_string<'a>(self, env: &Env<'a>, verb: char, text: &'a str) -> Result<Option<&'a str>, Fault> {
        match verb {
            'v' | 's' => Ok(Some(self.cut(text))),
            'q' => env.text(|out| quote::string(self, self.cut(text), out)).map(Some),
            'x' | 'X' => env.text(|out| quote::hex(self, verb, text.as_bytes(), out)).map(Some),
            _ => Ok(None),
        }
    }

    fn write_bad_verb<'a>(
        self,
        env: &Env<'a>,
        verb: char,
        value: Data<'a>,
        out: &mut Buffer,
    ) -> Result<(), Fault> {
        out.format(format_args!("%!{verb}("))?;
        if value.is_nil() {
            out.push_str("<nil>")?;
        } else {
            out.push_str(type_name(value))?;
            out.push('=')?;
            self.write(env, 'v', value, out)?;
        }
        out.push(')')
    }

    /// The first characters of a text, as many as the precision says.
    fn cut(self, text: &str) -> &str {
        self.precision.map_or(text, |characters| &text[..offset(text, characters)])
    }

    /// Writes a text and what it leaves over of the width; numbers put zeros between sign and digits themselves.
    fn pad(self, text: &str, out: &mut Buffer) -> Result<(), Fault> {
        let left_over = self.width.unwrap_or(0).saturating_sub(text.chars().count());
        if self.has(MINUS) {
            out.push_str(text)?;
            return out.push_repeated(' ', left_over);
        }
        out.push_repeated(if self.has(ZERO) { '0' } else { ' ' }, left_over)?;
        out.push_str(text)
    }

    /// The sign of a number; empty where none is written.
    const fn sign(self, negative: bool) -> &'static str {
        match (negative, self.has(PLUS), self.has(SPACE)) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (.., true) => " ",
            _ => "",
        }
    }

    /// The width to which zeros fill a number up, if they do.
    fn zeros(self) -> Option<usize> {
        self.width.filter(|_| self.has(ZERO) && !self.has(MINUS))
    }
}

const fn flag(byte: u8) -> u8 {
    match byte {
        b'-' => MINUS,
        b'+' => PLUS,
        b'#' => SHARP,
        b' ' => SPACE,
        _ => ZERO,
    }
}

/// Reads a number, if there is one, and holds it against the limit.
fn read_number<'t>(env: &Env<'_>, text: &'t str) -> Result<(Option<usize>, &'t str), Fault> {
    let rest = text.trim_start_matches(|it: char| it.is_ascii_digit());
    let digits = &text[..text.len() - rest.len()];
    if digits.is_empty() {
        return Ok((None, rest));
    }
    let number = digits.parse().unwrap_or(usize::MAX);
    env.limits().check(LimitKind::FilterArgument, number)?;
    Ok((Some(number), rest))
}

fn read_index(text: &str) -> (Index, &str) {
    let Some(inside) = text.strip_prefix('[') else { return (Index::Next, text) };
    match inside.split_once(']') {
        Some(("1", rest)) => (Index::First, rest),
        Some((_, rest)) => (Index::Bad, rest),
        None => (Index::Bad, inside),
    }
}

#[cfg(test)]
mod tests;
