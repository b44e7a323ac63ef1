//! Owns which types are documents, the code of their faults, and the few rules their schemas cannot express. Refuses two
//! variables of one name in a template.

use std::collections::HashSet;

use super::{Document, Fault};
use crate::error::ErrorCode;
use crate::manifest::AgentManifest;
use crate::template::PromptTemplate;

/// Declares documents whose schema says everything.
macro_rules! documents {
    ($($name:path => $code:ident,)+) => {
        $(impl Document for $name {
            const CODE: ErrorCode = ErrorCode::$code;
        })+
    };
}

documents! {
    crate::AgentRef => ValidationError,
    crate::Capabilities => ValidationError,
    crate::CreateRun => ValidationError,
    crate::ErrorEnvelope => ValidationError,
    crate::PromptRef => PromptRefInvalid,
    crate::PromptRefs => PromptRefInvalid,
    crate::RunEvent => ValidationError,
    crate::RunOptions => ValidationError,
    crate::RunSnapshot => ValidationError,
    crate::WorkflowDefinition => WorkflowInvalid,
    AgentManifest => AgentManifestInvalid,
}

impl Document for PromptTemplate {
    const CODE: ErrorCode = ErrorCode::PromptTemplateInvalid;

    fn rules(&self) -> Vec<Fault> {
        let mut names = HashSet::new();
        let repeated =
            self.variables.iter().enumerate().filter(|(_, variable)| !names.insert(&variable.name));
        repeated
            .map(|(index, variable)| {
                let message =
                    format!("the variable `{}` is declared twice", crate::text::shorten(&variable.name));
                Fault::new(format!("/variables/{index}/name"), Self::CODE, message)
            })
            .collect()
    }
}
