//! The log of a run that has ended, and ways to look at it.

use cuebook_engine::{NodeState, RunState};
use cuebook_log::Record;
use cuebook_prompt::Trust;
use cuebook_wire::{NodeId, RunEvent};
use serde_json::Value;

/// What a run left behind.
pub(crate) struct Log {
    pub(crate) records: Vec<Record>,
    pub(crate) state: RunState,
}

impl Log {
    /// Every event as `type node`, in order.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.records.iter().map(|record| line(&record.event)).collect()
    }

    /// The events of types that begin with `prefix`, as lines.
    pub(crate) fn lines_of(&self, prefix: &str) -> Vec<String> {
        self.lines().into_iter().filter(|line| line.starts_with(prefix)).collect()
    }

    /// The events about one node, as their types.
    pub(crate) fn types_of(&self, node: &str) -> Vec<&str> {
        let about = |event: &&RunEvent| event.node_id.as_ref().is_some_and(|id| id.as_str() == node);
        self.events().filter(about).map(|event| event.event_type.as_str()).collect()
    }

    pub(crate) fn events(&self) -> impl Iterator<Item = &RunEvent> {
        self.records.iter().map(|record| &record.event)
    }

    /// The payloads of a type, in order.
    pub(crate) fn payloads(&self, event_type: &str) -> Vec<&Value> {
        let wanted = |event: &&RunEvent| event.event_type.as_str() == event_type;
        self.events().filter(wanted).map(|event| &event.payload).collect()
    }

    /// The one payload of a type.
    #[track_caller]
    pub(crate) fn payload(&self, event_type: &str) -> &Value {
        match self.payloads(event_type).as_slice() {
            [payload] => payload,
            others => panic!("{} events of {event_type} in {:#?}", others.len(), self.lines()),
        }
    }

    /// The place in the log of the one line `line`.
    #[track_caller]
    pub(crate) fn place(&self, line: &str) -> usize {
        let lines = self.lines();
        let places: Vec<usize> = (0..lines.len()).filter(|at| lines[*at] == line).collect();
        match places.as_slice() {
            [place] => *place,
            _ => panic!("'{line}' is {} times in {lines:#?}", places.len()),
        }
    }

    /// The terminal event's type.
    pub(crate) fn end(&self) -> &str {
        self.records.last().unwrap().event.event_type.as_str()
    }

    /// The code and message of the run's error.
    #[track_caller]
    pub(crate) fn error(&self) -> (&str, &str) {
        let error = self.state.error.as_ref().unwrap_or_else(|| panic!("no error in {:#?}", self.lines()));
        (&error.code, &error.message)
    }

    #[track_caller]
    pub(crate) fn node(&self, id: &str) -> &NodeState {
        self.state.node_named(id).unwrap()
    }

    /// The JSON and trust of an output.
    #[track_caller]
    pub(crate) fn output(&self, node: &str, port: &str) -> (&Value, Trust) {
        let value = self.node(node).outputs.get(port);
        let value = value.unwrap_or_else(|| panic!("no {node}.{port} in {:#?}", self.lines()));
        (value.json(), value.trust())
    }

    /// Everything that was written, as one text.
    pub(crate) fn everything(&self) -> String {
        let parts = self.records.iter().map(|record| {
            let event = serde_json::to_string(&record.event).unwrap();
            format!("{event}\n{}\n", record.private.as_json().unwrap_or(&Value::Null))
        });
        parts.collect()
    }
}

fn line(event: &RunEvent) -> String {
    match event.node_id.as_ref().map(NodeId::as_str) {
        Some(node) => format!("{} {node}", event.event_type),
        None => event.event_type.to_string(),
    }
}
