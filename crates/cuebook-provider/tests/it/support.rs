//! What the tests call models with.

use std::sync::Arc;
use std::time::Duration;

use cuebook_prompt::{Dispatch, SecretId, SecretStore, SecretText, SecretUnavailable, SecretUse};
use cuebook_provider::{
    ChunkSink, ModelAnswer, ModelCall, ModelError, ModelPort, ModelSettings, OpenAi, OpenAiOptions,
};
use futures_util::future::{self, BoxFuture};

use crate::server::{Server, Step};

/// Keeps the pieces of an answer.
#[derive(Default)]
pub(crate) struct Pieces(pub(crate) Vec<String>);

impl ChunkSink for Pieces {
    fn chunk(&mut self, text: &str) {
        self.0.push(text.to_owned());
    }
}

/// A store with at most one secret, named `key`.
pub(crate) struct Store(pub(crate) Option<&'static str>);

impl SecretStore for Store {
    fn fetch<'a>(
        &'a self,
        id: &'a SecretId,
        _: SecretUse<'a>,
    ) -> BoxFuture<'a, Result<SecretText, SecretUnavailable>> {
        let value = self.0.filter(|_| id.as_str() == "key").map(str::to_owned);
        let value = value.and_then(SecretText::new).ok_or_else(|| SecretUnavailable { id: id.to_string() });
        Box::pin(future::ready(value))
    }
}

/// Options for `base_url` without a key and with time limits that no test reaches.
pub(crate) fn options(base_url: String) -> OpenAiOptions {
    OpenAiOptions {
        name: "local".to_owned(),
        base_url,
        api_key: None,
        secrets: Arc::new(Store(None)),
        timeout: Duration::from_mins(1),
        connect_timeout: Duration::from_mins(1),
    }
}

/// The same with the key `value`.
pub(crate) fn options_with_key(base_url: String, value: &'static str) -> OpenAiOptions {
    OpenAiOptions {
        api_key: SecretId::parse("key"),
        secrets: Arc::new(Store(Some(value))),
        ..options(base_url)
    }
}

pub(crate) fn settings(model: &str) -> ModelSettings {
    ModelSettings { model: model.to_owned(), ..ModelSettings::default() }
}

pub(crate) fn dispatch() -> Dispatch {
    Dispatch::new(Some("You are brief.".to_owned()), Some("Say hello.".to_owned()))
}

/// Makes one call and gives the pieces with the answer.
pub(crate) async fn call(
    model: &dyn ModelPort,
    dispatch: &Dispatch,
    settings: &ModelSettings,
) -> (Vec<String>, Result<ModelAnswer, ModelError>) {
    let mut pieces = Pieces::default();
    let answer = model.call(ModelCall { dispatch, settings, invocation: "inv_1" }, &mut pieces).await;
    (pieces.0, answer)
}

/// What came of one call of an OpenAI-compatible endpoint.
pub(crate) struct Exchange {
    pub(crate) pieces: Vec<String>,
    pub(crate) answer: Result<ModelAnswer, ModelError>,
}

/// Makes one ordinary call of an endpoint that replies with `steps`.
pub(crate) async fn exchange(steps: Vec<Step>) -> Exchange {
    let server = Server::start(steps).await;
    let model = OpenAi::new(options(server.base_url())).expect("good options");
    let (pieces, answer) = call(&model, &dispatch(), &settings("small")).await;
    server.request().await;
    Exchange { pieces, answer }
}
