//! How problems are shown.

use cuebook_host::Problems;

use crate::support::Project;

fn of_two_files() -> Problems {
    let broken = "+++\ntemplateId = \"a\"\nversion = \"1\"\nkind = \"usr\"\n+++\nx\n";
    let project = Project::new().with("prompts/a.md", broken).with("agents/b.json", "{\"agentId\": 7, }");
    let Err(problems) = project.host() else { panic!("the project is broken") };
    problems
}

#[test]
fn problems_are_shown_with_line_caret_and_hint() {
    let shown = of_two_files().render(false);
    for part in [
        "error[prompt_template_invalid]: `1` is not a version",
        "3 | version = \"1\"\n  | ^^^^^^^^^^^^^",
        "help: did you mean '1.0.0'?",
        "`usr` is not one of system, user, few-shot, schema-hint",
        "error[validation_error]: this is not JSON: trailing comma",
    ] {
        assert!(shown.contains(part), "{part:?} is not in\n{shown}");
    }
    assert!(!shown.contains('\u{1b}'));
}

#[test]
fn colour_changes_nothing_but_colour() {
    let problems = of_two_files();
    let coloured = problems.render(true);
    assert!(coloured.contains('\u{1b}'));
    let mut bare = String::new();
    let mut rest = coloured.as_str();
    while let Some((head, tail)) = rest.split_once('\u{1b}') {
        bare.push_str(head);
        rest = tail.split_once('m').unwrap().1;
    }
    bare.push_str(rest);
    assert_eq!(bare, problems.render(false));
}

#[test]
fn problems_as_json_have_their_place() {
    let json = of_two_files().to_json();
    let first = &json[0];
    assert_eq!((&first["code"], &first["severity"]), (&"prompt_template_invalid".into(), &"error".into()));
    assert!(first["file"].as_str().unwrap().ends_with("prompts/a.md"));
    assert_eq!((first["line"].as_u64(), first["column"].as_u64()), (Some(4), Some(1)), "{first}");
    assert_eq!(json.as_array().unwrap().len(), 3);
}
