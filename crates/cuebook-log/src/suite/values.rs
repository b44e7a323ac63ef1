//! That a record comes back as it was written, to the digit.

use cuebook_wire::{EventId, EventType, NodeId, Timestamp};
use serde_json::{Value as Json, json};

use super::Fixture;
use super::support::{Writer, record};
use crate::record::{Private, Record};

/// JSON values that databases and careless readers tend to change.
pub(super) fn exotic_values() -> Vec<Json> {
    let mut values = vec![
        json!(null),
        json!([u64::MAX, i64::MIN, i64::MAX, 9_007_199_254_740_993_u64, 0, -1]),
        json!([0.1 + 0.2, 1.0, -0.0, 1e308, 5e-324, f64::MIN_POSITIVE, 1e21, 123_456_789.123_456_78]),
        json!([true, false, "true", "1", 1, "null", [], {}, "", [[]], [{}], [null]]),
        json!("nul \u{0}, bell \u{7}, line \u{2028}, bom \u{feff}, last \u{ffff}, mask \u{1F3AD}"),
        json!(["\u{e9}", "e\u{301}", "\\u0041", "\"quoted\"", "'; DROP TABLE records; --", "a\r\nb\t"]),
        json!({ "z": 1, "a": 2, "m": { "9": 1, "10": 2 }, "": 3, "A": 4, "a ": 5, "$ref": null }),
    ];
    values.extend([json!(1), json!(1.0), json!("1"), json!(false), json!([]), json!({})]);
    values
}

/// A value of `levels` nested arrays and objects.
fn nested(levels: usize) -> Json {
    (1..levels)
        .fold(json!([]), |inner, level| if level % 2 == 0 { json!([inner]) } else { json!({ "in": inner }) })
}

/// Records at the places from 0 on, each with a payload and a private part.
fn records(writer: &Writer, parts: impl IntoIterator<Item = (Json, Option<Json>)>) -> Vec<Record> {
    let make = |(place, (payload, private)): (u64, _)| {
        let mut record = record(&writer.run_id, place);
        record.event.payload = payload;
        record.private = Private::from_json(private);
        record
    };
    (0..).zip(parts).map(make).collect()
}

/// Appends `written` and holds what comes back against it; numbers and the order of keys are compared as text.
async fn assert_kept(writer: &mut Writer, written: Vec<Record>) {
    let mut batch = writer.batch(0);
    batch.records.clone_from(&written);
    writer.commit(batch).await;
    let read = writer.log().await;
    assert!(read == written, "the log is another than the one written");
    for (read, written) in read.iter().zip(&written) {
        assert_eq!(read.event.payload.to_string(), written.event.payload.to_string());
        let private = |record: &Record| record.private.as_json().map(Json::to_string);
        assert_eq!(private(read), private(written));
    }
}

/// Payloads and private parts keep numbers, texts, nulls and the order of keys.
pub async fn values_come_back_exactly(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    let values = exotic_values();
    let parts = values.iter().zip(values.iter().rev());
    let written = records(&writer, parts.map(|(payload, private)| (payload.clone(), Some(private.clone()))));
    assert_kept(&mut writer, written).await;
}

/// A record without private part is another one than a record whose private part is null.
pub async fn no_private_part_is_not_null(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    let written = records(&writer, [None, Some(json!(null)), None].map(|private| (json!({}), private)));
    assert_kept(&mut writer, written).await;
    let log = writer.log().await;
    let has_part: Vec<bool> = log.iter().map(|record| record.private.as_json().is_some()).collect();
    assert_eq!(has_part, [false, true, false]);
}

/// Every published type and an unknown one, with each optional field there and not there.
pub async fn every_field_of_an_event_comes_back(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    let types =
        EventType::NAMES.iter().copied().chain(["vendor.unheard-of \u{1F3AD}", ""]).map(EventType::from);
    let mut written = Vec::new();
    for (place, event_type) in (0..).zip(types.filter(|event_type| !event_type.is_terminal())) {
        let mut record = record(&writer.run_id, place);
        record.event.event_type = event_type;
        record.event.event_id = EventId::new(format!("event {place} '\u{e9}'"));
        record.event.timestamp =
            Timestamp::from_millis(if place % 2 == 0 { -1 } else { 253_402_207_200_000 });
        record.event.node_id = (place % 2 == 0).then(|| NodeId::new("node \u{1F3AD}"));
        record.event.schema_version = (place % 3 == 0).then_some(u32::MAX);
        record.event.engine_version = (place % 5 == 0).then(String::new);
        record.event.causation_id = (place % 7 == 0).then(|| EventId::new("event 0"));
        written.push(record);
    }
    assert_kept(&mut writer, written).await;
}

/// A record may be larger than a page of any database.
pub async fn large_records_come_back(fixture: &impl Fixture) {
    let mut writer = Writer::begin(&fixture.open().await, "run").await;
    let text = json!("\u{1F3AD}\"".repeat(400_000));
    let list: Json = (0..100_000).collect::<Vec<u32>>().into();
    let written =
        records(&writer, [(text.clone(), Some(list.clone())), (list, Some(text)), (json!({}), None)]);
    assert_kept(&mut writer, written).await;
}

/// Nesting up to [`Record::MAX_DEPTH`] is kept; what is deeper is kept or refused, never lost or unreadable.
pub async fn nested_values_come_back_or_are_refused(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let mut writer = Writer::begin(&store, "kept").await;
    let deep = nested(Record::MAX_DEPTH);
    let written = records(&writer, [(deep.clone(), Some(deep)), (json!({}), None)]);
    assert_kept(&mut writer, written).await;
    for levels in [126, 127, 128, 129, 1_000] {
        let deeper = Writer::begin(&store, &format!("{levels} levels")).await;
        let mut batch = deeper.batch(0);
        batch.records = records(&deeper, [(json!({}), None), (nested(levels), Some(nested(levels)))]);
        let expect = batch.records.clone();
        let taken = deeper.send(batch).await.is_ok();
        let log = deeper.log().await;
        assert!(if taken { log == expect } else { log.is_empty() }, "{levels} levels: taken is {taken}");
    }
}
