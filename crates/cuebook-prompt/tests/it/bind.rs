//! Binding (RFC 0027 §A): sources, precedence, types, paths, placeholders, and all faults at once.

use cuebook_prompt::{BindPolicy, BoundValue, CONTEXT_KEYS, PromptError, Scope, SecretId, Values};
use serde_json::{Value as Json, json};

use crate::support::{composed, error_line, inputs, optional, part, secret, template, untrusted, values};

const LENIENT: BindPolicy = BindPolicy { strict_placeholders: false, tell_missing: false };
const STRICT: BindPolicy = BindPolicy { strict_placeholders: true, tell_missing: false };

/// The one variable of a case, `x`.
fn variable(value_type: &str, required: bool, more: Json) -> Json {
    let mut variable = json!({ "name": "x", "type": value_type, "required": required });
    let Json::Object(more) = more else { panic!("more members") };
    variable.as_object_mut().unwrap().extend(more);
    variable
}

/// The text that `[{{x}}]` becomes.
fn text(variable: Json, overrides: Json, scope: &Scope) -> Result<String, Vec<PromptError>> {
    let composition = composed(&template("[{{x}}]", json!([variable])), overrides, scope, LENIENT)?;
    Ok(composition.observed.composed)
}

#[track_caller]
fn check(variable: Json, overrides: Json, scope: &Scope, expect: &str) {
    assert_eq!(text(variable, overrides, scope).unwrap(), expect);
}

#[track_caller]
fn check_error(variable: Json, overrides: Json, scope: &Scope, expect: &str) {
    let errors = text(variable, overrides, scope).unwrap_err();
    assert_eq!(errors.iter().map(error_line).collect::<Vec<_>>(), [expect]);
}

fn every_source(name: &str) -> Scope {
    let of = |value: &str| values(json!({ name: value }));
    Scope::Node { inputs: of("from input"), variables: of("from variable"), context: of("from context") }
}

#[test]
fn each_source_has_names_of_its_own() {
    let scope = every_source("x");
    check(variable("string", true, json!({})), json!({}), &scope, "[from input]");
    for source in ["input", "variable", "context"] {
        let expect = format!("[from {source}]");
        check(variable("string", true, json!({ "source": source })), json!({}), &scope, &expect);
    }
    let scope = inputs(json!({ "x": "api-key" }));
    check(variable("string", true, json!({ "source": "secret" })), json!({}), &scope, "[[REDACTED:api-key]]");
}

#[test]
fn the_context_has_seven_facts() {
    let context: Values = CONTEXT_KEYS
        .iter()
        .map(|key| ((*key).to_owned(), values(json!({ "v": key }))["v"].clone()))
        .collect();
    let scope = Scope::Node { inputs: Values::new(), variables: Values::new(), context };
    for key in ["runId", "workflowId", "workflowName", "nodeId", "currentUserId", "tenantId", "now"] {
        let variable = json!({ "name": key, "type": "string", "required": true, "source": "context" });
        let template = template(&format!("{{{{{key}}}}}"), json!([variable]));
        assert_eq!(composed(&template, json!({}), &scope, LENIENT).unwrap().observed.composed, key);
    }
    assert_eq!(CONTEXT_KEYS.len(), 7);
}

#[test]
fn a_preview_takes_any_source_from_one_map() {
    for source in ["input", "variable", "context"] {
        let scope = Scope::Supplied(values(json!({ "x": "given" })));
        check(variable("string", true, json!({ "source": source })), json!({}), &scope, "[given]");
    }
}

#[test]
fn override_before_source_before_default_before_nothing() {
    let with_default = || variable("string", false, json!({ "defaultValue": "default" }));
    let (given, none) = (inputs(json!({ "x": "source" })), inputs(json!({})));
    check(with_default(), json!({ "x": "override" }), &given, "[override]");
    check(with_default(), json!({}), &given, "[source]");
    check(with_default(), json!({}), &none, "[default]");
    check(variable("string", false, json!({})), json!({}), &none, "[]");
    check(
        variable("string", true, json!({ "defaultValue": "default" })),
        json!({ "x": "override" }),
        &none,
        "[override]",
    );
}

