//! Prompt files: what is read byte for byte, and what is refused.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use cuebook_project::compose;

use crate::support::{Desk, check};

const ONE: &str = "version: 1\nproject: newsroom\nprimary: { model: a, system_prompt: PATH }\n";

fn one(path: &str) -> Desk {
    Desk::with(&ONE.replace("PATH", path))
}

/// The text of the only prompt when its file holds `bytes`.
#[track_caller]
fn check_text(bytes: &[u8], expect: &str) {
    assert_eq!(one("p.md").file("p.md", bytes).text("primary.system_prompt"), expect);
}

/// The only finding when the prompt's path is `path`, behind the place.
#[track_caller]
fn check_refused(desk: &Desk, expect: &str) {
    let found = desk.findings();
    assert_eq!(found.len(), 1, "{found:?}");
    let told = found[0].split_once(": error").map_or("", |(_, told)| told);
    assert_eq!(told, expect);
}

#[test]
fn bytes_between_the_ends_are_left_alone() {
    check_text(b"---\n{{ x }} {% if %} {# \"a\"\n---\n", "---\n{{ x }} {% if %} {# \"a\"\n---");
    check_text(b"{\"json\": [1, {\"a\": \"{fragment:x}\"}]}", "{\"json\": [1, {\"a\": \"{fragment:x}\"}]}");
    check_text("\u{feff}a\r\nb\r\n".as_bytes(), "a\r\nb");
    check_text("\u{85}a\u{85}".as_bytes(), "\u{85}a\u{85}");
    check_text("a\u{feff}".as_bytes(), "a");
}

#[test]
fn paths_may_look_like_other_yaml_values() {
    assert_eq!(one("yes").file("yes", "Yes.").text("primary.system_prompt"), "Yes.");
    assert_eq!(one("'1.0'").file("1.0", "One.").text("primary.system_prompt"), "One.");
    assert_eq!(one("\"0x10\"").file("0x10", "Hex.").text("primary.system_prompt"), "Hex.");
    assert_eq!(one("[yes, yes]").file("yes", "Yes.").text("primary.system_prompt"), "Yes.\n\nYes.");
    for number in ["1.0", "0x10", "true"] {
        let found = one(number).findings();
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("project.yaml:3:37"), "{found:?}");
    }
}

#[test]
fn an_empty_entry_is_a_warning_and_an_empty_whole_an_error() {
    let desk = one("[a.md, b.md]").file("a.md", "A").file("b.md", " \n\u{feff}\n");
    check(
        &desk,
        &[
            ".cuebook/project.yaml:3:44: warning[project_file_blank]: primary.system_prompt[1]: 'b.md' has no text",
        ],
    );
    assert_eq!(desk.text("primary.system_prompt"), "A\n\n");
    check_refused(
        &one("[b.md, b.md]").file("b.md", "\n"),
        "[prompt_empty]: primary.system_prompt: the prompt has no text",
    );
}

#[test]
fn a_missing_file_is_named_with_its_field_index_and_place() {
    let desk = one("[prompts/role.md, prompts/stile.md]");
    check(
        &desk,
        &[
            ".cuebook/project.yaml:3:55: error[project_file_unusable]: primary.system_prompt[1]: 'prompts/stile.md' cannot be used: there is no such file (there is 'style.md' in the same directory)",
        ],
    );
}

#[test]
fn what_is_no_text_file_is_refused() {
    let refused = |reason: &str| {
        format!("[project_file_unusable]: primary.system_prompt: 'p.md' cannot be used: {reason}")
    };
    let directory = one("p.md");
    fs::create_dir(directory.path("p.md")).expect("a directory");
    check_refused(&directory, &refused("it is no regular file"));
    let pipe = one("p.md");
    assert!(Command::new("mkfifo").arg(pipe.path("p.md")).status().expect("mkfifo").success());
    check_refused(&pipe, &refused("it is no regular file"));
    let huge = one("p.md");
    fs::File::create(huge.path("p.md")).and_then(|file| file.set_len(300 << 20)).expect("a file");
    check_refused(&huge, &refused("it has more than 1048576 bytes"));
    check_refused(&one("p.md").file("p.md", b"ab\xff"), &refused("it is not UTF-8: byte 2 is out of place"));
}

#[test]
fn nothing_leads_out_of_the_root() {
    let outside = tempfile::tempdir().expect("a directory");
    fs::write(outside.path().join("secret.md"), "CANARY").expect("a file");
    let out = |path: &str| {
        format!(
            "[project_path_refused]: primary.system_prompt: '{path}' cannot be used: a link leads out of the project's root"
        )
    };
    let file = one("p.md");
    symlink(outside.path().join("secret.md"), file.path("p.md")).expect("a link");
    check_refused(&file, &out("p.md"));
    let directory = one("d/secret.md");
    symlink(outside.path(), directory.path("d")).expect("a link");
    check_refused(&directory, &out("d/secret.md"));
    let parent = one("prompts/up/x.md");
    symlink("../..", parent.path("prompts/up")).expect("a link");
    check_refused(&parent, &out("prompts/up/x.md"));
    let within = one("prompts/link.md");
    symlink("role.md", within.path("prompts/link.md")).expect("a link");
    assert_eq!(within.text("primary.system_prompt"), "You edit.");
}

#[test]
fn paths_that_lead_out_by_their_form_are_refused() {
    let cases = [
        (
            "../x.md",
            "'../x.md' leads out of the project's root (copy the file into the project, or include the project it belongs to)",
        ),
        (
            "/etc/hostname",
            "'/etc/hostname' is not below the project's root (name a file below the project's root)",
        ),
        (
            "git:/a/b",
            "a prompt cannot be read from 'git:/': its files lie in the project (copy the file into the project and name it there)",
        ),
        (
            "https://a/b",
            "a prompt cannot be read from 'https:/': its files lie in the project (copy the file into the project and name it there)",
        ),
    ];
    for (path, reason) in cases {
        check_refused(&one(path), &format!("[project_path_refused]: primary.system_prompt: {reason}"));
    }
}

#[test]
fn a_file_that_becomes_a_link_after_the_check_is_not_followed() {
    let outside = tempfile::tempdir().expect("a directory");
    fs::write(outside.path().join("secret.md"), "CANARY").expect("a file");
    let desk = one("p.md").file("p.md", "Fine.");
    let project = desk.project();
    let recipe = project.recipe("primary.system_prompt").expect("a field");
    fs::remove_file(desk.path("p.md")).expect("a file");
    symlink(outside.path().join("secret.md"), desk.path("p.md")).expect("a link");
    let problems = compose(project.root(), recipe).expect_err("a refusal");
    assert!(desk.lines(&problems)[0].contains("a link leads out of the project's root"), "{problems:?}");
}
