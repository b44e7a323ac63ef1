//! The store on SQLite keeps every promise of the ports; and what it promises besides them.

mod crash;
mod durability;
mod fixture;
mod groups;
mod opening;
mod suite;
mod support;
