//! The source map: every byte of the composed text has exactly one origin.

use std::sync::Arc;

use cuebook_prompt::{
    BindPolicy, Bindings, Composition, Observed, Origin, Part, Pinned, SecretValues, Slot, StaticPlace,
    Trust, compose,
};
use cuebook_wire::PromptKind;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::support::{inputs, part, secret, untrusted, versioned};

/// Segments as `text <- origin`.
fn lines(observed: &Observed) -> Vec<String> {
    let line = |segment: &cuebook_prompt::Segment| {
        format!("{:?} <- {}", &observed.composed[segment.start..segment.end], origin(&segment.origin))
    };
    observed.segments.iter().map(line).collect()
}

fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Template { reference, line } => format!("{reference}:{line}"),
        Origin::File { path, line, .. } => format!("file {path}:{line}"),
        Origin::Inline { field, line } => format!("field {field}:{line}"),
        Origin::Joint => "joint".to_owned(),
        Origin::Variable { name, source, trust, secret, reference, line, .. } => {
            let trust = if *trust == Trust::Untrusted { " untrusted" } else { "" };
            let secret = if *secret { " secret" } else { "" };
            format!("{source} {name}{trust}{secret} at {reference}:{line}")
        }
    }
}

fn fixed(kind: PromptKind, name: &str, text: &str, place: StaticPlace) -> Part {
    let pinned = Pinned::fixed("prompt:fixed".to_owned(), kind, name, text, place);
    Part { pinned: Arc::new(pinned), slot: Slot::Chain(kind), bindings: Bindings::default() }
}

#[test]
fn every_origin_with_its_line() {
    let variables = json!([
        { "name": "topic", "type": "string", "required": true },
        { "name": "note", "type": "string", "required": false },
        { "name": "day", "type": "string", "required": true, "source": "variable" },
        secret("key"),
    ]);
    let text = "# Task\n\nOn {{topic}}\nby {{note}}{{key}}.\n";
    let user = versioned("u", "1.0.0", "user", text, variables);
    let scope = inputs(json!({ "topic": untrusted("tides"), "key": "acme-key" }));
    let user = part(&user, json!({ "day": "Monday" }), &scope, BindPolicy::default()).unwrap();
    let parts = vec![
        user,
        fixed(PromptKind::System, "agents/writer.md", "Write.\nWell.", StaticPlace::File),
        fixed(PromptKind::SchemaHint, "config.hint", "JSON.", StaticPlace::Field),
    ];
    let composition = compose(parts, &SecretValues::new()).unwrap();
    insta::assert_snapshot!(lines(&composition.observed).join("\n"));
}

#[test]
fn segments_survive_the_log() {
    let scope = inputs(json!({ "x": "y" }));
    let template = versioned("u", "1.0.0", "user", "a{{x}}", json!([]));
    let part = part(&template, json!({}), &scope, BindPolicy::default()).unwrap();
    let observed = compose(vec![part], &SecretValues::new()).unwrap().observed;
    let json = serde_json::to_value(&observed.segments).unwrap();
    assert_eq!(
        json[1]["origin"],
        json!({
            "from": "variable", "name": "x", "source": "input", "trust": "trusted", "secret": false,
            "reference": "prompt:u@1.0.0", "line": 1,
        })
    );
    assert_eq!(serde_json::from_value::<Vec<cuebook_prompt::Segment>>(json).unwrap(), observed.segments);
}

#[test]
fn a_placeholder_over_lines_stands_on_the_line_it_begins() {
    let texts = [(0, "a\n{{\n\nx\n}}b".to_owned())];
    let observed = of(&texts, &json!({ "x": "X", "s": "acme-key" })).unwrap().observed;
    assert_eq!(observed.composed, "a\nXb");
    let line = match &observed.segments[1].origin {
        Origin::Variable { name, line, .. } if **name == *"x" => *line,
        origin => panic!("{origin:?}"),
    };
    assert_eq!(line, 2);
    for segment in &observed.segments {
        check_origin(&observed, segment, &texts).unwrap();
    }
}

