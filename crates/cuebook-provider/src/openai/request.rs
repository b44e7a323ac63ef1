//! What is sent: the body and the headers of a chat completions request.
//!
//! It owns the request's JSON shape. It refuses parameters that only some providers know; a limit goes out as
//! `max_tokens`, the name that all of them read.

use cuebook_prompt::{Dispatch, SecretText};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;

use super::fault::Fault;
use crate::port::{ModelSettings, ResponseFormat};
use crate::read;

/// The header field of draft-ietf-httpapi-idempotency-key-header.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    stream: bool,
    stream_options: StreamOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<Format>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct Format {
    r#type: &'static str,
}

/// Writes the body: the system body as a system message, the user body as a user message.
pub(super) fn body(dispatch: &Dispatch, settings: &ModelSettings) -> Result<Vec<u8>, Fault> {
    read::text(dispatch, |prompt| {
        let bodies = [("system", prompt.system), ("user", prompt.user)];
        let messages =
            bodies.into_iter().filter_map(|(role, text)| Some(Message { role, content: text? })).collect();
        serde_json::to_vec(&Body {
            model: &settings.model,
            messages,
            stream: true,
            stream_options: StreamOptions { include_usage: true },
            temperature: settings.temperature,
            max_tokens: settings.max_tokens,
            response_format: format(settings.response_format),
        })
    })
    .map_err(|_| Fault::Unsendable("the request cannot be written as JSON"))
}

fn format(format: ResponseFormat) -> Option<Format> {
    match format {
        ResponseFormat::Text => None,
        ResponseFormat::Json => Some(Format { r#type: "json_object" }),
    }
}

/// Writes the headers; the bearer token only when there is a key.
pub(super) fn headers(invocation: &str, key: Option<&SecretText>) -> Result<HeaderMap, Fault> {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let invocation = HeaderValue::from_str(invocation)
        .map_err(|_| Fault::Unsendable("the invocation id holds characters that no header can carry"))?;
    headers.insert(IDEMPOTENCY_KEY, invocation);
    if let Some(key) = key {
        headers.insert(AUTHORIZATION, bearer(key)?);
    }
    Ok(headers)
}

fn bearer(key: &SecretText) -> Result<HeaderValue, Fault> {
    let mut value = key
        .expose(|key| HeaderValue::from_str(&format!("Bearer {key}")))
        .map_err(|_| Fault::UnsendableKey)?;
    value.set_sensitive(true);
    Ok(value)
}
