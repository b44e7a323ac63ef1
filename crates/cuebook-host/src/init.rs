//! A new project: a configuration, a workflow, an agent and two prompts that run as they are.

use std::path::{Path, PathBuf};

use cuebook_template::Diagnostic;
use cuebook_wire::ErrorCode;

use crate::files::shown;
use crate::report::Problems;

/// The files of a new project and their contents.
const FILES: [(&str, &str); 5] = [
    ("cuebook.toml", include_str!("../scaffold/cuebook.toml")),
    ("workflows/hello.json", include_str!("../scaffold/workflows/hello.json")),
    ("agents/assistant.json", include_str!("../scaffold/agents/assistant.json")),
    ("prompts/assistant-system@1.0.0.md", include_str!("../scaffold/prompts/assistant-system@1.0.0.md")),
    ("prompts/question@1.0.0.md", include_str!("../scaffold/prompts/question@1.0.0.md")),
];

/// Writes a new project into `directory`, which is made if it is not there, and gives the files below it.
///
/// # Errors
///
/// `file_unreadable` for every file that is there already and for a `directory` that is none (then nothing is written), or
/// when writing fails.
pub fn init(directory: &Path) -> Result<Vec<PathBuf>, Problems> {
    if directory.exists() && !directory.is_dir() {
        return Err(problem(directory, "it is there already and no directory").into());
    }
    let paths: Vec<PathBuf> = FILES.iter().map(|(name, _)| directory.join(name)).collect();
    let there = paths.iter().filter(|path| path.exists());
    let problems: Problems = there.map(|path| problem(path, "it is there already")).collect();
    let paths = problems.or(paths)?;
    for (path, (_, content)) in paths.iter().zip(FILES) {
        write(path, content).map_err(|error| problem(path, &error.to_string()))?;
    }
    Ok(paths)
}

fn write(path: &Path, content: &str) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::write(path, content)
}

fn problem(path: &Path, reason: &str) -> Diagnostic {
    Diagnostic::error(ErrorCode::FileUnreadable.as_str(), format!("cannot write {}: {reason}", shown(path)))
}
