//! A client library for any OpenWOP v1 host.
//!
//! It owns the way from a typed call to an HTTP request and back: addresses, the bearer key, retries, errors, and a
//! stream of events that survives broken connections. It refuses to interpret runs: shapes come from `cuebook-wire`,
//! and what a run means is the caller's matter. It follows no redirect, so that the key reaches no other host.
//!
//! Hosts newer than this crate stay readable: unknown fields, event types and codes are kept or passed over.
//!
//! # Example
//!
//! ```no_run
//! use cuebook_client::Client;
//! use cuebook_wire::{CreateRun, WorkflowId};
//!
//! # async fn example() -> Result<(), cuebook_client::ClientError> {
//! let client = Client::new("https://host.example", "the key")?;
//! let run = CreateRun::new(WorkflowId::new("newsroom"));
//! let created = client.runs().create(&run).idempotency_key("order-17").await?;
//! let snapshot = client.runs().wait(&created.run_id).await?;
//! println!("{}", snapshot.status);
//! # Ok(())
//! # }
//! ```

mod address;
mod builder;
mod call;
mod client;
mod decode;
mod error;
mod exchange;
mod follow;
mod frame;
mod key;
mod mutation;
mod open;
mod reply;
mod resources;
mod retry;
mod sse;
mod tolerance;

pub use builder::ClientBuilder;
pub use client::Client;
pub use error::{ApiError, ClientError, ClientErrorKind, DecodeError, TransportFault};
pub use follow::{EventsOptions, StreamMode};
pub use mutation::Mutation;
pub use open::Open;
pub use resources::agents::{AgentEntry, Agents};
pub use resources::discovery::Discovery;
pub use resources::extensions::{Extensions, ImportedPrompts, PromptVersion};
pub use resources::interrupts::{Interrupt, Interrupts, Resolved};
pub use resources::prompts::{
    CreatedPrompt, FetchedPrompt, PromptLookup, PromptPage, PromptQuery, Prompts, RenderPrompt,
    RenderedPrompt,
};
pub use resources::runs::{
    BulkCancelled, CancelRefusal, CancelledRun, CreatedRun, DrainPolicy, ForkMode, ForkRun, ForkedRun,
    PauseRun, PausedRun, PollAnswer, PollOptions, ResumedRun, Runs,
};
pub use resources::workflows::Workflows;
pub use retry::{RetryPolicy, Timer, TokioTimer};
