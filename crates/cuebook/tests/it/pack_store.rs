//! `cuebook packs`: the real binary on packs of its own.

use serde_json::json;

use crate::support::{Project, copy, data};

/// A desk with two packs beside it that are not installed.
fn desk() -> Project {
    let project = Project::desk();
    copy(&data("packs"), &project.root().join("downloads"));
    project
}

#[test]
fn a_pack_is_installed_used_and_removed() {
    let project = desk();
    project.check("packs-install", &["packs", "install", "downloads/phrases"]);
    project.check("packs-install-agents", &["packs", "install", "downloads/greeter"]);
    project.check("packs-install-again", &["packs", "install", "downloads/phrases"]);
    project.check("packs-list", &["packs", "list"]);
    project.check("packs-verify", &["packs", "verify"]);
    let rendered =
        project.cuebook(&["prompts", "render", "prompt:farewell", "--var", "name=Ada"]).succeeded();
    assert_eq!(rendered.stdout, "Say goodbye to Ada.");
    let greeter = project.cuebook(&["prompts", "render", "--agent", "core.example.desk.greeter"]).succeeded();
    assert_eq!(greeter.stdout, project.read("downloads/greeter/prompts/greeter.md"));
    project.check("packs-remove", &["packs", "remove", "vendor.example.phrases"]);
    project.cuebook(&["prompts", "render", "prompt:farewell", "--var", "name=Ada"]).ended(2);
    project.check_refused("packs-remove-unknown", &["packs", "remove", "core.example.disk"]);
}

#[test]
fn a_pack_that_is_refused_says_why_and_changes_nothing() {
    let open = |text: &str| desk().edit("downloads/phrases/pack.json", "{{name}}", text);
    let install = ["packs", "install", "downloads/phrases"];
    open("{{nmae}}").check_refused("packs-refused-placeholder", &install);
    let kind = "\"kind\": \"prompt\"";
    desk()
        .edit("downloads/phrases/pack.json", kind, "\"kind\": \"promt\"")
        .check_refused("packs-refused-kind", &install);
    desk()
        .edit(
            "downloads/phrases/pack.json",
            kind,
            "\"kind\": \"prompt\", \"dependencies\": { \"vendor.example.base\": \"^2\" }",
        )
        .check_refused("packs-refused-dependency", &install);
    let hash = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    desk().check_refused("packs-refused-hash", &[&install[..], &["--integrity", hash]].concat());
    desk().with("downloads/phrases/pack.integrity", hash).check_refused("packs-refused-own-hash", &install);
}

#[test]
fn ids_of_the_host_stay_the_hosts() {
    let project = desk().with(
        "prompts/farewell.md",
        "+++\ntemplateId = \"farewell\"\nversion = \"1.0.0\"\nkind = \"user\"\n+++\nOurs.\n",
    );
    let refused = project.cuebook(&["packs", "install", "downloads/phrases"]).ended(2);
    assert!(refused.stderr.contains("the template 'farewell' of"), "{refused}");
    assert!(!project.root().join("packs").exists());
}

#[test]
fn another_version_needs_to_be_asked_for() {
    let project = desk();
    let install = ["packs", "install", "downloads/phrases"];
    project.cuebook(&install).succeeded();
    let project = project.edit(
        "downloads/phrases/pack.json",
        "\"version\": \"1.2.0\",\n  \"kind\"",
        "\"version\": \"1.3.0\",\n  \"kind\"",
    );
    project.check_refused("packs-other-version", &install);
    project.cuebook(&[&install[..], &["--replace"]].concat()).succeeded();
    let list = project.cuebook(&["packs", "list", "--json"]).succeeded().json();
    assert_eq!(list["packs"][0]["version"], json!("1.3.0"));
    assert_eq!(list["packs"][0]["holds"], json!(["prompt:farewell@1.2.0"]));
}

#[test]
fn a_pack_that_was_changed_behind_our_back_is_found() {
    let project = desk();
    project.cuebook(&["packs", "install", "downloads/greeter"]).succeeded();
    let project = project.with("packs/core.example.desk/prompts/greeter.md", "You rob.");
    project.cuebook(&["packs", "verify"]).ended(1);
    let found = project.cuebook(&["packs", "verify", "--json"]).ended(1).json();
    assert_eq!(found["problems"][0]["code"], "pack_integrity_failure");
    project.cuebook(&["packs", "verify", "downloads/greeter"]).succeeded();
}

#[test]
fn a_pack_that_was_damaged_is_told_and_can_be_removed() {
    let project = desk();
    project.cuebook(&["packs", "install", "downloads/phrases"]).ended(0);
    let project = project.with("packs/vendor.example.phrases/notes.txt", "x");
    let listed = project.cuebook(&["packs", "list"]).ended(1);
    assert!(listed.stderr.contains("[pack_integrity_failure]"), "{listed}");
    let removed = project.cuebook(&["packs", "remove", "vendor.example.phrases"]).ended(0);
    assert!(removed.stdout.contains("which held no sound pack"), "{removed}");
    project.cuebook(&["packs", "list"]).ended(0);
    project.cuebook(&["packs", "install", "downloads/phrases"]).ended(0);
    project.cuebook(&["prompts", "render", "prompt:farewell", "--var", "name=Ada"]).ended(0);
}
