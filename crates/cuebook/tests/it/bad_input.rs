//! What people hand in wrong: each time all of it is named, with place and nearest valid thing, and nothing is done.

use std::os::unix::fs::symlink;

use crate::support::Project;

const RUN: [&str; 4] = ["run", ".", "--input", "topic=tea"];
const QUESTION: &str = "prompts/question@1.0.0.md";
const VOICE: &str = "prompts/voice@1.0.0.md";
const DESK: &str = "workflows/desk.json";
const CLERK: &str = "agents/clerk.json";
const CONFIG: &str = "cuebook.toml";

/// Checks the refusal of a run in a project where `from` was replaced by `to`.
#[track_caller]
fn check(name: &str, path: &str, from: &str, to: &str) {
    Project::desk().edit(path, from, to).check_refused(&format!("bad-{name}"), &RUN);
}

#[test]
fn unknown_fields() {
    check("config-key", CONFIG, "observability", "observabilty");
    check("config-table", CONFIG, "[prompts]", "[prompt]");
    check("template-key", QUESTION, "name = \"Question\"", "titel = \"Question\"");
    check("variable-key", QUESTION, "defaultValue = 3", "default = 3");
    check("agent-key", CLERK, "promptOverrides", "promptOverides");
    check("workflow-key", DESK, "\"metadata\"", "\"metdata\"");
    check("node-key", DESK, "\"typeId\"", "\"type\"");
    check("port-key", DESK, "\"variableName\": \"topic\"", "\"variable\": \"topic\"");
}

#[test]
fn wrong_types_and_values() {
    check("config-value", CONFIG, "\"full\"", "\"all\"");
    check("config-type", CONFIG, "observability = \"full\"", "strict_placeholders = \"yes\"");
    check("template-kind", VOICE, "\"system\"", "\"sytem\"");
    check("template-version", VOICE, "version = \"1.0.0\"", "version = \"1.0\"");
    check("template-id", VOICE, "\"voice\"", "\"The Voice\"");
    check("variable-type", QUESTION, "\"number\"", "\"integer\"");
    check("agent-class", CLERK, "\"general\"", "7");
    check("node-type", DESK, "core.ai.callPrompt", "core.ai.callPromt");
    check("node-config", DESK, "\"agentId\": \"local.desk.clerk\"", "\"temperature\": 9, \"agentId\": 4");
    check("workflow-list", DESK, "\"edges\": []", "\"edges\": {}");
}

#[test]
fn references_that_are_none() {
    let reference = "prompt:question@1.0.0";
    check("ref-form", DESK, reference, "prompt:Bad Id");
    check("ref-version", DESK, reference, "prompt:a@1");
    check("ref-empty", DESK, reference, "prompt:");
    check("ref-scheme", DESK, reference, "question@1.0.0");
    check("ref-override", CLERK, "prompt:voice@1.0.0", "prompt:voice@one");
    let object = r#""userPromptRef": {"templateId": "question", "vesion": "1.0.0"}"#;
    check("ref-object", DESK, &format!("\"userPromptRef\": \"{reference}\""), object);
    check("ref-config", CONFIG, "[prompts]", "[prompts.defaults]\nsystem = \"prompt:Voice\"\n[prompts]");
}

/// Checks a run that starts, and fails at its node.
#[track_caller]
fn check_fails(name: &str, project: &Project) {
    project.check(&format!("bad-{name}"), &RUN).ended(1);
}

#[test]
fn templates_that_no_library_has() {
    let desk = || Project::desk();
    check_fails("no-template", &desk().edit(DESK, "prompt:question@1.0.0", "prompt:questoin"));
    check_fails("no-version", &desk().edit(DESK, "prompt:question@1.0.0", "prompt:question@1.0.1"));
    check_fails("no-template-of-agent", &desk().edit(CLERK, "prompt:voice@1.0.0", "prompt:vioce@1.0.0"));
    let both = desk().edit(DESK, "prompt:question@1.0.0", "prompt:q").edit(CLERK, "prompt:voice", "prompt:v");
    check_fails("no-template-at-two-layers", &both);
}

