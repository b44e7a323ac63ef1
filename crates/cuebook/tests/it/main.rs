//! The specification of the command line: the real binary, run in directories of its own.
//!
//! Each snapshot holds exit code, stdout and stderr together. Where the folder of public packs is there (`CUEBOOK_SHARED`,
//! or `shared` beside the checkout), those are run too; without it the tests stand on their own data.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod bad_input;
mod budgets;
mod config;
mod crash;
mod explain;
mod field_cases;
mod help;
mod idempotency;
mod init;
mod interrupt;
mod journal;
mod layers;
mod newsroom;
mod observability;
mod openai;
mod pack_store;
mod packs;
mod project_edits;
mod project_files;
mod prompt_files;
mod prompts;
mod remote;
mod run;
mod runs;
mod secrecy;
mod serve;
mod server;
mod streams;
mod support;
mod template;
mod template_batch;
mod template_packs;
