//! Signals: once for each key, in order, and gone with the batch that takes note of them.

use serde_json::{Value as Json, json};

use super::Fixture;
use super::support::{Writer, all, signal};
use super::values::exotic_values;
use crate::ports::{Append, Offered, Signal};

/// How many tasks offer at once.
const TASKS: usize = 16;

/// Takes note of `keys` in a batch of one record.
async fn consume(writer: &mut Writer, keys: &[&str]) {
    let consumed = keys.iter().map(|key| (*key).to_owned()).collect();
    writer.commit(Append { consumed, ..writer.batch(1) }).await;
}

/// The order is that of offering, whatever the keys are, also after some have gone and others come.
pub async fn signals_wait_oldest_first(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    for key in ["b", "10", "a", "9", "B", ""] {
        assert_eq!(writer.offer(key).await, Offered::Accepted);
    }
    assert_eq!(writer.keys().await, ["b", "10", "a", "9", "B", ""]);
    consume(&mut writer, &["", "b", "9"]).await;
    writer.offer("0").await;
    assert_eq!(writer.keys().await, ["10", "a", "B", "0"]);
    consume(&mut writer, &["10", "a", "B", "0"]).await;
    writer.offer("z").await;
    writer.offer("y").await;
    assert_eq!(writer.keys().await, ["z", "y"]);
}

/// A repetition is recognised while its signal waits and after it was consumed; the first body stands.
pub async fn a_key_is_accepted_once_for_ever(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    let first = Signal { key: "one".to_owned(), body: json!("first") };
    let repeated = Signal { body: json!("second"), ..first.clone() };
    assert_eq!(writer.offer_signal(first.clone()).await, Offered::Accepted);
    assert_eq!(writer.offer_signal(repeated.clone()).await, Offered::Duplicate);
    assert_eq!(writer.pending().await, [first]);
    consume(&mut writer, &["one"]).await;
    assert_eq!(writer.offer_signal(repeated).await, Offered::Duplicate);
    assert!(writer.pending().await.is_empty());
    let later = writer.take_over().await;
    assert_eq!(later.offer("one").await, Offered::Duplicate);
}

/// Keys are compared byte by byte, and each run has its own.
pub async fn keys_are_exact_and_of_one_run(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let mut writer = Writer::begin(&store, "run").await;
    let other = Writer::begin(&store, "other").await;
    let keys = ["key", "KEY", "key ", " key", "k%", "k_", "1", "01", "1.0", "\u{e9}", "e\u{301}", "'; --"];
    for key in keys {
        assert_eq!(writer.offer(key).await, Offered::Accepted, "{key:?}");
        assert_eq!(other.offer(key).await, Offered::Accepted, "{key:?}");
    }
    consume(&mut writer, &["key", "k%", "1", "e\u{301}"]).await;
    assert_eq!(writer.keys().await, ["KEY", "key ", " key", "k_", "01", "1.0", "\u{e9}", "'; --"]);
    assert_eq!(other.keys().await, keys);
}

/// A batch takes away what it names, once it is in the log; a key named twice is taken once.
pub async fn consuming_takes_the_named_signals_only(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    for key in ["one", "two", "three"] {
        writer.offer(key).await;
    }
    writer.append(1).await;
    assert_eq!(writer.pending().await, [signal("one"), signal("two"), signal("three")]);
    let refused = Append { consumed: vec!["one".to_owned()], ..writer.numbered([0]) };
    assert!(writer.send(refused).await.is_err());
    assert_eq!(writer.keys().await, ["one", "two", "three"]);
    consume(&mut writer, &["two", "two"]).await;
    assert_eq!(writer.pending().await, [signal("one"), signal("three")]);
}

/// Taking note of a key that was never offered, or already consumed, is no error and does not use the key up.
pub async fn a_key_that_does_not_wait_is_passed_over(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    writer.offer("one").await;
    consume(&mut writer, &["one", "never"]).await;
    consume(&mut writer, &["one"]).await;
    assert_eq!(writer.offer("never").await, Offered::Accepted);
    assert_eq!(writer.keys().await, ["never"]);
}

/// A sender need not know how far a run is.
pub async fn signals_wait_before_the_first_record_and_after_the_last(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    assert_eq!(writer.offer("early").await, Offered::Accepted);
    writer.append(1).await;
    writer.commit(writer.ending()).await;
    assert_eq!(writer.offer("late").await, Offered::Accepted);
    assert_eq!(writer.offer("early").await, Offered::Duplicate);
    assert_eq!(writer.keys().await, ["early", "late"]);
}

