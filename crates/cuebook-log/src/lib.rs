//! The event log of runs: its ports and its in-memory form.
//!
//! The log is the only authority on what happened in a run; every other view is a projection of it. This crate owns
//! the [`Record`] and what any store must promise; it refuses to know what records mean, which is the engine's.
//!
//! The promises are executable: with the feature `suite`, the module `suite` holds every store against them.

mod agenda;
mod checkpoint;
mod head;
mod memory;
mod ports;
mod prompts;
mod queue;
mod record;
mod requests;
mod retention;
#[cfg(feature = "suite")]
pub mod suite;

pub use agenda::{Agenda, Due, RunKey, Unfinished};
pub use checkpoint::{Checkpoint, Checkpoints};
pub use head::Head;
pub use memory::MemoryStore;
pub use ports::{
    Answer, Append, Blobs, Definition, Definitions, Inbox, LogError, Offered, Open, RunEntry, RunIndex,
    RunLog, RunStore, Signal,
};
pub use prompts::{
    AddRule, Added, ImportedPrompts, KeptPrompt, NewPrompt, PromptImport, PromptLibrary, PromptRemoval,
    PromptVersion, Removed, Which, is_later, latest,
};
pub use queue::{QueueLength, WriteQueue};
pub use record::{Private, Record};
pub use requests::{Claim, Claimed, Ending, Reply, RequestKey, Requests};
pub use retention::{Expired, Expiry, Freed, Hold, Retention, Sweep};
