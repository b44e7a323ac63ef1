//! Owns what can go wrong between a caller and a host, in four kinds.
//!
//! It refuses to carry the key: texts of a host are scrubbed before they get here, and addresses are named by their
//! template, never with the ids or tokens in them.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use cuebook_wire::ErrorCode;
use serde_json::{Map, Value};

/// Why a call failed, and at which endpoint.
#[derive(Debug)]
pub struct ClientError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    endpoint: Option<String>,
    kind: ClientErrorKind,
    retry_after: Option<Duration>,
}

/// What kind of failure it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientErrorKind {
    /// The host refused, with an error envelope.
    #[error(transparent)]
    Api(ApiError),
    /// No whole answer came.
    #[error("{fault}")]
    Transport {
        /// Where the exchange broke.
        fault: TransportFault,
        /// What the HTTP client says about it.
        #[source]
        source: Option<Box<dyn Error + Send + Sync>>,
    },
    /// An answer came that is not what the protocol says.
    #[error(transparent)]
    Decode(DecodeError),
    /// The call or the client cannot be made as asked; nothing was sent.
    #[error("{}", problems.join("; "))]
    Config {
        /// Every problem found, at least one.
        problems: Vec<String>,
    },
}

/// A refusal by the host: its error envelope and what came with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    /// The HTTP status.
    pub status: u16,
    /// The host's code, known to this version or not.
    pub code: String,
    /// The host's explanation.
    pub message: String,
    /// The facts behind it, shaped by the code.
    pub details: Option<Map<String, Value>>,
    /// The host's name for this exchange: the header `x-request-id`, else `details.correlationId`.
    pub request_id: Option<String>,
}

/// Where an exchange broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TransportFault {
    /// No connection; the host has seen nothing.
    #[error("no connection to the host could be opened")]
    Connect,
    /// The time limit passed.
    #[error("the host did not answer in time")]
    Timeout,
    /// The connection broke; the host may have done what was asked.
    #[error("the connection broke before the whole answer came")]
    Broken,
    /// An event stream ended again and again though its run did not.
    #[error("the event stream ended before the run did")]
    Ended,
}

/// An answer that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError {
    /// The HTTP status it came with.
    pub status: u16,
    /// The place of the fault, such as `items[2].kind`; none when the answer is no document at all.
    pub path: Option<String>,
    /// What is wrong there.
    pub problem: String,
    /// The beginning of the answer, at most 200 characters; none when `path` says enough.
    pub quote: Option<String>,
}

impl ClientError {
    fn new(endpoint: Option<String>, kind: ClientErrorKind) -> Self {
        Self(Box::new(Inner { endpoint, kind, retry_after: None }))
    }

    pub(crate) fn api(endpoint: String, error: ApiError) -> Self {
        Self::new(Some(endpoint), ClientErrorKind::Api(error))
    }

    pub(crate) fn decode(endpoint: String, error: DecodeError) -> Self {
        Self::new(Some(endpoint), ClientErrorKind::Decode(error))
    }

    pub(crate) fn config(endpoint: Option<String>, problems: Vec<String>) -> Self {
        Self::new(endpoint, ClientErrorKind::Config { problems })
    }

    pub(crate) fn transport(endpoint: String, error: reqwest::Error) -> Self {
        let fault = TransportFault::of(&error);
        // The address may hold a token, and says no more than the endpoint does.
        let source = Some(error.without_url().into());
        Self::new(Some(endpoint), ClientErrorKind::Transport { fault, source })
    }

    pub(crate) fn ended(endpoint: String) -> Self {
        let fault = TransportFault::Ended;
        Self::new(Some(endpoint), ClientErrorKind::Transport { fault, source: None })
    }

    pub(crate) fn with_retry_after(mut self, retry_after: Option<Duration>) -> Self {
        self.0.retry_after = retry_after;
        self
    }

    /// What kind of failure it was, with its facts.
    pub fn kind(&self) -> &ClientErrorKind {
        &self.0.kind
    }

    /// The method and path template of the call, such as `GET /v1/runs/{runId}`; none when the client itself cannot be made.
    pub fn endpoint(&self) -> Option<&str> {
        self.0.endpoint.as_deref()
    }

    /// The host's refusal, when it is one.
    pub fn as_api(&self) -> Option<&ApiError> {
        match &self.0.kind {
            ClientErrorKind::Api(error) => Some(error),
            _ => None,
        }
    }

    /// The HTTP status of the answer, when one came.
    pub fn status(&self) -> Option<u16> {
        match &self.0.kind {
            ClientErrorKind::Api(error) => Some(error.status),
            ClientErrorKind::Decode(error) => Some(error.status),
            ClientErrorKind::Transport { .. } | ClientErrorKind::Config { .. } => None,
        }
    }

    /// How long the host asks to wait before another attempt (RFC 9110, section 10.2.3).
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// What to do about it, where something general can be said.
    pub fn hint(&self) -> Option<&'static str> {
        match &self.0.kind {
            ClientErrorKind::Api(error) => error.known_code().map(ErrorCode::hint),
            ClientErrorKind::Transport { fault, .. } => Some(fault.hint()),
            ClientErrorKind::Decode(error) if error.path.is_none() => Some(
                "check that base_url is the address of an OpenWOP v1 host and not of something before it",
            ),
            ClientErrorKind::Decode(_) | ClientErrorKind::Config { .. } => None,
        }
    }

    /// The fault of an exchange that broke.
    pub(crate) fn transport_fault(&self) -> Option<TransportFault> {
        match &self.0.kind {
            ClientErrorKind::Transport { fault, .. } => Some(*fault),
            _ => None,
        }
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.endpoint {
            Some(endpoint) => write!(f, "{endpoint}: {}", self.0.kind),
            None => write!(f, "the client cannot be set up: {}", self.0.kind),
        }
    }
}

impl Error for ClientError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.kind.source()
    }
}

impl ApiError {
    /// The code, when this version knows it.
    pub fn known_code(&self) -> Option<ErrorCode> {
        self.code.parse().ok()
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the host refused with {} `{}`: {}", self.status, self.code, self.message)?;
        match &self.request_id {
            Some(id) => write!(f, " (request {id})"),
            None => Ok(()),
        }
    }
}

impl Error for ApiError {}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, path, problem, quote } = self;
        match path {
            Some(path) => write!(f, "the answer with status {status} is wrong at `{path}`: {problem}")?,
            None => write!(f, "the answer with status {status} cannot be read: {problem}")?,
        }
        match quote {
            Some(quote) => write!(f, "; it begins with `{quote}`"),
            None => Ok(()),
        }
    }
}

impl Error for DecodeError {}

impl TransportFault {
    fn of(error: &reqwest::Error) -> Self {
        if error.is_connect() {
            Self::Connect
        } else if error.is_timeout() {
            Self::Timeout
        } else {
            Self::Broken
        }
    }

    fn hint(self) -> &'static str {
        match self {
            Self::Connect => "check base_url and that the host is running",
            Self::Timeout => "raise the client's time limit, or ask whether the host is overloaded",
            Self::Broken => "look at the run or resource before repeating a call without Idempotency-Key",
            Self::Ended => {
                "ask for the run's snapshot, and whether something before the host cuts long answers"
            }
        }
    }
}
