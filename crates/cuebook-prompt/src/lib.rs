//! Which prompt, and exactly what it says: resolve, pin, bind, compose.
//!
//! Everything that needs a prompt goes through [`Pipeline`], whoever asks. The steps, in order:
//!
//! * [`chain`]: which ref applies at a node, and why not the others; pure (RFC 0029 §A).
//! * [`SourceSet`], [`Catalog`], [`Libraries`]: the ref becomes a [`Pinned`] text with version and hash.
//! * [`bind()`]: declared variables become values with type, trust and secrecy; pure (RFC 0027 §A).
//! * [`compose()`]: one text with two faces, [`Dispatch`] for the model and [`Observed`] for everybody else, with a
//!   source map of [`Segment`]s; pure (RFC 0027 §E).
//!
//! [`lint`] and [`diff`] look at templates for those who write them.
//!
//! The crate owns the ports [`Source`], [`Agents`] and [`SecretStore`], and the [`Scrubber`]. It refuses I/O of its own
//! and never writes a secret anywhere but into a [`Dispatch`].

mod agents;
mod bind;
mod catalog;
pub mod chain;
mod compose;
mod compound;
pub mod diff;
mod dispatch;
mod extract;
mod failure;
mod hash;
mod layered;
mod library;
pub mod lint;
mod markers;
mod node_prompts;
mod normal;
mod observed;
mod pinned;
mod pins;
mod pipeline;
mod principal;
mod recall;
mod scope;
mod scrub;
mod secret;
mod segment;
mod source;
mod versions;

pub use agents::{
    AgentBinding, Agents, IntrinsicHashes, LibraryDefaults, intrinsic_reference, pin_intrinsic, synthetic_id,
};
pub use bind::{BindPolicy, Bindings, Bound, BoundValue, bind};
pub use catalog::{Catalog, UserLibrary, Wanted};
pub use chain::{Resolution, Warning, Winner};
pub use compose::{Composition, Part, SecretValues, Slot, compose};
pub use compound::{Compound, CompoundPart};
pub use cuebook_template::{Trust, Value};
pub use dispatch::{Dispatch, DispatchText};
pub use extract::{BadPath, check as check_extract_path, extract};
pub use failure::{PromptError, PromptErrors};
pub use hash::{ContentHash, Hasher};
pub use layered::{Layered, PLACE_NAMES, PlacedValues, RunPlace, TextContract, UNITS, Unmet, is_run_fact};
pub use library::{Entry, Libraries, Library, Owner};
pub use markers::{VERSION as MARKERS_VERSION, neutralise, wrap_untrusted};
pub use node_prompts::{CONFIG_KEYS, NodePrompts};
pub use observed::{BodyFacts, CompositionRecord, Observed, VariableFacts, VariableTable};
pub use pinned::{Blocks, Body, Pin, Pinned, SharedPin, StaticPlace};
pub use pipeline::{Pipeline, Prepared, Preview, PromptPolicy, PromptRequest, Secrets};
pub use principal::Principal;
pub use recall::UsedSecret;
pub use scope::{CONTEXT_KEYS, Scope, Values};
pub use scrub::{Scrubber, StreamScrubber};
pub use secret::{SecretId, SecretStore, SecretText, SecretUnavailable, SecretUse};
pub use segment::{Origin, Segment};
pub use source::{RESERVED_PREFIXES, Source, SourceSet, reserved_prefix, template_not_found};
