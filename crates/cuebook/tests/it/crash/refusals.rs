//! Data directories that cannot be written: refused at the start, with the path, and nothing is made in them.
//!
//! Modes do not hold up the superuser, so under it the host is started as a user without rights.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;

use super::flows::project;
use crate::serve::Serving;
use crate::support::{Outcome, Project, check};

/// A user and a group that own nothing.
const NOBODY: u32 = 65_534;

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Where the binary is copied to for that user.
const BINARY: &str = "binary";

/// Runs `cuebook serve` on `data` as somebody whom modes hold up.
fn serve(project: &Project, data: &str) -> Outcome {
    let root = project.root();
    let is_superuser = fs::metadata(root).unwrap().uid() == 0;
    let mut command = if is_superuser {
        // The build may stand where nobody else can go.
        let binary = root.join(BINARY);
        fs::copy(env!("CARGO_BIN_EXE_cuebook"), &binary).unwrap();
        set_mode(root, 0o755);
        let mut command = project.program(binary);
        command.uid(NOBODY).gid(NOBODY);
        command
    } else {
        project.program(env!("CARGO_BIN_EXE_cuebook"))
    };
    command.args(["serve", "--listen", "127.0.0.1:0", "--data", data]);
    command.output().unwrap().into()
}

/// The files of the project but for the binary.
fn files(project: &Project) -> Vec<String> {
    project.files().into_iter().filter(|file| file != BINARY).collect()
}

#[track_caller]
fn check_refused(name: &str, project: &Project, data: &str) {
    let before = files(project);
    let outcome = serve(project, data);
    check(name, &outcome);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{outcome}");
    assert_eq!(files(project), before, "nothing was made");
}

#[test]
fn a_directory_that_is_read_only_is_refused() {
    let project = project();
    let data = project.root().join("data");
    fs::create_dir(&data).unwrap();
    set_mode(&data, 0o555);
    check_refused("data-read-only", &project, "data");
    check_refused("data-read-only-parent", &project, "data/deeper");
    set_mode(&data, 0o755);
}

#[test]
fn a_path_below_a_file_is_refused() {
    check_refused("data-below-a-file", &project(), "cuebook.toml/data");
}

#[test]
fn a_database_that_is_read_only_is_refused() {
    let project = project();
    Serving::start(&project, &["--data", "data"]).terminate().ended(0);
    let data = project.root().join("data");
    set_mode(&data, 0o777);
    set_mode(&data.join("lock"), 0o666);
    set_mode(&data.join("cuebook.db"), 0o444);
    check_refused("data-read-only-database", &project, "data");
}