#[test]
fn values_that_do_not_bind() {
    let unbound = Project::desk().edit(DESK, r#""topic": {"#, r#""other": {"#);
    check_fails("unbound", &unbound);
    let mistyped = Project::desk().edit(DESK, r#""variableName": "count""#, r#""variableName": "topic""#);
    check_fails("mistyped", &mistyped);
    let both = unbound.edit(DESK, r#""variableName": "count""#, r#""variableName": "topic""#);
    check_fails("unbound-and-mistyped", &both);
    let strict = Project::desk().edit(CONFIG, "[prompts]", "[prompts]\nstrict_placeholders = true").edit(
        QUESTION,
        "{{topic}}",
        "{{topik}}",
    );
    check_fails("undeclared-placeholder", &strict);
}

#[test]
fn an_undeclared_secret() {
    let key = "\n[[variables]]\nname = \"key\"\ntype = \"string\"\nrequired = true\nsource = \"secret\"\n+++\n{{key}} ";
    let project = Project::desk().edit(QUESTION, "+++\nTell", &format!("{key}Tell")).edit(
        DESK,
        "\"prompt:question@1.0.0\"",
        r#"{"templateId": "question", "variableOverrides": {"key": "vault-key"}}"#,
    );
    check_fails("undeclared-secret", &project);
    check("undeclared-secret-of-provider", CONFIG, "[prompts]", OPENAI);
}

const OPENAI: &str = r#"
[providers.local]
kind = "openai"
base_url = "http://127.0.0.1:1/v1"
api_key = "modl-key"

[secrets.model-key]
from = "env:MODEL_KEY"

[prompts]"#;

#[test]
fn the_longest_text() {
    // Each of these characters has two bytes, so that bytes are not what is counted.
    let text = |length: usize| {
        format!(
            "+++\ntemplateId = \"voice\"\nversion = \"1.0.0\"\nkind = \"system\"\n+++\n{}\n",
            "é".repeat(length)
        )
    };
    let accepted = Project::desk().with(VOICE, text(65_536));
    accepted.cuebook(&[&RUN[..], &["--quiet"]].concat()).succeeded();
    Project::desk().with(VOICE, text(65_537)).check_refused("bad-too-long", &RUN);
}

#[test]
fn an_extract_path_that_is_none() {
    check("extract-path", QUESTION, "type = \"string\"", "type = \"string\"\nextractPath = \"$.items[\"");
}

#[test]
fn cycles() {
    let node = |id: &str| {
        format!(
            r#"{{"id":"{id}","typeId":"core.noop","name":"{id}","position":{{"x":0,"y":0}},"config":{{}},"inputs":{{}}}}"#
        )
    };
    let edge = |from: &str, to: &str| {
        format!(r#"{{"id":"{from}-{to}","sourceNodeId":"{from}","targetNodeId":"{to}"}}"#)
    };
    let nodes = ["a", "b", "c"].map(node).join(",\n    ");
    let edges = [edge("a", "b"), edge("b", "c"), edge("c", "b")].join(",\n    ");
    Project::desk()
        .edit(DESK, "\"nodes\": [", &format!("\"nodes\": [\n    {nodes},"))
        .edit(DESK, "\"edges\": []", &format!("\"edges\": [\n    {edges}\n  ]"))
        .check_refused("bad-cycle", &RUN);
}

#[test]
fn names_that_nothing_has() {
    check("port-variable", DESK, "\"variableName\": \"topic\"", "\"variableName\": \"topci\"");
    let edge = r#""edges": [{"id": "e", "sourceNodeId": "answr", "targetNodeId": "answer"}]"#;
    check("edge-node", DESK, "\"edges\": []", edge);
    check(
        "provider",
        CONFIG,
        "[prompts]",
        "[models]\ndefault = { provider = \"scripte\", model = \"m\" }\n[prompts]",
    );
    check(
        "model-class",
        CONFIG,
        "[prompts]",
        "[models]\nwritng = { provider = \"scripted\", model = \"m\" }\n[prompts]",
    );
}

#[test]
fn everything_that_is_wrong_in_one_file() {
    Project::desk()
        .edit(QUESTION, "kind = \"user\"", "kind = \"usr\"")
        .edit(QUESTION, "type = \"number\"", "type = \"numbr\"")
        .edit(QUESTION, "name = \"Question\"", "nam = \"Question\"")
        .check_refused("bad-several-in-one-file", &RUN);
}

#[test]
fn everything_that_is_wrong_in_all_files() {
    Project::desk()
        .edit(QUESTION, "kind = \"user\"", "kind = \"usr\"")
        .edit(VOICE, "kind = \"system\"", "kind = \"sistem\"")
        .edit(CLERK, "\"modelClass\"", "\"modelclass\"")
        .with("packs/broken/pack.json", "{\"name\": \"core.broken\"}")
        .check_refused("bad-several-files", &RUN);
}

#[test]
fn documents_that_do_not_parse() {
    check("json-syntax", CLERK, "\"modelClass\": \"general\",", "\"modelClass\": \"general\"");
    check(
        "json-twice",
        CLERK,
        "\"modelClass\": \"general\",",
        "\"modelClass\": \"general\", \"persona\": \"X\",",
    );
    check("json-comment", DESK, "\"edges\": []", "// none\n  \"edges\": []");
    check("json-cut-off", DESK, "\"settings\": {}\n}", "\"settings\": {");
    check("toml-syntax", CONFIG, "observability = \"full\"", "observability = full");
    check("toml-twice", CONFIG, "[prompts]", "[prompts]\nobservability = \"off\"");
    check("front-matter-missing", VOICE, "+++\ntemplateId", "templateId");
    check("front-matter-open", VOICE, "+++\nYou", "You");
    check("front-matter-syntax", VOICE, "kind = \"system\"", "kind: system");
    check("front-matter-text", VOICE, "kind = \"system\"", "kind = \"system\"\ntext = \"x\"");
    check("empty-workflow", DESK, &Project::desk().read(DESK), "");
    check("list-for-workflow", DESK, &Project::desk().read(DESK), "[]");
}

#[test]
fn files_that_are_no_text() {
    for (name, path) in [("prompt", VOICE), ("agent", CLERK), ("workflow", DESK), ("config", CONFIG)] {
        let bytes = [Project::desk().read(path).as_bytes(), b"\xff\xfe"].concat();
        Project::desk().with(path, bytes).check_refused(&format!("bad-not-utf-8-{name}"), &RUN);
    }
    let large = "x".repeat(4 * 1024 * 1024 + 1);
    Project::desk().with(CLERK, large).check_refused("bad-too-large", &RUN);
}

/// A manifest whose prompt is a file.
fn clerk_with(reference: &str) -> Project {
    let file = format!("\"systemPromptRef\": \"{reference}\"");
    Project::desk().edit(CLERK, r#""promptOverrides": { "system": "prompt:voice@1.0.0" }"#, &file)
}

#[test]
fn a_prompt_file_stays_below_its_directory() {
    let inside = clerk_with("texts/clerk.md").with("agents/texts/clerk.md", "You are a clerk.\n");
    inside.cuebook(&[&RUN[..], &["--quiet"]].concat()).succeeded();
    clerk_with("../secret.md").with("secret.md", "x").check_refused("bad-prompt-file-above", &RUN);
    clerk_with("/etc/hostname").check_refused("bad-prompt-file-absolute", &RUN);
    clerk_with("none.md").check_refused("bad-prompt-file-missing", &RUN);
    let led_out = clerk_with("link.md").with("secret.md", "x");
    symlink(led_out.root().join("secret.md"), led_out.root().join("agents/link.md")).unwrap();
    led_out.check_refused("bad-prompt-file-symlink", &RUN);
}

#[test]
fn what_is_there_twice() {
    let clerk = Project::desk().read(CLERK);
    Project::desk().with("agents/other.json", clerk).check_refused("bad-agent-twice", &RUN);
    let voice = Project::desk().read(VOICE);
    Project::desk().with("prompts/other.md", voice).check_refused("bad-template-twice", &RUN);
    let desk = Project::desk().read(DESK);
    Project::desk().with("workflows/other.json", desk).check_refused("bad-workflow-twice", &RUN);
    check("variable-twice", QUESTION, "name = \"count\"", "name = \"topic\"");
    check("reserved-id", VOICE, "templateId = \"voice\"", "templateId = \"agent-intrinsic.voice\"");
}

#[test]
fn a_value_that_a_person_wrote_by_mistake_is_not_echoed_at_length() {
    let long = "s3cret".repeat(100);
    let project = Project::desk().edit(CONFIG, "\"full\"", &format!("\"{long}\""));
    let outcome = project.cuebook(&RUN).ended(2);
    assert!(outcome.stderr.matches("s3cret").count() < 30 + 100, "{outcome}");
    let secret = "[secrets.key]\nfrom = \"hunter2-is-my-password\"\n\n[prompts]";
    let outcome =
        Project::desk().edit(CONFIG, "[prompts]", secret).cuebook(&[&RUN[..], &["--json"]].concat());
    assert!(!outcome.ended(2).stdout.contains("hunter2"));
}