#[test]
fn falsy_values_are_values() {
    let cases = [
        ("number", json!(0), "[0]"),
        ("boolean", json!(false), "[false]"),
        ("string", json!(""), "[]"),
        ("array", json!([]), "[[]]"),
        ("object", json!({}), "[{}]"),
    ];
    for (value_type, value, expect) in cases {
        let required = || variable(value_type, true, json!({}));
        let by_default = variable(value_type, false, json!({ "defaultValue": value }));
        check(required(), json!({}), &inputs(json!({ "x": value })), expect);
        check(required(), json!({ "x": value }), &inputs(json!({})), expect);
        check(by_default, json!({}), &inputs(json!({})), expect);
    }
}

#[test]
fn a_falsy_value_does_not_fall_back() {
    let with_default = || variable("string", false, json!({ "defaultValue": "default" }));
    check(with_default(), json!({ "x": "" }), &inputs(json!({ "x": "source" })), "[]");
    check(with_default(), json!({}), &inputs(json!({ "x": "" })), "[]");
}

#[test]
fn null_is_no_value_wherever_it_stands() {
    let with_default = || variable("string", false, json!({ "defaultValue": "default" }));
    check(with_default(), json!({ "x": null }), &inputs(json!({ "x": "source" })), "[source]");
    check(with_default(), json!({}), &inputs(json!({ "x": null })), "[default]");
    check(variable("string", false, json!({ "defaultValue": null })), json!({}), &inputs(json!({})), "[]");
    let path = json!({ "extractPath": "$.a", "defaultValue": "default" });
    check(variable("string", false, path), json!({}), &inputs(json!({ "x": { "a": null } })), "[default]");
    check_error(
        variable("string", true, json!({ "defaultValue": "default" })),
        json!({}),
        &inputs(json!({ "x": null })),
        "prompt_variable_unresolved [1:2] required variable 'x' has no value; \
         it is an input port of the node; give one called 'x'",
    );
}

#[test]
fn every_true_prints_true() {
    let from_default = variable("boolean", false, json!({ "defaultValue": true }));
    check(from_default, json!({}), &inputs(json!({})), "[true]");
    check(variable("boolean", true, json!({})), json!({}), &inputs(json!({ "x": true })), "[true]");
    check(variable("boolean", true, json!({})), json!({ "x": true }), &inputs(json!({})), "[true]");
    let extracted = variable("boolean", true, json!({ "extractPath": "$.ok" }));
    check(extracted, json!({}), &inputs(json!({ "x": { "ok": true } })), "[true]");
}

#[test]
fn values_become_text_by_type() {
    let cases = [
        ("string", json!("a\n\"b\""), "[a\n\"b\"]"),
        ("number", json!(1.5), "[1.5]"),
        ("number", json!(9_007_199_254_740_993_u64), "[9007199254740993]"),
        ("array", json!([{ "b": 1, "a": "x" }, null]), "[[{\"a\":\"x\",\"b\":1},null]]"),
        (
            "object",
            json!({ "z": [1, 2], "a": { "c": 1, "b": 2 } }),
            "[{\"a\":{\"b\":2,\"c\":1},\"z\":[1,2]}]",
        ),
    ];
    for (value_type, value, expect) in cases {
        check(variable(value_type, true, json!({})), json!({}), &inputs(json!({ "x": value })), expect);
    }
}

#[test]
fn a_wrong_type_names_everything_but_the_value() {
    let kinds = [json!("s"), json!(1), json!(true), json!(["s"]), json!({ "s": 1 })];
    let names = ["string", "number", "boolean", "array", "object"];
    for expected in names {
        for (value, got) in kinds.iter().zip(names).filter(|(_, got)| *got != expected) {
            let expect = format!(
                "prompt_variable_type_mismatch [1:2] variable 'x' is declared as {expected}, got {got}"
            );
            let given = inputs(json!({ "x": value }));
            check_error(variable(expected, true, json!({})), json!({}), &given, &expect);
            check_error(
                variable(expected, false, json!({})),
                json!({ "x": value }),
                &inputs(json!({})),
                &expect,
            );
            let by_default = variable(expected, false, json!({ "defaultValue": value }));
            check_error(by_default, json!({}), &inputs(json!({})), &expect);
        }
    }
}

