//! Projects in directories of their own, the binary run in them, and what came of it.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value as Json;
use tempfile::TempDir;

/// A project directory that goes with the test.
pub(crate) struct Project {
    directory: TempDir,
    environment: Vec<(&'static str, String)>,
}

impl Project {
    /// A directory with nothing in it.
    pub(crate) fn empty() -> Self {
        Self { directory: TempDir::new().unwrap(), environment: Vec::new() }
    }

    /// One node, one agent, two prompts.
    pub(crate) fn desk() -> Self {
        Self::copy_of(&data("desk"))
    }

    /// The example of this repository.
    pub(crate) fn newsroom() -> Self {
        Self::copy_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/newsroom"))
    }

    /// The example of this repository that has a project file.
    pub(crate) fn newsroom_files() -> Self {
        Self::copy_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/newsroom-project"))
    }

    fn copy_of(source: &Path) -> Self {
        let project = Self::empty();
        copy(source, project.root());
        project
    }

    pub(crate) fn root(&self) -> &Path {
        self.directory.path()
    }

    /// The same project with one more file, or another one in its place.
    pub(crate) fn with(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// The same project with `from`, which must be there, replaced by `to` in one of its files.
    #[track_caller]
    pub(crate) fn edit(self, path: &str, from: &str, to: &str) -> Self {
        let text = self.read(path);
        assert!(text.contains(from), "{path} does not hold {from:?}");
        self.with(path, text.replace(from, to))
    }

    /// The same project, its commands run with one more environment variable.
    pub(crate) fn env(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.environment.push((name, value.into()));
        self
    }

    #[track_caller]
    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    /// Every file below the directory, in order, relative to it.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        visit(self.root(), &mut |path| {
            found.push(path.strip_prefix(self.root()).unwrap().display().to_string());
        });
        found.sort();
        found
    }

    /// The binary with `args`, in the directory, with no environment but the one given.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, args: &[S]) -> Command {
        let mut command = self.program(env!("CARGO_BIN_EXE_cuebook"));
        command.args(args);
        command
    }

    /// Another program, run as the binary is.
    pub(crate) fn program(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.root()).env_clear().stdin(Stdio::null());
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs the binary to its end.
    pub(crate) fn cuebook<S: AsRef<OsStr>>(&self, args: &[S]) -> Outcome {
        self.command(args).output().unwrap().into()
    }

    /// Runs the binary and checks all that came of it against the snapshot `name`.
    #[track_caller]
    pub(crate) fn check(&self, name: &str, args: &[&str]) -> Outcome {
        let outcome = self.cuebook(args);
        check(name, &outcome);
        outcome
    }

    /// As [`Self::check`], of a command that must refuse: exit code 2, no data, nothing written.
    #[track_caller]
    pub(crate) fn check_refused(&self, name: &str, args: &[&str]) -> Outcome {
        let before = self.files();
        let outcome = self.check(name, args);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{outcome}");
        assert_eq!(self.files(), before, "a refused command writes nothing");
        outcome
    }
}

/// How a command ended and what it wrote.
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// The data as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in\n{self}"))
    }

    /// The same outcome of a command that must succeed.
    #[track_caller]
    pub(crate) fn succeeded(self) -> Self {
        assert_eq!(self.code, 0, "{self}");
        self
    }

    /// The same outcome of a command that must end with `code`.
    #[track_caller]
    pub(crate) fn ended(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self}");
        self
    }
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let code = output.status.code().unwrap();
        Self { code, stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit: {}\n--- stdout\n{}--- stderr\n{}", self.code, self.stdout, self.stderr)
    }
}

/// What differs from run to run, and what stands for it.
const FILTERS: [(&str, &str); 4] = [
    (r"run_[0-9a-f]{32}", "run_ID"),
    (r"in \d+ ms", "in N ms"),
    (r"127\.0\.0\.1:\d+", "127.0.0.1:PORT"),
    (r"/\S*?/\.tmp\w+", "TEMP"),
];

/// Checks an outcome against the snapshot `name`.
#[track_caller]
pub(crate) fn check(name: &str, outcome: &Outcome) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for (pattern, name) in FILTERS {
        settings.add_filter(pattern, name);
    }
    settings.bind(|| insta::assert_snapshot!(name, outcome.to_string()));
}

/// A directory of the tests' own data.
pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// A folder of the shared material, if it is there.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("CUEBOOK_SHARED").map_or(beside, PathBuf::from);
    Some(shared.join(path)).filter(|folder| folder.is_dir())
}

pub(crate) fn copy(source: &Path, target: &Path) {
    visit(source, &mut |path| {
        let place = target.join(path.strip_prefix(source).unwrap());
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::copy(path, place).unwrap();
    });
}

/// Shows every file below `directory` to `each`.
fn visit(directory: &Path, each: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() { visit(&path, each) } else { each(&path) }
    }
}
