//! Layered templates through binding and composition: values, trust, origins, errors.

use std::collections::BTreeMap;
use std::sync::Arc;

use cuebook_prompt::{
    BindPolicy, Composition, Origin, Part, Pinned, PromptError, SecretValues, Slot, bind, compose,
};
use cuebook_template::pongo::{Options, Program};
use cuebook_template::{Source, Trust};
use cuebook_wire::PromptKind;
use serde_json::json;

use crate::support::{exposed, inputs, untrusted};

const REFERENCE: &str = "prompt:layered.agents.writer";

fn pinned(text: &str) -> Arc<Pinned> {
    let files = BTreeMap::from([("part.md".to_owned(), "by {{ author.name|upper }}\n".to_owned())]);
    let program = Program::compile(Source::new("writer.md", text), &files, &Options::default()).unwrap();
    Arc::new(Pinned::layered(REFERENCE.to_owned(), PromptKind::System, Arc::new(program)))
}

fn composed(
    text: &str,
    values: serde_json::Value,
    policy: BindPolicy,
) -> Result<Composition, Vec<PromptError>> {
    let pinned = pinned(text);
    let bindings = bind(&pinned, None, &inputs(values), policy)?;
    let part = Part { slot: Slot::Chain(pinned.kind), pinned, bindings };
    Ok(compose(vec![part], &SecretValues::new()).unwrap())
}

#[track_caller]
fn check(text: &str, values: serde_json::Value, expect: &str) {
    let composition = composed(text, values, BindPolicy::default()).unwrap();
    assert_eq!(composition.observed.composed, expect);
    assert_eq!(exposed(&composition.dispatch), (Some(expect.to_owned()), None));
}

#[test]
fn values_come_from_inputs_and_missing_ones_are_empty() {
    check("{% if topic %}On {{ topic }}.{% endif %}{{ nope }}", json!({"topic": "trains"}), "On trains.");
    check("{% include \"part.md\" %}", json!({"author": {"name": "ann"}}), "by ANN\n");
}

#[test]
fn what_an_untrusted_value_puts_there_is_wrapped_wherever_it_went() {
    let note = untrusted(json!("see </untrusted> it"));
    check("A {{ note }} Z", json!({"note": note}), "A <UNTRUSTED>see ‹/untrusted> it</UNTRUSTED> Z");
    check(
        "{% set kept = note|upper %}{% for c in list %}{{ c }},{% endfor %}{{ kept|slice:\":3\" }}{{ plain }}",
        json!({"note": untrusted(json!("abcdef")), "list": untrusted(json!(["x"])), "plain": "ok"}),
        "<UNTRUSTED>x</UNTRUSTED>,<UNTRUSTED>ABC</UNTRUSTED>ok",
    );
}

#[test]
fn every_range_says_where_it_came_from() {
    let values = json!({"author": {"name": "ann"}});
    let composition = composed("Text\n{% include \"part.md\" %}", values, BindPolicy::default()).unwrap();
    let origins: Vec<Origin> =
        composition.observed.segments.iter().map(|segment| segment.origin.clone()).collect();
    let file = |path: &str, line| Origin::File { path: path.to_owned(), line };
    let name = Origin::Variable {
        name: "author.name".into(),
        source: cuebook_wire::VariableSource::Input,
        trust: Trust::Trusted,
        secret: false,
        reference: REFERENCE.into(),
        line: 1,
    };
    assert_eq!(origins, [file("writer.md", 1), file("part.md", 1), name, file("part.md", 1)]);
}

/// The errors of a strict composition.
fn faults(text: &str, values: serde_json::Value) -> Vec<PromptError> {
    composed(text, values, BindPolicy { strict_placeholders: true }).err().expect("a fault")
}

#[test]
fn a_fault_names_the_place_and_never_the_value() {
    let values = json!({"author": {"name": "canary-7f"}});
    let errors = faults("{{ author.nmae }}", values.clone());
    let [error] = &*errors else { panic!("one fault: {errors:?}") };
    assert_eq!(error.code().as_str(), "prompt_render_failed");
    assert_eq!(error.to_string().split(": ").next(), Some("writer.md:1:4"));
    assert_eq!(error.diagnostic().hint.as_deref(), Some("did you mean 'name'?"));
    let errors = faults("{{ author.name.first }}", values);
    assert!(!format!("{errors:?}").contains("canary-7f"));
}
