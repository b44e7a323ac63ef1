//! Journals: a run kept, and explained later.

use crate::support::Project;

const RUN: [&str; 6] = ["run", ".", "--input", "topic=tea", "--journal", "run.jsonl"];
const EXPLAIN: [&str; 4] = ["explain", "run", "run.jsonl", "--text"];

/// A desk that logs as much as `observability` allows, with a run kept.
fn kept(observability: &str) -> Project {
    let project = Project::desk().edit("cuebook.toml", "full", observability);
    project.cuebook(&RUN).succeeded();
    project
}

#[test]
fn a_kept_run_is_explained_in_the_words_of_the_run() {
    let project = Project::desk();
    let run = project.cuebook(&RUN).succeeded().stdout;
    let explained = project.cuebook(&EXPLAIN).succeeded();
    let (before, _) = run.split_once("   output text:").unwrap();
    assert_eq!(explained.stdout, before);
    assert_eq!(explained.stderr, "");
}

#[test]
fn the_json_of_a_kept_run_is_that_of_the_run() {
    let project = Project::newsroom();
    let args = ["run", ".", "--input", "topic=tea", "--journal", "run.jsonl", "--json"];
    let mut run = project.cuebook(&args).succeeded().json();
    run.as_object_mut().unwrap().remove("events");
    assert_eq!(project.cuebook(&["explain", "run", "run.jsonl", "--json"]).succeeded().json(), run);
}

#[test]
fn what_the_log_does_not_hold_is_composed_again_and_verified() {
    for observability in ["hashed", "off"] {
        let project = kept(observability);
        assert!(!project.read("run.jsonl").contains("Answer in one sentence"), "under {observability}");
        let alone = project.check(&format!("journal-{observability}"), &EXPLAIN).ended(0);
        assert!(!alone.stdout.contains("Answer in one sentence"), "{alone}");
        let again = [&EXPLAIN[..], &["--project", "."]].concat();
        project.check(&format!("journal-{observability}-again"), &again).ended(0);
    }
}

#[test]
fn a_prompt_that_changed_meanwhile_is_told() {
    for observability in ["hashed", "off"] {
        let project = kept(observability).edit("prompts/voice@1.0.0.md", "one sentence", "two sentences");
        let again = [&EXPLAIN[..], &["--project", "."]].concat();
        project.check(&format!("journal-{observability}-changed"), &again).ended(3);
        let json =
            project.cuebook(&["explain", "run", "run.jsonl", "--json", "--project", "."]).ended(3).json();
        assert_eq!(json["nodes"][0]["composition"]["textSource"], "changed");
    }
}

#[test]
fn what_the_log_holds_needs_no_project() {
    let project = kept("full").edit("prompts/voice@1.0.0.md", "one sentence", "two sentences");
    let explained = project.cuebook(&EXPLAIN).succeeded();
    assert!(explained.stdout.contains("Answer in one sentence."), "{explained}");
}

#[test]
fn a_run_is_shown_whatever_may_be_logged() {
    for observability in ["hashed", "off"] {
        let run = kept(observability).cuebook(&RUN).succeeded();
        assert!(run.stdout.contains("Answer in one sentence."), "{run}");
    }
}

#[test]
fn journals_that_are_none() {
    let project = kept("full");
    let journal = project.read("run.jsonl");
    let (header, records) = journal.split_once('\n').unwrap();
    let (first, others) = records.split_once('\n').unwrap();
    let damaged = format!("{header}\n{first}\n{{\"evnt\": 1}}\n{others}");
    let cut_off = format!("{header}\n{first}\n{}", &others[..8]);
    let gap = format!("{header}\n{others}");
    let project = project
        .with("other-version.jsonl", journal.replacen("\"cuebookJournal\":1", "\"cuebookJournal\":2", 1))
        .with("damaged.jsonl", damaged)
        .with("cut-off.jsonl", cut_off)
        .with("gap.jsonl", gap)
        .with("header-alone.jsonl", format!("{header}\n"))
        .with("empty.jsonl", "")
        .with("text.jsonl", "not a journal\n");
    for name in ["other-version", "damaged", "cut-off", "gap", "header-alone", "empty", "text", "missing"] {
        let args = ["explain", "run", &format!("{name}.jsonl")];
        project.check_refused(&format!("journal-{name}"), &args);
    }
}

#[test]
fn a_journal_takes_the_place_of_the_one_before() {
    let project = kept("full");
    let first = project.read("run.jsonl");
    project.cuebook(&RUN).succeeded();
    assert_ne!(project.read("run.jsonl"), first, "another run has another id");
    let refused = project.read("run.jsonl");
    project.cuebook(&["run", ".", "--journal", "run.jsonl"]).ended(2);
    assert_eq!(project.read("run.jsonl"), refused, "a run that was refused leaves it alone");
}
