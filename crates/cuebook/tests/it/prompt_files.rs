//! `cuebook prompts check`, `export` and `import`, and comparisons in a data directory.

use std::fs;

use serde_json::{Value as Json, json};

use crate::serve::{KEY, Serving, keyed};
use crate::support::{Project, data};

/// A prompt file of these lines of front matter.
fn file(id: &str, version: &str, more: &str, text: &str) -> String {
    format!("+++\ntemplateId = \"{id}\"\nversion = \"{version}\"\nkind = \"user\"\n{more}+++\n{text}\n")
}

fn variable(name: &str, more: &str) -> String {
    format!("[[variables]]\nname = \"{name}\"\ntype = \"string\"\nrequired = false\n{more}")
}

/// A project with one template of every fault that a file can show.
fn doubtful() -> Project {
    let variables = variable("topic", "defaultValue = 3\n") + &variable("key", "source = \"secret\"\n");
    let hints = "[modelHints]\nmodelClass = \"resoning\"\n";
    let text = "On {{topik}} and {{topic}} with {{key}}.\n{{ topic | upper }} {% if topic %}\n<UNTRUSTED>x";
    Project::empty()
        .with("prompts/one.md", file("one", "1.0.0", &(variables + hints), text))
        .with("prompts/two@1.md", file("two", "1.0.0", &variable("name", ""), "Hello {{name}}."))
        .with("prompts/two@2.md", file("two", "1.1.0", &variable("person", ""), "Hello {{person}}."))
}

#[test]
fn everything_doubtful_is_told_with_its_place() {
    let project = doubtful();
    project.check("prompts-check", &["prompts", "check"]).ended(1);
    let found = project.cuebook(&["prompts", "check", "--json"]).ended(1).json();
    let one = &found["templates"][0];
    assert_eq!((&one["ref"], &one["size"]["maxBytes"]), (&json!("prompt:one@1.0.0"), &json!(65_536)));
    let finding = &one["findings"][0];
    assert_eq!((&finding["nearest"], &finding["severity"]), (&json!("topic"), &json!("error")));
    assert_eq!((&finding["path"], &finding["file"]), (&json!("/text"), &json!("prompts/one.md")));
    let whole = project.cuebook(&["prompts", "check", "prompts", "--json"]).ended(1).json();
    assert_eq!(whole["templates"], found["templates"]);
}

#[test]
fn warnings_are_findings_when_they_are_asked_to_be() {
    let project = doubtful();
    let two = ["prompts", "check", "prompts/two@1.md", "prompts/two@2.md"];
    project.cuebook(&two[..3]).ended(0);
    let file = project.cuebook(&two[..4]).ended(0);
    assert!(!file.stderr.contains("prompt_breaking_change"), "files by themselves: {file}");
    project.cuebook(&["prompts", "check", "prompt:two"]).ended(0);
    let strict = project.cuebook(&["prompts", "check", "prompt:two", "--strict"]).ended(1);
    assert!(strict.stderr.contains("warning[prompt_breaking_change]"), "{strict}");
    assert!(strict.stderr.contains("'name' is called 'person'"), "{strict}");
    project.cuebook(&["prompts", "check", "prompt:two@1.0.0", "--strict"]).ended(0);
}

#[test]
fn what_cannot_be_checked_is_told() {
    let project = doubtful().with("prompts/bad.md", "no front matter");
    let found = project.cuebook(&["prompts", "check", "prompts"]).ended(1);
    assert!(found.stderr.contains("prompt_template_invalid"), "{found}");
    project.check_refused("prompts-check-nowhere", &["prompts", "check", "nowhere", "prompts"]);
    let project = Project::desk();
    project.cuebook(&["prompts", "check", "--strict"]).ended(0);
    let packs = data("packs");
    let pack = project.cuebook(&["prompts", "check", packs.to_str().unwrap(), "--strict"]).ended(0);
    assert!(pack.stdout.contains("prompt:farewell@"), "{pack}");
}

/// A project whose data directory has a library of three versions, written over HTTP.
fn library() -> Project {
    let project = keyed();
    let serving = Serving::start(&project, &["--data", "data"]);
    let template = |version: &str, text: &str| json!({ "templateId": "house.tone", "version": version, "kind": "system", "text": text });
    let written = [
        ("POST", "1.0.0", "Be brief.\n"),
        ("PUT", "1.1.0", "Be brief.\nBe kind.\n"),
        ("PUT", "2.0.0", "Be."),
    ];
    for (method, version, text) in written {
        let path = if method == "POST" { "/v1/prompts" } else { "/v1/prompts/house.tone" };
        let (status, answer) = serving.call(method, path, KEY, Some(&template(version, text)));
        assert!(status < 300, "{answer}");
    }
    serving.terminate().ended(0);
    project
}

