//! Runs single filters on JSON for the tests of this module.
//!
//! It owns the way from JSON to a filter and back to text. It refuses templates: only the filters are under test.

use bumpalo::Bump;
use serde_json::Value as Json;

use super::{Buffer, Data, Env, Fault, Run, find};
use crate::pongo::context::Context;
use crate::pongo::limits::{LimitKind, Limits};
use crate::pongo::word::Word;
use crate::value::Value;

/// The text that a filter makes, or its error as `code: message`.
pub(super) fn run(name: &str, input: Json, argument: Json, limits: &Limits) -> Result<String, String> {
    run_chain(input, &[(name.to_owned(), argument)], limits)
}

/// The text that filters make one after the other, or the first error as `code: message`.
pub(super) fn run_chain(input: Json, chain: &[(String, Json)], limits: &Limits) -> Result<String, String> {
    let mut context = Context::new();
    context.insert("input", Value::trusted(input));
    for (index, (_, argument)) in chain.iter().enumerate() {
        context.insert(index.to_string(), Value::trusted(argument.clone()));
    }
    let arena = Bump::new();
    let env = Env::new(&arena, limits, Some(7));
    let mut out = Buffer::new(LimitKind::OutputBytes, limits.get(LimitKind::OutputBytes));
    let node = |name: &str| {
        context.get(&Word::from(name), 0).map_or(Data::Undefined, |(_, root)| Data::from(&root.node))
    };
    let last = chain.iter().enumerate().try_fold(node("input"), |input, (index, (name, _))| {
        let argument = node(&index.to_string());
        match find(name).unwrap_or_else(|| panic!("there is no filter '{name}'")).run {
            Run::Value(run) => run(&env, input, argument),
            Run::Text(run) => env.text(|out| run(&env, input, argument, out)).map(Data::Str),
        }
    });
    last.and_then(|data| data.write(&mut out)).map(|()| out.into_string()).map_err(describe)
}

fn describe(fault: Fault) -> String {
    let diagnostic = fault.into_diagnostic();
    format!("{}: {}", diagnostic.code, diagnostic.message)
}

#[track_caller]
pub(super) fn check_text(name: &str, input: Json, argument: Json, expect: &str) {
    let case = format!("{input}|{name}:{argument}");
    assert_eq!(run(name, input, argument, &Limits::FULL).as_deref(), Ok(expect), "{case}");
}

#[track_caller]
pub(super) fn check_error(name: &str, input: Json, argument: Json, expect: &str) {
    let case = format!("{input}|{name}:{argument}");
    let ran = run(name, input, argument, &Limits::FULL);
    assert_eq!(ran.as_ref().map_err(String::as_str), Err(expect), "{case}");
}

/// Checks the beginning of the message of an error when the output may have `bytes`.
#[track_caller]
pub(super) fn check_error_within(bytes: usize, name: &str, input: Json, argument: Json, expect: &str) {
    let limits = Limits::FULL.with(LimitKind::OutputBytes, bytes);
    let ran = run(name, input, argument, &limits).expect_err("it does not fit");
    assert!(ran.starts_with(&format!("template_limit_exceeded: {expect}")), "{ran}");
}
