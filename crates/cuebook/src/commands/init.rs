//! `cuebook init`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use cuebook_host::{Problems, shown};
use serde_json::json;

use crate::exit::Exit;
use crate::output::{self, Output};

#[derive(Debug, ClapArgs)]
pub(crate) struct InitArgs {
    /// The directory, which is made if it is not there.
    pub(crate) dir: PathBuf,
}

pub(crate) fn init(args: &InitArgs, output: Output) -> Result<Exit, Problems> {
    let files: Vec<String> =
        cuebook_host::init(&args.dir)?.iter().map(|path| shown(path).to_string()).collect();
    if output.is_json() {
        output::json(&json!({ "files": files }));
    } else {
        output::data(&files.join("\n"));
        output::note(&format!(
            "next: cuebook run {} --input question=\"What is a prompt book?\"",
            args.dir.display()
        ));
    }
    Ok(Exit::Fine)
}