/// Bodies are any JSON, to the digit and the order of keys.
pub async fn bodies_come_back_exactly(fixture: &impl Fixture) {
    let writer = Writer::begin(&fixture.open().await, "run").await;
    let bodies = exotic_values();
    for (number, body) in bodies.iter().enumerate() {
        writer.offer_signal(Signal { key: number.to_string(), body: body.clone() }).await;
    }
    let came_back: Vec<String> =
        writer.pending().await.iter().map(|signal| signal.body.to_string()).collect();
    assert_eq!(came_back, bodies.iter().map(Json::to_string).collect::<Vec<_>>());
}

/// Of many who offer one key at once, one is accepted.
pub async fn one_of_many_equal_offers_is_accepted(fixture: &impl Fixture) {
    let writer = Writer::begin(&fixture.open().await, "run").await;
    for round in 0..20 {
        let key = round.to_string();
        let tasks = (0..TASKS).map(|_| {
            let (writer, key) = (writer.clone(), key.clone());
            tokio::spawn(async move { writer.offer(&key).await })
        });
        let answers = all(tasks.collect()).await;
        let accepted = answers.iter().filter(|answer| **answer == Offered::Accepted).count();
        assert_eq!(accepted, 1, "in round {round}");
    }
    assert_eq!(writer.keys().await, (0..20).map(|round| round.to_string()).collect::<Vec<_>>());
}

/// Senders who each wait for their answer before they go on find their signals in their own order.
pub async fn many_senders_keep_their_order(fixture: &impl Fixture) {
    let writer = Writer::begin(&fixture.open().await, "run").await;
    let tasks = (0..TASKS).map(|sender| {
        let writer = writer.clone();
        tokio::spawn(async move {
            for turn in 0..50 {
                writer
                    .offer_signal(Signal { key: format!("{sender}/{turn}"), body: json!([sender, turn]) })
                    .await;
                tokio::task::yield_now().await;
            }
        })
    });
    all(tasks.collect()).await;
    let pending = writer.pending().await;
    assert_eq!(pending.len(), TASKS * 50);
    for sender in 0..TASKS {
        let of_sender = pending.iter().map(|signal| &signal.body).filter(|body| body[0] == sender);
        assert!(of_sender.eq((0..50).map(|turn| json!([sender, turn])).collect::<Vec<_>>().iter()));
    }
}

async fn offer_within(writer: &Writer, key: &str, room: usize) -> Offered {
    let offered = writer.store.offer_within(&writer.principal, &writer.run_id, signal(key), room).await;
    offered.expect("a known run takes signals")
}

/// A full inbox takes nothing new and knows what came before; consuming makes room.
pub async fn an_inbox_takes_what_it_has_room_for(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    for (key, expect) in [
        ("one", Offered::Accepted),
        ("two", Offered::Accepted),
        ("three", Offered::Full),
        ("one", Offered::Duplicate),
        ("three", Offered::Full),
    ] {
        assert_eq!(offer_within(&writer, key, 2).await, expect, "{key}");
    }
    assert_eq!(writer.keys().await, ["one", "two"]);
    consume(&mut writer, &["one"]).await;
    assert_eq!(offer_within(&writer, "one", 2).await, Offered::Duplicate);
    assert_eq!(offer_within(&writer, "three", 2).await, Offered::Accepted);
    assert_eq!(offer_within(&writer, "four", 2).await, Offered::Full);
    assert_eq!(writer.offer("four").await, Offered::Accepted, "without a bound");
    assert_eq!(offer_within(&writer, "five", 0).await, Offered::Full);
}

/// Of many who want the last place in an inbox one gets it.
pub async fn one_of_many_gets_the_last_place(fixture: &impl Fixture) {
    let writer = Writer::begin(&fixture.open().await, "run").await;
    let tasks = (0..TASKS).map(|number| {
        let writer = writer.clone();
        tokio::spawn(async move { offer_within(&writer, &number.to_string(), 1).await })
    });
    let offered = all(tasks.collect()).await;
    assert_eq!(offered.iter().filter(|offered| **offered == Offered::Accepted).count(), 1);
    assert_eq!(offered.iter().filter(|offered| **offered == Offered::Full).count(), TASKS - 1);
}
