//! The local file over the portable one.

use crate::support::{Desk, PROJECT, check};

/// The text of the primary agent's prompt when `local` stands beside the project file.
#[track_caller]
fn check_prompt(local: &str, expect: &str) {
    let desk = Desk::with(PROJECT).local(local);
    assert_eq!(desk.text("primary.system_prompt"), expect, "of {local:?}");
}

#[track_caller]
fn check_findings(local: &str, expect: &[&str]) {
    check(&Desk::with(PROJECT).local(local), expect);
}

#[test]
fn prompts_are_set_never_merged() {
    check_prompt("primary: { system_prompt: prompts/writer.md }", "You write.");
    check_prompt("primary: { system_prompt: [prompts/writer.md] }", "You write.");
    check_prompt(
        "primary: { system_prompt: [prompts/style.md, prompts/role.md, prompts/style.md] }",
        "Be plain.\n\nYou edit.\n\nBe plain.",
    );
    let over_string = Desk::with(PROJECT)
        .local("primary: { subagents: { writer: { system_prompt: [prompts/role.md, prompts/style.md] } } }");
    assert_eq!(over_string.text("primary.subagents.writer.system_prompt"), "You edit.\n\nBe plain.");
}

#[test]
fn a_local_file_without_content_changes_nothing() {
    for local in ["", "# nothing\n", "{}", "null", "~", "---\n"] {
        check_prompt(local, "You edit.\n\nBe plain.");
    }
}

#[test]
fn mappings_merge_and_null_removes() {
    let desk = Desk::with(PROJECT)
        .local("description: Ours.\nprimary: { model: fast, subagents: { writer: { description: null } } }");
    let project = desk.project();
    assert_eq!(project.description(), Some("Ours."));
    let writer = project.agents().into_iter().find(|agent| agent.path == "writer").expect("an agent");
    assert_eq!((writer.manifest.description, &*writer.model), (None, "writing"));
    assert_eq!(project.agents()[0].model, "fast");
    let gone = Desk::with(PROJECT).local("primary: { subagents: { writer: ~ } }").project();
    assert_eq!(gone.agents().len(), 1);
}

#[test]
fn a_needed_prompt_cannot_be_removed() {
    for null in ["null", "~", ""] {
        check_findings(
            &format!("primary:\n  system_prompt: {null}\n"),
            &[
                ".cuebook/project.local.yaml:2:3: error[project_invalid]: `system_prompt` is needed, and null removes it (at /primary)",
            ],
        );
    }
}

#[test]
fn the_text_null_is_a_path() {
    check_findings(
        "primary:\n  system_prompt: \"null\"\n",
        &[
            ".cuebook/project.local.yaml:2:18: error[project_file_unusable]: primary.system_prompt: 'null' cannot be used: there is no such file (looked for null)",
        ],
    );
}

#[test]
fn the_identity_is_the_portable_file_s() {
    check_findings(
        "version: 2\nproject: other\n",
        &[
            ".cuebook/project.local.yaml:1:1: error[project_invalid]: `version` cannot be overridden: it says who the project is (remove it here)",
            ".cuebook/project.local.yaml:2:1: error[project_invalid]: `project` cannot be overridden: it says who the project is (remove it here)",
        ],
    );
    check_findings(
        "version: null\n",
        &[
            ".cuebook/project.local.yaml:1:1: error[project_invalid]: `version` cannot be overridden: it says who the project is (remove it here)",
        ],
    );
    check_findings("version: 1\nproject: newsroom\n", &[]);
}

#[test]
fn what_is_wrong_is_told_in_the_file_that_says_it() {
    check_findings(
        "primary: { modle: fast }\n",
        &[
            ".cuebook/project.local.yaml:1:12: error[project_invalid]: unknown key `modle` (at /primary/modle) (did you mean 'model'?)",
        ],
    );
}

#[test]
fn every_value_knows_the_file_that_set_it() {
    let desk = Desk::with(PROJECT).local("primary: { model: fast }\n");
    let project = desk.project();
    let set_by = |pointer: &str| {
        let place = project.place(pointer);
        format!("{}:{}", place.source.name().rsplit('/').next().unwrap_or_default(), place.position().line)
    };
    assert_eq!(set_by("/primary/model"), "project.local.yaml:1");
    assert_eq!(set_by("/primary/system_prompt"), "project.yaml:5");
    assert_eq!(set_by("/primary/subagents/writer/description"), "project.yaml:7");
}

#[test]
fn a_local_variant_shadows_a_file_of_the_config_directory() {
    let project = PROJECT.replace("prompts/role.md", "config:/role.md");
    let desk = Desk::with(&project).file(".cuebook/role.md", "Shared.");
    assert_eq!(desk.text("primary.system_prompt"), "Shared.\n\nBe plain.");
    desk.write(".cuebook/role.local.md", "Ours.");
    assert_eq!(desk.text("primary.system_prompt"), "Ours.\n\nBe plain.");
    desk.write("prompts/style.local.md", "Not below the config directory.");
    assert_eq!(desk.text("primary.system_prompt"), "Ours.\n\nBe plain.");
    std::fs::remove_file(desk.path(".cuebook/role.md")).expect("a file");
    assert_eq!(desk.text("primary.system_prompt"), "Ours.\n\nBe plain.");
}
