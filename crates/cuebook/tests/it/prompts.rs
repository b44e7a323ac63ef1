//! `cuebook prompts`: list, get, render.

use serde_json::json;

use crate::support::Project;

const RENDER: [&str; 5] = ["prompts", "render", "prompt:question@1.0.0", "--var", "topic=tea"];

#[test]
fn every_template_is_listed() {
    let project = Project::desk();
    project.check("prompts-list", &["prompts", "list"]).ended(0);
    let items = project.cuebook(&["prompts", "list", "--json"]).succeeded().json()["items"].clone();
    assert_eq!(items[0]["library"], "host");
    assert_eq!(items[1]["template"]["templateId"], "voice");
    Project::empty().check("prompts-list-empty", &["prompts", "list"]).ended(0);
}

#[test]
fn versions_are_in_order_and_the_highest_release_is_meant() {
    let of = |version: &str| {
        format!("+++\ntemplateId = \"v\"\nversion = \"{version}\"\nkind = \"user\"\n+++\n{version}\n")
    };
    let project =
        ["1.9.0", "1.10.0", "2.0.0-rc.1", "1.2.0"].into_iter().fold(Project::empty(), |project, version| {
            project.with(&format!("prompts/v@{version}.md"), of(version))
        });
    project.check("prompts-list-versions", &["prompts", "list"]).ended(0);
    let text = |reference: &str| project.cuebook(&["prompts", "get", reference]).succeeded().stdout;
    assert_eq!(text("prompt:v"), "1.10.0");
    assert_eq!(text("prompt:v@2.0.0-rc.1"), "2.0.0-rc.1");
    assert_eq!(text("prompt:v@1.9.0"), "1.9.0");
}

#[test]
fn a_template_is_shown_as_it_is_kept() {
    let project = Project::desk();
    let text = project.cuebook(&["prompts", "get", "prompt:question"]).succeeded().stdout;
    assert_eq!(text, "Tell me {{count}} things about {{topic}}.");
    project.check("prompts-get-json", &["prompts", "get", "prompt:question", "--json"]).ended(0);
}

#[test]
fn a_render_is_exactly_the_bytes_of_the_prompt() {
    let project = Project::desk();
    assert_eq!(project.cuebook(&RENDER).succeeded().stdout, "Tell me 3 things about tea.");
    let rendered =
        project.cuebook(&[&RENDER[..], &["--var", "count=7", "--json"]].concat()).succeeded().json();
    assert_eq!(rendered["composed"], "Tell me 7 things about tea.");
    assert_eq!(rendered["contentTrust"], "trusted");
    assert_eq!(rendered["refs"], json!(["prompt:question@1.0.0"]));
    project.check("prompts-render-json", &[&RENDER[..], &["--json"]].concat()).ended(0);
}

#[test]
fn untrusted_values_are_wrapped() {
    let project = Project::desk();
    let rendered = project.cuebook(&[&RENDER[..], &["--untrusted", "--json"]].concat()).succeeded().json();
    assert_eq!(rendered["composed"], "Tell me 3 things about <UNTRUSTED>tea</UNTRUSTED>.");
    assert_eq!(rendered["contentTrust"], "untrusted");
}

#[test]
fn the_own_prompt_of_an_agent() {
    let own = r#""systemPrompt": "You are {{exactly}} this.""#;
    let project = Project::desk().edit(
        "agents/clerk.json",
        r#""promptOverrides": { "system": "prompt:voice@1.0.0" }"#,
        own,
    );
    let rendered = project.cuebook(&["prompts", "render", "--agent", "local.desk.clerk"]).succeeded();
    assert_eq!(rendered.stdout, "You are {{exactly}} this.");
    let refs =
        project.cuebook(&["prompts", "render", "--agent", "local.desk.clerk", "--json"]).succeeded().json();
    assert_eq!(refs["refs"], json!(["prompt:agent-intrinsic.local.desk.clerk"]));
    project
        .check_refused("prompts-render-unknown-agent", &["prompts", "render", "--agent", "local.desk.clark"]);
    Project::desk()
        .check_refused("prompts-render-agent-without", &["prompts", "render", "--agent", "local.desk.clerk"]);
}

