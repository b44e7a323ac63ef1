//! Owns calls that change something: they can be given an idempotency key before they are awaited. Refuses to invent one,
//! since only the caller knows what counts as the same request.

use std::fmt;

use futures_util::future::BoxFuture;
use reqwest::header::HeaderName;

use crate::call::{Call, IDEMPOTENCY_KEY};
use crate::client::Client;
use crate::error::ClientError;
use crate::reply::Reply;
use crate::resources::runs::CreatedRun;

/// The most characters an idempotency key may have.
const KEY_MAX_CHARS: usize = 255;

const DEDUP: HeaderName = HeaderName::from_static("x-dedup");

/// A call that changes something at the host; nothing is sent before it is awaited.
#[must_use = "nothing is sent before it is awaited"]
pub struct Mutation<T> {
    client: Client,
    call: Call,
    read: fn(&Reply) -> Result<T, ClientError>,
}

impl<T> Mutation<T> {
    pub(crate) fn new(client: &Client, call: Call, read: fn(&Reply) -> Result<T, ClientError>) -> Self {
        Self { client: client.clone(), call, read }
    }

    /// Names the request by `key`, 1 to 255 characters, so that it is done once however often it is sent.
    ///
    /// A call with a key is repeated after a broken connection; one without is not. A key that no header can carry, or of
    /// another length, is reported as [`Config`](crate::ClientErrorKind::Config) when the call is awaited.
    pub fn idempotency_key(mut self, key: &str) -> Self {
        let wrong = !(1..=KEY_MAX_CHARS).contains(&key.chars().count());
        let problem = wrong.then(|| format!("the idempotency key must have 1 to {KEY_MAX_CHARS} characters"));
        self.call = self.call.header(IDEMPOTENCY_KEY, key).problem(problem);
        self
    }
}

impl Mutation<CreatedRun> {
    /// Asks the host to refuse, with `run_already_active`, when a run of the same tenant and scope is under way.
    pub fn dedup(mut self) -> Self {
        self.call = self.call.header(DEDUP, "enforce");
        self
    }
}

impl<T: 'static> IntoFuture for Mutation<T> {
    type Output = Result<T, ClientError>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { client, call, read } = self;
        Box::pin(async move { read(&client.reply(&call).await?) })
    }
}

impl<T> fmt::Debug for Mutation<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutation").field("endpoint", &self.call.endpoint()).finish_non_exhaustive()
    }
}
