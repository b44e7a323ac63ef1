//! Filters on lists, and on strings as lists of characters.
//!
//! It owns items, lengths and slices. It refuses bytes: a string's items are its characters.

use super::{Buffer, Data, Env, Fault, LimitKind, amount, count};
use crate::pongo::view::View;

/// The first item; an empty text where there is none.
#[expect(clippy::unnecessary_wraps, reason = "the signature of all filters")]
pub(super) fn first<'a>(_: &Env<'a>, input: Data<'a>, _: Data<'a>) -> Result<Data<'a>, Fault> {
    Ok(input.item(0).unwrap_or(Data::Str("")))
}

/// The last item; an empty text where there is none.
#[expect(clippy::unnecessary_wraps, reason = "the signature of all filters")]
pub(super) fn last<'a>(_: &Env<'a>, input: Data<'a>, _: Data<'a>) -> Result<Data<'a>, Fault> {
    let item = input.len().checked_sub(1).and_then(|index| input.item(index));
    Ok(item.unwrap_or(Data::Str("")))
}

/// Items, members or characters; 0 for what has none.
#[expect(clippy::unnecessary_wraps, reason = "the signature of all filters")]
pub(super) fn length<'a>(_: &Env<'a>, input: Data<'a>, _: Data<'a>) -> Result<Data<'a>, Fault> {
    Ok(count(input.len()))
}

/// Whether there are as many items as the argument says.
#[expect(clippy::unnecessary_wraps, reason = "the signature of all filters")]
pub(super) fn length_is<'a>(_: &Env<'a>, input: Data<'a>, argument: Data<'a>) -> Result<Data<'a>, Fault> {
    Ok(Data::Bool(count(input.len()).integer() == argument.integer()))
}

/// An item by chance; the input itself where there is none.
///
/// # Errors
///
/// `template_nondeterministic` when the host gave no seed.
pub(super) fn random<'a>(env: &Env<'a>, input: Data<'a>, _: Data<'a>) -> Result<Data<'a>, Fault> {
    if !has_items(input) || input.len() == 0 {
        return Ok(input);
    }
    let index = env.random_below(input.len())?;
    Ok(input.item(index).unwrap_or(Data::Nil))
}

/// The texts of all items with the argument between them; the text of what is no list.
pub(super) fn join<'a>(
    env: &Env<'a>,
    input: Data<'a>,
    argument: Data<'a>,
    out: &mut Buffer,
) -> Result<(), Fault> {
    let separator = env.text_of(argument)?;
    match input {
        Data::List(items) => join_items(items.iter().map(Data::from), separator, out),
        Data::Views(items, _) => join_items(items.iter().map(|item| item.data), separator, out),
        Data::Str(text) if !separator.is_empty() => join_items(characters(text), separator, out),
        other => other.write(out),
    }
}

fn join_items<'a>(
    mut items: impl Iterator<Item = Data<'a>>,
    separator: &str,
    out: &mut Buffer,
) -> Result<(), Fault> {
    if let Some(first) = items.next() {
        first.write(out)?;
    }
    for item in items {
        out.push_str(separator)?;
        item.write(out)?;
    }
    Ok(())
}

/// The characters of the input's text as a list.
///
/// # Errors
///
/// `template_limit_exceeded` when they are too many for a list.
pub(super) fn make_list<'a>(env: &Env<'a>, input: Data<'a>, _: Data<'a>) -> Result<Data<'a>, Fault> {
    collect(env, characters(env.text_of(input)?))
}

/// The parts of the input's text between occurrences of the argument; its characters when the argument is empty.
///
/// # Errors
///
/// `template_limit_exceeded` when they are too many for a list.
pub(super) fn split<'a>(env: &Env<'a>, input: Data<'a>, argument: Data<'a>) -> Result<Data<'a>, Fault> {
    let text = env.text_of(input)?;
    match env.text_of(argument)? {
        "" => collect(env, characters(text)),
        separator => collect(env, text.split(separator).map(Data::Str)),
    }
}

fn characters(text: &str) -> impl Iterator<Item = Data<'_>> {
    text.char_indices().map(|(at, character)| Data::Str(&text[at..at + character.len_utf8()]))
}

fn collect<'a>(env: &Env<'a>, items: impl Iterator<Item = Data<'a>>) -> Result<Data<'a>, Fault> {
    let most = env.limits().get(LimitKind::LoopItems).saturating_add(1);
    let items: Vec<_> = items.take(most).map(View::trusted).collect();
    env.list(&items)
}

/// A part of a list or string: the argument `from:to` counts from the start, or from the end when negative; either
/// can be left out, and what lies beyond an end is that end. What has no items is given back as it is.
///
/// # Errors
///
/// `template_filter_failed` when the argument has not exactly one colon.
pub(super) fn slice<'a>(env: &Env<'a>, input: Data<'a>, argument: Data<'a>) -> Result<Data<'a>, Fault> {
    let range = env.text_of(argument)?.split_once(':').filter(|(_, to)| !to.contains(':'));
    let Some((from, to)) = range else {
        return Err(Fault::filter("'slice' takes a range 'from:to'")
            .hint("either side can be left out, the colon cannot: slice:\":5\""));
    };
    if !has_items(input) {
        return Ok(input);
    }
    let len = input.len();
    let from = position(Data::Str(from).integer(), len);
    let to = if to.trim().is_empty() { len } else { position(Data::Str(to).integer(), len).max(from) };
    Ok(part(input, from, to))
}

