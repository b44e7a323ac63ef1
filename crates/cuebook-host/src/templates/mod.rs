//! Templates by themselves, for their authors: render one, check one, render many.
//!
//! It owns what the template languages leave to a host: files below roots, a context from a file, and what comes back.
//! It refuses prompts: nothing here has a ref, a secret, a marker or a hash, and no run ever comes this way.
//!
//! [`Renderer`] holds the options and the context; [`Roots`] finds the files that templates name.

mod batch;
mod check;
mod data;
mod input;
mod mustache;
mod pongo;
mod rendered;
mod renderer;
mod roots;
mod usage;

pub use batch::BatchSummary;
pub use check::{NameRead, TemplateCheck};
pub use cuebook_template::pongo::{Civil, Profile};
pub use input::{is_stream, open_batch, read_context};
pub use rendered::{RenderedTemplate, segment_line};
pub use renderer::{Dialect, Renderer, TemplateOptions};
pub use roots::Roots;
pub use usage::LimitUse;
