//! What every filter promises for every value.
//!
//! It owns the generated values. It refuses examples: those stand beside the filters.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::testing::run;
use super::{Civil, names};
use crate::pongo::limits::{LimitKind, Limits};

/// Bytes that a filter may write here.
const MOST: usize = 2_048;

/// A piece of text that may only come out of a filter as text.
const VALUE: &str = "Qvalue9";

fn limits() -> Limits {
    Limits::FULL.with(LimitKind::OutputBytes, MOST).with(LimitKind::MemoryBytes, 65_536)
}

/// Texts made of what filters look for.
fn texts() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "a", "B", " ", "\n", ",", ":", "-", "1", "9", "%", "<", ">", "/", "</b>", "<b>", "@", ".de", "www.",
        "http://", "é", "👍", "\u{fffd}", "\u{301}", "\\", "\"", "'", "%+08.3d", "%[1]x", "%q", "2006",
        ".000", "Jan", "0", VALUE,
    ]);
    prop_oneof![prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat()), any::<String>()]
}

fn numbers() -> impl Strategy<Value = Json> {
    let edges = vec![i64::MIN, i64::MIN + 1, -1, 0, 1, 2, 3, 99_999_999, i64::MAX];
    prop_oneof![
        prop::sample::select(edges).prop_map(Json::from),
        (-20_i64..20).prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
    ]
}

fn values() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        numbers(),
        texts().prop_map(Json::from)
    ];
    leaf.prop_recursive(2, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::vec((texts(), inner), 0..4).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

fn filters() -> impl Strategy<Value = &'static str> {
    prop::sample::select(names().collect::<Vec<_>>())
}

/// Times, and what is nearly one.
fn times() -> impl Strategy<Value = String> {
    "[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:00(Z|[+-][0-2][0-9]:00)"
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn filters_answer_within_limits_and_always_the_same(
        name in filters(), input in values(), argument in values(),
    ) {
        let answer = run(name, input.clone(), argument.clone(), &limits());
        prop_assert!(answer.as_ref().map_or(0, String::len) <= MOST);
        prop_assert_eq!(answer, run(name, input, argument, &limits()));
    }

    #[test]
    fn errors_tell_no_values(name in filters(), input in texts(), argument in texts()) {
        let (input, argument) = (json!(format!("{VALUE}{input}")), json!(format!("{argument}{VALUE}")));
        for (input, argument) in [(input.clone(), argument.clone()), (json!(1), argument), (input, json!(-1))] {
            if let Err(message) = run(name, input, argument, &limits()) {
                prop_assert!(!message.contains(VALUE), "{message}");
            }
        }
    }

    #[test]
    fn dates_take_every_layout_for_every_time(layout in texts(), time in times()) {
        let answer = run("date", json!(time), json!(layout), &Limits::FULL);
        prop_assert_eq!(answer.is_ok(), Civil::parse(&time).is_some());
    }
}
