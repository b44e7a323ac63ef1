//! What can go wrong with a call, as facts.
//!
//! It owns the facts and their reading from the wire. It refuses to word them: that is the part of
//! [`report`](super::report), which alone may turn a fault into an error that people see.

use std::error::Error;
use std::time::Duration;

use reqwest::StatusCode;
use serde_json::Value;

use crate::port::ModelErrorKind;

/// Why a call gave no answer.
pub(super) enum Fault {
    /// The secret store did not give the key.
    NoKey,
    /// The key holds characters that no header can carry.
    UnsendableKey,
    /// The request cannot be made.
    Unsendable(&'static str),
    /// The connection or the exchange on it failed.
    Transport(reqwest::Error),
    /// A status other than 2xx.
    Status { status: StatusCode, retry_after: Option<Duration>, reported: Option<Reported> },
    /// The provider reported an error in the place of an answer, or in the midst of it.
    Reported(Reported),
    /// The answer is of a content type that holds no chat completion.
    ContentType(String),
    /// The answer is longer than this many bytes.
    TooLong(usize),
    /// The answer is not a chat completion.
    NotACompletion(String),
    /// The stream ended before the answer did.
    BrokeOff,
}

/// A provider's own description of an error.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Reported {
    /// Its message, as long as it came.
    pub(super) message: String,
    /// Its codes and types in lower case, with one space between.
    pub(super) code: String,
}

impl Reported {
    /// Finds an error object in a document that should be a chat completion.
    pub(super) fn in_answer(document: &Value) -> Option<Self> {
        match document.get("error") {
            Some(Value::Null) | None if document["object"] == "error" => Some(Self::of(document)),
            Some(Value::Null) | None => None,
            Some(error) => Some(Self::of(error)),
        }
    }

    /// Finds what a document says about a status other than 2xx.
    pub(super) fn in_refusal(document: &Value) -> Option<Self> {
        let plain = || Some(Self::of(document)).filter(|reported| !reported.message.is_empty());
        Self::in_answer(document).or_else(plain)
    }

    fn of(error: &Value) -> Self {
        let message = ["message", "detail", "error"].iter().find_map(|key| error[*key].as_str());
        let codes = ["code", "type", "status"].iter().filter_map(|key| word(&error[*key]));
        Self {
            message: message.or(error.as_str()).unwrap_or_default().to_owned(),
            code: codes.collect::<Vec<_>>().join(" "),
        }
    }

    /// The kind of an error that came without an HTTP status of its own.
    pub(super) fn kind(&self) -> ModelErrorKind {
        let status = self.code.split(' ').find_map(|word| StatusCode::from_bytes(word.as_bytes()).ok());
        match status {
            Some(status) if status.as_u16() >= 400 => kind_of_status(status, None, Some(self)),
            _ => self.kind_of_code(),
        }
    }

    fn kind_of_code(&self) -> ModelErrorKind {
        let says = |words: &[&str]| words.iter().any(|word| self.code.contains(word));
        if says(&["authentication", "invalid_api_key", "permission"]) {
            ModelErrorKind::Unauthenticated
        } else if self.is_exhausted()
            || says(&["invalid_request", "badrequest", "context_length", "not_found"])
        {
            ModelErrorKind::Rejected
        } else if says(&["rate_limit", "ratelimit", "too_many_requests"]) {
            ModelErrorKind::RateLimited { retry_after: None }
        } else {
            ModelErrorKind::Unavailable
        }
    }

    /// Whether the account has nothing left to spend, which waiting does not mend.
    fn is_exhausted(&self) -> bool {
        self.code.contains("insufficient_quota")
    }
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.to_ascii_lowercase()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The kind of a status other than 2xx.
pub(super) fn kind_of_status(
    status: StatusCode,
    retry_after: Option<Duration>,
    reported: Option<&Reported>,
) -> ModelErrorKind {
    match status.as_u16() {
        401 | 403 => ModelErrorKind::Unauthenticated,
        429 if reported.is_some_and(Reported::is_exhausted) => ModelErrorKind::Rejected,
        429 => ModelErrorKind::RateLimited { retry_after },
        408 | 500.. => ModelErrorKind::Unavailable,
        _ => ModelErrorKind::Rejected,
    }
}

/// What lies under an error and all that wraps it, in its own words.
pub(super) fn root_cause(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(document: &Value, message: &str, kind: &ModelErrorKind) {
        let reported = Reported::in_answer(document).expect("an error object");
        assert_eq!((reported.message.as_str(), &reported.kind()), (message, kind), "{document}");
    }

    #[test]
    fn reads_every_form_of_error_object() {
        let limited = ModelErrorKind::RateLimited { retry_after: None };
        check(&json!({"error": "boom"}), "boom", &ModelErrorKind::Unavailable);
        check(&json!({"error": {"message": "m", "code": 429}}), "m", &limited);
        check(&json!({"error": {"message": "m", "type": "rate_limit_error"}}), "m", &limited);
        check(
            &json!({"error": {"message": "m", "code": "insufficient_quota", "type": "x"}}),
            "m",
            &ModelErrorKind::Rejected,
        );
        check(
            &json!({"error": {"message": "m", "code": 429, "type": "insufficient_quota"}}),
            "m",
            &ModelErrorKind::Rejected,
        );
        check(&json!({"error": {"message": "m", "code": "401"}}), "m", &ModelErrorKind::Unauthenticated);
        check(
            &json!({"error": {"code": "invalid_api_key", "type": "invalid_request_error"}}),
            "",
            &ModelErrorKind::Unauthenticated,
        );
        check(
            &json!({"object": "error", "message": "m", "type": "BadRequestError", "code": 400}),
            "m",
            &ModelErrorKind::Rejected,
        );
        check(&json!({"error": {"message": "m", "code": "server_error"}}), "m", &ModelErrorKind::Unavailable);
        check(&json!({"error": [1]}), "", &ModelErrorKind::Unavailable);
    }

    #[test]
    fn an_answer_is_no_error() {
        assert_eq!(Reported::in_answer(&json!({"error": null, "choices": []})), None);
        assert_eq!(Reported::in_answer(&json!({"detail": "Not Found"})), None);
        assert_eq!(Reported::in_answer(&json!([])), None);
    }

    #[test]
    fn a_refusal_may_say_it_plainly() {
        let said = |document| Reported::in_refusal(&document).map(|reported| reported.message);
        assert_eq!(said(json!({"detail": "Not Found"})), Some("Not Found".to_owned()));
        assert_eq!(said(json!({"message": "no"})), Some("no".to_owned()));
        assert_eq!(said(json!({"detail": [{"loc": 1}]})), None);
        assert_eq!(said(json!(7)), None);
    }
}
