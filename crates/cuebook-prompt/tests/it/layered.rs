//! Layered templates through binding and composition: values, trust, origins, errors.

use std::collections::BTreeMap;
use std::sync::Arc;

use cuebook_prompt::{
    BindPolicy, Composition, Layered, Origin, Part, Pinned, PlacedValues, PromptError, RunPlace, Scope,
    SecretValues, Slot, TextContract, Unmet, Values, bind, compose,
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
    Arc::new(Pinned::layered(REFERENCE.to_owned(), PromptKind::System, Layered::plain(Arc::new(program))))
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
    let file = |path: &str, line| Origin::File { path: path.to_owned(), line, layer: None };
    let name = Origin::Variable {
        name: "author.name".into(),
        source: cuebook_wire::VariableSource::Input,
        trust: Trust::Trusted,
        secret: false,
        reference: REFERENCE.into(),
        line: 1,
        path: Some("part.md".into()),
        layer: None,
    };
    assert_eq!(origins, [file("writer.md", 1), file("part.md", 1), name, file("part.md", 1)]);
}

/// The errors of a strict composition.
fn faults(text: &str, values: serde_json::Value) -> Vec<PromptError> {
    composed(text, values, BindPolicy { strict_placeholders: true, tell_missing: false })
        .err()
        .expect("a fault")
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

/// Requires that a text has a word.
#[derive(Debug)]
struct Has(&'static str);

impl TextContract for Has {
    fn unmet(&self, text: &str) -> Vec<Unmet> {
        let lacks = || Unmet { message: format!("no '{}'", self.0), hint: "say it".to_owned() };
        (!text.contains(self.0)).then(lacks).into_iter().collect()
    }
}

/// What comes of a template with units, facts and defaults.
fn with_units(
    text: &str,
    units: &[&str],
    values: serde_json::Value,
) -> Result<Composition, Vec<PromptError>> {
    let compile = |name: String, text: &str| {
        let source = Source::new(name, text).in_layer("site");
        Arc::new(Program::compile(source, &(), &Options::default()).unwrap())
    };
    let units = units.iter().enumerate().map(|(at, text)| compile(format!("units/{at}.md"), text)).collect();
    let trusted = |json: serde_json::Value| cuebook_template::Value::trusted(json);
    let layered = Layered {
        facts: [("has_read".to_owned(), trusted(json!(true)))].into_iter().collect(),
        defaults: [("focus".to_owned(), trusted(json!("all")))].into_iter().collect(),
        slots: [("conduct".to_owned(), units)].into_iter().collect(),
        contract: Some(Arc::new(Has("Finish"))),
        ceiling: Some(120),
        ..Layered::plain(compile("agents/a.md".to_owned(), text))
    };
    let pinned = Arc::new(Pinned::layered(REFERENCE.to_owned(), PromptKind::System, layered));
    let bindings = bind(&pinned, None, &inputs(values), BindPolicy::default())?;
    if !bindings.unmet.is_empty() {
        return Err(bindings.unmet);
    }
    let part = Part { slot: Slot::Chain(pinned.kind), pinned, bindings };
    Ok(compose(vec![part], &SecretValues::new()).unwrap())
}

#[test]
fn units_come_in_by_slot_with_their_own_origins() {
    let text = "A\n{{ units.conduct }}\n{{ units.none }}Finish";
    let units = ["\n one {{ note }}\n\n", "  \n", "{% if has_read %}two{% endif %}"];
    let values = json!({"note": untrusted(json!("x")), "has_read": false});
    let composition = with_units(text, &units, values).unwrap();
    assert_eq!(composition.observed.composed, "A\none <UNTRUSTED>x</UNTRUSTED>\n\ntwo\nFinish");
    let lines: Vec<String> = composition
        .observed
        .segments
        .iter()
        .filter_map(|segment| match &segment.origin {
            Origin::File { path, line, layer } => Some(format!("{path}:{line} {}", layer.as_deref()?)),
            Origin::Variable { name, path, line, layer, .. } => {
                Some(format!("{name} {}:{line} {}", path.as_deref()?, layer.as_deref()?))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        lines,
        [
            "agents/a.md:1 site",
            "units/0.md:2 site",
            "note units/0.md:2 site",
            "units/2.md:1 site",
            "units/2.md:1 site",
            "agents/a.md:2 site",
            "agents/a.md:3 site"
        ]
    );
}

#[test]
fn facts_stand_above_what_is_given_and_defaults_below() {
    let text = "{{ has_read }} {{ focus }} Finish";
    let check = |values: serde_json::Value, expect: &str| {
        assert_eq!(with_units(text, &[], values).unwrap().observed.composed, expect);
    };
    check(json!({}), "True all Finish");
    check(json!({"has_read": false, "focus": "one"}), "True one Finish");
}

/// A checklist that tells where it stands.
#[derive(Debug)]
struct Here;

impl PlacedValues for Here {
    fn values(&self, place: &RunPlace<'_>) -> Values {
        let told = json!(format!("{}/{}", place.topology.unwrap_or("-"), place.phase.unwrap_or("-")));
        [("here".to_owned(), cuebook_template::Value::trusted(told))].into_iter().collect()
    }
}

#[test]
fn facts_of_the_run_have_the_names_of_layered_templates() {
    let program = Program::compile(
        Source::new("a.md", "{{ here }} {{ node_id }} {{ workflowId }} {{ topology }} {{ focus }}"),
        &(),
        &Options::default(),
    );
    let layered =
        Layered { placed: Some(Arc::new(Here)), ..Layered::plain(Arc::new(program.expect("it compiles"))) };
    let pinned = Arc::new(Pinned::layered(REFERENCE.to_owned(), PromptKind::System, layered));
    let check = |scope: Scope, expect: &str| {
        let bindings = bind(&pinned, None, &scope, BindPolicy::default()).expect("it binds");
        let part = Part { slot: Slot::Chain(pinned.kind), pinned: Arc::clone(&pinned), bindings };
        let composition = compose(vec![part], &SecretValues::new()).expect("a text");
        assert_eq!(composition.observed.composed, expect);
    };
    let values = |json: serde_json::Value| -> Values {
        let members = json.as_object().expect("an object").clone().into_iter();
        members.map(|(name, json)| (name, cuebook_template::Value::trusted(json))).collect()
    };
    let node = |inputs| Scope::Node {
        inputs: values(inputs),
        variables: Values::new(),
        context: values(json!({ "workflowId": "w", "nodeId": "n" })),
    };
    check(node(json!({ "focus": "f", "node_id": "mine" })), "w/n n w w f");
    check(Scope::Supplied(values(json!({ "topology": "t", "here": "given" }))), "given   t ");
    check(Scope::Supplied(values(json!({ "topology_phase_id": "p" }))), "-/p    ");
}

#[test]
fn a_text_that_lacks_something_or_is_too_long_is_an_error() {
    let codes = |text: &str| {
        let errors = with_units(text, &[], json!({})).err().expect("an error");
        errors.iter().map(|error| error.code().as_str().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(codes("Start"), ["prompt_contract_unmet"]);
    assert_eq!(codes(&"Finish".repeat(21)), ["render_ceiling_exceeded"]);
}
