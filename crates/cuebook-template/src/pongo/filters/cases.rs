//! Filters against what the original printed.
//!
//! It owns the reading of recorded one-line templates such as `{{ name|filter:argument }}`. It refuses all other templates:
//! those are for the tests of the whole dialect.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Value as Json, json};

use super::testing::run_chain;
use super::{find, names};
use crate::pongo::limits::Limits;

/// The repository's own record, with its context as the first line.
const RECORD: &str = include_str!("../../../tests/data/pongo/filters.jsonl");

/// A recorded template with filters on a name.
struct Case {
    source: String,
    input: Json,
    chain: Vec<(String, Json)>,
    /// What the original printed; `None` when it failed.
    output: Option<String>,
}

impl Case {
    /// `None` for a template that is more than known filters on a name.
    fn read(record: &Json, context: &Json) -> Option<Self> {
        let source = record["source"].as_str()?;
        let inside = source.strip_prefix("{{ ")?.strip_suffix(" }}")?;
        let mut parts = split_unquoted(inside).into_iter();
        let input = look_up(parts.next()?, context)?;
        let chain: Vec<_> = parts.map(|filter| read_filter(filter, context)).collect::<Option<_>>()?;
        let output = record["output"].as_str().map(str::to_owned);
        (!chain.is_empty()).then(|| Self { source: source.to_owned(), input, chain, output })
    }

    /// Whether the filters do as the original: the same text, or an error for an error.
    fn holds(&self) -> bool {
        run_chain(self.input.clone(), &self.chain, &Limits::FULL).ok() == self.output
    }

    /// The original crashes where its count of lines is too high; ours wraps.
    fn is_crash_of_wordwrap(&self) -> bool {
        self.output.is_none() && self.chain.iter().any(|(name, _)| name == "wordwrap")
    }
}

/// The parts between bars that are in no string.
fn split_unquoted(text: &str) -> Vec<&str> {
    let (mut quoted, mut escaped) = (false, false);
    let is_bar = |it: char| {
        quoted ^= it == '"' && !escaped;
        escaped = it == '\\' && !escaped;
        it == '|' && !quoted
    };
    text.split(is_bar).collect()
}

fn read_filter(text: &str, context: &Json) -> Option<(String, Json)> {
    let (name, argument) = match text.split_once(':') {
        Some((name, argument)) => (name, read_argument(argument, context)?),
        None => (text, Json::Null),
    };
    find(name).map(|filter| (filter.name.to_owned(), argument))
}

/// The value of a name with keys and indices; `null` where there is none. `None` for what is no name.
fn look_up(path: &str, context: &Json) -> Option<Json> {
    let is_name = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '.';
    if !path.starts_with(|it: char| it.is_ascii_alphabetic()) || !path.chars().all(is_name) {
        return None;
    }
    let value = path.split('.').try_fold(context, |value, step| match step.parse::<usize>() {
        Ok(index) => value.get(index),
        Err(_) => value.get(step),
    });
    Some(value.cloned().unwrap_or_default())
}

/// The value of a string, a number without a sign, or a name; `None` for all else.
fn read_argument(text: &str, context: &Json) -> Option<Json> {
    if let Some(inside) = text.strip_prefix('"').and_then(|it| it.strip_suffix('"')) {
        return Some(json!(inside.replace("\\\"", "\"").replace("\\\\", "\\")));
    }
    let number = text.starts_with(|it: char| it.is_ascii_digit()).then(|| serde_json::from_str(text).ok());
    number.flatten().or_else(|| look_up(text, context))
}

/// The cases in a record that can be read.
fn read_cases(record: &str, context: &Json) -> Vec<Case> {
    let lines = record.lines().map(|line| serde_json::from_str::<Json>(line).expect("a line is JSON"));
    lines.filter_map(|line| Case::read(&line, context)).collect()
}

/// The sources of cases that do otherwise than the original, without the one reason there is for that.
fn unexplained(cases: &[Case]) -> Vec<&str> {
    let differ = cases.iter().filter(|case| !case.holds() && !case.is_crash_of_wordwrap());
    differ.map(|case| case.source.as_str()).collect()
}

#[test]
fn filters_do_as_recorded() {
    let (first, rest) = RECORD.split_once('\n').expect("a context and cases");
    let context: Json = serde_json::from_str(first).expect("the context is JSON");
    let cases = read_cases(rest, &context["context"]);
    assert_eq!(unexplained(&cases), Vec::<&str>::new());
    assert_eq!(cases.len(), rest.lines().count(), "every line is a case");
    let used: BTreeSet<&str> = cases.iter().flat_map(|case| &case.chain).map(|(name, _)| &**name).collect();
    assert!(names().eq(used), "every filter has a case");
}

#[test]
fn filters_do_as_the_original_on_shared_cases() {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("CUEBOOK_SHARED").map_or_else(beside, PathBuf::from).join("pongo2");
    let Ok(record) = std::fs::read_to_string(folder.join("cases.jsonl")) else { return };
    let context = std::fs::read_to_string(folder.join("context.json")).expect("the cases have a context");
    let cases = read_cases(&record, &serde_json::from_str(&context).expect("the context is JSON"));
    println!("{} cases of filters", cases.len());
    assert_eq!(unexplained(&cases), Vec::<&str>::new());
    assert!(cases.len() > 1_000, "only {} cases were read", cases.len());
}
