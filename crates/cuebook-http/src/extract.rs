//! Parts of a request's address, read so that every fault is answered in the one shape of errors.
//!
//! It owns path parameters and queries. Names in a query that no route knows are passed over, as HTTP intermediaries add
//! some of their own; values are read strictly.

use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequestParts, Path, Query};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::error::ApiError;

/// The parameters of a route's path, percent-decoded.
///
/// A parameter that is no UTF-8 names nothing that could be there.
pub(crate) struct PathOf<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for PathOf<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let path = Path::from_request_parts(parts, state).await;
        path.map(|Path(value)| Self(value)).map_err(|_| ApiError::not_found("resource"))
    }
}

/// A query of known names.
pub(crate) struct QueryOf<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for QueryOf<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let query = Query::from_request_parts(parts, state).await;
        query.map(|Query(value)| Self(value)).map_err(|rejection| unreadable(&rejection))
    }
}

/// Names the parameter, which the rejection's own text begins with, and never its value.
fn unreadable(rejection: &QueryRejection) -> ApiError {
    let text = std::error::Error::source(rejection).map(ToString::to_string).unwrap_or_default();
    let name = text.split_once(':').map(|(name, _)| name).filter(|name| is_name(name));
    match name {
        Some(name) => ApiError::invalid(format!("the query parameter '{name}' is not a whole number from 0"))
            .with("parameter", name),
        None => ApiError::invalid("the query cannot be read: a parameter is given twice or is no UTF-8"),
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
