//! The script of the built-in model: rules from a pattern over the prompt to a reply.
//!
//! It owns their form, their check and their application. It refuses a script with any bad rule, and names all of
//! them at once.

use std::fmt;

use regex::Regex;
use serde::Deserialize;

/// What a scripted model answers; an empty script is fine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The rules in order; the first whose pattern is found in the prompt answers.
    #[serde(default)]
    pub replies: Vec<Rule>,
}

/// One rule of a [`Script`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// A regular expression, looked for anywhere in the system body, a blank line and the user body.
    pub when: String,
    /// The answer; `$name`, `${name}` and `$1` stand for the pattern's groups, `$$` for a dollar sign.
    pub reply: String,
}

/// Why a script cannot be used: one line for every problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ScriptError {
    /// The problems in the order of the rules; never empty.
    pub problems: Vec<ScriptProblem>,
}

/// One problem of one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptProblem {
    /// The rule's index in `replies`, from 0.
    pub index: usize,
    /// The rule's field: `when` or `reply`.
    pub field: &'static str,
    /// What is wrong with it and what would be right.
    pub message: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<_> = self.problems.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl fmt::Display for ScriptProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "replies[{}].{}: {}", self.index, self.field, self.message)
    }
}

/// A script whose patterns are ready.
#[derive(Clone, Debug, Default)]
pub(super) struct Compiled {
    rules: Vec<(Regex, String)>,
}

impl Script {
    /// Checks every rule and makes the patterns ready.
    pub(super) fn compile(self) -> Result<Compiled, ScriptError> {
        let mut rules = Vec::new();
        let mut problems = Vec::new();
        for (index, rule) in self.replies.into_iter().enumerate() {
            match compile_rule(rule) {
                Ok(ready) => rules.push(ready),
                Err(found) => {
                    problems.extend(found.into_iter().map(|(field, message)| ScriptProblem {
                        index,
                        field,
                        message,
                    }));
                }
            }
        }
        if problems.is_empty() { Ok(Compiled { rules }) } else { Err(ScriptError { problems }) }
    }
}

impl Compiled {
    /// The reply of the first rule found in `prompt`.
    pub(super) fn reply(&self, prompt: &str) -> Option<String> {
        self.rules.iter().find_map(|(when, reply)| {
            let captures = when.captures(prompt)?;
            let mut text = String::new();
            captures.expand(reply, &mut text);
            Some(text)
        })
    }
}

fn compile_rule(rule: Rule) -> Result<(Regex, String), Vec<(&'static str, String)>> {
    let when = Regex::new(&rule.when).map_err(|error| vec![("when", error.to_string())])?;
    let unknown: Vec<_> = references(&rule.reply)
        .filter(|name| !has_group(&when, name))
        .map(|name| ("reply", unknown_group(&when, name)))
        .collect();
    if unknown.is_empty() { Ok((when, rule.reply)) } else { Err(unknown) }
}

/// The names and numbers that a reply refers to, as [`regex::Captures::expand`] reads them.
fn references(reply: &str) -> impl Iterator<Item = &str> {
    let mut rest = reply;
    std::iter::from_fn(move || {
        loop {
            rest = &rest[rest.find('$')? + 1..];
            if let Some(after) = rest.strip_prefix('$') {
                rest = after;
            } else if let Some(name) = reference(rest) {
                rest = &rest[name.len()..];
                return Some(name);
            }
        }
    })
}

fn reference(text: &str) -> Option<&str> {
    if let Some(braced) = text.strip_prefix('{') {
        return braced.split_once('}').map(|(name, _)| name);
    }
    let end = text.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(text.len());
    (end > 0).then(|| &text[..end])
}

fn has_group(when: &Regex, name: &str) -> bool {
    match name.parse::<usize>() {
        Ok(number) => number < when.captures_len(),
        Err(_) => when.capture_names().flatten().any(|known| known == name),
    }
}

fn unknown_group(when: &Regex, name: &str) -> String {
    let known: Vec<_> = when
        .capture_names()
        .enumerate()
        .map(|(number, name)| name.map_or_else(|| format!("${number}"), |name| format!("${name}")))
        .collect();
    format!(
        "the pattern has no group '{name}', it has {}; write ${{name}} before a letter and $$ for a dollar sign",
        known.join(", ")
    )
}
