//! Journals keep a run whole, and say where they are damaged.

use std::fs;

use cuebook_host::RunView;
use cuebook_host::journal::{self, JournalFile};
use cuebook_host::prompt::Principal;
use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;

use crate::support::{Project, about_tea, messages, run};

/// A journal of one run, as text.
async fn kept() -> String {
    let project = Project::new();
    let host = project.host().unwrap();
    let workflow = host.workflow(None).unwrap();
    let principal = Principal::local();
    let (_, records) = run(&host, about_tea(&principal, &workflow, None)).await;
    let path = project.path().join("run.jsonl");
    JournalFile::create(&path).unwrap().write(&workflow.plan, &records).unwrap();
    fs::read_to_string(path).unwrap()
}

#[tokio::test]
async fn a_journal_gives_back_the_run() {
    let project = Project::new();
    let host = project.host().unwrap();
    let workflow = host.workflow(None).unwrap();
    let principal = Principal::local();
    let (state, records) = run(&host, about_tea(&principal, &workflow, None)).await;
    let path = project.path().join("run.jsonl");
    JournalFile::create(&path).unwrap().write(&workflow.plan, &records).unwrap();
    let journal = journal::read(&path).unwrap();
    let events = |records: &[cuebook_host::log::Record]| {
        json!(records.iter().map(|one| &one.event).collect::<Vec<_>>())
    };
    assert_eq!(events(&journal.records), events(&records));
    assert_eq!(json!(RunView::of(&journal.state, &journal.records)), json!(RunView::of(&state, &records)));
}

#[test]
fn a_journal_that_is_not_written_leaves_no_trace() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("run.jsonl");
    drop(JournalFile::create(&path).unwrap());
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    assert!(JournalFile::create(directory.path()).is_err(), "a directory is no place for a journal");
    assert!(JournalFile::create(&directory.path().join("no/run.jsonl")).is_err());
}

/// Checks what reading a journal with this text says, after the name of the file.
#[track_caller]
fn check(text: &str, expect: &str) {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("run.jsonl");
    fs::write(&path, text).unwrap();
    let problems = journal::read(&path).unwrap_err();
    let messages = messages(&problems);
    let [message] = &messages[..] else { panic!("one problem: {messages:?}") };
    let (_, reason) = message.split_once(" cannot be used: ").unwrap_or_else(|| panic!("{message}"));
    assert_eq!(reason, expect);
}

#[tokio::test]
async fn damage_is_told_by_line() {
    let text = kept().await;
    let lines: Vec<&str> = text.lines().collect();
    let without = |number: usize| {
        let kept = lines.iter().enumerate().filter(|(at, _)| at + 1 != number);
        kept.map(|(_, line)| format!("{line}\n")).collect::<Vec<_>>().concat()
    };
    let instead = |number: usize, line: &str| {
        let changed = lines.iter().enumerate().map(|(at, old)| if at + 1 == number { line } else { old });
        changed.map(|line| format!("{line}\n")).collect::<Vec<_>>().concat()
    };
    check("", "it is empty");
    check(&format!("{}\n", lines[0]), "it holds no record");
    check(&instead(1, "{}"), "line 1, column 2: missing field `cuebookJournal`");
    check(&instead(3, "{}"), "line 3, column 2: missing field `event`");
    check(&instead(4, "garbage"), "line 4, column 1: expected value");
    check(
        &instead(1, &lines[0].replace("\"cuebookJournal\":1", "\"cuebookJournal\":7")),
        "it has version 7; this program reads 1",
    );
    for number in 2..lines.len() {
        let (expected, found) = (number - 2, number - 1);
        check(
            &without(number),
            &format!("line {number}: record {expected} is expected here, and it is record {found}"),
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_damage_panics(at in 0.0..1.0_f64, new in any::<char>(), gone in 0..40_usize) {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let text: Vec<char> = runtime.block_on(kept()).chars().collect();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a place in the text")]
        let at = (text.len() as f64 * at) as usize;
        let (head, tail) = text.split_at(at);
        let damaged: String = head.iter().chain([&new]).chain(tail.iter().skip(gone)).collect();
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("run.jsonl");
        fs::write(&path, damaged).unwrap();
        if let Err(problems) = journal::read(&path) {
            prop_assert!(!problems.is_empty());
        }
    }
}
