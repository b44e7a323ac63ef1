//! Whole prompts: our own, and those of the shared material where it is there.

use std::collections::HashMap;
use std::path::PathBuf;

use cuebook_template::Value;
use serde_json::{Value as Json, json};

use crate::sinks::{fill, identity, parse};

const PROMPT: &str = "# {{ agent_name }}: {{role}}\r\n
Work on `{{branch}}` within {{budget}} tokens. Facts: {{facts}}.\n
Answer as {\"summary\": \"…\", \"steps\": [{\"n\": {{first_step}}}]}. {{branch}} only.{{empty}}\n";

const RENDERED: &str = "# Ada {{role}}: reviewer & \"editor\"\r\n
Work on `main` within 12000 tokens. Facts: {\"a\":\"<b>\",\"z\":[1,2]}.\n
Answer as {\"summary\": \"…\", \"steps\": [{\"n\": 9007199254740993}]}. main only.\n";

/// The folder of shared material; `None` where there is none.
fn shared() -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("CUEBOOK_SHARED").map_or_else(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// Renders a template with the members of an object.
fn render(template: &str, values: Json) -> String {
    let Json::Object(members) = values else { panic!("the values are an object") };
    let texts: HashMap<String, String> =
        members.into_iter().map(|(name, json)| (name, Value::trusted(json).text().into_owned())).collect();
    fill(template, |name| texts[name].as_str())
}

#[test]
fn a_prompt_of_our_own() {
    let values = json!({
        "agent_name": "Ada {{role}}",
        "role": "reviewer & \"editor\"",
        "branch": "main",
        "budget": 12000.0,
        "facts": {"z": [1, 2], "a": "<b>"},
        "first_step": 9_007_199_254_740_993_u64,
        "empty": "",
    });
    assert_eq!(render(PROMPT, values), RENDERED);
}

#[test]
fn the_flat_benchmark_renders_as_recorded() {
    let mut cases =
        vec![("a {{x}} b {{ y }}{{x}}".to_owned(), json!({"x": 1, "y": "z"}), "a 1 b z1".to_owned())];
    if let Some(bench) = shared().map(|folder| folder.join("bench")) {
        let read = |name: &str| std::fs::read_to_string(bench.join(name)).expect("the benchmark is complete");
        let values = serde_json::from_str(&read("flat.json")).expect("its values are JSON");
        cases.push((read("flat.mustache"), values, read("flat.expected.txt")));
    }
    for (template, values, expect) in cases {
        assert_eq!(render(&template, values), expect);
    }
}

#[test]
fn published_templates_use_the_variables_they_declare() {
    let mut templates =
        vec![json!({"text": "Write about {{topic}}, not {topics}.", "variables": [{"name": "topic"}]})];
    if let Some(folder) = shared().map(|folder| folder.join("openwop/prompt-templates")) {
        for entry in std::fs::read_dir(folder).expect("the templates can be listed") {
            let text =
                std::fs::read_to_string(entry.expect("an entry").path()).expect("a template can be read");
            templates.push(serde_json::from_str(&text).expect("a template is JSON"));
        }
    }
    for template in templates {
        check_published(&template);
    }
}

#[track_caller]
fn check_published(template: &Json) {
    let text = template["text"].as_str().expect("a template has a text");
    let program = parse(text);
    let declared: Vec<&str> = template["variables"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one["name"].as_str())
        .collect();
    let used: Vec<&str> = program.names().iter().map(AsRef::as_ref).collect();
    assert!(declared.iter().all(|name| used.contains(name)), "{declared:?} in {used:?}");
    assert!(used.iter().all(|name| declared.contains(name)), "{used:?} in {declared:?}");
    assert_eq!(identity(&program), text);
    assert_eq!(program.lints(), []);
}
