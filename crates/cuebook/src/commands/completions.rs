//! `cuebook completions`.

use clap::{Args as ClapArgs, CommandFactory as _};

use crate::args::Args;
use crate::exit::Exit;
use crate::output;

#[derive(Debug, ClapArgs)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}

pub(crate) fn completions(args: &CompletionsArgs) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "cuebook", &mut script);
    output::bytes(&String::from_utf8_lossy(&script));
    Exit::Fine
}
