//! Packs of templates from the command line: installed, used, listed, verified, removed.

use serde_json::json;

use crate::support::Project;

const HEADINGS: &str = "## Focus\n\n## Process\n\n## Tools\n\n## Finish\n\n## Non-goals\n";

/// A project with a pack of templates beside it that is not installed.
fn desk() -> Project {
    let manifest = "manifest_version: 1\nid: acme/notes\nname: Notes\nversion: 1.0.0\ncompatibility: { extension_api: ^1 }\n";
    Project::empty()
        .with("downloads/notes/extension.yaml", manifest)
        .with("downloads/notes/agents/scribe.yaml", "id: scribe\ndescription: Writes notes.\n")
        .with("downloads/notes/agents/prompts/scribe.md", HEADINGS)
        .with("downloads/notes/shared/partials/tone.md", "Be plain.\n")
}

#[test]
fn a_pack_is_installed_used_and_removed() {
    let project = desk();
    project.check("template-pack-install", &["packs", "install", "downloads/notes"]);
    project.check("template-pack-install-again", &["packs", "install", "downloads/notes"]);
    project.check("template-pack-list", &["packs", "list"]);
    project.check("template-pack-verify", &["packs", "verify"]);
    project.cuebook(&["packs", "verify", "downloads/notes"]).succeeded();
    assert_eq!(project.cuebook(&["prompts", "render", "partials/tone.md"]).succeeded().stdout, "Be plain.\n");
    project.cuebook(&["prompts", "render", "--agent", "scribe", "--check"]).succeeded();
    let list = project.cuebook(&["packs", "list", "--json"]).succeeded().json();
    let pack = &list["packs"][0];
    assert_eq!(pack["kind"], "template-pack");
    assert_eq!(pack["holds"], json!(["agents/scribe.yaml", "agents/scribe.md", "partials/tone.md"]));
    project.check_refused("template-pack-remove-unknown", &["packs", "remove", "acme/note"]);
    project.check("template-pack-remove", &["packs", "remove", "acme/notes"]);
    project.cuebook(&["prompts", "render", "partials/tone.md"]).ended(2);
}

#[test]
fn a_pack_that_is_refused_says_why_and_changes_nothing() {
    let install = ["packs", "install", "downloads/notes"];
    let manifest = "downloads/notes/extension.yaml";
    desk()
        .edit(manifest, "id: acme/notes", "id: acme/notes\ndependencies: { cuebook/bse: { version: ^1 } }")
        .check_refused("template-pack-refused-dependency", &install);
    desk().with("downloads/notes/pack.json", "{}").check_refused("template-pack-refused-both", &install);
    desk()
        .edit(manifest, "extension_api: ^1", "extension_api: ^2")
        .check_refused("template-pack-refused-api", &install);
    let project = desk();
    project.cuebook(&install).succeeded();
    project
        .edit(manifest, "version: 1.0.0", "version: 1.1.0")
        .check_refused("template-pack-other-version", &install);
}

#[test]
fn names_that_another_pack_brings_are_told_at_the_installation() {
    let project = desk();
    project.cuebook(&["packs", "install", "downloads/notes"]).succeeded();
    let manifest = project.read("downloads/notes/extension.yaml").replace("acme/notes", "acme/other");
    let project = project
        .with("downloads/other/extension.yaml", manifest)
        .with("downloads/other/shared/partials/tone.md", "Be kind.\n");
    let outcome = project.cuebook(&["packs", "install", "downloads/other"]).succeeded();
    assert!(outcome.stdout.starts_with("installed acme/other@1.0.0 (1 template; sha256-"), "{outcome}");
    for part in ["warning[template_contested]: partials/tone.md", "name one under `owns`"] {
        assert!(outcome.stderr.contains(part), "{part}: {outcome}");
    }
}

#[test]
fn caps_of_an_installed_pack_stay_as_its_hash_says() {
    let budgets = "version: 1\nsizes:\n  grandfathered:\n    worker_personas: { scribe: 9000 }\n";
    let project = desk().with("downloads/notes/host/prompt-budgets.yaml", budgets);
    project.cuebook(&["packs", "install", "downloads/notes"]).succeeded();
    let outcome = project.cuebook(&["budgets", "tighten"]).succeeded();
    assert_eq!(outcome.stdout, "no cap can be smaller\n");
    assert!(outcome.stderr.contains("the hash of its pack is stated"), "{outcome}");
    assert_eq!(project.read("packs/acme.notes/host/prompt-budgets.yaml"), budgets);
    project.cuebook(&["packs", "verify"]).succeeded();
}
