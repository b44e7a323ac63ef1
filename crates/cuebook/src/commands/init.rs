//! `cuebook init`.

use cuebook_host::Problems;
use serde_json::json;

use crate::args::InitArgs;
use crate::exit::Exit;
use crate::output::{self, Output};

pub(crate) fn init(args: &InitArgs, output: Output) -> Result<Exit, Problems> {
    let files: Vec<String> =
        cuebook_host::init(&args.dir)?.iter().map(|path| path.display().to_string()).collect();
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
