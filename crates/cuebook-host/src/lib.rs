//! The composition root: configuration, files, wiring; compose, explain, start a run.
//!
//! Every face of the product asks a [`Host`]. The crate owns what a person hands us as files and how problems are
//! shown to them ([`Problems`]); it refuses a second way to compose a prompt or to start a run.

mod admission;
mod agents;
mod attachments;
mod capabilities;
mod catalog;
mod check;
mod clock;
mod config;
mod document;
mod exchange;
mod explain;
mod files;
mod history;
mod host;
mod init;
mod inputs;
pub mod journal;
mod keeper;
mod layers;
mod library;
mod lint;
mod load;
mod models;
mod packs;
mod parallel;
mod projection;
mod projects;
mod recipes;
mod refusal;
mod render;
mod report;
mod requests;
mod residents;
mod retention;
mod scopes;
mod seams;
mod secrets;
mod service;
mod tally;
pub mod templates;

pub use agents::AgentRegistry;
pub use catalog::Place;
pub use check::ProjectCheck;
pub use clock::SystemClock;
pub use config::{
    Age, Allow, Config, KeyConfig, LayersConfig, LimitsConfig, ModelTarget, PacksConfig, PathsConfig,
    ProjectsConfig, PromptsConfig, ProviderConfig, ProviderKind, RetentionConfig, RunConfig, SecretConfig,
    SecretOrigin, UntaggedInputs,
};
pub use exchange::{Exported, ImportSource, PackName, export_files, export_pack, pack_document};
pub use explain::{
    CompositionView, MarginLine, NodePreview, NodeView, PreviewDraft, PreviewNode, RunView, TextSource,
    disclose_composition, disclose_error, disclose_node, disclose_preview, disclose_resolution, margin,
    with_margin,
};
pub use files::shown;
pub use history::{HistoryEntry, diff_templates};
pub use host::{CONFIG_FILE, Host, Options, StartRun, compact, load_config, run_id_of};
pub use init::init;
pub use inputs::{TypedInput, named, read_texts, read_typed};
pub use layers::{AuthorRender, AuthorRequest, LayerFact, LayersStatus, TightenedBudgets, TightenedFile};
pub use library::{ImportReport, MAX_IMPORT, PromptWrite, WrittenPrompt};
pub use lint::{PromptCheck, PromptLint, check_paths, check_project, check_templates};
pub use load::{Directories, WorkflowFile, Workflows};
pub use models::ModelRouter;
pub use packs::{
    CheckedPack, InstallPack, Integrity, PackPolicy, PackStore, PackView, PublicKey, RemovedPack,
};
pub use projection::Projection;
pub use recipes::{
    CheckedProject, ExplainedAgent, ExplainedProject, ExplainedWorkflow, ListedFile, ProjectChecker,
    PromptRecipe,
};
pub use refusal::Refusal;
pub use render::{Rendered, parse_reference, read_variables};
pub use report::{Problems, render as render_diagnostic};
pub use retention::{PrunePolicy, Pruned};
pub use secrets::ConfiguredSecrets;
pub use service::{CreateOptions, CreatedRun, listed_run, sequence_of};

pub use tally::{Bounds, Full, Tally};

pub use cuebook_template::{Diagnostic, Severity};

pub use cuebook_engine as engine;
pub use cuebook_layers as layered;
pub use cuebook_log as log;
pub use cuebook_project as project;
pub use cuebook_prompt as prompt;
pub use cuebook_wire as wire;
