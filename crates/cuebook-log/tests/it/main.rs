//! The in-memory store keeps every promise of the ports; and what the crate has besides them.

mod head;
mod history;
mod memory;
mod record;
mod suite_is_complete;
