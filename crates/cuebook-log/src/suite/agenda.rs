//! What remains to be done, for all tenants.

use cuebook_wire::Timestamp;

use super::Fixture;
use super::support::{Store, Writer, millis, tenant};
use crate::agenda::{Due, RunKey, Unfinished};

/// Begins a run of `owner` with one record that says when it is due.
async fn begin(store: &Store, owner: &str, run_id: &str, due: Due) -> Writer {
    let mut writer = Writer::begin_for(store, tenant(owner), run_id).await;
    say(&mut writer, due).await;
    writer
}

/// Appends a record that says when the run is due.
async fn say(writer: &mut Writer, due: Due) {
    let mut batch = writer.batch(1);
    batch.due = due;
    writer.commit(batch).await;
}

async fn unfinished(store: &Store) -> Vec<Unfinished> {
    store.unfinished(None, usize::MAX).await.expect("a store has an agenda")
}

async fn names(store: &Store) -> Vec<String> {
    unfinished(store).await.into_iter().map(|run| name(&run.key)).collect()
}

fn name(key: &RunKey) -> String {
    format!("{}/{}", key.tenant, key.run_id)
}

async fn due(store: &Store) -> Vec<(u64, String)> {
    let due = store.due(None, usize::MAX).await.expect("a store has an agenda");
    due.iter().map(|(at, key)| (at.millis_since(millis(0)), name(key))).collect()
}

fn at(count: u64) -> Due {
    Due::At(millis(count))
}

/// Runs of every tenant are there from their first batch to their terminal event.
pub async fn runs_are_unfinished_from_their_first_batch_to_their_last(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let unwritten = Writer::begin(&store, "unwritten").await;
    assert_eq!(names(&store).await, Vec::<String>::new());
    let mut over = begin(&store, "globex", "a", at(5)).await;
    begin(&store, "acme", "b", Due::Now).await;
    begin(&store, "acme", "a", Due::OnSignal).await;
    assert_eq!(names(&store).await, ["acme/a", "acme/b", "globex/a"]);
    over.commit(over.ending()).await;
    assert_eq!(names(&store).await, ["acme/a", "acme/b"]);
    assert_eq!(due(&store).await, []);
    assert_eq!(unwritten.length().await, 0);
}

/// What the last batch said holds, also one without records; a refused batch says nothing.
pub async fn a_run_is_due_as_its_last_batch_said(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let mut writer = begin(&store, "acme", "run", Due::Now).await;
    for said in [at(7), Due::OnSignal, at(1), Due::Now, at(9)] {
        say(&mut writer, said).await;
        let run = unfinished(&store).await.remove(0);
        assert_eq!((run.due, run.updated_at), (said, millis(writer.next)));
    }
    let mut refused = writer.numbered([0]);
    refused.due = Due::OnSignal;
    assert!(writer.send(refused).await.is_err());
    assert_eq!(unfinished(&store).await[0].due, at(9));
    let mut empty = writer.batch(0);
    empty.due = Due::OnSignal;
    writer.commit(empty).await;
    assert_eq!(unfinished(&store).await[0].due, Due::OnSignal);
}

/// A run is signalled while a signal waits.
pub async fn a_waiting_signal_is_told(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let mut writer = begin(&store, "acme", "run", Due::OnSignal).await;
    assert!(!unfinished(&store).await[0].is_signalled);
    writer.offer("one").await;
    assert!(unfinished(&store).await[0].is_signalled);
    let mut batch = writer.batch(1);
    batch.consumed = vec!["one".to_owned()];
    writer.commit(batch).await;
    assert!(!unfinished(&store).await[0].is_signalled);
}

/// Timed runs come by their time and then by key, whoever owns them.
pub async fn timed_runs_are_due_earliest_first(fixture: &impl Fixture) {
    let store = fixture.open().await;
    for (owner, run_id, said) in [
        ("acme", "late", at(30)),
        ("globex", "early", at(10)),
        ("acme", "early", at(10)),
        ("acme", "now", Due::Now),
        ("acme", "never", Due::OnSignal),
        ("acme", "middle", at(20)),
    ] {
        begin(&store, owner, run_id, said).await;
    }
    let named = |at, name: &str| (at, name.to_owned());
    let expect = [
        named(10, "acme/early"),
        named(10, "globex/early"),
        named(20, "acme/middle"),
        named(30, "acme/late"),
    ];
    assert_eq!(due(&store).await, expect);
}

/// Pages follow each other without gap or overlap, in both orders.
pub async fn pages_of_the_agenda_make_up_the_whole(fixture: &impl Fixture) {
    let store = fixture.open().await;
    for number in 0..7_u64 {
        let owner = if number % 2 == 0 { "acme" } else { "globex" };
        begin(&store, owner, &format!("run {number}"), at(10 + number / 3)).await;
    }
    let (mut keys, mut times) = (Vec::new(), Vec::new());
    let (mut last_key, mut last_time): (Option<RunKey>, Option<(Timestamp, RunKey)>) = (None, None);
    for _ in 0..5 {
        let page = store.unfinished(last_key.as_ref(), 2).await.expect("a page");
        keys.extend(page.into_iter().map(|run| run.key));
        last_key = keys.last().cloned();
        times.extend(store.due(last_time.as_ref(), 2).await.expect("a page"));
        last_time = times.last().cloned();
    }
    let whole: Vec<RunKey> = unfinished(&store).await.into_iter().map(|run| run.key).collect();
    assert_eq!((whole.len(), &keys), (7, &whole));
    assert_eq!(times, store.due(None, usize::MAX).await.expect("a page"));
}

/// What remained to be done still does.
pub async fn the_agenda_is_there_after_opening_anew(fixture: &impl Fixture) {
    let store = fixture.open().await;
    begin(&store, "acme", "timed", at(5)).await;
    begin(&store, "acme", "going", Due::Now).await.offer("one").await;
    let before = unfinished(&store).await;
    drop(store);
    let store = fixture.open().await;
    assert_eq!(unfinished(&store).await, before);
    assert_eq!(due(&store).await, [(5, "acme/timed".to_owned())]);
}