#[test]
fn a_path_takes_a_part_of_the_source() {
    let path = |path: &str, value_type| variable(value_type, true, json!({ "extractPath": path }));
    let scope = inputs(json!({ "x": { "a": [{ "t": "one" }, { "t": "two" }], "n": 3 } }));
    check(path("$.a[0].t", "string"), json!({}), &scope, "[one]");
    check(path("$.a[*].t", "array"), json!({}), &scope, "[[\"one\",\"two\"]]");
    check(path("$.n", "number"), json!({}), &scope, "[3]");
    // The override is the value itself; no path is applied to it.
    check(path("$.a[0].t", "string"), json!({ "x": "whole" }), &scope, "[whole]");
    let fallback = json!({ "extractPath": "$.missing", "defaultValue": "default" });
    check(variable("string", false, fallback), json!({}), &scope, "[default]");
    check_error(
        path("$.missing", "string"),
        json!({}),
        &scope,
        "prompt_variable_unresolved [1:2] required variable 'x' has no value; \
         it is an input port of the node; give one called 'x'",
    );
}

#[test]
fn a_bad_path_is_an_error_with_or_without_a_value() {
    for required in [true, false] {
        for scope in [inputs(json!({ "x": { "a": 1 } })), inputs(json!({}))] {
            let bad = variable("string", required, json!({ "extractPath": "a.b" }));
            let errors = text(bad, json!({}), &scope).unwrap_err();
            let lines: Vec<String> = errors.iter().map(error_line).collect();
            assert!(
                lines[0].starts_with("unsupported_extract_path [1:2] 'a.b' is not a JSONPath: "),
                "{lines:?}"
            );
            assert!(
                lines[0].ends_with("; write a path of RFC 9535, for example $.items[0].title"),
                "{lines:?}"
            );
            assert_eq!(lines.len(), 1);
        }
    }
}

#[test]
fn an_unresolved_variable_names_its_place_and_the_nearest() {
    let cases = [
        ("input", "an input port of the node"),
        ("variable", "a variable of the run"),
        ("context", "a context fact of the host"),
        ("secret", "an input port holding the id of a declared secret"),
    ];
    for (source, place) in cases {
        let declared = json!({ "name": "topic", "type": "string", "required": true, "source": source });
        let template = template("# Task\n\nWrite about {{ topic }} and {{topic}}.", json!([declared]));
        let errors = |name: &str| match composed(&template, json!({}), &every_source(name), LENIENT) {
            Ok(_) => panic!("it is unresolved"),
            Err(errors) => errors.iter().map(error_line).collect::<Vec<_>>(),
        };
        let start = format!(
            "prompt_variable_unresolved [3:13] required variable 'topic' has no value; it is {place}"
        );
        assert_eq!(errors("topik"), [format!("{start}; there is one called 'topik'")]);
        assert_eq!(errors("unlike"), [format!("{start}; give one called 'topic'")]);
    }
}

#[test]
fn errors_say_the_same_to_machines() {
    let declared = json!({ "name": "topic", "type": "string", "required": true });
    let errors =
        composed(&template("a\n{{topic}}", json!([declared])), json!({}), &inputs(json!({})), LENIENT);
    let error = errors.err().unwrap()[0].to_run_error();
    assert_eq!(error.code, "prompt_variable_unresolved");
    assert_eq!(
        Json::from(error.details.unwrap()),
        json!({
            "ref": "prompt:t@1.0.0", "variable": "topic", "line": 2, "column": 1,
            "hint": "it is an input port of the node; give one called 'topic'",
        })
    );
}

#[test]
fn an_undeclared_placeholder_is_an_optional_input() {
    let loose = template("[{{a}}|{{b}}]", json!([]));
    let part =
        part(&loose, json!({ "b": "override" }), &inputs(json!({ "a": 7, "b": "source" })), LENIENT).unwrap();
    let codes: Vec<&str> = part.bindings.warnings.iter().map(|warning| warning.code.as_str()).collect();
    assert_eq!(codes, ["prompt_placeholder_undeclared"; 2]);
    assert_eq!(
        part.bindings.warnings[0].message,
        "placeholder '{{a}}' of prompt:t@1.0.0 is not a declared variable"
    );
    let text =
        |inputs_of: Json| composed(&loose, json!({}), &inputs(inputs_of), LENIENT).unwrap().observed.composed;
    assert_eq!(text(json!({ "a": 7, "b": "source" })), "[7|source]");
    assert_eq!(text(json!({ "a": null })), "[|]");
}

