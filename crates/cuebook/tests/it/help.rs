//! Help and completions.

use std::fmt::Write as _;

use crate::support::Project;

const COMMANDS: [&[&str]; 44] = [
    &[],
    &["run"],
    &["serve"],
    &["explain"],
    &["explain", "run"],
    &["explain", "node"],
    &["prompts"],
    &["prompts", "list"],
    &["prompts", "get"],
    &["prompts", "render"],
    &["prompts", "check"],
    &["prompts", "export"],
    &["prompts", "import"],
    &["prompts", "diff"],
    &["prompts", "history"],
    &["template"],
    &["template", "render"],
    &["template", "check"],
    &["runs"],
    &["runs", "list"],
    &["runs", "get"],
    &["runs", "prune"],
    &["layers"],
    &["layers", "which"],
    &["layers", "diff"],
    &["layers", "status"],
    &["packs"],
    &["packs", "install"],
    &["packs", "list"],
    &["packs", "verify"],
    &["packs", "check"],
    &["packs", "remove"],
    &["budgets"],
    &["budgets", "tighten"],
    &["init"],
    &["config"],
    &["config", "check"],
    &["config", "schema"],
    &["completions"],
    &["project"],
    &["project", "check"],
    &["project", "compose"],
    &["project", "explain"],
    &["project", "schema"],
];

#[test]
fn the_help_of_every_command_has_examples_and_exit_codes() {
    let project = Project::empty();
    let mut all = String::new();
    for command in COMMANDS {
        let help = project.cuebook(&[command, &["--help"]].concat()).succeeded();
        assert_eq!(help.stderr, "");
        for part in ["\nExamples:\n  cuebook ", "\nExit codes:\n  0 ", "NO_COLOR"] {
            assert!(help.stdout.contains(part), "{command:?} lacks {part:?}\n{help}");
        }
        let own = help.stdout.split("\nExit codes:").next().unwrap();
        let _ = write!(all, "$ cuebook {} --help\n{own}\n", command.join(" "));
    }
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("help", all);
    });
}

#[test]
fn every_command_is_in_the_list_above() {
    let project = Project::empty();
    for command in COMMANDS {
        let help = project.cuebook(&[command, &["--help"]].concat()).stdout;
        let Some((_, rest)) = help.split_once("\nCommands:\n") else { continue };
        let names = rest.lines().take_while(|line| !line.is_empty());
        // A deeper line goes on with what the one above says.
        let names = names.filter(|line| !line.starts_with("   "));
        for name in names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
            let path = [command, &[name]].concat();
            assert!(COMMANDS.contains(&path.as_slice()), "{path:?} is not tested");
        }
    }
}

#[test]
fn a_command_without_what_it_needs_shows_its_usage() {
    let project = Project::empty();
    for command in [
        &[][..],
        &["run"],
        &["explain"],
        &["explain", "node"],
        &["prompts", "render"],
        &["template"],
        &["completions"],
    ] {
        let outcome = project.cuebook(command).ended(2);
        assert!(outcome.stdout.is_empty() && outcome.stderr.contains("Usage: cuebook"), "{outcome}");
    }
}

#[test]
fn the_version_is_the_crates() {
    let version = Project::empty().cuebook(&["--version"]).succeeded();
    assert_eq!(version.stdout, concat!("cuebook ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = Project::empty().cuebook(&["completions", shell]).succeeded().stdout;
        for word in ["explain", "untrusted-input", "journal"] {
            assert!(script.contains(word), "the script for {shell} lacks {word}");
        }
    }
    Project::empty().check_refused("completions-unknown-shell", &["completions", "tcsh"]);
}
