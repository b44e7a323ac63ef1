//! Cases that other systems got wrong in the field.

use serde_json::{Value as Json, json};

use crate::support::Project;

/// A project with one template and a workflow that binds its variable `v` to the input `v`.
fn printing(value_type: &str, more: &str, text: &str) -> Project {
    let template = format!(
        "+++\ntemplateId = \"print\"\nversion = \"1.0.0\"\nkind = \"user\"\n\n[[variables]]\nname = \"v\"\ntype = \"{value_type}\"\n{more}\n+++\n{text}"
    );
    let workflow = workflow(
        &[node(
            "print",
            "prompt:print",
            &json!({ "v": { "type": "variable", "variableName": "v", "optional": true } }),
        )],
        &json!([]),
        &json!([{ "name": "v", "type": value_type, "required": false }]),
    );
    Project::empty().with("prompts/print.md", template).with("workflows/print.json", workflow)
}

fn node(id: &str, reference: &str, inputs: &Json) -> Json {
    json!({
        "id": id, "typeId": "core.ai.callPrompt", "name": id, "position": { "x": 0, "y": 0 },
        "config": { "userPromptRef": reference }, "inputs": inputs,
    })
}

fn workflow(nodes: &[Json], edges: &Json, variables: &Json) -> String {
    json!({
        "id": "print", "name": "Print", "version": "1.0.0", "nodes": nodes, "edges": edges, "triggers": [],
        "variables": variables, "metadata": {}, "settings": {},
    })
    .to_string()
}

/// What each node was told, in order, in a run with these arguments.
#[track_caller]
fn told(project: &Project, args: &[&str]) -> Vec<String> {
    let run = project.cuebook(&[&["run", ".", "--json"], args].concat()).succeeded().json();
    let nodes = run["nodes"].as_array().unwrap();
    nodes.iter().map(|node| node["composition"]["composed"].as_str().unwrap().to_owned()).collect()
}

/// Checks what an input prints as.
#[track_caller]
fn check(value_type: &str, given: &str, expect: &str) {
    let project = printing(value_type, "required = true", "<{{v}}>");
    assert_eq!(told(&project, &["--input", &format!("v={given}")]), [format!("<{expect}>")]);
}

#[test]
fn falsy_values_are_values() {
    check("number", "0", "0");
    check("boolean", "false", "false");
    check("string", "", "");
    check("array", "[]", "[]");
    check("object", "{}", "{}");
}

#[test]
fn a_value_goes_in_byte_for_byte() {
    for value in [
        "{{other}}",
        "{{7*7}}",
        "$1",
        "${v}",
        "\\1",
        "&",
        "\"",
        "&amp;",
        "<b>",
        "%s",
        "{% x %}",
        "a\r\nb",
        "\u{feff}x",
        " ",
    ] {
        check("string", value, value);
    }
}

