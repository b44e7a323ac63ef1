//! `cuebook completions`.

use clap::CommandFactory as _;

use crate::args::{Args, CompletionsArgs};
use crate::exit::Exit;
use crate::output;

pub(crate) fn completions(args: &CompletionsArgs) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "cuebook", &mut script);
    output::bytes(&String::from_utf8_lossy(&script));
    Exit::Fine
}
