//! The words for a fault: who, where, what, and what to do about it.
//!
//! It owns the one way from a [`Fault`] to a [`ModelError`]. It refuses to let the key, the prompt or more than a
//! short piece of a provider's message into it.

use std::time::Duration;

use cuebook_prompt::{Dispatch, SecretId, SecretText};
use reqwest::StatusCode;

use super::echo;
use super::fault::{Fault, Reported, kind_of_status, root_cause};
use crate::port::{ModelError, ModelErrorKind};
use crate::read;

/// The most characters of a provider's own message that an error holds.
const MESSAGE_CHARS: usize = 200;

/// The most bytes of it that are looked at.
const MESSAGE_BYTES: usize = 4096;

/// What an error may have to name, and what it must not quote.
pub(super) struct Reporter<'a> {
    pub(super) provider: &'a str,
    pub(super) address: &'a str,
    pub(super) key_id: Option<&'a SecretId>,
    pub(super) timeout: Duration,
    pub(super) dispatch: &'a Dispatch,
}

impl Reporter<'_> {
    /// Words `fault`; `key` is what was sent as the bearer token.
    pub(super) fn error(&self, fault: Fault, key: Option<&SecretText>) -> ModelError {
        let (kind, what) = match fault {
            Fault::NoKey => (ModelErrorKind::CredentialUnavailable, self.no_key()),
            Fault::UnsendableKey => (ModelErrorKind::CredentialUnavailable, self.unsendable_key()),
            Fault::Unsendable(why) => (ModelErrorKind::Rejected, format!("nothing was sent: {why}")),
            Fault::Transport(error) => (ModelErrorKind::Unavailable, self.transport(error, key)),
            Fault::Status { status, retry_after, reported } => {
                let kind = kind_of_status(status, retry_after, reported.as_ref());
                (kind, self.status(status, retry_after, reported.as_ref(), key))
            }
            Fault::Reported(reported) => {
                (reported.kind(), format!("reported an error{}", self.quote(&reported, key)))
            }
            Fault::ContentType(found) => (ModelErrorKind::Malformed, self.content_type(&found, key)),
            Fault::TooLong(limit) => {
                (ModelErrorKind::Malformed, format!("sent an answer of more than {limit} bytes"))
            }
            Fault::NotACompletion(why) => {
                (ModelErrorKind::Malformed, format!("sent something that is not a chat completion: {why}"))
            }
            Fault::BrokeOff => {
                (ModelErrorKind::Unavailable, "ended the stream in the midst of the answer".to_owned())
            }
        };
        ModelError::new(kind, format!("model provider '{}' at {} {what}", self.provider, self.address))
    }

    fn key_name(&self) -> &str {
        self.key_id.map_or("", SecretId::as_str)
    }

    fn no_key(&self) -> String {
        let id = self.key_name();
        format!(
            "was not called: secret '{id}' is not available here; declare it under [secrets.{id}] with a value of {} \
             bytes or more, and without an allow list that leaves the host out",
            SecretText::MIN_BYTES
        )
    }

    fn unsendable_key(&self) -> String {
        format!(
            "was not called: the value of secret '{}' holds characters that no header can carry; look for a line \
             break at its end",
            self.key_name()
        )
    }

    fn transport(&self, error: reqwest::Error, key: Option<&SecretText>) -> String {
        let error = error.without_url();
        let cause = self.clean(&root_cause(&error), key);
        match (error.is_timeout(), error.is_connect()) {
            (true, true) => "could not be reached in the time allowed for connecting".to_owned(),
            (true, false) => format!("did not answer in full within {:?}", self.timeout),
            (false, true) => format!("cannot be reached: {cause}; check base_url and that the server runs"),
            (false, false) => format!("broke the exchange off: {cause}"),
        }
    }

    fn status(
        &self,
        status: StatusCode,
        retry_after: Option<Duration>,
        reported: Option<&Reported>,
        key: Option<&SecretText>,
    ) -> String {
        let reason = status.canonical_reason().map(|reason| format!(" {reason}")).unwrap_or_default();
        let said = reported.map(|reported| self.quote(reported, key)).unwrap_or_default();
        let hint = self.hint(status, retry_after).map(|hint| format!("; {hint}")).unwrap_or_default();
        format!("answered {}{reason}{said}{hint}", status.as_u16())
    }

    fn hint(&self, status: StatusCode, retry_after: Option<Duration>) -> Option<String> {
        match (status.as_u16(), self.key_id, retry_after) {
            (300..=399, ..) => {
                Some("redirects are not followed, write the final address in base_url".to_owned())
            }
            (401 | 403, Some(id), _) => Some(format!("check the value of secret '{id}'")),
            (401 | 403, None, _) => Some("no key is configured, name a secret in api_key".to_owned()),
            (404, ..) => Some(
                "check the model's name, and that base_url ends where /chat/completions begins".to_owned(),
            ),
            (429, _, Some(wait)) => Some(format!("it asks to wait {} s", wait.as_secs())),
            _ => None,
        }
    }

    fn content_type(&self, found: &str, key: Option<&SecretText>) -> String {
        format!(
            "answered with '{}' where text/event-stream or application/json was expected; check that base_url ends \
             where /chat/completions begins",
            self.clean(found, key)
        )
    }

    fn quote(&self, reported: &Reported, key: Option<&SecretText>) -> String {
        let message = self.clean(&reported.message, key);
        if message.is_empty() { message } else { format!(": {message}") }
    }

    /// What may be shown of a text that a provider or a library gave.
    fn clean(&self, text: &str, key: Option<&SecretText>) -> String {
        let text = &text[..text.floor_char_boundary(MESSAGE_BYTES)];
        let hide_prompt = |text: &str| {
            read::text(self.dispatch, |prompt| {
                echo::hide(text, &[prompt.system.unwrap_or_default(), prompt.user.unwrap_or_default()])
            })
        };
        let text = match key {
            Some(key) => key.expose(|key| hide_prompt(&echo::hide(text, &[key]))),
            None => hide_prompt(text),
        };
        shorten(&text)
    }
}

/// Makes one line of at most [`MESSAGE_CHARS`] characters, a trailing `…` included.
fn shorten(text: &str) -> String {
    let plain = text.replace(char::is_control, " ");
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MESSAGE_CHARS {
        return line;
    }
    line.chars().take(MESSAGE_CHARS - 1).chain(['…']).collect()
}
