//! `cargo xtask sim`: plays many seeds of the simulation, in parallel, with progress; or one again.

use std::process::{Command, ExitCode};

use anyhow::Context;

/// The profile that optimises and still checks overflows and debug assertions.
const PROFILE: &str = "ci";

/// Hands `arguments` to the simulation.
pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<ExitCode> {
    let program = ["run", "--quiet", "--profile", PROFILE, "--package", "cuebook-sim", "--"];
    let status = Command::new(env!("CARGO")).args(program).args(arguments).status().context("start cargo")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
