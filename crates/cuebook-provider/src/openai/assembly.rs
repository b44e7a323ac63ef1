//! An answer in the making.
//!
//! It owns what has arrived so far, and decides when that is an answer: once a finish reason or the end mark came.
//! It refuses to take a stream that just ends for a complete answer.

use super::fault::Fault;
use super::wire::{self, Completion};
use crate::port::{ChunkSink, FinishReason, ModelAnswer, Usage};

/// The data of the event that ends a stream.
const END_MARK: &str = "[DONE]";

/// What has arrived of an answer.
#[derive(Default)]
pub(super) struct Assembly {
    text: String,
    model: Option<String>,
    usage: Option<Usage>,
    finish: Option<FinishReason>,
    has_choice: bool,
    ended: bool,
}

impl Assembly {
    /// Takes the data of one event.
    pub(super) fn event(&mut self, data: &str, chunks: &mut dyn ChunkSink) -> Result<(), Fault> {
        match data.trim() {
            "" => Ok(()),
            END_MARK => {
                self.ended = true;
                Ok(())
            }
            document => self.add(wire::parse(document)?, chunks),
        }
    }

    /// Takes an answer that came in one document.
    pub(super) fn whole(document: &str, chunks: &mut dyn ChunkSink) -> Result<Self, Fault> {
        let mut assembly = Self { ended: true, ..Self::default() };
        assembly.add(wire::parse(document)?, chunks)?;
        Ok(assembly)
    }

    /// Whether the end mark came.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether the text is complete, though a count of tokens may still follow.
    pub(super) fn is_complete(&self) -> bool {
        self.ended || self.finish.is_some()
    }

    fn add(&mut self, piece: Completion, chunks: &mut dyn ChunkSink) -> Result<(), Fault> {
        if self.model.is_none() {
            self.model = piece.model.filter(|model| !model.is_empty());
        }
        self.usage = piece.usage.map(Usage::from).or(self.usage);
        for choice in piece.choices.unwrap_or_default().into_iter().filter(|choice| choice.index == 0) {
            self.has_choice = true;
            let text = choice.text();
            if !text.is_empty() {
                self.text.push_str(&text);
                chunks.chunk(&text);
            }
            if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
                self.finish = Some(wire::finish_reason(&reason)?);
            }
        }
        Ok(())
    }

    /// The answer; `asked` names the model when the provider did not.
    pub(super) fn finish(self, asked: &str) -> Result<ModelAnswer, Fault> {
        if !self.is_complete() {
            return Err(Fault::BrokeOff);
        }
        if !self.has_choice {
            return Err(Fault::NotACompletion("it has no choices".to_owned()));
        }
        Ok(ModelAnswer {
            text: self.text,
            model: self.model.unwrap_or_else(|| asked.to_owned()),
            usage: self.usage,
            finish: self.finish.unwrap_or(FinishReason::Stop),
        })
    }
}
