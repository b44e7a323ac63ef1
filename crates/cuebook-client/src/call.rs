//! Owns one call in the making: its endpoint, ids, query, headers and body.
//!
//! Whatever cannot be sent is noted and reported all at once, before anything goes out.

use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};
use serde::Serialize;

use crate::address::{self, Base};
use crate::error::ClientError;
use crate::retry::Repeat;

/// The header under which a host recognises a repetition, at most 255 characters.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A call that has not been sent.
#[derive(Clone)]
pub(crate) struct Call {
    method: Method,
    template: &'static str,
    ids: Vec<String>,
    query: Vec<(&'static str, String)>,
    headers: HeaderMap,
    body: Option<Vec<u8>>,
    is_anonymous: bool,
    extra_time: Duration,
    problems: Vec<String>,
}

impl Call {
    fn new(method: Method, template: &'static str) -> Self {
        Self {
            method,
            template,
            ids: Vec::new(),
            query: Vec::new(),
            headers: HeaderMap::from_iter([(ACCEPT, JSON)]),
            body: None,
            is_anonymous: false,
            extra_time: Duration::ZERO,
            problems: Vec::new(),
        }
    }

    pub(crate) fn get(template: &'static str) -> Self {
        Self::new(Method::GET, template)
    }

    pub(crate) fn post(template: &'static str) -> Self {
        Self::new(Method::POST, template)
    }

    pub(crate) fn put(template: &'static str) -> Self {
        Self::new(Method::PUT, template)
    }

    pub(crate) fn delete(template: &'static str) -> Self {
        Self::new(Method::DELETE, template)
    }

    /// Fills the next place of the path.
    pub(crate) fn id(mut self, id: impl AsRef<str>) -> Self {
        self.ids.push(id.as_ref().to_owned());
        self
    }

    /// Adds a query parameter where there is a value.
    pub(crate) fn query(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        self.query.extend(value.map(|value| (name, value.to_string())));
        self
    }

    /// Sets a header, replacing an earlier one of that name.
    pub(crate) fn header(mut self, name: HeaderName, value: &str) -> Self {
        match HeaderValue::from_str(value) {
            Ok(value) => drop(self.headers.insert(name, value)),
            Err(_) => self.problems.push(format!("{name} has characters that no header can carry")),
        }
        self
    }

    /// Sets the body.
    pub(crate) fn json(mut self, body: &impl Serialize) -> Self {
        match serde_json::to_vec(body) {
            Ok(body) => self.body = Some(body),
            Err(error) => self.problems.push(format!("the body cannot be written as JSON: {error}")),
        }
        self.headers.insert(CONTENT_TYPE, JSON);
        self
    }

    /// Sends no key: for endpoints that need none.
    pub(crate) fn anonymous(mut self) -> Self {
        self.is_anonymous = true;
        self
    }

    /// Grants `time` beyond the client's limit, for an answer that is meant to come late.
    pub(crate) fn patient(mut self, time: Duration) -> Self {
        self.extra_time = time;
        self
    }

    /// Notes that the call cannot be made as asked.
    pub(crate) fn problem(mut self, problem: Option<String>) -> Self {
        self.problems.extend(problem);
        self
    }

    /// The method and path template.
    pub(crate) fn endpoint(&self) -> String {
        format!("{} {}", self.method, self.template)
    }

    pub(crate) fn is_anonymous(&self) -> bool {
        self.is_anonymous
    }

    pub(crate) fn extra_time(&self) -> Duration {
        self.extra_time
    }

    /// Which failures allow another attempt.
    pub(crate) fn repeat(&self) -> Repeat {
        match self.method {
            Method::GET => Repeat::Always,
            _ if self.headers.contains_key(IDEMPOTENCY_KEY) => Repeat::Always,
            // Doing it twice changes nothing but the answer, which would then be a conflict or a 404.
            Method::PUT | Method::DELETE => Repeat::Undone,
            _ => Repeat::Never,
        }
    }

    /// The parts of the request, for a host at `base`.
    pub(crate) fn parts(&self, base: &Base) -> Result<(Method, Url, HeaderMap, Vec<u8>), ClientError> {
        let mut problems = self.problems.clone();
        let path = address::fill(self.template, &self.ids).unwrap_or_else(|more| {
            problems.extend(more);
            String::new()
        });
        if !problems.is_empty() {
            return Err(ClientError::config(Some(self.endpoint()), problems));
        }
        let mut url = base.join(&path);
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        Ok((self.method.clone(), url, self.headers.clone(), self.body.clone().unwrap_or_default()))
    }
}
