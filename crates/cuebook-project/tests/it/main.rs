//! What project files come to: loading, federation, inclusion, workflows, edits. Every test writes its own directory.

mod faults;
mod federation;
mod files;
mod hostile;
mod inclusion;
mod live;
mod support;
mod workflows;
