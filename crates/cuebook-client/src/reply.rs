//! Owns an answer of a host: its status, headers and body, and the ways to read it.
//!
//! Every error made here is scrubbed of the key before a quotation is cut, so that no cut can leave half of it.

use std::time::Duration;

use cuebook_wire::ErrorEnvelope;
use reqwest::Response;
use reqwest::header::HeaderMap;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::client::Client;
use crate::decode;
use crate::error::{ApiError, ClientError, DecodeError};
use crate::retry;

/// The most characters of an answer that an error quotes.
const QUOTE_MAX_CHARS: usize = 200;

/// A whole answer.
pub(crate) struct Reply {
    client: Client,
    endpoint: String,
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Reply {
    pub(crate) fn new(client: Client, endpoint: String, response: &Response, body: Vec<u8>) -> Self {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Self { client, endpoint, status, headers, body }
    }

    pub(crate) fn status(&self) -> u16 {
        self.status
    }

    /// A header as text; none when it is missing or no text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Whether there is no body.
    pub(crate) fn is_empty(&self) -> bool {
        self.body.trim_ascii().is_empty()
    }

    /// Reads the body as `T`.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, ClientError> {
        self.json_after(|_| {})
    }

    /// Reads the body as `T` after `adapt` brought it to the shape of this version.
    pub(crate) fn json_after<T: DeserializeOwned>(&self, adapt: fn(&mut Value)) -> Result<T, ClientError> {
        let mut value = self.value()?;
        adapt(&mut value);
        decode::read(value, self.client.scrubber()).map_err(|fault| {
            let error = DecodeError {
                status: self.status,
                path: Some(fault.path),
                problem: fault.problem,
                quote: None,
            };
            ClientError::decode(self.endpoint.clone(), error)
        })
    }

    fn value(&self) -> Result<Value, ClientError> {
        serde_json::from_slice(&self.body).map_err(|error| {
            let place = format!("no JSON at line {}, column {}", error.line(), error.column());
            self.unreadable(if self.is_empty() { "it is empty".to_owned() } else { place })
        })
    }

    /// The error of a refusal: the host's envelope, or that there is none.
    pub(crate) fn refusal(&self) -> ClientError {
        match self.envelope() {
            Some(envelope) => {
                let asked = retry::asked(&self.headers, envelope.details.as_ref());
                ClientError::api(self.endpoint.clone(), self.api_error(envelope)).with_retry_after(asked)
            }
            None => self.unreadable(self.no_envelope()).with_retry_after(self.retry_after()),
        }
    }

    fn envelope(&self) -> Option<ErrorEnvelope> {
        if self.status < 400 {
            return None;
        }
        let value = serde_json::from_slice(&self.body).ok()?;
        serde_json::from_value(self.client.scrubber().value(value)).ok()
    }

    fn api_error(&self, envelope: ErrorEnvelope) -> ApiError {
        let ErrorEnvelope { error: code, message, details } = envelope;
        let correlation = || details.as_ref()?.get("correlationId")?.as_str().map(str::to_owned);
        let request_id =
            self.header("x-request-id").map(|id| self.client.scrubber().text(id)).or_else(correlation);
        ApiError { status: self.status, code, message, details, request_id }
    }

    fn no_envelope(&self) -> String {
        match self.status {
            200..=299 => "an event stream was asked for and something else came".to_owned(),
            300..=399 => "the host points elsewhere, and redirects are not followed".to_owned(),
            _ => "expected an error envelope with `error` and `message`".to_owned(),
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        retry::asked(&self.headers, None)
    }

    /// The error of an answer that is no document of the protocol.
    pub(crate) fn unreadable(&self, problem: String) -> ClientError {
        let quote = Some(self.quote()).filter(|quote| !quote.is_empty());
        let error = DecodeError { status: self.status, path: None, problem, quote };
        ClientError::decode(self.endpoint.clone(), error)
    }

    /// The beginning of the body on one line, without the key.
    fn quote(&self) -> String {
        let scrubber = self.client.scrubber();
        // A document is scrubbed by its strings, whatever escapes they were written with.
        let text = match serde_json::from_slice(&self.body) {
            Ok(value) => scrubber.value(value).to_string(),
            Err(_) => scrubber.text(&String::from_utf8_lossy(&self.body)),
        };
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.chars().count() <= QUOTE_MAX_CHARS {
            return line;
        }
        line.chars().take(QUOTE_MAX_CHARS - 1).chain(['…']).collect()
    }
}
