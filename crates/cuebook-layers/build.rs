//! Builds the crate again when a file of the bundled packs appears or goes.

fn main() {
    println!("cargo::rerun-if-changed=bundled");
}
