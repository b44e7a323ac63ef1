//! Owns the making of a client: limits, key and retries, held against their ranges all at once. Refuses to send anything.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect;

use crate::address::Base;
use crate::client::{Client, Shared};
use crate::error::ClientError;
use crate::key::ApiKey;
use crate::retry::{RetryPolicy, Timer, TokioTimer};

/// What a [`Client`] is made from.
#[must_use = "a builder makes nothing before `build`"]
pub struct ClientBuilder {
    base_url: String,
    key: Option<String>,
    user_agent: String,
    timeout: Duration,
    connect_timeout: Duration,
    idle_timeout: Duration,
    retry: RetryPolicy,
    timer: Arc<dyn Timer>,
}

impl ClientBuilder {
    pub(crate) fn new(base_url: &str) -> Self {
        Self {
            base_url: base_url.to_owned(),
            key: None,
            user_agent: concat!("cuebook-client/", env!("CARGO_PKG_VERSION")).to_owned(),
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(90),
            retry: RetryPolicy::default(),
            timer: Arc::new(TokioTimer),
        }
    }

    /// Sends `key` as the bearer token of every call that needs one; without, none is sent.
    pub fn key(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned());
        self
    }

    /// Names the caller to the host.
    pub fn user_agent(mut self, user_agent: &str) -> Self {
        user_agent.clone_into(&mut self.user_agent);
        self
    }

    /// How long one attempt of a call may take, its answer included; more than zero, 30 seconds at first.
    ///
    /// A poll gets the time it waits for on top. Event streams have no such limit.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How long opening a connection may take; more than zero, 10 seconds at first.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// How long nothing may arrive on an open connection; more than zero, 90 seconds at first.
    ///
    /// Hosts send a sign of life on event streams at least every 30 seconds.
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = timeout;
        self
    }

    /// How often and after which pauses calls are repeated and event streams opened again.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// Waits with `timer` instead of the runtime's clock.
    pub fn timer(mut self, timer: Arc<dyn Timer>) -> Self {
        self.timer = timer;
        self
    }

    /// Makes the client; nothing is sent.
    ///
    /// # Errors
    ///
    /// [`Config`](crate::ClientErrorKind::Config) with every problem: an address that is not plain http or https, that
    /// carries a user, query or fragment or ends in `/v1`; a key or user agent that no header can carry; a limit of zero;
    /// or that the machine's trusted certificates cannot be read for an https address.
    pub fn build(self) -> Result<Client, ClientError> {
        let mut problems = self.zero_limits();
        let base = Base::parse(&self.base_url).map_err(|more| problems.extend(more)).ok();
        let key = self.key.as_deref().map(ApiKey::parse).transpose();
        let key = key.map_err(|problem| problems.push(problem.to_owned()));
        let http = base.as_ref().map(|base| self.http(base).map_err(|problem| problems.push(problem)));
        match (base, key, http) {
            (Some(base), Ok(key), Some(Ok(http))) if problems.is_empty() => {
                let Self { timeout, retry, timer, .. } = self;
                Ok(Client::from_shared(Shared { http, base, key, timeout, retry, timer }))
            }
            _ => Err(ClientError::config(None, problems)),
        }
    }

    fn zero_limits(&self) -> Vec<String> {
        let limits = [
            ("timeout", self.timeout),
            ("connect_timeout", self.connect_timeout),
            ("idle_timeout", self.idle_timeout),
        ];
        let zero = limits.into_iter().filter(|(_, limit)| limit.is_zero());
        zero.map(|(name, _)| format!("{name} must be more than zero")).collect()
    }

    fn http(&self, base: &Base) -> Result<reqwest::Client, String> {
        let mut builder = reqwest::Client::builder()
            .user_agent(&self.user_agent)
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(self.connect_timeout)
            .read_timeout(self.idle_timeout);
        if base.is_loopback() {
            builder = builder.no_proxy();
        }
        if !base.is_https() {
            // Certificates are never asked for, so a machine without any must not be an obstacle.
            builder = builder.tls_certs_only([]);
        }
        builder.build().map_err(|error| format!("the HTTP client cannot be set up: {}", root_cause(&error)))
    }
}

/// What lies under an error and all that wraps it, in its own words.
fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address stays out as well: it has not been checked for a password yet.
        f.debug_struct("ClientBuilder").field("user_agent", &self.user_agent).finish_non_exhaustive()
    }
}
