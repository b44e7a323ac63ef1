//! Writes a tree as source text with no more parentheses than it needs.
//!
//! Owns the one canonical form: `&&` and `||` rather than the words, `not` only where `!` would need parentheses, double
//! quotes, one space around operators. It nests no deeper than what was read, so reading it back gives an equal tree
//! unless the added spaces make it longer than a source may be.

use std::fmt::{Formatter, Result, Write};

use serde_json::Value;

use crate::number::literal_text;
use crate::operator::Level;
use crate::path::{Segment, is_plain_name};
use crate::tree::{Access, Chain, Choice, Expr, Node, Target};

/// Writes an expression that stands alone or between brackets.
pub(crate) fn whole(f: &mut Formatter<'_>, expr: &Expr) -> Result {
    at_least(f, expr, Level::Choice)
}

/// Writes an expression, in parentheses if it binds more loosely than its place allows.
fn at_least(f: &mut Formatter<'_>, expr: &Expr, least: Level) -> Result {
    let level = match expr.level() {
        Level::Not if least > Level::Not => Level::Unary,
        level => level,
    };
    if level >= least {
        return node(f, &expr.node, level);
    }
    f.write_char('(')?;
    whole(f, expr)?;
    f.write_char(')')
}

fn node(f: &mut Formatter<'_>, node: &Node, level: Level) -> Result {
    match node {
        Node::Literal(value) => literal(f, value),
        Node::List(items) => {
            f.write_char('[')?;
            separated(f, items)?;
            f.write_char(']')
        }
        Node::Name(name) => f.write_str(name),
        Node::Access(access) => self::access(f, access),
        Node::Call(function, arguments) => {
            write!(f, "{}(", function.name())?;
            separated(f, arguments)?;
            f.write_char(')')
        }
        Node::Unary(_, operand) if level == Level::Not => {
            f.write_str("not ")?;
            at_least(f, operand, Level::Not)
        }
        Node::Unary(op, operand) => {
            f.write_str(op.text())?;
            at_least(f, operand, Level::Unary)
        }
        Node::Chain(chain) => self::chain(f, chain),
        Node::Choice(choice) => self::choice(f, choice),
    }
}

fn separated(f: &mut Formatter<'_>, items: &[Expr]) -> Result {
    for (position, item) in items.iter().enumerate() {
        if position > 0 {
            f.write_str(", ")?;
        }
        whole(f, item)?;
    }
    Ok(())
}

fn access(f: &mut Formatter<'_>, access: &Access) -> Result {
    at_least(f, &access.base, Level::Atom)?;
    for step in &access.steps {
        match &step.to {
            Target::Fixed(fixed) => segment(f, fixed)?,
            Target::Computed(index) => {
                f.write_char('[')?;
                whole(f, index)?;
                f.write_char(']')?;
            }
        }
    }
    Ok(())
}

fn chain(f: &mut Formatter<'_>, chain: &Chain) -> Result {
    for (position, (op, operand)) in chain.rest.iter().enumerate() {
        if position == 0 {
            let level = op.level();
            at_least(f, &chain.first, if level.chains() { level } else { level.tighter() })?;
        }
        write!(f, " {} ", op.text())?;
        at_least(f, operand, op.level().tighter())?;
    }
    Ok(())
}

fn choice(f: &mut Formatter<'_>, choice: &Choice) -> Result {
    at_least(f, &choice.condition, Level::Or)?;
    f.write_str(" ? ")?;
    whole(f, &choice.then)?;
    f.write_str(" : ")?;
    whole(f, &choice.otherwise)
}

/// Writes a fixed step: `.key`, `["other key"]` or `[0]`.
pub(crate) fn segment(f: &mut Formatter<'_>, segment: &Segment) -> Result {
    match segment {
        Segment::Index(index) => write!(f, "[{index}]"),
        Segment::Key(key) if is_plain_name(key) => write!(f, ".{key}"),
        Segment::Key(key) => {
            f.write_char('[')?;
            quoted(f, key)?;
            f.write_char(']')
        }
    }
}

fn literal(f: &mut Formatter<'_>, value: &Value) -> Result {
    match value {
        Value::String(text) => quoted(f, text),
        Value::Number(number) => f.write_str(&literal_text(number)),
        // Literals are scalars; lists are nodes of their own.
        other => write!(f, "{other}"),
    }
}

fn quoted(f: &mut Formatter<'_>, text: &str) -> Result {
    f.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\r' => f.write_str("\\r")?,
            // Control characters all lie below U+00A0, so four digits are enough.
            control if control.is_control() => write!(f, "\\u{:04X}", u32::from(control))?,
            other => f.write_char(other)?,
        }
    }
    f.write_char('"')
}
