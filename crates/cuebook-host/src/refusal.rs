//! A refusal of something that was asked of the host, in the codes of the one table.

use cuebook_engine::EngineError;
use cuebook_log::LogError;
use cuebook_prompt::{PromptError, PromptErrors};
use cuebook_template::Diagnostic;
use cuebook_wire::{ErrorCode, Fault};
use serde_json::{Map, Value as Json, json};

use crate::explain::prompt_problems;
use crate::report::Problems;

/// How long a caller should wait until somebody may have made room on the disk, in seconds.
const RETRY_WHEN_FULL: u64 = 10;

/// Why the host does not do what it was asked; nothing was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The code.
    pub code: ErrorCode,
    /// The sentence.
    pub message: String,
    /// Facts for a program.
    pub details: Map<String, Json>,
}

impl Refusal {
    /// A refusal with a sentence and no facts.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: Map::new() }
    }

    /// The same refusal with the time, in seconds, after which the caller may ask again.
    fn retry_after(mut self, seconds: u64) -> Self {
        self.details.insert("retryAfter".to_owned(), seconds.into());
        self
    }

    /// Something that is not there, or not for the principal.
    pub fn not_found(what: &str) -> Self {
        Self::new(ErrorCode::NotFound, format!("there is no such {what}"))
    }

    /// Faults of a document; the first is the sentence.
    pub fn faults(faults: &[Fault]) -> Self {
        let message = faults.first().map_or_else(|| "it is not valid".to_owned(), ToString::to_string);
        let details = Map::from_iter([("faults".to_owned(), json!(faults))]);
        Self { code: ErrorCode::ValidationError, message, details }
    }
}

impl From<Problems> for Refusal {
    fn from(problems: Problems) -> Self {
        let first = problems.iter().next();
        let code = first.and_then(|it| ErrorCode::ALL.iter().copied().find(|code| code.as_str() == it.code));
        let message = first.map(|problem| problem.message.clone()).unwrap_or_default();
        let details = Map::from_iter([("problems".to_owned(), without_files(problems.to_json()))]);
        Self { code: code.unwrap_or(ErrorCode::ValidationError), message, details }
    }
}

/// An error with what it is about in `details`.
impl From<PromptError> for Refusal {
    fn from(error: PromptError) -> Self {
        Self { details: error.details(), ..Self::new(error.code(), error.diagnostic().message.clone()) }
    }
}

/// The first error with what it is about in `details`, and all of them in `details.problems`, each with what it is about.
impl From<PromptErrors> for Refusal {
    fn from(errors: PromptErrors) -> Self {
        let mut refusal = Self::from(prompt_problems(&errors));
        let problems = refusal.details.get_mut("problems").and_then(Json::as_array_mut).into_iter().flatten();
        for (problem, error) in problems.filter_map(Json::as_object_mut).zip(errors.iter()) {
            problem.extend(error.details());
        }
        refusal.details.extend(errors.iter().take(1).flat_map(PromptError::details));
        refusal
    }
}

/// The problems without the names of this host's files, which are no matter of a caller's; names within layers are.
fn without_files(mut problems: Json) -> Json {
    for problem in problems.as_array_mut().into_iter().flatten().filter_map(Json::as_object_mut) {
        if !problem.contains_key("layer") {
            problem.remove("file");
        }
    }
    problems
}

/// A refusal shown to a person at the command line: its sentence, or each of its faults.
impl From<Refusal> for Problems {
    fn from(refusal: Refusal) -> Self {
        let faults = refusal.details.get("faults").and_then(Json::as_array).into_iter().flatten();
        let listed: Self = faults
            .filter_map(|fault| Some(Diagnostic::error(refusal.code.as_str(), fault["message"].as_str()?)))
            .collect();
        if listed.is_empty() {
            return Diagnostic::error(refusal.code.as_str(), refusal.message).into();
        }
        listed
    }
}

impl From<LogError> for Refusal {
    fn from(error: LogError) -> Self {
        if let LogError::UnknownRun(_) = error {
            return Self::not_found("run");
        }
        // The caller is told nothing of the store's inside; whoever runs the host must be.
        tracing::error!(%error, "the store failed");
        match error {
            LogError::Storage(_) => {
                Self::new(ErrorCode::ServiceUnavailable, "the store cannot answer now").retry_after(1)
            }
            LogError::Full(_) => {
                Self::new(ErrorCode::StorageFull, "the disk of this host is full; nothing was written")
                    .retry_after(RETRY_WHEN_FULL)
            }
            _ => Self::new(ErrorCode::InternalError, "the run's log cannot be used"),
        }
    }
}

impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Log(error) => error.into(),
            EngineError::Newer { .. } => {
                tracing::error!(%error, "the run cannot be used by this version");
                Self::new(
                    ErrorCode::EngineVersionMismatch,
                    "a newer version of the engine has written the run",
                )
            }
            EngineError::Fold(_) | EngineError::Stopped(_) => {
                tracing::error!(%error, "the run cannot be used");
                Self::new(ErrorCode::InternalError, "the run cannot be used")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use cuebook_wire::{RunId, Sequence};

    use super::*;

    #[track_caller]
    fn check(error: LogError, code: ErrorCode, message: &str) {
        let refusal = Refusal::from(EngineError::Log(error));
        assert_eq!((refusal.code, refusal.message.as_str()), (code, message));
    }

    #[test]
    fn errors_of_the_store_tell_nothing_of_its_inside() {
        let storage = LogError::Storage("disk I/O error at page 7".to_owned());
        check(storage, ErrorCode::ServiceUnavailable, "the store cannot answer now");
        let full = LogError::Full("database or disk is full at page 7".to_owned());
        check(full, ErrorCode::StorageFull, "the disk of this host is full; nothing was written");
        let conflict = LogError::Conflict { expected: Sequence(3), next: Sequence(4) };
        check(conflict, ErrorCode::InternalError, "the run's log cannot be used");
        check(LogError::UnknownRun(RunId::new("r")), ErrorCode::NotFound, "there is no such run");
    }

    #[test]
    fn problems_keep_their_places_and_lose_the_names_of_files() {
        let source = cuebook_template::Source::new("prompts/secret-place.md", "You {{ar}}.");
        let problem = Diagnostic::error(ErrorCode::PromptVariableUnresolved.as_str(), "unbound")
            .at(&source, (4..10).into());
        let refusal = Refusal::from(Problems::from(problem));
        assert_eq!(refusal.code, ErrorCode::PromptVariableUnresolved);
        let problems = &refusal.details["problems"];
        assert_eq!((&problems[0]["line"], &problems[0]["column"]), (&json!(1), &json!(5)));
        assert!(!problems.to_string().contains("secret-place"), "{problems}");
    }
}
