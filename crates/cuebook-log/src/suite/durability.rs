//! What is there when the store is opened anew; a store that cannot be closed keeps these promises by being the same.

use cuebook_prompt::ContentHash;
use cuebook_wire::Sequence;

use super::Fixture;
use super::support::{Store, Writer, tenant, woken};
use crate::ports::{Append, LogError, Offered};

/// Lets go of `writer`'s store and opens it anew.
async fn reopen(fixture: &impl Fixture, store: Store, writer: Writer) -> (Store, Writer) {
    let Writer { store: held, principal, run_id, epoch, next } = writer;
    drop((store, held));
    let store = fixture.open().await;
    let writer = Writer { store: Store::clone(&store), principal, run_id, epoch, next };
    (store, writer)
}

/// Everything that a call has acknowledged: records, entries, signals, known keys, blobs.
pub async fn what_was_acknowledged_is_there_after_opening_anew(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let mut writer = Writer::begin(&store, "run").await;
    for key in ["one", "two", "three"] {
        writer.offer(key).await;
    }
    writer.commit(Append { consumed: vec!["two".to_owned()], ..writer.batch(300) }).await;
    writer.append(1).await;
    let hash = store.put(&tenant("acme"), "text").await.expect("a text is stored");
    let before = writer.view().await;
    let (store, writer) = reopen(fixture, store, writer).await;
    assert_eq!(writer.view().await, before);
    assert_eq!(writer.keys().await, ["one", "three"]);
    for key in ["one", "two", "three"] {
        assert_eq!(writer.offer(key).await, Offered::Duplicate, "{key}");
    }
    assert_eq!(writer.offer("four").await, Offered::Accepted);
    assert_eq!(writer.keys().await, ["one", "three", "four"]);
    assert_eq!(hash, ContentHash::of("text"));
    assert_eq!(store.get(&tenant("acme"), &hash).await, Ok(Some("text".to_owned())));
}

/// Epochs and numbers go on where they were; a run that was only opened is known.
pub async fn writers_go_on_after_opening_anew(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let opened = Writer::begin(&store, "opened").await.run_id;
    let first = Writer::begin(&store, "run").await;
    let mut second = first.take_over().await;
    second.append(4).await;
    let (first_epoch, second_epoch) = (first.epoch, second.epoch);
    drop(first);
    let (store, second) = reopen(fixture, store, second).await;
    let mut third = second.take_over().await;
    assert!(third.epoch > second_epoch);
    for given in [first_epoch, second_epoch] {
        let earlier = Writer { epoch: given, ..third.clone() };
        let refused = Err(LogError::StaleWriter { given, current: third.epoch });
        assert_eq!(earlier.send(earlier.batch(1)).await, refused);
    }
    let elsewhere = third.send(third.numbered([0])).await;
    assert_eq!(elsewhere, Err(LogError::Conflict { expected: Sequence(0), next: Sequence(4) }));
    third.append(2).await;
    assert_eq!(third.length().await, 6);
    let known = Writer { run_id: opened, next: 0, epoch: 1, ..third.clone() };
    assert_eq!(known.length().await, 0);
    known.take_over().await.append(1).await;
    assert_eq!(store.runs(&tenant("acme"), &[], usize::MAX).await.map(|runs| runs.len()), Ok(2));
}

/// The end of a run holds for every process.
pub async fn an_ended_run_stays_ended(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let mut writer = Writer::begin(&store, "run").await;
    writer.append(2).await;
    writer.commit(writer.ending()).await;
    let (_store, writer) = reopen(fixture, store, writer).await;
    let later = writer.take_over().await;
    assert_eq!(later.send(later.batch(1)).await, Err(LogError::Ended(later.run_id.clone())));
    assert_eq!(later.length().await, 3);
}

/// A watch on a run of an earlier process begins at its log's end and hears what follows.
pub async fn a_watch_goes_on_after_opening_anew(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let mut writer = Writer::begin(&store, "run").await;
    writer.append(5).await;
    let (_store, writer) = reopen(fixture, store, writer).await;
    let mut watch = writer.watch().await;
    assert_eq!((*watch.borrow(), woken(&watch)), (Sequence(5), false));
    let mut later = writer.take_over().await;
    later.append(1).await;
    assert!(woken(&watch));
    assert_eq!(*watch.borrow_and_update(), Sequence(6));
}
