//! OpenWOP v1 over HTTP.
//!
//! It owns routes, bearer keys, error envelopes, event streams and metrics. It refuses to know how a prompt is made or a
//! run is run: every handler asks the host and shapes the answer.

mod auth;
mod body;
mod error;
mod etag;
mod idempotency;
mod json_text;
mod keys;
mod metrics;
mod openapi;
mod params;
mod request_id;
mod routes;
mod server;
mod shapes;
mod state;
mod stream;
mod streams;
mod unique;

pub use auth::{Caller, Scope};
pub use error::ApiError;
pub use keys::{Key, Keys, fresh_key};
pub use openapi::document as openapi_document;
pub use routes::{ROUTES, Route, router, router_with};
pub use server::{ServeError, serve};
pub use state::{App, HttpOptions};
