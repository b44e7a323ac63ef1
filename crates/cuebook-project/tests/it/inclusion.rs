//! Projects in projects.

use std::os::unix::fs::symlink;

use crate::support::{Desk, check};

const OUTER: &str = "version: 1\nproject: outer\nprimary: { model: a, system_prompt: prompts/role.md }\n";

fn inner(slug: &str, more: &str) -> String {
    format!("version: 1\nproject: {slug}\nprimary: {{ model: slow, system_prompt: role.md }}\n{more}")
}

fn outer(projects: &str) -> Desk {
    Desk::with(&format!("{OUTER}projects:\n{projects}"))
}

#[track_caller]
fn slugs(desk: &Desk) -> Vec<String> {
    desk.project().family().iter().map(|project| project.slug().to_owned()).collect()
}

fn research(desk: Desk) -> Desk {
    desk.file("research/.cuebook/project.yaml", inner("research", "")).file("research/role.md", "You search.")
}

#[test]
fn an_included_project_has_its_own_root() {
    let desk = research(outer("  r: research\n"));
    assert_eq!(slugs(&desk), ["outer", "research"]);
    let project = desk.project();
    let (_, research) = project.includes().next().expect("a project");
    assert_eq!(
        research.recipe("primary.system_prompt").expect("a field").ingredients[0].path.to_string(),
        "role.md"
    );
    let escaping = research_with(
        outer("  r: research\n"),
        &inner("research", "").replace("role.md", "../prompts/role.md"),
    );
    check(
        &escaping,
        &[
            "research/.cuebook/project.yaml:3:40: error[project_path_refused]: primary.system_prompt: '../prompts/role.md' leads out of the project's root (copy the file into the project, or include the project it belongs to)",
        ],
    );
}

fn research_with(desk: Desk, project: &str) -> Desk {
    desk.file("research/.cuebook/project.yaml", project).file("research/role.md", "You search.")
}

#[test]
fn values_are_overridden_after_the_local_file() {
    let desk = research(outer(
        "  r: { path: research, override: { description: Ours., primary: { model: fast } } }\n",
    ))
    .file("research/.cuebook/project.local.yaml", "description: Local.\nprimary: { max_output_tokens: 7 }\n");
    let project = desk.project();
    let (_, research) = project.includes().next().expect("a project");
    assert_eq!((research.description(), &*research.agents()[0].model), (Some("Ours."), "fast"));
    let place = research.place("/primary/model");
    assert!(
        place.source.name().ends_with(".cuebook/project.yaml") && !place.source.name().contains("research")
    );
}

#[test]
fn prompts_and_identity_cannot_be_set_from_outside() {
    let desk = research(outer(
        "  r:\n    path: research\n    override:\n      project: mine\n      primary:\n        system_prompt: prompts/role.md\n        subagents: { a: { model: b, template: agents/a.md } }\n",
    ));
    let found = desk.findings();
    let hint = "(change the file in the included project, or its project.local.yaml)";
    assert_eq!(
        [0, 1, 3].map(|at| found[at].as_str()),
        [
            ".cuebook/project.yaml:8:7: error[project_invalid]: `project` cannot be overridden: it says who the project is (remove it here)",
            &*format!(
                ".cuebook/project.yaml:10:9: error[project_invalid]: `system_prompt` of an included project cannot be set from outside {hint}"
            ),
            &*format!(
                ".cuebook/project.yaml:11:37: error[project_invalid]: `template` of an included project cannot be set from outside {hint}"
            ),
        ],
        "{found:#?}"
    );
}

#[test]
fn what_is_not_there_is_named_by_its_key() {
    check(
        &outer("  r: research\n"),
        &[
            ".cuebook/project.yaml:5:6: error[nested_project_missing]: projects.r: there is no directory 'research'",
        ],
    );
    let empty = outer("  r: research\n").file("research/x.md", "");
    let found = empty.findings();
    assert!(
        found[0].starts_with(
            ".cuebook/project.yaml:5:6: error[nested_project_missing]: there is no project file in "
        ),
        "{found:?}"
    );
    check(
        &outer("  r: ../research\n"),
        &[
            ".cuebook/project.yaml:5:6: error[project_path_refused]: projects.r: '../research' leads out of the project's root (copy the file into the project, or include the project it belongs to)",
        ],
    );
}

#[test]
fn a_project_does_not_include_itself() {
    check(
        &outer("  me: .\n"),
        &[".cuebook/project.yaml:5:7: error[project_cycle]: projects.me: the project includes itself"],
    );
    let linked = outer("  me: again\n");
    symlink(".", linked.path("again")).expect("a link");
    check(
        &linked,
        &[".cuebook/project.yaml:5:7: error[project_cycle]: projects.me: the project includes itself"],
    );
}

#[test]
fn a_project_reached_by_two_ways_is_one() {
    let base = || {
        research_with(
            outer("  r: research\n  a: research/archive\n"),
            &inner("research", "projects: { a: archive }\n"),
        )
        .file("research/archive/.cuebook/project.yaml", inner("archive", ""))
        .file("research/archive/role.md", "You file.")
    };
    assert_eq!(slugs(&base()), ["outer", "research", "archive"]);
    let differs = base().file(
        ".cuebook/project.yaml",
        format!("{OUTER}projects:\n  r: research\n  a: {{ path: research/archive, override: {{ description: Mine. }} }}\n"),
    );
    check(
        &differs,
        &[
            "research/archive/.cuebook/project.yaml:2:10: error[project_invalid]: project 'archive' is included twice with different overrides",
        ],
    );
}

#[test]
fn two_projects_cannot_share_a_name() {
    let desk = research(outer("  r: research\n  o: other\n"))
        .file("other/.cuebook/project.yaml", inner("research", ""))
        .file("other/role.md", "You search too.");
    let found = desk.findings();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with(
            "other/.cuebook/project.yaml:2:10: error[project_invalid]: two projects are called 'research': "
        ),
        "{found:?}"
    );
}

/// A chain of `depth` projects below the outer one.
fn chain(depth: usize) -> Desk {
    let desk = outer("  next: a\n");
    let mut directory = String::new();
    for level in 0..depth {
        directory.push_str(if level == 0 { "a" } else { "/a" });
        let more = if level + 1 < depth { "projects: { next: a }\n" } else { "" };
        desk.write(&format!("{directory}/.cuebook/project.yaml"), inner(&format!("p{level}"), more));
        desk.write(&format!("{directory}/role.md"), "You are one of many.");
    }
    desk
}

#[test]
fn projects_nest_sixteen_deep() {
    assert_eq!(slugs(&chain(16)).len(), 17);
    let found = chain(17).findings();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("projects are nested more than 16 deep"), "{found:?}");
}