fn exported(project: &Project, directory: &str) -> Vec<(String, String)> {
    let mut files: Vec<_> = fs::read_dir(project.root().join(directory))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn a_library_goes_out_and_comes_back_the_same() {
    let project = library();
    let cuebook = |args: &[&str]| project.cuebook(&[&["prompts"], args].concat());
    cuebook(&["export", "--data", "data", "--to", "one"]).ended(0);
    let first = exported(&project, "one");
    let names: Vec<&str> = first.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["house.tone@1.0.0.md", "house.tone@1.1.0.md", "house.tone@2.0.0.md"]);
    let dry = cuebook(&["import", "one", "--data", "other", "--dry-run"]).ended(0);
    assert!(dry.stderr.contains("3 would be added, 0 unchanged"), "{dry}");
    cuebook(&["import", "one", "--data", "other", "--json"]).ended(0);
    let again = cuebook(&["import", "one", "--data", "other"]).ended(0);
    assert!(again.stderr.contains("0 added, 3 unchanged"), "{again}");
    cuebook(&["export", "--data", "other", "--to", "two"]).ended(0);
    assert_eq!(exported(&project, "two"), first);
    let chosen =
        cuebook(&["export", "prompt:house.tone@1.1.0", "--data", "data", "--to", "three", "--json"]).ended(0);
    assert_eq!(chosen.json()["written"], json!(["three/house.tone@1.1.0.md"]));
    cuebook(&["export", "--data", "data", "--to", "pack", "--pack", "vendor.acme.house@1.0.0"]).ended(0);
    project.cuebook(&["packs", "verify", "pack"]).ended(0);
    let refused = cuebook(&["export", "--data", "data", "--to", "bad", "--pack", "house@1.0.0"]).ended(2);
    assert!(refused.stderr.contains("prompt_template_invalid"), "{refused}");
    cuebook(&["import", "one"]).ended(2);
}

#[test]
fn a_running_host_gives_and_takes_the_same_files() {
    let project = library();
    let local = project.cuebook(&["prompts", "export", "--data", "data", "--to", "here"]).ended(0);
    assert!(local.stderr.contains("3 written"), "{local}");
    let serving = Serving::start(&project, &["--data", "other"]);
    let url = format!("http://{}", serving.address);
    let cuebook = |args: &[&str]| {
        project.cuebook(&[&["prompts"], args, &["--host", &url, "--key-file", "key"]].concat())
    };
    fs::write(project.root().join("key"), KEY).unwrap();
    cuebook(&["import", "here", "--dry-run"]).ended(0);
    let added = cuebook(&["import", "here"]).ended(0);
    assert!(added.stderr.contains("3 added, 0 unchanged"), "{added}");
    cuebook(&["export", "--to", "there"]).ended(0);
    assert_eq!(exported(&project, "there"), exported(&project, "here"));
    let checked = cuebook(&["check", "--json"]).ended(0).json();
    assert_eq!(checked["templates"].as_array().map(Vec::len), Some(3));
    let conflict = file("house.tone", "1.1.0", "", "Other.");
    fs::write(project.root().join("here/house.tone@1.1.0.md"), conflict).unwrap();
    let refused = cuebook(&["import", "here"]).ended(2);
    assert!(refused.stderr.contains("prompt_already_exists"), "{refused}");
    assert!(refused.stderr.contains("here/house.tone@1.1.0.md"), "{refused}");
    serving.terminate().ended(0);
}

#[test]
fn versions_of_a_data_directory_are_compared_and_listed() {
    let project = library();
    let args = ["--data", "data", "--json"];
    let diff = ["prompts", "diff", "prompt:house.tone@1.0.0", "prompt:house.tone@1.1.0"];
    let diff = project.cuebook(&[&diff[..], &args].concat()).ended(1).json();
    let changed = diff["diff"]["lines"].as_array().unwrap().iter().filter(|line| line["side"] == "new");
    assert_eq!(changed.map(|line| &line["words"][0]["text"]).collect::<Vec<_>>(), ["Be kind."]);
    let history = project.cuebook(&[&["prompts", "history", "prompt:house.tone"][..], &args].concat());
    let history = history.succeeded().json();
    let versions: Vec<&Json> =
        history["versions"].as_array().unwrap().iter().map(|it| &it["version"]).collect();
    assert_eq!(versions, ["1.0.0", "1.1.0", "2.0.0"]);
    assert!(history["versions"][0]["addedAt"].is_string(), "{history}");
    let other = [&["prompts", "history", "prompt:house.tone"][..], &args, &["--tenant", "other"]].concat();
    project.cuebook(&other).ended(2);
    let checked = project.cuebook(&["prompts", "check", "--data", "data", "--strict"]).ended(0);
    assert_eq!(checked.stdout.lines().count(), 3, "{checked}");
}

