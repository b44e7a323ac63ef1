//! Libraries as files: export to a directory that diffs well, or to a pack; and the way back.
//!
//! It owns the form: a file a version, named `<id>@<version>`, in the form that a project's own prompts have, so that an
//! exported directory can be used as one. What a host stamps on a template is left out, so that the same library gives
//! the same bytes wherever it was.

mod form;
mod pack;
mod read;
mod write;

pub use pack::{PackName, pack_document};
pub use read::ImportSource;
pub use write::{Exported, export_files, export_pack};
