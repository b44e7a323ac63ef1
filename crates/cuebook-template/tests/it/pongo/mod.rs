//! The pongo dialect, as a user of the crate sees it.

mod cases;
