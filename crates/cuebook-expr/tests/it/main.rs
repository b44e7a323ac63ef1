//! The language as its users meet it: through the public API only.

mod condition;
mod errors;
mod evaluation;
mod failures;
mod limits;
mod paths;
mod printing;
mod properties;
mod scopes;
mod support;