#[test]
fn strict_placeholders_are_declared() {
    let errors = composed(
        &template("{{topik}} {{quite}}", json!([optional("topic")])),
        json!({}),
        &inputs(json!({ "topik": "x" })),
        STRICT,
    );
    assert_eq!(
        errors.err().unwrap().iter().map(error_line).collect::<Vec<_>>(),
        [
            "prompt_placeholder_undeclared [1:1] placeholder '{{topik}}' of prompt:t@1.0.0 is not a declared variable; \
             did you mean 'topic'?",
            "prompt_placeholder_undeclared [1:11] placeholder '{{quite}}' of prompt:t@1.0.0 is not a declared variable; \
             declare it under \"variables\"",
        ]
    );
}

#[test]
fn an_override_of_nothing_is_an_error() {
    let template = template("{{tone}}{{loose}}", json!([optional("tone"), optional("unused")]));
    let errors = composed(&template, json!({ "tonne": "a", "elsewhere": "b" }), &inputs(json!({})), LENIENT);
    assert_eq!(
        errors.err().unwrap().iter().map(error_line).collect::<Vec<_>>(),
        [
            "validation_error variableOverrides names 'tonne', which prompt:t@1.0.0 does not have; did you mean 'tone'?",
            "validation_error variableOverrides names 'elsewhere', which prompt:t@1.0.0 does not have",
        ]
    );
    let fine = json!({ "tone": "a", "loose": "b", "unused": "c" });
    assert_eq!(composed(&template, fine, &inputs(json!({})), LENIENT).unwrap().observed.composed, "ab");
}

#[test]
fn a_secret_is_bound_by_id_or_marker() {
    let bound = |given: Json, overrides: Json| {
        let part =
            part(&template("{{k}}", json!([secret("k")])), overrides, &inputs(given), LENIENT).unwrap();
        part.bindings.get("k").unwrap().value.clone()
    };
    let id = |id: &str| BoundValue::Secret(SecretId::parse(id).unwrap());
    assert_eq!(bound(json!({ "k": "acme-key" }), json!({})), id("acme-key"));
    assert_eq!(bound(json!({ "k": "[REDACTED:acme-key]" }), json!({})), id("acme-key"));
    assert_eq!(bound(json!({ "k": "acme-key" }), json!({ "k": "other.key" })), id("other.key"));
}

#[test]
fn what_is_no_trusted_id_chooses_no_secret() {
    let error = "credential_unavailable [1:2] secret variable 'x' is not bound to the id of a declared secret; \
                 bind it to an id under [secrets] in the host's configuration";
    let declared = || variable("string", true, json!({ "source": "secret" }));
    let bad = [
        json!("not an id"),
        json!("[REDACTED:no id]"),
        json!(7),
        json!([]),
        json!(""),
        untrusted("acme-key"),
    ];
    for value in bad {
        check_error(declared(), json!({}), &inputs(json!({ "x": value })), error);
        check_error(declared(), json!({ "x": value }), &inputs(json!({})), error);
    }
}

#[test]
fn everything_wrong_is_said_at_once() {
    let variables = json!([
        { "name": "a", "type": "string", "required": true },
        { "name": "b", "type": "number", "required": true },
        { "name": "c", "type": "string", "required": false, "extractPath": "c" },
        secret("d"),
        { "name": "unused", "type": "string", "required": true },
    ]);
    let template = template("{{a}}\n{{b}}\n{{c}}\n{{d}}\n{{e}}", variables);
    let scope = inputs(json!({ "b": "text", "c": {}, "d": 1 }));
    let errors = composed(&template, json!({ "nothing": 1 }), &scope, STRICT).err().unwrap();
    let codes: Vec<(&str, Option<usize>)> = errors
        .iter()
        .map(|error| (error.code().as_str(), error.diagnostic().position().map(|at| at.line)))
        .collect();
    assert_eq!(
        codes,
        [
            ("prompt_variable_unresolved", Some(1)),
            ("prompt_variable_type_mismatch", Some(2)),
            ("unsupported_extract_path", Some(3)),
            ("credential_unavailable", Some(4)),
            ("prompt_placeholder_undeclared", Some(5)),
            ("prompt_variable_unresolved", None),
            ("validation_error", None),
        ]
    );
}
