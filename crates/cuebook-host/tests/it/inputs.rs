//! Inputs as a person types them.

use cuebook_host::wire::WorkflowDefinition;
use cuebook_host::{TypedInput, named, read_typed};
use serde_json::{Value as Json, json};

use crate::support::{Project, messages};

fn definition() -> WorkflowDefinition {
    let project = Project::new();
    let host = project.host().unwrap();
    (*host.workflow(None).unwrap().plan.definition).clone()
}

fn typed(pairs: &[(&str, &str)]) -> Vec<TypedInput> {
    let input = |(name, text): &(&str, &str)| TypedInput {
        name: (*name).to_owned(),
        text: (*text).to_owned(),
        untrusted: false,
    };
    pairs.iter().map(input).collect()
}

/// Checks what one input beside `topic` is read as; `None` when it is refused.
#[track_caller]
fn check(name: &str, text: &str, expect: Option<Json>) {
    let read = read_typed(&definition(), &typed(&[("topic", "tea"), (name, text)]));
    match (read, expect) {
        (Ok(inputs), expect) => assert_eq!(inputs.get(name), expect.as_ref(), "{name}={text}"),
        (Err(problems), None) => {
            let shown = problems.render(false);
            assert!(shown.contains(&format!("input '{name}' is declared as")), "{shown}");
            assert!(text.len() < 3 || !shown.contains(text), "{text:?} is echoed in {shown}");
        }
        (Err(problems), Some(_)) => panic!("{name}={text}: {problems}"),
    }
}

#[test]
fn a_text_is_read_by_the_declared_type() {
    check("count", "3", Some(json!(3)));
    check("count", "-0.5", Some(json!(-0.5)));
    check("count", "0", Some(json!(0)));
    check("count", "three", None);
    check("count", "\"33333\"", None);
    check("urgent", "true", Some(json!(true)));
    check("urgent", "false", Some(json!(false)));
    check("urgent", "TRUEish", None);
    check("urgent", "1", None);
    check("tags", "[]", Some(json!([])));
    check("tags", "[\"a\", 1]", Some(json!(["a", 1])));
    check("tags", "a,b", None);
    check("more", "{}", Some(json!({})));
    check("more", "{\"b\": 1, \"a\": null}", Some(json!({ "b": 1, "a": null })));
    check("more", "[\"seven\"]", None);
    check("count", "", None);
}

#[test]
fn a_string_is_taken_as_it_is() {
    for text in ["", "3", "true", "null", "\"quoted\"", "{{x}}", " a=b ", "é\n"] {
        let read = read_typed(&definition(), &typed(&[("topic", text)])).unwrap();
        assert_eq!(read["topic"], text);
    }
}

#[test]
fn untrusted_inputs_are_tagged() {
    let input = TypedInput { name: "topic".to_owned(), text: "tea".to_owned(), untrusted: true };
    let read = read_typed(&definition(), &[input]).unwrap();
    assert_eq!(read["topic"], json!({ "value": "tea", "meta": { "contentTrust": "untrusted" } }));
}

#[test]
fn all_that_is_wrong_is_told_at_once() {
    let given = typed(&[("topik", "tea"), ("count", "many"), ("urgent", "true"), ("urgent", "false")]);
    let problems = read_typed(&definition(), &given).unwrap_err();
    assert_eq!(
        messages(&problems),
        [
            "validation_error: workflow 'ask' declares no input 'topik'",
            "validation_error: input 'count' is declared as number, and the text given is not JSON of that type",
            "validation_error: input 'urgent' is given twice",
            "validation_error: the run needs input 'topic' (string)",
        ]
    );
}

#[test]
fn pairs_have_one_value_a_name() {
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let read = named("port", &[pair("b", "1"), pair("a", "2")]).unwrap();
    assert_eq!(read.into_iter().collect::<Vec<_>>(), [pair("a", "2"), pair("b", "1")]);
    let twice = named("port", &[pair("a", "1"), pair("a", "1"), pair("a", "2")]).unwrap_err();
    assert_eq!(messages(&twice), ["validation_error: port 'a' is given twice"; 2]);
}
