//! `cuebook config`: the check of a whole project, and the schema of its configuration.

use serde_json::json;

use crate::support::{Project, check};

#[test]
fn a_sound_project() {
    Project::desk().check("config-sound", &["config", "check"]).ended(0);
    Project::newsroom().check("config-newsroom", &["config", "check", "."]).ended(0);
    let json = Project::desk().cuebook(&["config", "check", "--json"]).succeeded().json();
    let expect =
        json!({ "workflows": ["desk"], "agents": 1, "templates": 2, "problems": [], "warnings": [] });
    assert_eq!(json, expect);
}

#[test]
fn what_is_doubtful_is_a_warning() {
    let project =
        Project::desk().edit("workflows/desk.json", "\"agentId\":", "\"temprature\": 1, \"agentId\":");
    project.check("config-warning", &["config", "check"]).ended(0);
}

#[test]
fn every_workflow_is_checked() {
    let project = Project::desk()
        .edit("workflows/desk.json", "\"typeId\": \"core.ai.callPrompt\"", "\"typeId\": \"core.ai.call\"")
        .with("workflows/broken.json", "{ \"id\": \"broken\", }");
    let outcome = project.check("config-workflows", &["config", "check"]).ended(1);
    let json = project.cuebook(&["config", "check", "--json"]).ended(1).json();
    assert_eq!(json["problems"].as_array().unwrap().len(), 2, "{outcome}");
}

#[test]
fn all_problems_of_all_files_with_line_column_and_caret() {
    let project = Project::desk()
        .edit("prompts/voice@1.0.0.md", "kind = \"system\"", "kind = \"sytem\"")
        .edit("agents/clerk.json", "\"general\"", "\"genral\"");
    project.check_refused("config-files", &["config", "check"]);
    let problems = project.cuebook(&["config", "check", "--json"]).ended(2).json();
    assert_eq!(problems["problems"][0]["file"], "prompts/voice@1.0.0.md");
    assert_eq!(problems["problems"][0]["line"], 4);
    assert_eq!(problems["problems"][0]["column"], 1);
    assert_eq!(problems["problems"][1]["hint"], "did you mean 'general'?");
}

const ALL_WRONG: &str = r#"
[prompts]
observability = "loud"
strict = true

[models]
default = { provider = "scripted", model = "m", temperature = 3 }

[providers.local]
kind = "openapi"

[secrets.key]
form = "env:KEY"

[limits]
max_node_executions = 0
"#;

#[test]
fn all_problems_of_a_configuration_at_once() {
    Project::desk().with("cuebook.toml", ALL_WRONG).check_refused("config-all-wrong", &["config", "check"]);
}

const RULES_BROKEN: &str = r#"
[models]
writting = { provider = "scripted", model = "m" }
default = { provider = "lokal", model = "m" }

[providers.local]
kind = "openai"
script = "x.toml"
api_key = "key"

[providers.scripted]
kind = "openai"
base_url = "http://localhost/v1"

[providers.mock]
kind = "scripted"
base_url = "http://localhost/v1"
timeout_ms = 5

[secrets."two words"]
from = "vault:x"

[secrets.a]
from = "env:SAME"

[secrets.b]
from = "env:SAME"
"#;

#[test]
fn tables_that_do_not_agree() {
    Project::desk().with("cuebook.toml", RULES_BROKEN).check_refused("config-rules", &["config", "check"]);
}

#[test]
fn refs_that_no_library_has() {
    let project = Project::desk()
        .edit("workflows/desk.json", "prompt:question@1.0.0", "prompt:qestion@1.0.0")
        .edit(
            "workflows/desk.json",
            "\"edges\": []",
            "\"edges\": [], \"defaults\": { \"promptRefs\": { \"system\": \"prompt:voice@9.0.0\" } }",
        )
        .edit("workflows/desk.json", "local.desk.clerk", "local.desk.clark")
        .edit("agents/clerk.json", "prompt:voice@1.0.0", "prompt:vocie@1.0.0")
        .edit("cuebook.toml", "[prompts]", "[prompts.defaults]\nsystem = \"prompt:voices\"\n[prompts]");
    project.check("config-refs", &["config", "check"]).ended(1);
}

#[test]
fn directories_that_are_named_must_be_there() {
    let paths = "[paths]\nprompts = [\"prompts\", \"texts\"]\npacks = [\"../packs\"]\n";
    Project::desk().with("cuebook.toml", paths).check_refused("config-paths", &["config", "check"]);
    Project::empty().check("config-empty", &["config", "check"]).ended(0);
}

#[test]
fn a_script_with_bad_rules() {
    let config = "[providers.mine]\nkind = \"scripted\"\nscript = \"script.toml\"\n";
    let project = Project::desk().with("cuebook.toml", config);
    project.check_refused("config-script-missing", &["config", "check"]);
    let script =
        "[[replies]]\nwhen = \"(\"\nreply = \"x\"\n\n[[replies]]\nwhen = \"(?<a>x)\"\nreply = \"$b\"\n";
    let project = project.with("script.toml", script);
    project.check_refused("config-script-rules", &["config", "check"]);
    project
        .with("script.toml", "[[replies]]\nwhn = \"x\"\n")
        .check_refused("config-script-key", &["config", "check"]);
}

#[test]
fn a_provider_address_that_is_none() {
    let config = "[providers.local]\nkind = \"openai\"\nbase_url = \"localhost:11434\"\n";
    Project::desk().with("cuebook.toml", config).check_refused("config-base-url", &["config", "check"]);
}

#[test]
fn the_schema_names_every_key() {
    let outcome = Project::empty().cuebook(&["config", "schema"]).succeeded();
    check("config-schema", &outcome);
    assert_eq!(outcome.json()["additionalProperties"], false);
}