/// A text of literals and the slots `a`, `b`, `s`.
fn texts() -> impl Strategy<Value = String> {
    const PIECES: [&str; 10] =
        ["{{a}}", "{{ b }}", "{{s}}", "x", "é\n", "\n\n", "{", "}}", "<UNTRUSTED>", " {{ no.name }} "];
    prop::collection::vec(prop::sample::select(&PIECES[..]), 0..9).prop_map(|pieces| pieces.concat())
}

fn given() -> impl Strategy<Value = Json> {
    let text = || ".{0,8}";
    prop_oneof![text().prop_map(Json::from), text().prop_map(untrusted), Just(Json::Null)]
}

fn of(texts: &[(usize, String)], scope: &Json) -> Option<Composition> {
    let variables = json!([
        { "name": "a", "type": "string", "required": false },
        { "name": "b", "type": "string", "required": false },
        secret("s"),
    ]);
    let part = |(at, (kind, text)): (usize, &(usize, String))| {
        let kind = PromptKind::ALL[*kind].as_str();
        let template = versioned(&format!("t{at}"), "1.0.0", kind, text, variables.clone());
        part(&template, json!({}), &inputs(scope.clone()), BindPolicy::default()).unwrap()
    };
    compose(texts.iter().enumerate().map(part).collect(), &SecretValues::new())
}

proptest! {
    #[test]
    fn segments_tile_the_text(
        texts in prop::collection::vec((0usize..4, texts()), 1..5), a in given(), b in given(),
    ) {
        let composition = of(&texts, &json!({ "a": a, "b": b, "s": "acme-key" })).unwrap();
        let observed = &composition.observed;
        let mut at = 0;
        for segment in &observed.segments {
            prop_assert_eq!(segment.start, at);
            prop_assert!(segment.end >= segment.start);
            prop_assert!(observed.composed.is_char_boundary(segment.end));
            at = segment.end;
            check_origin(observed, segment, &texts)?;
        }
        prop_assert_eq!(at, observed.composed.len());
        let joints = observed.segments.iter().filter(|segment| segment.origin == Origin::Joint).count();
        prop_assert_eq!(joints + 1, texts.len());
    }
}

/// Holds a segment's text against what its origin says it is.
fn check_origin(
    observed: &Observed,
    segment: &cuebook_prompt::Segment,
    texts: &[(usize, String)],
) -> Result<(), TestCaseError> {
    let text = &observed.composed[segment.start..segment.end];
    match &segment.origin {
        Origin::Joint => prop_assert_eq!(text, "\n\n"),
        Origin::Template { reference, line } => {
            let rest: Vec<&str> = source(reference, texts).split_inclusive('\n').collect();
            let from = rest[line - 1..].concat();
            prop_assert!(!text.is_empty() && from.contains(text), "{text:?} in {from:?}");
        }
        Origin::Variable { name, trust, secret, reference, line, .. } => {
            let rest: Vec<&str> = source(reference, texts).split_inclusive('\n').collect();
            prop_assert!(begins_placeholder(&rest[line - 1..], name), "{name} in line {line} of {rest:?}");
            prop_assert_eq!(*secret, **name == *"s");
            prop_assert_eq!(*trust == Trust::Untrusted, text.starts_with("<UNTRUSTED>") && !*secret);
            prop_assert!(!*secret || text == "[REDACTED:acme-key]");
        }
        origin => return Err(TestCaseError::fail(format!("no text has this origin: {origin:?}"))),
    }
    Ok(())
}

/// Whether a placeholder of `name` begins on the first of `lines`; it may end on a later one.
fn begins_placeholder(lines: &[&str], name: &str) -> bool {
    let text = lines.concat();
    let opens = lines[0].match_indices("{{").map(|(at, braces)| &text[at + braces.len()..]);
    let mut named = opens.filter_map(|inner| inner.trim_start().strip_prefix(name));
    named.any(|after| after.trim_start().starts_with("}}"))
}

/// The text of the template `prompt:t<index>@1.0.0`.
fn source<'a>(reference: &str, texts: &'a [(usize, String)]) -> &'a str {
    let at = reference.strip_prefix("prompt:t").and_then(|rest| rest.strip_suffix("@1.0.0")).unwrap();
    &texts[at.parse::<usize>().unwrap()].1
}
