//! Owns the step from a frame of an event stream to events of the run's log.
//!
//! Some frames are no events of the log: signs of life, chunks of messages, snapshots of state. They are passed over. It
//! refuses to pass over a frame that has a place in the log but cannot be read.

use cuebook_wire::RunEvent;
use serde_json::Value;

use crate::decode::{self, Fault};
use crate::key::Scrubber;
use crate::sse::Frame;
use crate::tolerance;

/// The events in `frame`: one, several in a batch, or none.
pub(crate) fn events(frame: &Frame, scrubber: Scrubber<'_>) -> Result<Vec<RunEvent>, Fault> {
    match serde_json::from_str(&frame.data) {
        Ok(Value::Array(items)) => batch(items, scrubber),
        Ok(item) if is_of_the_log(&item) => event(item, scrubber).map(|event| vec![event]),
        Err(error) if frame.has_id => Err(no_json(&error)),
        _ => Ok(Vec::new()),
    }
}

fn batch(items: Vec<Value>, scrubber: Scrubber<'_>) -> Result<Vec<RunEvent>, Fault> {
    let placed = items.into_iter().enumerate().filter(|(_, item)| is_of_the_log(item));
    let read = |(index, item)| {
        event(item, scrubber).map_err(|fault| Fault { path: format!("[{index}].{}", fault.path), ..fault })
    };
    placed.map(read).collect()
}

fn is_of_the_log(item: &Value) -> bool {
    item.get("sequence").is_some() || item.get("eventId").is_some()
}

fn event(mut item: Value, scrubber: Scrubber<'_>) -> Result<RunEvent, Fault> {
    tolerance::event(&mut item);
    decode::read(item, scrubber)
}

fn no_json(error: &serde_json::Error) -> Fault {
    let problem = format!("the event is no JSON at line {}, column {}", error.line(), error.column());
    Fault { path: "data".to_owned(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sequences in a frame, or the place of its fault.
    #[track_caller]
    fn check(has_id: bool, data: &str, expect: Result<&[u64], &str>) {
        let frame = Frame { has_id, data: data.to_owned() };
        let read = events(&frame, Scrubber(None));
        let read = read.map(|events| events.iter().map(|event| event.sequence.0).collect::<Vec<_>>());
        assert_eq!(read.as_deref().map_err(|fault| fault.path.as_str()), expect, "{data}");
    }

    fn event_with(sequence: &str) -> String {
        format!(
            r#"{{"eventId":"e","runId":"r","type":"x.new","timestamp":"2026-01-31T12:00:00Z","sequence":{sequence},"new":1}}"#
        )
    }

    #[test]
    fn frames_hold_events_batches_or_nothing() {
        check(true, &event_with("3"), Ok(&[3]));
        check(true, &format!("[{},{}]", event_with("4"), event_with("5")), Ok(&[4, 5]));
        check(true, &format!(r#"[{{"chunk":"a"}},{}]"#, event_with("6")), Ok(&[6]));
        check(true, r#"{"chunk":"a","nodeId":"n"}"#, Ok(&[]));
        check(false, "still here", Ok(&[]));
        check(false, "", Ok(&[]));
    }

    #[test]
    fn events_that_cannot_be_read_are_faults() {
        check(true, &event_with("\"3\""), Err("sequence"));
        check(true, &format!("[{},{}]", event_with("4"), event_with("-5")), Err("[1].sequence"));
        check(true, "{\"eventId\":", Err("data"));
    }
}
