//! The `cuebook` command line.

fn main() {}
