//! Any endpoint that speaks the OpenAI chat completions protocol, hosted or local.
//!
//! It owns one HTTP client for one endpoint. It refuses redirects, so that a prompt reaches no host but the
//! configured one, never asks a proxy for a loopback address, keeps no key between calls and reads no answer
//! without end.

mod assembly;
mod body;
mod echo;
mod endpoint;
mod fault;
mod report;
mod request;
mod sse;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use cuebook_prompt::{SecretId, SecretStore, SecretText, SecretUse};
use futures_util::future::BoxFuture;
use reqwest::{Client, redirect};

use crate::port::{ChunkSink, ModelAnswer, ModelCall, ModelError, ModelPort};
use endpoint::Endpoint;
use fault::Fault;
use report::Reporter;

/// What an [`OpenAi`] model is made from.
pub struct OpenAiOptions {
    /// The name under which the host configured it; it stands in every error.
    pub name: String,
    /// The address up to where `/chat/completions` begins, such as `http://localhost:11434/v1`.
    pub base_url: String,
    /// The secret whose value is sent as the bearer token; `None` sends no token.
    pub api_key: Option<SecretId>,
    /// Where the key is fetched from, anew for every call.
    pub secrets: Arc<dyn SecretStore>,
    /// How long a whole call may take, its answer included; more than zero.
    pub timeout: Duration,
    /// How long opening a connection may take; more than zero.
    pub connect_timeout: Duration,
}

/// Why an [`OpenAi`] model cannot be made from its options.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("model provider '{name}': {}", problems.join("; "))]
pub struct OpenAiSetupError {
    /// The provider's name.
    pub name: String,
    /// Every problem found, each naming its option; no password and no query of an address.
    pub problems: Vec<String>,
}

/// A model behind an OpenAI-compatible endpoint.
pub struct OpenAi {
    client: Client,
    name: String,
    endpoint: Endpoint,
    api_key: Option<SecretId>,
    secrets: Arc<dyn SecretStore>,
    timeout: Duration,
}

impl OpenAi {
    /// Makes the model; nothing is sent and no key is fetched before the first call.
    ///
    /// # Errors
    ///
    /// All at once: a `base_url` that is no http or https address, that ends in `/chat/completions` already, a time
    /// limit of zero; or that the machine's trusted certificates cannot be read for an https address.
    pub fn new(options: OpenAiOptions) -> Result<Self, OpenAiSetupError> {
        let OpenAiOptions { name, base_url, api_key, secrets, timeout, connect_timeout } = options;
        let mut problems = Vec::new();
        let made = Endpoint::parse(&base_url)
            .and_then(|endpoint| Ok((client(&endpoint, timeout, connect_timeout)?, endpoint)))
            .map_err(|problem| problems.push(problem));
        let limits = [("timeout", timeout), ("connect_timeout", connect_timeout)];
        let zero = limits.into_iter().filter(|(_, limit)| limit.is_zero());
        problems.extend(zero.map(|(key, _)| format!("{key} must be more than zero")));
        match made {
            Ok((client, endpoint)) if problems.is_empty() => {
                Ok(Self { client, name, endpoint, api_key, secrets, timeout })
            }
            _ => Err(OpenAiSetupError { name, problems }),
        }
    }

    async fn answer(
        &self,
        call: ModelCall<'_>,
        chunks: &mut dyn ChunkSink,
    ) -> Result<ModelAnswer, ModelError> {
        let report = Reporter {
            provider: &self.name,
            address: self.endpoint.shown(),
            key_id: self.api_key.as_ref(),
            timeout: self.timeout,
            dispatch: call.dispatch,
        };
        let key = self.fetch_key().await.map_err(|fault| report.error(fault, None))?;
        let answer = self.exchange(call, key.as_ref(), chunks).await;
        answer.map_err(|fault| report.error(fault, key.as_ref()))
    }

    async fn fetch_key(&self) -> Result<Option<SecretText>, Fault> {
        let Some(id) = &self.api_key else { return Ok(None) };
        self.secrets.fetch(id, SecretUse::default()).await.map(Some).map_err(|_| Fault::NoKey)
    }

    async fn exchange(
        &self,
        call: ModelCall<'_>,
        key: Option<&SecretText>,
        chunks: &mut dyn ChunkSink,
    ) -> Result<ModelAnswer, Fault> {
        let headers = request::headers(call.invocation, key)?;
        let body = request::body(call.dispatch, call.settings)?;
        let request = self.client.post(self.endpoint.url()).headers(headers).body(body);
        let response = request.send().await.map_err(Fault::Transport)?;
        body::answer(response, chunks).await?.finish(&call.settings.model)
    }
}

impl ModelPort for OpenAi {
    fn name(&self) -> &str {
        &self.name
    }

    fn call<'a>(
        &'a self,
        call: ModelCall<'a>,
        chunks: &'a mut dyn ChunkSink,
    ) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(self.answer(call, chunks))
    }
}

fn client(endpoint: &Endpoint, timeout: Duration, connect_timeout: Duration) -> Result<Client, String> {
    let mut builder = Client::builder()
        .user_agent(concat!("cuebook/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .timeout(timeout)
        .connect_timeout(connect_timeout);
    if endpoint.is_loopback() {
        builder = builder.no_proxy();
    }
    if !endpoint.is_https() {
        // Certificates are never asked for, so a machine without any must not be an obstacle.
        builder = builder.tls_certs_only([]);
    }
    builder
        .build()
        .map_err(|error| format!("the HTTP client cannot be set up: {}", fault::root_cause(&error)))
}
