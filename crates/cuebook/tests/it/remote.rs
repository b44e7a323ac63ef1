//! `cuebook run WORKFLOW --host URL`: the same run, on another host.

use serde_json::Value as Json;

use crate::serve::Serving;
use crate::support::{Outcome, Project};

const KEY: &str = "a-key-of-the-environment";
const TOPIC: [&str; 2] = ["--input", "topic=the night train"];

/// Runs the newsroom's workflow on the host at `address`.
fn run_at(project: &Project, address: &str, more: &[&str]) -> Outcome {
    let url = format!("http://{address}");
    project.cuebook(&[&["run", "newsroom", "--host", &url][..], &TOPIC, more].concat())
}

/// The lines that name what every node was told.
fn hashes(outcome: &Outcome) -> Vec<&str> {
    outcome.stdout.lines().map(str::trim).filter(|line| line.starts_with("hash: ")).collect()
}

#[test]
fn a_run_on_another_host_composes_the_same_prompts() {
    let project = Project::newsroom().env("CUEBOOK_API_KEY", KEY);
    let here = project.cuebook(&[&["run", "."][..], &TOPIC].concat()).ended(0);
    let serving = Serving::start(&project, &[]);
    let there = run_at(&project, &serving.address, &[]).ended(0);
    assert_eq!(hashes(&there).len(), 3, "{there}");
    assert_eq!(hashes(&there), hashes(&here));
    let events = run_at(&project, &serving.address, &["--format", "json"]).ended(0).json();
    let last = events["events"].as_array().and_then(|events| events.last());
    assert_eq!(last.map(|event| &event["type"]), Some(&Json::from("run.completed")));
    serving.terminate().ended(0);
}

#[test]
fn a_key_that_may_not_see_workflows_may_run_them() {
    let sha256 = crate::serve::sha256_of("a-key-that-runs");
    let scopes = r#"["runs:create", "runs:read"]"#;
    let config = Project::newsroom().read("cuebook.toml");
    let config = format!("{config}\n[keys.runs]\nsha256 = \"{sha256}\"\nscopes = {scopes}\n");
    let project = Project::newsroom()
        .env("CUEBOOK_API_KEY", KEY)
        .with("cuebook.toml", config)
        .with("runs-key", "a-key-that-runs");
    let serving = Serving::start(&project, &[]);
    let there = run_at(&project, &serving.address, &["--key-file", "runs-key"]).ended(0);
    assert!(there.stderr.contains("inputs are sent as texts"), "{there}");
    assert_eq!(hashes(&there).len(), 3, "{there}");
    let nowhere = project.cuebook(&["run", "newsroom", "--host", "nowhere"]).ended(2);
    assert!(nowhere.stderr.contains("[validation_error]"), "{nowhere}");
    serving.terminate().ended(0);
}

#[test]
fn what_another_host_refuses_is_told() {
    let project = Project::newsroom().env("CUEBOOK_API_KEY", KEY).with("other-key", "another");
    let serving = Serving::start(&project, &[]);
    let url = format!("http://{}", serving.address);
    let check = |args: &[&str], code: &str| {
        let outcome = project.cuebook(&[&["run"][..], args, &["--host", &url]].concat()).ended(2);
        assert_eq!(outcome.stdout, "", "{outcome}");
        assert!(outcome.stderr.contains(&format!("[{code}]")), "{outcome}");
        assert!(!outcome.stderr.contains(KEY), "{outcome}");
    };
    check(&["newsroom", "--key-file", "other-key"], "unauthenticated");
    check(&["newsroom", "--key-file", "nowhere"], "unauthenticated");
    check(&["nothing"], "not_found");
    let address = serving.address.clone();
    serving.terminate().ended(0);
    let outcome = run_at(&project, &address, &[]).ended(2);
    assert!(outcome.stderr.contains("[service_unavailable]"), "{outcome}");
}