#[test]
fn values_of_other_types_print_one_way() {
    check("number", "1e2", "100");
    check("number", "-0.5", "-0.5");
    check("object", r#"{ "b": 1, "a": [true, null, "x"] }"#, r#"{"a":[true,null,"x"],"b":1}"#);
    check("object", r#"{ "a": [true, null, "x"], "b": 1 }"#, r#"{"a":[true,null,"x"],"b":1}"#);
}

#[test]
fn keys_in_another_order_give_the_same_hash() {
    let project = printing("object", "required = true", "{{v}}");
    let hash = |value: &str| {
        let run =
            project.cuebook(&["run", ".", "--json", "--input", &format!("v={value}")]).succeeded().json();
        run["nodes"][0]["composition"]["hash"].clone()
    };
    assert_eq!(hash(r#"{"a": 1, "b": {"d": 1, "c": 2}}"#), hash(r#"{"b": {"c": 2, "d": 1}, "a": 1}"#));
}

#[test]
fn a_true_is_a_true_wherever_it_comes_from() {
    let from_default = printing("boolean", "required = false\ndefaultValue = true", "{{v}}");
    let from_input = printing("boolean", "required = true", "{{v}}");
    let extracted = printing("boolean", "required = true\nextractPath = \"$.deep[0]\"", "{{v}}").edit(
        "workflows/print.json",
        r#""type":"boolean""#,
        r#""type":"object""#,
    );
    assert_eq!(told(&from_default, &[]), ["true"]);
    assert_eq!(told(&from_input, &["--input", "v=true"]), ["true"]);
    assert_eq!(told(&extracted, &["--input", r#"v={"deep": [true]}"#]), ["true"]);
}

#[test]
fn braces_that_are_no_placeholder_are_text() {
    for text in [
        "Answer as {\"verdict\": \"yes\", \"why\": {\"short\": true}}",
        "}",
        "} {",
        "{ {v} }",
        "{{ }}",
        "{{7*7}}",
        "{{{v}",
        "a }} b",
    ] {
        let project = printing("string", "required = false", text);
        assert_eq!(told(&project, &[]), [text]);
    }
}

#[test]
fn two_versions_in_one_run_do_not_mix() {
    let of = |version: &str| {
        format!(
            "+++\ntemplateId = \"voice\"\nversion = \"{version}\"\nkind = \"user\"\n+++\nThis is {version}.\n"
        )
    };
    let nodes = [
        node("first", "prompt:voice@1.9.0", &json!({})),
        node("second", "prompt:voice@1.10.0", &json!({})),
        node("third", "prompt:voice", &json!({})),
    ];
    let edges = json!([
        { "id": "a", "sourceNodeId": "first", "targetNodeId": "second" },
        { "id": "b", "sourceNodeId": "second", "targetNodeId": "third" },
    ]);
    let project = Project::empty()
        .with("prompts/voice@1.9.0.md", of("1.9.0"))
        .with("prompts/voice@1.10.0.md", of("1.10.0"))
        .with("workflows/print.json", workflow(&nodes, &edges, &json!([])));
    assert_eq!(told(&project, &[]), ["This is 1.9.0.", "This is 1.10.0.", "This is 1.10.0."]);
}

#[test]
fn two_values_from_a_model_that_saw_untrusted_text_are_untrusted() {
    let template = "+++\ntemplateId = \"both\"\nversion = \"1.0.0\"\nkind = \"user\"\n\n[[variables]]\nname = \"a\"\ntype = \"string\"\nrequired = true\n\n[[variables]]\nname = \"b\"\ntype = \"string\"\nrequired = true\n+++\n{{a}}|{{b}}";
    let from = |node: &str| json!({ "type": "connection", "nodeId": node, "outputKey": "text" });
    let own = json!({ "v": { "type": "variable", "variableName": "v" } });
    let nodes = [
        node("print", "prompt:print", &own),
        node("last", "prompt:both", &json!({ "a": from("print"), "b": from("print") })),
    ];
    let edges = json!([{ "id": "e", "sourceNodeId": "print", "targetNodeId": "last" }]);
    let variables = json!([{ "name": "v", "type": "string", "required": true }]);
    let project = printing("string", "required = true", "{{v}}")
        .with("prompts/both.md", template)
        .with("workflows/print.json", workflow(&nodes, &edges, &variables));
    let answer = "The request: tea";
    let wrapped = format!("<UNTRUSTED>{answer}</UNTRUSTED>");
    assert_eq!(
        told(&project, &["--untrusted-input", "v=tea"]),
        ["<UNTRUSTED>tea</UNTRUSTED>".to_owned(), format!("{wrapped}|{wrapped}")]
    );
    assert_eq!(told(&project, &["--input", "v=tea"])[1], format!("{answer}|{answer}"));
}

#[test]
fn an_input_without_a_tag_is_as_trusted_as_the_host_says() {
    let project = printing("string", "required = true", "{{v}}")
        .with("cuebook.toml", "[prompts]\nuntagged_inputs = \"untrusted\"\n");
    assert_eq!(told(&project, &["--input", "v=tea"]), ["<UNTRUSTED>tea</UNTRUSTED>"]);
}

#[test]
fn line_ends_of_a_prompt_file_are_kept() {
    let file =
        "+++\r\ntemplateId = \"crlf\"\r\nversion = \"1.0.0\"\r\nkind = \"user\"\r\n+++\r\none\r\ntwo\r\n";
    let project = Project::empty().with("prompts/crlf.md", file);
    assert_eq!(project.cuebook(&["prompts", "render", "prompt:crlf"]).succeeded().stdout, "one\r\ntwo");
}
