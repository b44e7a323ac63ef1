//! How runs are listed.

use cuebook_wire::{RunId, RunStatus, Timestamp, WorkflowId};

use super::Fixture;
use super::support::{Store, Writer, tenant};
use crate::ports::LogError;

/// The last whole second that a timestamp can hold, in the year 9999.
const LATEST_MILLIS: i64 = 253_402_207_200_000;

/// Begins a run with one record, that was started at `started` milliseconds after 1970.
async fn start(store: &Store, run_id: &str, started: i64) {
    let mut writer = Writer::begin(store, run_id).await;
    let mut batch = writer.batch(1);
    batch.entry.started_at = Timestamp::from_millis(started);
    writer.commit(batch).await;
}

async fn listed(store: &Store, limit: usize) -> Vec<String> {
    let entries = store.runs(&tenant("acme"), &[], limit).await.expect("a tenant has an index");
    entries.into_iter().map(|entry| entry.run_id.as_str().to_owned()).collect()
}

/// Every batch replaces the whole entry, and the list shows the same entry.
pub async fn the_entry_is_that_of_the_last_batch(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let mut writer = Writer::begin(&store, "run").await;
    for (place, status) in RunStatus::ALL.into_iter().enumerate() {
        let mut batch = writer.batch(1);
        batch.entry.status = status;
        batch.entry.workflow_id = WorkflowId::new(format!("workflow {place} \u{1F3AD}"));
        batch.entry.started_at =
            Timestamp::from_millis(1_000 - i64::try_from(place).expect("a small number"));
        batch.entry.updated_at = Timestamp::from_millis(LATEST_MILLIS);
        let entry = batch.entry.clone();
        writer.commit(batch).await;
        assert_eq!(writer.entry().await, Ok(entry.clone()));
        assert_eq!(store.runs(&writer.principal, &[], 10).await, Ok(vec![entry]));
    }
}

/// The start decides, not the order of writing, nor the last update; starts may lie before 1970.
pub async fn runs_are_listed_newest_first(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let starts =
        [("c", 10), ("a", 1_700_000_000_000), ("e", -1), ("b", 9), ("d", -62_167_219_200_000), ("f", 100)];
    for (run_id, started) in starts {
        start(&store, run_id, started).await;
    }
    assert_eq!(listed(&store, usize::MAX).await, ["a", "f", "c", "b", "e", "d"]);
    let second = Writer::begin(&store, "g").await.take_over().await;
    let mut batch = second.batch(1);
    batch.entry.started_at = Timestamp::from_millis(50);
    assert_eq!(second.send(batch).await, Ok(()));
    assert_eq!(listed(&store, usize::MAX).await, ["a", "f", "g", "c", "b", "e", "d"]);
}

/// Runs that were started in the same millisecond have a fixed order, so that pages do not overlap.
pub async fn runs_of_one_start_are_listed_by_descending_id(fixture: &impl Fixture) {
    let store = fixture.open().await;
    for run_id in ["b", "\u{e9}", "B", "10", "a", "9", "\u{10000}", "\u{ffff}"] {
        start(&store, run_id, 5).await;
    }
    let expect = ["\u{10000}", "\u{ffff}", "\u{e9}", "b", "a", "B", "9", "10"];
    assert_eq!(listed(&store, usize::MAX).await, expect);
}

/// The newest are listed, never more than asked for.
pub async fn a_list_is_cut_by_its_limit(fixture: &impl Fixture) {
    let store = fixture.open().await;
    assert!(listed(&store, usize::MAX).await.is_empty());
    for number in 0..5 {
        start(&store, &number.to_string(), number).await;
    }
    let newest = ["4", "3", "2", "1", "0"];
    for (limit, length) in [(0, 0), (1, 1), (4, 4), (5, 5), (6, 5), (usize::MAX, 5)] {
        assert_eq!(listed(&store, limit).await, newest[..length], "at most {limit}");
    }
}

/// A run that was opened and crashed before its first batch is in no list.
pub async fn a_run_without_a_batch_is_not_listed(fixture: &impl Fixture) {
    let store = fixture.open().await;
    start(&store, "written", 1).await;
    let mut opened = Writer::begin(&store, "opened").await;
    opened.offer("one").await;
    assert_eq!(opened.entry().await, Err(LogError::UnknownRun(RunId::new("opened"))));
    assert_eq!(listed(&store, usize::MAX).await, ["written"]);
    opened = opened.take_over().await;
    opened.append(1).await;
    assert_eq!(listed(&store, usize::MAX).await, ["written", "opened"]);
}

/// A list of statuses has the newest runs of these, as many as its limit.
pub async fn a_list_is_of_the_statuses_asked_for(fixture: &impl Fixture) {
    let store = fixture.open().await;
    for (place, status) in
        (0..).zip([RunStatus::Failed, RunStatus::Running, RunStatus::Failed, RunStatus::Completed])
    {
        let mut writer = Writer::begin(&store, &format!("run{place}")).await;
        let mut batch = writer.batch(1);
        batch.entry.started_at = Timestamp::from_millis(place);
        batch.entry.status = status;
        writer.commit(batch).await;
    }
    let check = async |statuses: &[RunStatus], limit, expect: &[&str]| {
        let entries = store.runs(&tenant("acme"), statuses, limit).await.expect("a tenant has an index");
        let listed: Vec<&str> = entries.iter().map(|entry| entry.run_id.as_str()).collect();
        assert_eq!(listed, expect, "{statuses:?}");
    };
    check(&[], 9, &["run3", "run2", "run1", "run0"]).await;
    check(&[RunStatus::Failed], 9, &["run2", "run0"]).await;
    check(&[RunStatus::Failed], 1, &["run2"]).await;
    check(&[RunStatus::Completed, RunStatus::Running], 9, &["run3", "run1"]).await;
    check(&[RunStatus::Cancelled], 9, &[]).await;
}
