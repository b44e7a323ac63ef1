//! What holds for every text, every expression and every scope.

use cuebook_expr::{Expression, Path};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const NAMES: [&str; 5] = ["a", "b", "c_1", "size", "Xy"];
const BINARY: [&str; 17] =
    ["||", "&&", "or", "and", "==", "!=", "<", "<=", ">", ">=", "in", "not in", "+", "-", "*", "/", "%"];

fn leaf() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(&NAMES[..]).prop_map(str::to_owned),
        prop::sample::select(&["null", "true", "false", "'x'", "\"\\u00e9\\n\"", "[]"][..])
            .prop_map(str::to_owned),
        (0..5_u8).prop_map(|number| number.to_string()),
        (0.0..3.0_f64).prop_map(|number| format!("{number:.3}")),
    ]
}

/// Source text in which every operation stands in parentheses, so that any tree can arise.
fn source() -> impl Strategy<Value = String> {
    leaf().prop_recursive(5, 40, 3, |inner| {
        let one = inner.clone();
        let two = (inner.clone(), inner.clone());
        let three = (inner.clone(), inner.clone(), inner.clone());
        prop_oneof![
            4 => (two.clone(), prop::sample::select(&BINARY[..])).prop_map(|((a, b), op)| format!("({a} {op} {b})")),
            1 => three.prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            1 => (one.clone(), prop::sample::select(&["!", "-", "not "][..])).prop_map(|(a, op)| format!("({op}{a})")),
            1 => one.clone().prop_map(|a| format!("({a}).key")),
            1 => one.clone().prop_map(|a| format!("({a})['a key'][0]")),
            1 => two.clone().prop_map(|(a, b)| format!("({a})[{b}]")),
            1 => prop::collection::vec(inner, 0..3).prop_map(|items| format!("[{}]", items.join(", "))),
            1 => (one.clone(), prop::sample::select(&["size", "lower", "trim", "string", "number"][..]))
                .prop_map(|(a, function)| format!("{function}({a})")),
            1 => (two, prop::sample::select(&["default", "contains", "starts_with"][..]))
                .prop_map(|((a, b), function)| format!("{function}({a}, {b})")),
            1 => one.prop_map(|a| format!("exists(b[{a}].c)")),
        ]
    })
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (0..4_u8).prop_map(Value::from),
        "[a-z0-9 ]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            (inner.clone(), inner).prop_map(|(a, b)| json!({"key": a, "a key": [b]})),
        ]
    })
}

fn scope() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec(value(), NAMES.len())
        .prop_map(|values| NAMES.iter().map(|name| (*name).to_owned()).zip(values).collect())
}

/// The places of parentheses that group, each with its partner; those of calls do not group.
fn grouping_pairs(text: &str) -> Vec<(usize, usize)> {
    let mut open = Vec::new();
    let mut pairs = Vec::new();
    for (at, character) in text.char_indices() {
        match character {
            '(' => open.push((at, text[..at].ends_with(|before: char| before.is_ascii_alphanumeric()))),
            ')' => {
                let (start, is_call) = open.pop().expect("printed parentheses are paired");
                pairs.extend((!is_call).then_some((start, at)));
            }
            _ => {}
        }
    }
    pairs
}

fn without(text: &str, (start, end): (usize, usize)) -> String {
    format!("{} {} {}", &text[..start], &text[start + 1..end], &text[end + 1..])
}

proptest! {
    #[test]
    fn reading_never_panics(text in "\\PC*") {
        if let Err(errors) = Expression::parse(&text) {
            prop_assert!(!errors.is_empty());
            for error in errors {
                prop_assert!(error.span().start <= error.span().end);
                prop_assert!(error.span().end <= text.len());
                prop_assert_eq!(error.caret().lines().count(), if text.is_empty() { 0 } else { 2 });
            }
        }
    }

    #[test]
    fn reading_shreds_of_the_language_never_panics(
        shreds in prop::collection::vec(
            prop::sample::select(&[
                "a", "1", "1.5", "'x'", "'", "\\", "(", ")", "[", "]", ",", ".", "?", ":", "!", "-", "not", "in", "&&",
                "||", "==", "<", "+", "*", "size(", "exists(", " ", "\n", "é", "{", "=", "null",
            ][..]),
            0..30,
        )
    ) {
        let text = shreds.concat();
        if let Ok(expression) = Expression::parse(&text) {
            let printed = expression.to_string();
            prop_assert_eq!(Expression::parse(&printed), Ok(expression), "{}", printed);
        }
        if let Ok(path) = Path::parse(&text) {
            prop_assert!(!path.root().is_empty());
        }
    }

    #[test]
    fn printing_and_reading_gives_the_same_tree(source in source()) {
        let expression = Expression::parse(&source).expect("the strategy writes valid source");
        let printed = expression.to_string();
        let again = Expression::parse(&printed).expect("printed source is valid");
        prop_assert_eq!(&again, &expression, "{} printed as {}", source, printed);
        prop_assert_eq!(again.to_string(), printed);
    }

    #[test]
    fn printing_writes_no_needless_parentheses(source in source()) {
        let expression = Expression::parse(&source).expect("the strategy writes valid source");
        let printed = expression.to_string();
        for pair in grouping_pairs(&printed) {
            let shorter = without(&printed, pair);
            prop_assert_ne!(Expression::parse(&shorter).ok(), Some(expression.clone()), "{} needs less", printed);
        }
    }

    #[test]
    fn evaluation_never_panics_and_printing_keeps_the_value(source in source(), scope in scope()) {
        let expression = Expression::parse(&source).expect("the strategy writes valid source");
        let printed = Expression::parse(&expression.to_string()).expect("printed source is valid");
        let (value, again) = (expression.evaluate(&scope), printed.evaluate(&scope));
        prop_assert_eq!(value.is_ok(), again.is_ok());
        if let (Ok(value), Ok(again)) = (&value, &again) {
            prop_assert_eq!(value, again);
        }
        prop_assert_eq!(expression.holds(&scope).ok(), value.ok().and_then(|value| value.as_bool()));
    }

    #[test]
    fn values_depend_on_the_listed_paths_only(source in source(), scope in scope()) {
        let expression = Expression::parse(&source).expect("the strategy writes valid source");
        let mut read = scope.clone();
        read.retain(|name, _| expression.paths().iter().any(|path| path.root() == name));
        prop_assert_eq!(expression.evaluate(&scope), expression.evaluate(&read));
    }

    #[test]
    fn numbers_are_ordered_totally(a in value(), b in value()) {
        let scope = Map::from_iter([("a".to_owned(), a), ("b".to_owned(), b)]);
        let holds = |source: &str| Expression::parse(source).expect(source).holds(&scope);
        if let (Ok(less), Ok(greater)) = (holds("a < b"), holds("a > b")) {
            let equal = holds("a == b").expect("equality never fails");
            prop_assert_eq!([less, equal, greater].iter().filter(|holds| **holds).count(), 1);
            prop_assert_eq!(holds("a <= b"), Ok(!greater));
        }
        prop_assert_eq!(holds("a == b"), holds("b == a"));
        prop_assert_eq!(holds("a == b && a != b"), Ok(false));
        prop_assert_eq!(holds("a in [b]"), holds("a == b"));
    }
}
