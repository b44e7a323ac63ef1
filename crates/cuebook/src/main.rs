//! The `cuebook` command line: one binary, no logic of its own.
//!
//! It owns arguments, exit codes and what goes to stdout (data) and stderr (all else). Whatever it shows comes from
//! `cuebook-host`.

mod args;
mod commands;
mod exit;
mod interrupts;
mod logging;
mod output;
mod progress;

use clap::Parser as _;

use crate::args::{Args, Command};
use crate::exit::Exit;
use crate::output::Output;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    let args = Args::parse();
    let output = Output::new(args.format(), args.color);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            output::note(&format!("error: the runtime cannot start: {error}"));
            return Exit::Usage.into();
        }
    };
    let exit = runtime.block_on(dispatch(args.command, output));
    runtime.shutdown_background();
    exit.into()
}

async fn dispatch(command: Command, output: Output) -> Exit {
    let result = match command {
        Command::Run(args) => commands::run::run(args, output).await,
        Command::Runs(args) => commands::runs::runs(args, output).await,
        Command::Explain(args) => commands::explain::explain(args, output).await,
        Command::Prompts(args) => commands::prompts::prompts(args, output).await,
        Command::Project(args) => commands::project::project(args, output).await,
        Command::Packs(args) => commands::packs::packs(&args, output).await,
        Command::Budgets(args) => commands::budgets::budgets(&args, output).await,
        Command::Serve(args) => commands::serve::serve(args, output).await,
        Command::Template(args) => commands::template::template(&args, output),
        Command::Layers(args) => commands::layers::layers(&args, output),
        Command::Init(args) => commands::init::init(&args, output),
        Command::Config(args) => commands::config::config(&args, output).await,
        Command::Completions(args) => Ok(commands::completions::completions(&args)),
    };
    result.unwrap_or_else(|problems| {
        output.problems(&problems);
        Exit::Usage
    })
}
