//! `cuebook completions`.

use clap::CommandFactory as _;
use cuebook_host::Problems;

use crate::args::{Args, CompletionsArgs};
use crate::exit::Exit;
use crate::output::Output;

pub(crate) fn completions(args: &CompletionsArgs, output: &Output) -> Result<Exit, Problems> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "cuebook", &mut script);
    output.bytes(&String::from_utf8_lossy(&script));
    Ok(Exit::Fine)
}
