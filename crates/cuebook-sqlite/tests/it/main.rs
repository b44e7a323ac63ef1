//! The store on SQLite keeps every promise of the ports; and what it promises besides them.

mod suite;