/// Where a bound of a slice lies.
fn position(bound: i64, len: usize) -> usize {
    if bound < 0 { len.saturating_sub(amount(bound.saturating_neg())) } else { amount(bound).min(len) }
}

/// The items from `from` up to `to`; both are within the input, in this order.
fn part(input: Data<'_>, from: usize, to: usize) -> Data<'_> {
    match input {
        Data::List(items) => Data::List(&items[from..to]),
        Data::Views(items, depth) => Data::Views(&items[from..to], depth),
        Data::Str(text) => {
            let rest = &text[offset(text, from)..];
            Data::Str(&rest[..offset(rest, to - from)])
        }
        other => other,
    }
}

/// The byte at which a character begins, or the end.
pub(super) fn offset(text: &str, character: usize) -> usize {
    text.char_indices().nth(character).map_or(text.len(), |(at, _)| at)
}

fn has_items(data: Data<'_>) -> bool {
    data.is_list() || data.is_string()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::super::testing::{check_error, check_text, run};
    use crate::pongo::limits::{LimitKind, Limits};

    #[track_caller]
    fn check(name: &str, cases: &[(Json, Json, &str)]) {
        for (input, argument, expect) in cases {
            check_text(name, input.clone(), argument.clone(), expect);
        }
    }

    #[test]
    fn ends() {
        for (input, first, last) in [
            (json!([1, "b", 2.5]), "1", "2.500000"),
            (json!("héé"), "h", "é"),
            (json!([]), "", ""),
            (json!(""), "", ""),
            (json!(12), "", ""),
            (json!(null), "", ""),
            (json!({"a": 1}), "", ""),
        ] {
            check_text("first", input.clone(), json!(null), first);
            check_text("last", input, json!(null), last);
        }
    }

    #[test]
    fn lengths() {
        for (input, expect) in
            [(json!([1, 2]), 2), (json!("é👍"), 2), (json!({"a": 1}), 1), (json!(7), 0), (json!(null), 0)]
        {
            check_text("length", input.clone(), json!(null), &expect.to_string());
            check_text("length_is", input.clone(), json!(expect), "True");
            check_text("length_is", input, json!(9), "False");
        }
    }

    #[test]
    fn joins() {
        check(
            "join",
            &[
                (json!(["a", 1, null, 2.5, true]), json!(", "), "a, 1, , 2.500000, True"),
                (json!([[1], {"a": "b"}]), json!(" "), "[1] {\"a\":\"b\"}"),
                (json!(["a", "b"]), json!(null), "ab"),
                (json!(["a"]), json!("-"), "a"),
                (json!([]), json!("-"), ""),
                (json!("aéb"), json!("-"), "a-é-b"),
                (json!(12), json!("-"), "12"),
                (json!({"a": 1}), json!("-"), "{\"a\":1}"),
                (json!(null), json!("-"), ""),
                (json!(["a", "b"]), json!(0), "a0b"),
            ],
        );
    }

    #[test]
    fn lists_of_texts() {
        check(
            "make_list",
            &[(json!("aé"), json!(null), "[\"a\",\"é\"]"), (json!(12), json!(0), "[\"1\",\"2\"]")],
        );
        check(
            "split",
            &[
                (json!("a, b"), json!(", "), "[\"a\",\"b\"]"),
                (json!("a,,b,"), json!(","), "[\"a\",\"\",\"b\",\"\"]"),
                (json!("aé"), json!(""), "[\"a\",\"é\"]"),
                (json!(""), json!(""), "[]"),
                (json!(""), json!(","), "[\"\"]"),
                (json!(null), json!(null), "[]"),
            ],
        );
        let limits = Limits::FULL.with(LimitKind::LoopItems, 3);
        for name in ["make_list", "split"] {
            assert_eq!(run(name, json!("abc"), json!(""), &limits).as_deref(), Ok("[\"a\",\"b\",\"c\"]"));
            let beyond = "template_limit_exceeded: limit 'loop_items' is 3, got 4".to_owned();
            assert_eq!(run(name, json!("abcdefg"), json!(""), &limits), Err(beyond));
        }
    }

    #[test]
    fn slices() {
        for (range, expect) in [
            (":", "héllo"),
            ("1:", "éllo"),
            (":2", "hé"),
            ("1:3", "él"),
            ("-2:", "lo"),
            (":-2", "hél"),
            ("-99:2", "hé"),
            ("3:1", ""),
            ("9:", ""),
            ("1:99", "éllo"),
            ("a:b", ""),
            ("1: ", "éllo"),
            ("0:-99", ""),
            ("9223372036854775807:-9223372036854775808", ""),
        ] {
            check_text("slice", json!("héllo"), json!(range), expect);
        }
        check(
            "slice",
            &[
                (json!([1, 2, 3]), json!("1:"), "[2,3]"),
                (json!([]), json!("1:2"), "[]"),
                (json!(12345), json!("1:2"), "12345"),
                (json!(null), json!(":"), ""),
            ],
        );
        for argument in [json!(null), json!(2), json!("1"), json!("1:2:3")] {
            let range = "template_filter_failed: 'slice' takes a range 'from:to'";
            check_error("slice", json!("x"), argument, range);
        }
    }

    #[test]
    fn chance() {
        let drawn = run("random", json!(["a", "b", "c"]), json!(null), &Limits::FULL);
        assert!(["a", "b", "c"].map(|item| Ok(item.to_owned())).contains(&drawn), "{drawn:?}");
        assert_eq!(drawn, run("random", json!(["a", "b", "c"]), json!(null), &Limits::FULL));
        check("random", &[(json!([]), json!(null), "[]"), (json!(5), json!(null), "5")]);
    }
}
