//! Request bodies: JSON, read strictly, with the path of every fault.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse as _;
use cuebook_host::wire::{Document, ErrorCode, strict};
use serde_json::{Map, Value as Json};

use crate::error::ApiError;
use crate::shapes::AtOnce;
use crate::state::App;
use crate::unique;

/// A JSON body, and its bytes for comparing repetitions; an empty body is an empty object.
#[derive(Debug)]
pub(crate) struct JsonBody {
    pub(crate) value: Json,
    pub(crate) bytes: Bytes,
}

impl JsonBody {
    /// Reads the value strictly.
    pub(crate) fn read<T: Document>(&self) -> Result<T, ApiError> {
        strict::read(&self.value).map_err(|faults| ApiError::faults(T::CODE, &faults))
    }
}

impl FromRequest<App> for JsonBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        let limit = app.options.max_body_bytes;
        read_within(request, app, limit).await
    }
}

/// A JSON body that is parsed when it is read, and only once when there is nothing wrong with it.
#[derive(Debug)]
pub(crate) struct JsonText(Bytes);

impl JsonText {
    /// Reads the text strictly.
    pub(crate) fn read<T: AtOnce>(self) -> Result<T, ApiError> {
        match T::read_at_once(&self.0) {
            Some(document) => Ok(document),
            None => parse(self.0)?.read(),
        }
    }
}

impl FromRequest<App> for JsonText {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        let limit = app.options.max_body_bytes;
        read_text(request, app, limit).await.map(Self)
    }
}

/// A body that may be as long as [`MAX_LARGE_BODY`]; its route must allow as much.
#[derive(Debug)]
pub(crate) struct LargeBody(pub(crate) JsonBody);

/// The most bytes that the body of an import has.
pub(crate) const MAX_LARGE_BODY: usize = 64 * 1024 * 1024;

impl FromRequest<App> for LargeBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        read_within(request, app, MAX_LARGE_BODY).await.map(Self)
    }
}

/// Reads and parses a body, of which its route lets `limit` bytes in.
async fn read_within(request: Request, app: &App, limit: usize) -> Result<JsonBody, ApiError> {
    parse(read_text(request, app, limit).await?)
}

/// Reads a body that is empty or says that it is JSON.
async fn read_text(request: Request, app: &App, limit: usize) -> Result<Bytes, ApiError> {
    let is_json = request.headers().get(CONTENT_TYPE).is_some_and(|value| is_json(value.as_bytes()));
    let bytes = read_bytes(request, app, limit).await?;
    if is_json || bytes.is_empty() {
        return Ok(bytes);
    }
    let message = "a body is JSON: send 'Content-Type: application/json'";
    Err(ApiError::new(ErrorCode::UnsupportedMediaType, message))
}

fn parse(bytes: Bytes) -> Result<JsonBody, ApiError> {
    if bytes.is_empty() {
        return Ok(JsonBody { value: Json::Object(Map::new()), bytes });
    }
    let value = unique::from_slice(&bytes).map_err(|error| not_json(&error))?;
    Ok(JsonBody { value, bytes })
}

fn not_json(error: &serde_json::Error) -> ApiError {
    let (line, column) = (error.line(), error.column());
    let told = error.to_string();
    let what = match told.split(" at line ").next().unwrap_or_default() {
        _ if error.is_eof() => "it ends too early",
        repeated if repeated.starts_with(unique::REPEATED) => repeated,
        unique::TOO_DEEP | "recursion limit exceeded" => unique::TOO_DEEP,
        _ => "it is not JSON",
    };
    ApiError::invalid(format!("the body cannot be read at line {line}, column {column}: {what}"))
        .with("line", line)
        .with("column", column)
}

async fn read_bytes(request: Request, app: &App, limit: usize) -> Result<Bytes, ApiError> {
    let arriving = tokio::time::timeout(app.options.body_timeout, Bytes::from_request(request, app));
    let arrived = arriving.await.map_err(|_| too_slow(app))?;
    arrived.map_err(|rejection| {
        if rejection.into_response().status().as_u16() != 413 {
            return ApiError::invalid("the body ended before it was whole");
        }
        ApiError::new(ErrorCode::PayloadTooLarge, format!("a body has at most {limit} bytes"))
            .with("maxRequestBodyBytes", limit)
    })
}

fn too_slow(app: &App) -> ApiError {
    let seconds = app.options.body_timeout.as_secs();
    ApiError::new(ErrorCode::RequestTimeout, format!("a body arrives within {seconds} seconds"))
}

fn is_json(value: &[u8]) -> bool {
    let kind = value.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    kind.eq_ignore_ascii_case(b"application/json") || kind.to_ascii_lowercase().ends_with(b"+json")
}