#[test]
fn references_that_are_none() {
    let project = Project::desk();
    for (name, reference) in [
        ("bad-id", "prompt:Bad Id"),
        ("bad-version", "prompt:a@1"),
        ("empty", "prompt:"),
        ("no-scheme", "question"),
        ("unknown", "prompt:qestion"),
        ("unknown-version", "prompt:question@1.0.1"),
    ] {
        project.check_refused(&format!("prompts-get-{name}"), &["prompts", "get", reference]);
        let rendered = project.cuebook(&["prompts", "render", reference]).ended(2);
        let got = project.cuebook(&["prompts", "get", reference]);
        assert_eq!(rendered.stderr, got.stderr, "both commands say the same about {reference}");
    }
}

#[test]
fn values_that_do_not_bind() {
    let project = Project::desk();
    let render = ["prompts", "render", "prompt:question"];
    project.check_refused("prompts-render-unbound", &render);
    project.check_refused("prompts-render-mistyped", &[&RENDER[..], &["--var", "count=many"]].concat());
    project.check_refused("prompts-render-undeclared", &[&RENDER[..], &["--var", "cuont=4"]].concat());
    project.check_refused("prompts-render-twice", &[&RENDER[..], &["--var", "topic=coffee"]].concat());
    project.check_refused(
        "prompts-render-all-wrong",
        &[&render[..], &["--var", "count=\"4\"", "--var", "cuont=4"]].concat(),
    );
    project.check_refused("prompts-render-no-value", &[&render[..], &["--var", "topic"]].concat());
}

#[test]
fn an_undeclared_placeholder_is_a_warning() {
    let project = Project::desk().edit("prompts/question@1.0.0.md", "{{topic}}", "{{topic}} and {{topik}}");
    project.check("prompts-render-warning", &RENDER).ended(0);
}

#[test]
fn two_versions_are_compared() {
    let of = |version: &str, variables: &str, text: &str| {
        format!("+++\ntemplateId = \"v\"\nversion = \"{version}\"\nkind = \"user\"\n{variables}+++\n{text}\n")
    };
    let declared =
        |kind: &str| format!("[[variables]]\nname = \"topic\"\ntype = \"{kind}\"\nrequired = true\n");
    let project = Project::empty()
        .with("prompts/one.md", of("1.0.0", &declared("string"), "Write a long text on {{topic}}.\nEnd."))
        .with("prompts/two.md", of("1.1.0", &declared("number"), "Write a short text on {{topic}}.\nEnd."));
    let diff = ["prompts", "diff", "prompt:v@1.0.0", "prompt:v@1.1.0"];
    let told = project.cuebook(&diff).ended(1);
    assert!(
        told.stdout.contains("-Write a [-long-] text on {{topic}}.\n+Write a {+short+} text"),
        "{}",
        told.stdout
    );
    assert!(told.stdout.contains("variable topic: {"), "{}", told.stdout);
    assert!(told.stderr.contains("prompt_breaking_change"), "{}", told.stderr);
    let json = project.cuebook(&[&diff[..], &["--json"]].concat()).ended(1).json();
    assert_eq!(json["warnings"][0]["code"], "prompt_breaking_change");
    assert_eq!(json["diff"]["variables"][0]["name"], "topic");
    let same = project.cuebook(&["prompts", "diff", "prompt:v@1.1.0", "prompt:v"]).ended(0);
    assert_eq!(same.stdout.trim(), "");
    let history = project.cuebook(&["prompts", "history", "prompt:v", "--json"]).succeeded().json();
    let versions: Vec<_> = history["versions"].as_array().unwrap().iter().map(|it| &it["version"]).collect();
    assert_eq!(versions, [&json!("1.0.0"), &json!("1.1.0")]);
    let unknown = project.cuebook(&["prompts", "history", "prompt:other"]).ended(2);
    assert!(unknown.stderr.contains("prompt_template_not_found"), "{}", unknown.stderr);
}
