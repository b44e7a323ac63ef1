//! `cargo xtask bench`: every measurement of `docs/performance.md`, one after another.
//!
//! It starts the programs that measure, and measures itself only what needs the whole binary: how long a start takes.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

/// Packages and their examples that measure.
const EXAMPLES: [(&str, &str); 8] = [
    ("cuebook-sqlite", "append"),
    ("cuebook-host", "waiting"),
    ("cuebook-host", "library"),
    ("cuebook-prompt", "compose"),
    ("cuebook-project", "check"),
    ("cuebook-layers", "layers"),
    ("cuebook-http", "runs"),
    ("cuebook-http", "render"),
];
/// How many templates a large project has.
const MANY: usize = 10_000;
/// How often a start is measured; the best counts.
const STARTS: usize = 5;

/// Runs all measurements in a cargo profile.
pub(crate) fn run(profile: &str) -> anyhow::Result<ExitCode> {
    for (package, example) in EXAMPLES {
        say(&format!("{package}: {example}"))?;
        cargo(&["run", "--quiet", "--profile", profile, "--package", package, "--example", example])?;
    }
    say("template engines")?;
    let engines = concat!(env!("CARGO_MANIFEST_DIR"), "/../bench/Cargo.toml");
    cargo(&["bench", "--quiet", "--manifest-path", engines])?;
    say("cuebook: start")?;
    cargo(&["build", "--quiet", "--profile", profile, "--package", "cuebook"])?;
    let binary = binary(profile)?;
    for templates in [0, MANY] {
        let (best, reading) = best_start(&binary, templates)?;
        let (best, reading) = (best.as_millis(), reading.as_millis());
        say(&format!(
            "{templates} templates: ready in {best} ms; one thread reads the files in {reading} ms"
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn say(text: &str) -> std::io::Result<()> {
    writeln!(std::io::stdout(), "{text}")
}

fn cargo(arguments: &[&str]) -> anyhow::Result<()> {
    let status = Command::new(env!("CARGO")).args(arguments).status().context("start cargo")?;
    ensure!(status.success(), "cargo {} failed", arguments.join(" "));
    Ok(())
}

/// The binary in the folder of the profile, beside the one that runs.
fn binary(profile: &str) -> anyhow::Result<PathBuf> {
    let this = std::env::current_exe().context("find this program")?;
    let target = this.ancestors().nth(2).context("find the target folder")?;
    Ok(target.join(profile).join("cuebook"))
}

/// The best start of a project, and the best reading of its templates.
fn best_start(binary: &Path, templates: usize) -> anyhow::Result<(Duration, Duration)> {
    let project = std::env::temp_dir().join(format!("cuebook-bench-{}", std::process::id()));
    write_project(&project, templates)?;
    let best = |measure: &dyn Fn() -> anyhow::Result<Duration>| {
        let times: anyhow::Result<Vec<Duration>> = (0..STARTS).map(|_| measure()).collect();
        times?.into_iter().min().context("nothing was measured")
    };
    let reading = best(&|| read(&project.join("prompts")));
    let starting = best(&|| start(binary, &project));
    fs::remove_dir_all(&project).context("remove the project")?;
    Ok((starting?, reading?))
}

/// The floor: how long it takes to list a directory and read its files, one after another.
fn read(directory: &Path) -> anyhow::Result<Duration> {
    let began = Instant::now();
    for entry in fs::read_dir(directory).context("list the templates")? {
        std::hint::black_box(fs::read(entry?.path()).context("read a template")?);
    }
    Ok(began.elapsed())
}

fn write_project(project: &Path, templates: usize) -> anyhow::Result<()> {
    let prompts = project.join("prompts");
    fs::create_dir_all(&prompts).context("make the project")?;
    for number in 0..templates {
        let mut text = String::new();
        write!(
            text,
            "+++\ntemplateId = \"t-{number}\"\nversion = \"1.0.0\"\nkind = \"system\"\nname = \"Template {number}\"\n\n\
             [[variables]]\nname = \"topic\"\ntype = \"string\"\nrequired = true\nsource = \"input\"\n+++\n\
             Tell what number {number} has to do with {{{{topic}}}}.\n"
        )?;
        fs::write(prompts.join(format!("t-{number}@1.0.0.md")), text).context("write a template")?;
    }
    Ok(())
}

/// The time from the start of the process to its address line.
fn start(binary: &Path, project: &Path) -> anyhow::Result<Duration> {
    let began = Instant::now();
    let mut child = Command::new(binary)
        .args(["serve", "--listen", "127.0.0.1:0", "--project"])
        .arg(project)
        .arg("--data")
        .arg(project.join("data"))
        .env("CUEBOOK_API_KEY", "measuring-key")
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("start {}", binary.display()))?;
    let line = first_line(&mut child);
    let took = began.elapsed();
    child.kill().context("end the host")?;
    child.wait().context("wait for the host")?;
    ensure!(line?.contains("listens"), "the host did not become ready");
    Ok(took)
}

fn first_line(child: &mut Child) -> anyhow::Result<String> {
    let mut line = String::new();
    let stdout = child.stdout.take().context("no output")?;
    BufReader::new(stdout).read_line(&mut line).context("read the address line")?;
    Ok(line)
}
