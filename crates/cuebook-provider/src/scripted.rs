//! The built-in model: deterministic, without key, network or clock.
//!
//! It owns the choice of the answer: the first rule of its [`Script`] that fits the prompt, or a digest of the
//! prompt when none does. It refuses to fail: every call gets an answer. What it says may hold whatever the prompt
//! held, secrets included, as with any model; taking them out is the caller's part.

mod digest;
mod script;

pub use script::{Rule, Script, ScriptError, ScriptProblem};

use futures_util::future::{self, BoxFuture};

use crate::port::{
    ChunkSink, FinishReason, ModelAnswer, ModelCall, ModelError, ModelPort, ModelSettings, ResponseFormat,
    Usage,
};
use crate::read;
use script::Compiled;

const DEFAULT_NAME: &str = "scripted";

/// A model that answers from a script.
///
/// ```
/// use cuebook_prompt::Dispatch;
/// use cuebook_provider::{ChunkSink, ModelCall, ModelPort, ModelSettings, Rule, Script, Scripted};
/// use futures_util::FutureExt;
///
/// struct Ignore;
/// impl ChunkSink for Ignore {
///     fn chunk(&mut self, _: &str) {}
/// }
///
/// let rule = Rule { when: r"review (?<what>\w+)".into(), reply: "$what reads well.".into() };
/// let model = Scripted::new(Script { replies: vec![rule] })?;
/// let dispatch = Dispatch::new(None, Some("Please review chapter3.".into()));
/// let settings = ModelSettings::default();
/// let call = ModelCall { dispatch: &dispatch, settings: &settings, invocation: "inv_1" };
/// let answer = model.call(call, &mut Ignore).now_or_never().expect("it never waits")?;
/// assert_eq!(answer.text, "chapter3 reads well.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Scripted {
    name: String,
    script: Compiled,
}

impl Default for Scripted {
    /// The model without rules, which answers every prompt with its digest.
    fn default() -> Self {
        Self { name: DEFAULT_NAME.to_owned(), script: Compiled::default() }
    }
}

impl Scripted {
    /// Makes the model from its script, under the name `scripted`.
    ///
    /// # Errors
    ///
    /// Every rule whose pattern is not a regular expression or whose reply names a group that the pattern has not.
    pub fn new(script: Script) -> Result<Self, ScriptError> {
        Ok(Self { name: DEFAULT_NAME.to_owned(), script: script.compile()? })
    }

    /// The same model under another name.
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    fn answer(&self, call: ModelCall<'_>, chunks: &mut dyn ChunkSink) -> ModelAnswer {
        let ModelCall { dispatch, settings, .. } = call;
        let (input_tokens, reply) = read::text(dispatch, |prompt| {
            let whole = digest::joined(prompt);
            let reply = self.script.reply(&whole).unwrap_or_else(|| default_reply(prompt, settings));
            (estimate(&whole), reply)
        });
        let (text, finish) = stream(&reply, settings.max_tokens, chunks);
        let usage = Some(Usage { input_tokens, output_tokens: estimate(&text) });
        let asked = &settings.model;
        let model = if asked.is_empty() { self.name.clone() } else { asked.clone() };
        ModelAnswer { text, model, usage, finish }
    }
}

impl ModelPort for Scripted {
    fn name(&self) -> &str {
        &self.name
    }

    fn call<'a>(
        &'a self,
        call: ModelCall<'a>,
        chunks: &'a mut dyn ChunkSink,
    ) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(future::lazy(move |_| Ok(self.answer(call, chunks))))
    }
}

fn default_reply(prompt: cuebook_prompt::DispatchText<'_>, settings: &ModelSettings) -> String {
    let text = digest::digest(prompt);
    match settings.response_format {
        ResponseFormat::Text => text,
        ResponseFormat::Json => serde_json::json!({ "text": text }).to_string(),
    }
}

/// Gives the reply word by word for as long as `max_tokens` allows.
fn stream(reply: &str, max_tokens: Option<u32>, chunks: &mut dyn ChunkSink) -> (String, FinishReason) {
    let limit = max_tokens.map_or(u64::MAX, u64::from);
    let mut characters = 0;
    let mut text = String::new();
    for word in reply.split_inclusive(char::is_whitespace) {
        characters += word.chars().count();
        if tokens(characters) > limit {
            return (text, FinishReason::Length);
        }
        text.push_str(word);
        chunks.chunk(word);
    }
    (text, FinishReason::Stop)
}

/// The token estimate: one token for every four characters, the last may be short.
fn estimate(text: &str) -> u64 {
    tokens(text.chars().count())
}

fn tokens(characters: usize) -> u64 {
    characters.div_ceil(4) as u64
}