#[test]
fn templates_of_a_data_directory_are_listed_shown_and_rendered() {
    let project = library();
    let cuebook = |args: &[&str]| {
        project.cuebook(&[&["prompts"][..], args, &["--data", "data", "--json"]].concat()).succeeded().json()
    };
    let listed = cuebook(&["list"]);
    let versions = listed["items"].as_array().unwrap().iter();
    let versions = versions.filter(|item| item["library"] == "user").map(|item| &item["template"]["version"]);
    assert_eq!(versions.collect::<Vec<_>>(), ["1.0.0", "1.1.0", "2.0.0"]);
    assert_eq!(cuebook(&["get", "prompt:house.tone@1.1.0"])["text"], "Be brief.\nBe kind.\n");
    let rendered = cuebook(&["render", "prompt:house.tone@1.1.0"]);
    assert_eq!(
        (&rendered["composed"], &rendered["refs"][0]),
        (&Json::from("Be brief.\nBe kind.\n"), &Json::from("prompt:house.tone@1.1.0"),)
    );
    project.cuebook(&["prompts", "get", "prompt:house.tone"]).ended(2);
}

#[test]
fn a_look_or_a_dry_run_makes_no_data_directory() {
    let project = library();
    let prompts = |args: &[&str]| project.cuebook(&[&["prompts"][..], args].concat());
    for args in [&["list"][..], &["get", "prompt:house.tone"], &["check"], &["export", "--to", "out"]] {
        let outcome = prompts(&[args, &["--data", "dta"]].concat()).ended(2);
        assert!(outcome.stderr.contains("there is no data directory dta"), "{outcome}");
    }
    prompts(&["export", "--data", "data", "--to", "one"]).ended(0);
    prompts(&["import", "one", "--data", "dta", "--dry-run"]).ended(0);
    assert!(!project.root().join("dta").exists());
    prompts(&["list", "--workspace", "studio"]).ended(2);
    prompts(&["list", "--host", "http://127.0.0.1:1", "--tenant", "acme"]).ended(2);
}

#[test]
fn what_a_version_breaks_at_another_host_is_told() {
    let project = keyed();
    let serving = Serving::start(&project, &[]);
    let template = |version: &str, name: &str| {
        json!({ "templateId": "house.ask", "version": version, "kind": "user", "text": format!("Tell {{{{{name}}}}}."),
            "name": "Ask\u{1b}[2J\nprompt:forged@1.0.0",
            "variables": [{ "name": name, "type": "string", "required": true }] })
    };
    assert_eq!(serving.call("POST", "/v1/prompts", KEY, Some(&template("1.0.0", "topic"))).0, 201);
    assert_eq!(serving.call("PUT", "/v1/prompts/house.ask", KEY, Some(&template("1.1.0", "subject"))).0, 200);
    let url = format!("http://{}", serving.address);
    let prompts = |args: &[&str]| project.cuebook(&[&["prompts"][..], args, &["--host", &url]].concat());
    let checked = prompts(&["check", "prompt:house.ask", "--strict"]).ended(1);
    assert!(checked.stderr.contains("prompt_breaking_change"), "{checked}");
    prompts(&["check", "prompt:house.ask@1.0.0", "--strict"]).ended(0);
    let listed = prompts(&["list"]).ended(0).stdout;
    let row = listed.lines().find(|line| line.starts_with("prompt:house.ask@1.1.0")).expect("a row");
    assert!(row.ends_with("Ask\u{241b}[2J\u{240a}prompt:forged@1.0.0"), "{row}");
    serving.terminate().ended(0);
}

#[test]
fn config_check_sees_what_users_wrote() {
    let project = library();
    let workflow = json!({
        "id": "w", "name": "W", "version": "1.0.0", "edges": [], "triggers": [], "variables": [],
        "metadata": {}, "settings": {}, "defaults": { "promptRefs": { "user": "prompt:house.tone" } },
        "nodes": [{ "id": "n", "typeId": "core.noop", "name": "N", "position": { "x": 0, "y": 0 }, "config": {}, "inputs": {} }],
    });
    let project = project.with("workflows/w.json", workflow.to_string());
    project.cuebook(&["config", "check"]).ended(1);
    let found = project.cuebook(&["config", "check", "--data", "data"]).ended(0);
    assert!(found.stderr.contains("'prompt:house.tone' is a system template in a place for user"), "{found}");
}