/// What `cuebook prompts` says of the project's own templates, which is what it says of those of the host at `url`.
fn same_at(project: &Project, url: &str, args: &[&str]) -> Outcome {
    let here = project.cuebook(&[&["prompts"][..], args].concat());
    let there = project.cuebook(&[&["prompts"][..], args, &["--host", url]].concat());
    assert_eq!((&here.stdout, here.code), (&there.stdout, there.code), "{there}");
    here
}

#[test]
fn versions_of_another_host_are_listed_and_compared() {
    let project = Project::newsroom().env("CUEBOOK_API_KEY", KEY);
    let serving = Serving::start(&project, &[]);
    let url = format!("http://{}", serving.address);
    let check = |args: &[&str]| same_at(&project, &url, args);
    let history = check(&["history", "prompt:writer-user", "--json"]).ended(0).json();
    assert_eq!(history["versions"][0]["version"], "1.0.0");
    check(&["history", "prompt:writer-user"]).ended(0);
    check(&["diff", "prompt:writer-user", "prompt:writer-user@1.0.0"]).ended(0);
    let different =
        check(&["diff", "prompt:experimental-writer@1.0.0", "prompt:experimental-writer"]).ended(1);
    assert!(different.stdout.contains('+'), "{different}");
    let url = ["--host", &url];
    let lost = project.cuebook(&[&["prompts", "history", "prompt:nobody"][..], &url].concat()).ended(2);
    assert!(lost.stderr.contains("[not_found]"), "{lost}");
    let lost = project.cuebook(&[&["prompts", "diff", "prompt:nobody", "prompt:no-one"][..], &url].concat());
    assert_eq!(lost.ended(2).stderr.matches("[not_found]").count(), 2);
    serving.terminate().ended(0);
}

#[test]
fn templates_of_another_host_are_listed_shown_and_rendered() {
    let project = Project::newsroom().env("CUEBOOK_API_KEY", KEY);
    let serving = Serving::start(&project, &[]);
    let url = format!("http://{}", serving.address);
    let check = |args: &[&str]| drop(same_at(&project, &url, args).ended(0));
    check(&["get", "prompt:writer-user"]);
    check(&["render", "prompt:writer-user", "--var", "topic=tea"]);
    check(&["render", "prompt:writer-user@1.0.0", "--var", "topic=tea", "--untrusted"]);
    let listed = project.cuebook(&["prompts", "list", "--host", &url, "--json"]).ended(0).json();
    let writer = |item: &&Json| item["template"]["templateId"] == "writer-user";
    let listed = listed["items"].as_array().expect("items").iter().find(writer).cloned();
    assert_eq!(listed.expect("the writer's")["library"], "host");
    let refused = |args: &[&str], told: &str| {
        let outcome = project.cuebook(&[&["prompts", "render", "--host", &url][..], args].concat()).ended(2);
        assert!(outcome.stderr.contains(told), "{outcome}");
    };
    refused(&["prompt:writer-user"], "[prompt_variable_unresolved]");
    refused(&["prompt:writer-user", "--var", "topik=tea"], "did you mean 'topic'?");
    refused(&["prompt:nobody"], "[not_found]");
    refused(&["prompt:writer-user", "--origins"], "--origins is not for templates of another host");
    refused(&["--agent", "writer"], "--agent is not for templates of another host");
    serving.terminate().ended(0);
}

#[test]
fn a_host_that_shows_no_text_tells_its_hash() {
    let project = Project::newsroom().env("CUEBOOK_API_KEY", KEY).edit(
        "cuebook.toml",
        "observability = \"full\"",
        "observability = \"hashed\"",
    );
    let serving = Serving::start(&project, &[]);
    let url = format!("http://{}", serving.address);
    let render = ["prompts", "render", "prompt:writer-user", "--var", "topic=tea"];
    let hash = project.cuebook(&[&render[..], &["--json"]].concat()).ended(0).json()["hash"].clone();
    let there = project.cuebook(&[&render[..], &["--host", &url]].concat()).ended(0);
    assert!(there.stdout.is_empty() && there.stderr.contains(hash.as_str().expect("a hash")), "{there}");
    serving.terminate().ended(0);
}
