//! What the built-in model answers.

use cuebook_prompt::Dispatch;
use cuebook_provider::{
    FinishReason, ModelAnswer, ModelPort, ModelSettings, ResponseFormat, Script, Scripted, Usage,
};
use futures_util::FutureExt;
use proptest::prelude::*;
use serde_json::Value;

use crate::support::{call, settings};

const SCRIPT: &str = r#"
[[replies]]
when = '(?i)review (?<what>\w+)'
reply = "${what} reads well: $1, for $$5."

[[replies]]
when = '^You plan\.\n\nShip (?:it|them)\b'
reply = '{"next": "ship"}'

[[replies]]
when = 'Ship'
reply = "Who ships?"

[[replies]]
when = '^silence$'
reply = ""
"#;

fn scripted(script: &str) -> Scripted {
    Scripted::new(toml::from_str(script).expect("a script")).expect("good rules")
}

fn ask(
    model: &Scripted,
    system: Option<&str>,
    user: Option<&str>,
    settings: &ModelSettings,
) -> (Vec<String>, ModelAnswer) {
    let dispatch = Dispatch::new(system.map(str::to_owned), user.map(str::to_owned));
    let (pieces, answer) = call(model, &dispatch, settings).now_or_never().expect("it never waits");
    (pieces, answer.expect("it never fails"))
}

#[track_caller]
fn check(system: Option<&str>, user: Option<&str>, expect: &str) {
    let (pieces, answer) = ask(&scripted(SCRIPT), system, user, &settings("m"));
    assert_eq!(answer.text, expect);
    assert_eq!(pieces.concat(), expect);
    assert_eq!((answer.model.as_str(), answer.finish), ("m", FinishReason::Stop));
}

#[test]
fn the_first_rule_that_fits_answers() {
    check(None, Some("Please REVIEW chapter3 now. Ship"), "chapter3 reads well: chapter3, for $5.");
    check(Some("You plan."), Some("Ship it."), r#"{"next": "ship"}"#);
    check(Some("You plan well."), Some("Ship it."), "Who ships?");
    check(Some("silence"), None, "");
}

#[test]
fn without_a_rule_the_prompt_is_digested() {
    check(
        Some("You are a careful editor.\nKeep the tone."),
        Some("Cut this text. Keep names. Mind the dates."),
        "Answering as a careful editor. The request: Cut this text. Keep names. (8 words in all)",
    );
    let (_, answer) = ask(&Scripted::default(), None, Some("Why?"), &ModelSettings::default());
    assert_eq!((answer.text.as_str(), answer.model.as_str()), ("The request: Why?", "scripted"));
}

#[test]
fn a_digest_in_json_is_an_object() {
    let json = ModelSettings { response_format: ResponseFormat::Json, ..settings("m") };
    let (_, answer) = ask(&Scripted::default(), None, Some("Say \"no\"."), &json);
    let object: Value = serde_json::from_str(&answer.text).expect("JSON");
    assert_eq!(object, serde_json::json!({ "text": "The request: Say \"no\"." }));
}

#[test]
fn an_answer_comes_word_by_word() {
    let model = scripted("replies = [{ when = 'x', reply = \"one two\\n\\nthree\" }]");
    let (pieces, answer) = ask(&model, None, Some("x"), &settings("m"));
    assert_eq!(pieces, ["one ", "two\n", "\n", "three"]);
    assert_eq!(answer.usage, Some(Usage { input_tokens: 1, output_tokens: 4 }));
}

#[test]
fn max_tokens_cuts_on_a_word() {
    let model = scripted("replies = [{ when = 'x', reply = 'one two three' }]");
    for (max_tokens, text, finish) in [
        (0, "", FinishReason::Length),
        (1, "one ", FinishReason::Length),
        (2, "one two ", FinishReason::Length),
        (4, "one two three", FinishReason::Stop),
    ] {
        let limited = ModelSettings { max_tokens: Some(max_tokens), ..settings("m") };
        let (pieces, answer) = ask(&model, None, Some("x"), &limited);
        assert_eq!((answer.text.as_str(), answer.finish), (text, finish), "{max_tokens}");
        assert_eq!(pieces.concat(), text);
    }
}

#[test]
fn names() {
    assert_eq!(Scripted::default().name(), "scripted");
    assert_eq!(Scripted::default().with_name("offline").name(), "offline");
}

#[test]
fn every_bad_rule_is_told() {
    let script: Script = toml::from_str(
        r#"
        replies = [
            { when = '(a', reply = "fine" },
            { when = 'b', reply = "fine" },
            { when = '(?<name>c)(d)', reply = "$nmae ${2} $3 $name_x ${name}_x $$9 $ {} $" },
            { when = '*', reply = "$9" },
        ]
        "#,
    )
    .expect("a script");
    insta::assert_snapshot!(Scripted::new(script).expect_err("bad rules"));
}

#[test]
fn unknown_keys_of_a_script_are_refused() {
    for (script, key) in
        [("reply = []", "reply"), ("replies = [{ when = 'x', reply = 'y', then = 'z' }]", "then")]
    {
        let error = toml::from_str::<Script>(script).expect_err("an unknown key").to_string();
        assert!(error.contains(&format!("unknown field `{key}`")), "{error}");
    }
}

proptest! {
    #[test]
    fn any_prompt_has_one_answer(
        system in prop::option::of("\\PC{0,200}"),
        user in prop::option::of("(?s).{0,400}"),
        max_tokens in prop::option::of(0_u32..50),
    ) {
        let limited = ModelSettings { max_tokens, ..settings("m") };
        let model = Scripted::default();
        let first = ask(&model, system.as_deref(), user.as_deref(), &limited);
        prop_assert_eq!(first.0.concat(), first.1.text.as_str());
        prop_assert!(first.0.iter().all(|piece| !piece.is_empty()));
        let used = first.1.usage.expect("an estimate").output_tokens;
        prop_assert!(max_tokens.is_none_or(|limit| used <= u64::from(limit)));
        prop_assert_eq!(ask(&model, system.as_deref(), user.as_deref(), &limited), first);
    }
}
