//! Owns the four roles a prompt can play. Refuses any fifth: hosts treat other kinds as opaque before they reach here.

use crate::names::wire_enum;

wire_enum! {
    /// The role a template plays in a model call (RFC 0027 §A).
    pub enum PromptKind {
        /// Behaviour and output discipline, in the system message.
        System = "system",
        /// The task of one call, in the user message.
        User = "user",
        /// Worked examples before the task.
        FewShot = "few-shot",
        /// A description of the structured output.
        SchemaHint = "schema-hint",
    }
}
