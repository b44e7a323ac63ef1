//! Requests and answers.

use std::convert::Infallible;

use axum::body::Body;
use axum::http::{HeaderMap, Method, Request};
use cuebook_host::wire::ErrorCode;
use futures_util::stream::pending;
use serde_json::Value as Json;

use super::OURS;

/// A request in the making; with the first tenant's key unless told otherwise.
#[derive(Clone)]
pub(crate) struct Call {
    method: Method,
    path: String,
    key: Option<&'static str>,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
    is_stalled: bool,
}

impl Call {
    pub(crate) fn new(method: &str, path: &str) -> Self {
        let method = method.parse().unwrap();
        let path = path.to_owned();
        Self { method, path, key: Some(OURS), headers: Vec::new(), body: None, is_stalled: false }
    }

    pub(crate) fn get(path: &str) -> Self {
        Self::new("GET", path)
    }

    /// A request with a JSON body.
    pub(crate) fn post(path: &str, body: &Json) -> Self {
        Self::new("POST", path).json(body)
    }

    pub(crate) fn json(self, body: &Json) -> Self {
        self.bytes("application/json", body.to_string())
    }

    pub(crate) fn bytes(self, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { body: Some(body.into()), ..self.header("content-type", kind) }
    }

    /// The same request with a body that never arrives.
    pub(crate) fn stalled(self) -> Self {
        Self { is_stalled: true, ..self }
    }

    pub(crate) fn key(self, key: &'static str) -> Self {
        Self { key: Some(key), ..self }
    }

    pub(crate) fn anonymous(self) -> Self {
        Self { key: None, ..self }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn idempotency_key(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }

    pub(super) fn into_request(self) -> Request<Body> {
        let mut request = Request::builder().method(self.method).uri(self.path);
        for (name, value) in self.headers {
            request = request.header(name, value);
        }
        if let Some(key) = self.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        if self.is_stalled {
            return request.body(Body::from_stream(pending::<Result<Vec<u8>, Infallible>>())).unwrap();
        }
        request.body(self.body.map_or_else(Body::empty, Body::from)).unwrap()
    }
}

/// A whole answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// The body of an answer that must have `status`.
    #[track_caller]
    pub(crate) fn gives(&self, status: u16) -> Json {
        assert_eq!(self.status, status, "{}", self.text);
        self.json()
    }

    /// The error of an answer that must refuse with `code`: flat, under the table's status, with a request id.
    #[track_caller]
    pub(crate) fn refuses(&self, code: ErrorCode) -> Json {
        let error = self.json();
        assert_eq!((self.status, error["error"].as_str()), (code.status().unwrap(), Some(code.as_str())));
        assert!(!error["message"].as_str().unwrap().is_empty(), "{error}");
        let keys: Vec<&String> = error.as_object().unwrap().keys().collect();
        assert!(keys.iter().all(|key| ["error", "message", "details"].contains(&key.as_str())), "{error}");
        assert_eq!(self.header("content-type"), Some("application/json"), "{error}");
        assert!(self.header("x-request-id").is_some(), "{error}");
        error
    }
}
