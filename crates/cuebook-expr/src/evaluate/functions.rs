//! Calls of the built-in functions.
//!
//! Owns what each function takes and gives. The parser has already checked the number of arguments.

use serde_json::Value;

use super::{Evaluator, Operand, Outcome, owned};
use crate::error::Problem;
use crate::function::Function;
use crate::number::{Number, literal_text};
use crate::span::Span;
use crate::tree::Expr;
use crate::value::type_name;

impl<'a> Evaluator<'a> {
    pub(super) fn call(&mut self, function: Function, arguments: &'a [Expr], span: Span) -> Outcome<'a> {
        match (function, arguments) {
            (Function::Default, [value, fallback]) => self.default(value, fallback),
            (Function::Exists, [path]) => self.value(path).map(|value| owned(!value.is_null())),
            (Function::Contains, [container, item]) => {
                let (container, item) = (self.operand(container)?, self.operand(item)?);
                self.membership(&container, &item).map(owned)
            }
            (Function::StartsWith, [text, prefix]) => {
                self.ends(function, text, prefix, |text, prefix| text.starts_with(prefix))
            }
            (Function::EndsWith, [text, suffix]) => {
                self.ends(function, text, suffix, |text, suffix| text.ends_with(suffix))
            }
            (Function::Lower, [text]) => self.changed(function, text, str::to_lowercase),
            (Function::Upper, [text]) => self.changed(function, text, str::to_uppercase),
            (Function::Trim, [text]) => self.changed(function, text, |text| text.trim().to_owned()),
            (Function::Size, [value]) => self.operand(value).and_then(|value| self.size(&value)).map(owned),
            (Function::Number, [value]) => self.operand(value).and_then(|value| self.number(&value)),
            (Function::Text, [value]) => {
                let value = self.operand(value)?;
                let text = self.string(&value)?;
                self.built(text, span)
            }
            _ => Err(Problem::new(span, format!("write `{}`", function.signature()))),
        }
    }

    fn default(&mut self, value: &'a Expr, fallback: &'a Expr) -> Outcome<'a> {
        let value = self.value(value)?;
        if value.is_null() { self.value(fallback) } else { Ok(value) }
    }

    fn ends(
        &mut self,
        function: Function,
        text: &'a Expr,
        part: &'a Expr,
        holds: fn(&str, &str) -> bool,
    ) -> Outcome<'a> {
        let (text, part) = (self.operand(text)?, self.operand(part)?);
        Ok(owned(holds(self.text(function, &text)?, self.text(function, &part)?)))
    }

    fn changed(&mut self, function: Function, text: &'a Expr, change: fn(&str) -> String) -> Outcome<'a> {
        let text = self.operand(text)?;
        let changed = change(self.text(function, &text)?);
        self.built(changed, text.span)
    }

    fn built(&mut self, text: String, span: Span) -> Outcome<'a> {
        self.charge(text.len(), span)?;
        Ok(owned(text))
    }

    fn text<'o>(&self, function: Function, argument: &'o Operand<'a>) -> Result<&'o str, Problem> {
        match &*argument.value {
            Value::String(text) => Ok(text),
            _ => Err(self.refused(function, argument, "a string", "\"\"")),
        }
    }

    fn size(&self, argument: &Operand<'a>) -> Result<usize, Problem> {
        match &*argument.value {
            Value::String(text) => Ok(text.chars().count()),
            Value::Array(items) => Ok(items.len()),
            Value::Object(entries) => Ok(entries.len()),
            _ => Err(self.refused(Function::Size, argument, "a string, a list or a map", "[]")),
        }
    }

    fn string(&self, argument: &Operand<'a>) -> Result<String, Problem> {
        match &*argument.value {
            Value::String(text) => Ok(text.clone()),
            Value::Number(number) => Ok(literal_text(number)),
            Value::Bool(truth) => Ok(truth.to_string()),
            _ => Err(self.refused(Function::Text, argument, "a string, a number or a boolean", "\"\"")),
        }
    }

    fn number(&self, argument: &Operand<'a>) -> Outcome<'a> {
        match &*argument.value {
            Value::Number(_) => Ok(argument.value.clone()),
            Value::String(text) => text
                .parse()
                .map(|number| owned(Number::from_json(&number).to_json()))
                .map_err(|_| not_a_number(argument.span)),
            _ => Err(self.refused(Function::Number, argument, "a number or a string", "0")),
        }
    }

    fn refused(&self, function: Function, argument: &Operand<'a>, taken: &str, fallback: &str) -> Problem {
        let got = type_name(&argument.value);
        let problem = Problem::new(argument.span, format!("`{}` takes {taken}, got {got}", function.name()));
        let text = self.snippet(argument.span);
        problem.with_hint_if(argument.value.is_null().then(|| format!("write `default({text}, {fallback})`")))
    }
}

fn not_a_number(span: Span) -> Problem {
    Problem::new(span, "the string is not a number")
        .with_hint("numbers are written as in JSON, such as -1.5e3")
}
