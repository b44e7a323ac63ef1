//! When watchers are woken, and what they are told.

use cuebook_wire::{RunStatus, Sequence};

use super::Fixture;
use super::support::{Writer, all, woken};
use crate::ports::{Append, Offered, Open};

/// A watcher knows the log's next sequence from the start, and has nothing to catch up with.
pub async fn a_watch_begins_at_the_present(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    for count in [0, 1, 6] {
        if count > 0 {
            writer.append(count).await;
        }
        writer.offer(&count.to_string()).await;
        let watch = writer.watch().await;
        assert_eq!(*watch.borrow(), Sequence(writer.next));
        assert!(!woken(&watch));
    }
}

/// When an append returns, everyone who watches the run has been told the sequence that comes next.
pub async fn records_wake_every_watcher(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    let mut watches = [writer.watch().await, writer.watch().await];
    for count in [1, 4, 2] {
        writer.append(count).await;
        for watch in &mut watches {
            assert!(woken(watch));
            assert_eq!(*watch.borrow_and_update(), Sequence(writer.next));
        }
    }
    writer.append(1).await;
    writer.commit(writer.ending()).await;
    for watch in &watches {
        assert!(woken(watch));
        assert_eq!(*watch.borrow(), Sequence(9));
    }
}

/// When an offer returns `Accepted`, watchers have been told; the sequence is the same.
pub async fn an_accepted_signal_wakes_without_a_new_sequence(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    let mut watch = writer.watch().await;
    for key in ["one", "two"] {
        writer.append(1).await;
        watch.mark_unchanged();
        assert_eq!(writer.offer(key).await, Offered::Accepted);
        assert!(woken(&watch));
        assert_eq!(*watch.borrow_and_update(), Sequence(writer.next));
    }
}

/// Repeated signals, refused and empty batches, takeovers and reading wake nobody.
pub async fn nothing_else_wakes(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    writer.append(1).await;
    writer.offer("one").await;
    let watch = writer.watch().await;
    assert_eq!(writer.offer("one").await, Offered::Duplicate);
    assert!(writer.send(writer.numbered([0])).await.is_err());
    let mut taking_note = Append { consumed: vec!["one".to_owned()], ..writer.batch(0) };
    taking_note.entry.status = RunStatus::Paused;
    writer.commit(taking_note).await;
    assert_eq!(writer.offer("one").await, Offered::Duplicate);
    let again = writer.store.open(&writer.principal, &writer.run_id, Open::New).await;
    assert!(again.is_err());
    let second = writer.take_over().await;
    assert!(writer.send(writer.batch(1)).await.is_err());
    second.view().await;
    assert!(!woken(&watch));
}

/// A watcher hears of its own run alone.
pub async fn runs_do_not_wake_each_other(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let mut loud = Writer::begin(&store, "loud").await;
    let mut silent = Writer::begin(&store, "silent").await;
    silent.append(1).await;
    let watch = silent.watch().await;
    loud.append(5).await;
    loud.offer("one").await;
    assert!(!woken(&watch));
    assert_eq!(*watch.borrow(), Sequence(1));
}

/// How a follower learns that there is news.
#[derive(Clone, Copy)]
enum Manner {
    Waiting,
    Looking,
}

/// Follows until the log has `length` records; each time all that was announced can be read.
async fn follow(writer: Writer, length: u64, manner: Manner) {
    let mut watch = writer.watch().await;
    loop {
        let announced = *watch.borrow_and_update();
        let visible = writer.length().await;
        assert!(announced.0 <= visible, "{announced} announced, {visible} to be read");
        if announced.0 == length {
            return;
        }
        match manner {
            Manner::Waiting => watch.changed().await.expect("the store is open"),
            Manner::Looking => tokio::task::yield_now().await,
        }
    }
}

/// What a watcher is told can be read at once, and no watcher is left behind.
pub async fn a_watch_is_never_ahead_of_the_log(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    let manners = [Manner::Waiting, Manner::Looking, Manner::Waiting, Manner::Looking];
    let tasks = manners.map(|manner| tokio::spawn(follow(writer.clone(), 600, manner))).into();
    for _ in 0..200 {
        writer.append(3).await;
        tokio::task::yield_now().await;
    }
    all(tasks).await;
}
