//! Project files that are wrong: every fault with its place and the nearest valid thing.

use crate::support::{Desk, PROJECT};

#[track_caller]
fn snapshot(name: &str, project: &str) {
    let desk = Desk::with(project);
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, format!("{project}----\n{}", desk.findings().join("\n")));
    });
}

#[test]
fn a_sound_project_has_no_findings() {
    assert_eq!(Desk::with(PROJECT).findings(), Vec::<String>::new());
}

#[test]
fn every_fault_is_found_at_once() {
    snapshot(
        "many_faults",
        "\
version: 2
project: News Room
descripton: A typo.
primary:
  model: default
  system_prompt: []
  subagents:
    writer: { model: writing, description: 7, system_promt: prompts/writer.md }
    primary: { model: x, system_prompt: prompts/role.md }
workflows:
  editorial:
    steps:
      - { id: draft, agent: writer, prompt: prompts/none.md, wth: {} }
",
    );
}

#[test]
fn syntax_is_told_with_its_place() {
    snapshot("syntax", "version: 1\nproject: [newsroom\nprimary: {}\n");
    snapshot("tab", "version: 1\n\tproject: x\n");
    snapshot("two_documents", "version: 1\n---\nversion: 1\n");
    snapshot("nothing", "");
    snapshot("a_list", "- version: 1\n");
    snapshot("infinite", "version: .inf\n");
    snapshot("unknown_anchor", "version: *one\n");
}

#[test]
fn keys_stand_once_and_are_texts() {
    snapshot(
        "doubled",
        "version: 1\nproject: newsroom\nproject: other\nprimary:\n  model: a\n  model: b\n1: x\nnull: y\n",
    );
}

#[test]
fn anchors_do_not_explode() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..9 {
        let refs = vec![format!("*a{}", level - 1); 10].join(", ");
        text = format!("{text}a{level}: &a{level} [{refs}]\n");
    }
    let found = Desk::with(&text).findings();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("alias"), "{found:?}");
}

#[test]
fn anchors_within_bounds_are_what_they_stand_for() {
    let desk = Desk::with(
        "version: 1\nproject: newsroom\nprimary:\n  model: a\n  system_prompt: &p [prompts/role.md]\n  subagents:\n    b: { model: b, system_prompt: *p }\n",
    );
    assert_eq!(desk.text("primary.subagents.b.system_prompt"), "You edit.");
}

#[test]
fn prompts_and_templates_exclude_each_other() {
    snapshot(
        "templates",
        "\
version: 1
project: newsroom
primary: { model: a, template: agents/a.md, system_prompt: prompts/role.md }
workflows:
  w:
    description: W.
    steps:
      - { id: a, agent: primary }
      - { id: b, agent: primary, template: agents/b.md, prompt: prompts/role.md }
",
    );
    snapshot("a_template", "version: 1\nproject: newsroom\nprimary: { model: a, template: ../a.md }\n");
}

#[test]
fn keys_of_other_programs_are_noted_once() {
    let desk = Desk::with(
        "\
version: 1
project: newsroom
plugins: [a]
tasks: { t: { every: day } }
primary:
  model: default
  system_prompt: prompts/role.md
  cage: disabled
  max_steps: 100
  tools: { '*': { enabled: true } }
  subagents:
    writer: { model: writing, system_prompt: prompts/writer.md, cage: { network: none } }
",
    );
    let found = desk.findings();
    assert_eq!(
        found,
        [
            ".cuebook/project.yaml:3:1: note[project_key_without_meaning]: `plugins` is kept and has no meaning on this host",
            ".cuebook/project.yaml:4:1: note[project_key_without_meaning]: `tasks` is kept and has no meaning on this host",
            ".cuebook/project.yaml:8:3: note[project_key_without_meaning]: `cage` is kept and has no meaning on this host (in 2 places)",
            ".cuebook/project.yaml:9:3: note[project_key_without_meaning]: `max_steps` is kept and has no meaning on this host",
        ]
    );
}

#[test]
fn a_directory_holds_one_project_file() {
    let desk = Desk::with(PROJECT);
    desk.write(".kaged/project.yaml", PROJECT);
    let found = desk.findings();
    assert_eq!(
        found,
        [
            "error[project_invalid]: . has two project files: .cuebook and .kaged (a project has one project.yaml, in .cuebook/ or .kaged/)"
        ]
    );
    let empty = tempfile::tempdir().expect("a directory");
    let problems = cuebook_project::load(empty.path(), &mut cuebook_project::FileFacts::default())
        .expect_err("no project");
    assert!(problems[0].message.starts_with("there is no project file in"), "{problems:?}");
}

#[test]
fn the_other_directory_is_read_by_the_same_rules() {
    let desk = Desk::with(PROJECT);
    std::fs::rename(desk.path(".cuebook"), desk.path(".kaged")).expect("a move");
    desk.write(".kaged/prompts/role.md", "From the config directory.");
    desk.write(".kaged/project.yaml", PROJECT.replace("prompts/role.md", "config:/prompts/role.md"));
    assert_eq!(desk.text("primary.system_prompt"), "From the config directory.\n\nBe plain.");
}
