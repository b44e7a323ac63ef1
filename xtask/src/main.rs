//! Chores of the workspace: `cargo xtask generate` writes the generated documents.

fn main() {}
