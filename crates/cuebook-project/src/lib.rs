//! Project files: agents, workflows and compound prompts in plain files under git (ADR-0015, ADR-0037).
//!
//! * [`load()`] reads a project directory: `.cuebook/project.yaml` (or `.kaged/project.yaml`), the local file beside it, and the
//!   projects it includes. Everything that is wrong is found at once, each finding with its place.
//! * [`compose`] is the one way from a prompt field to its text.
//! * [`Project`] gives agents as manifests and workflows as OpenWOP definitions.
//! * [`LiveProjects`] is the source of `prompt:project.…`: the files as they are now, the last good state when an edit broke
//!   them.
//!
//! The crate reads below the roots of projects alone. It refuses inline prompt text, templates in prompt files, and every path
//! that leads out.

mod agents;
mod facts;
mod live;
mod load;
mod merge;
mod names;
mod path;
mod project;
mod recipe;
mod root;
mod rules;
mod slot;
mod snapshot;
mod spec;
mod stamp;
mod steps;
mod watch;
mod with;
mod workflow;

pub use agents::ProjectAgent;
pub use facts::{FileFact, FileFacts};
pub use live::{AgentPrompt, LiveProjects, Startable};
pub use load::{Loaded, MAX_NESTING, load};
pub use names::{PREFIX, PRIMARY, agent_id, template_id, workflow_id};
pub use path::{BadPath, Base, PromptPath};
pub use project::Project;
pub use recipe::{Ingredient, Recipe, compose};
pub use root::{CONFIG_DIRECTORIES, MAX_FILE_BYTES, ReadFault, Root};
pub use spec::{
    AgentSpec, AnswerFormat, IncludeSpec, InputSpec, ProjectFile, PromptPaths, StepSpec, WorkflowSpec,
    schema, schema_text,
};
pub use watch::{Watch, watch};
pub use workflow::ProjectWorkflow;
