//! The ports of the event log and its in-memory form.
