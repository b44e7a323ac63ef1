//! Owns the exchange with the host: sending, repeating, reading an answer as far as is sane.
//!
//! It refuses answers without end, and never repeats what its call does not allow to be repeated.

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use reqwest::{RequestBuilder, Response, StatusCode};

use crate::call::Call;
use crate::client::Client;
use crate::error::ClientError;
use crate::reply::Reply;

/// The most bytes of an answer that are read.
const ANSWER_MAX_BYTES: usize = 64 << 20;

/// The most bytes of a refusal that are read.
const REFUSAL_MAX_BYTES: usize = 1 << 20;

impl Client {
    /// Sends `call`, again where that is allowed and helps, and gives the answer of status 2xx or 304.
    pub(crate) async fn reply(&self, call: &Call) -> Result<Reply, ClientError> {
        let policy = &self.shared().retry;
        let mut attempt = 0;
        loop {
            let error = match self.attempt(call).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let may_repeat = attempt < policy.retries && call.repeat().after(&error);
            let Some(pause) = policy.pause(attempt, &error).filter(|_| may_repeat) else { return Err(error) };
            self.shared().timer.wait(pause).await;
            attempt += 1;
        }
    }

    async fn attempt(&self, call: &Call) -> Result<Reply, ClientError> {
        let limit = self.shared().timeout.saturating_add(call.extra_time());
        let response = self.execute(call, self.request(call)?.timeout(limit)).await?;
        let status = response.status();
        if status.is_success() || status == StatusCode::NOT_MODIFIED {
            return self.read(call, response, ANSWER_MAX_BYTES).await;
        }
        Err(self.refusal(call, response).await)
    }

    /// Opens an event stream, once and without a limit of time.
    pub(crate) async fn open(&self, call: &Call) -> Result<Response, ClientError> {
        let response = self.execute(call, self.request(call)?).await?;
        if response.status().is_success() && is_event_stream(&response) {
            return Ok(response);
        }
        Err(self.refusal(call, response).await)
    }

    fn request(&self, call: &Call) -> Result<RequestBuilder, ClientError> {
        let shared = self.shared();
        let (method, url, headers, body) = call.parts(&shared.base)?;
        let request = shared.http.request(method, url).headers(headers).body(body);
        Ok(match &shared.key {
            Some(key) if !call.is_anonymous() => request.header(AUTHORIZATION, key.header()),
            _ => request,
        })
    }

    async fn execute(&self, call: &Call, request: RequestBuilder) -> Result<Response, ClientError> {
        request.send().await.map_err(|error| ClientError::transport(call.endpoint(), error))
    }

    async fn refusal(&self, call: &Call, response: Response) -> ClientError {
        match self.read(call, response, REFUSAL_MAX_BYTES).await {
            Ok(reply) => reply.refusal(),
            Err(error) => error,
        }
    }

    async fn read(&self, call: &Call, mut response: Response, limit: usize) -> Result<Reply, ClientError> {
        let mut body = Vec::new();
        let broken = |error| ClientError::transport(call.endpoint(), error);
        while let Some(bytes) = response.chunk().await.map_err(broken)? {
            body.extend_from_slice(&bytes);
            if body.len() > limit {
                let reply = Reply::new(self.clone(), call.endpoint(), &response, body);
                return Err(reply.unreadable(format!("it has more than {limit} bytes")));
            }
        }
        Ok(Reply::new(self.clone(), call.endpoint(), &response, body))
    }
}

fn is_event_stream(response: &Response) -> bool {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.is_some_and(|value| value.trim_start().to_ascii_lowercase().starts_with("text/event-stream"))
}
