//! Measures a large project: `cargo run -p cuebook-project --example check --profile ci`.
//!
//! A project of 1,000 agents and 5,000 prompt files is checked; the floor is reading its files once, warm. Then the memory that a
//! check takes, with small files and with large ones; and one edit, as a host that watches takes it.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cuebook_project::{FileFacts, LiveProjects, load};
use cuebook_template::Diagnostic;

type Outcome<T> = Result<T, Box<dyn Error>>;

const AGENTS: usize = 1_000;
/// How many files the prompt of each agent is put together from.
const FILES: usize = 5;
/// The lines of a small file, and of a large one.
const SMALL: usize = 32;
const LARGE: usize = 512;
const LINE: &str = "Say what the sources say, in the order of their weight, and no more.\n";
/// How often each is measured; the best counts.
const TIMES: usize = 15;

fn main() -> Outcome<()> {
    let directory = tempfile::tempdir()?;
    let root = directory.path();
    let files = write_project(root)?;
    write_texts(&files, SMALL)?;
    measure_check(root, &files)?;
    measure_edit(root, &files)?;
    measure_memory(root, &files)
}

fn say(text: &str) -> Outcome<()> {
    Ok(writeln!(io::stdout(), "{text}")?)
}

/// Writes the project file; gives the paths of the prompt files that it lists.
fn write_project(root: &Path) -> Outcome<Vec<PathBuf>> {
    let mut text = "version: 1\nproject: large\nprimary:\n  model: default\n".to_owned();
    let mut files = Vec::new();
    for agent in 0..AGENTS {
        let indent = if agent == 0 { "  " } else { "      " };
        if agent > 0 {
            write!(text, "    agent_{agent}:\n      model: default\n      description: Agent {agent}.\n")?;
        }
        let listed: Vec<String> = (0..FILES).map(|file| format!("prompts/{agent}/{file}.md")).collect();
        writeln!(text, "{indent}system_prompt: [{}]", listed.join(", "))?;
        if agent == 0 {
            text.push_str("  subagents:\n");
        }
        fs::create_dir_all(root.join(format!("prompts/{agent}")))?;
        files.extend(listed.iter().map(|path| root.join(path)));
    }
    fs::create_dir_all(root.join(".cuebook"))?;
    fs::write(root.join(".cuebook/project.yaml"), text)?;
    Ok(files)
}

fn write_texts(files: &[PathBuf], lines: usize) -> Outcome<()> {
    let text = LINE.repeat(lines);
    files.iter().try_for_each(|file| Ok(fs::write(file, &text)?))
}

/// Checks the project; gives how many files were read.
fn check(root: &Path) -> Outcome<usize> {
    let mut facts = FileFacts::default();
    load(root, &mut facts).map_err(|problems| told(&problems))?;
    Ok(facts.reads())
}

fn told(problems: &[Diagnostic]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The time that this process has had a processor: other programs on the machine lengthen it less than the time that passes.
fn on_processor() -> Outcome<Duration> {
    let stat = fs::read_to_string("/proc/self/schedstat")?;
    Ok(Duration::from_nanos(stat.split_whitespace().next().ok_or("no time")?.parse()?))
}

fn timed<T>(act: impl FnOnce() -> Outcome<T>) -> Outcome<(T, Duration)> {
    let begun = on_processor()?;
    let result = act()?;
    Ok((result, on_processor()?.saturating_sub(begun)))
}

/// Reads every file once, the project file among them; gives how many bytes there were.
fn read_all(root: &Path, files: &[PathBuf]) -> Outcome<usize> {
    let mut bytes = fs::read(root.join(".cuebook/project.yaml"))?.len();
    for file in files {
        bytes += fs::read(file)?.len();
    }
    Ok(bytes)
}

fn measure_check(root: &Path, files: &[PathBuf]) -> Outcome<()> {
    let (mut bytes, mut reads) = (0, 0);
    let (mut floor, mut checked) = (Duration::MAX, Duration::MAX);
    // In turns, so that both meet the same machine.
    for _ in 0..TIMES {
        let (read, reading) = timed(|| read_all(root, files))?;
        let (looked_into, checking) = timed(|| check(root))?;
        (bytes, reads) = (read, looked_into);
        (floor, checked) = (floor.min(reading), checked.min(checking));
    }
    let ratio = checked.as_secs_f64() / floor.as_secs_f64();
    say(&format!(
        "{AGENTS} agents, {} prompt files, {} KB: read in {}, checked in {} ({reads} read), ratio {ratio:.2}",
        files.len(),
        bytes / 1024,
        shown(floor),
        shown(checked),
    ))
}

fn shown(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

fn measure_edit(root: &Path, files: &[PathBuf]) -> Outcome<()> {
    let (projects, _) = LiveProjects::open(&[root.to_owned()]).map_err(|problems| told(&problems))?;
    let edited = files.last().ok_or("no file")?;
    let before = projects.reads();
    let mut took = Duration::MAX;
    for _ in 0..TIMES {
        // Too short for what the system says of the processor.
        let begun = Instant::now();
        fs::write(edited, "Another text.\n")?;
        projects.touched(edited);
        let problems = projects.refresh();
        took = took.min(begun.elapsed());
        if !problems.is_empty() {
            return Err(told(&problems).into());
        }
    }
    let reads = (projects.reads() - before) / TIMES;
    say(&format!("an edit of one file: {reads} file read again, {}", shown(took)))
}

fn measure_memory(root: &Path, files: &[PathBuf]) -> Outcome<()> {
    for lines in [SMALL, LARGE] {
        write_texts(files, lines)?;
        check(root)?;
        let kilobytes = files.len() * lines * LINE.len() / 1024;
        say(&format!("after a check of {kilobytes} KB: at most {} MB resident at any time", peak()? / 1024))?;
    }
    Ok(())
}

/// The most resident memory that this process has had, in kilobytes.
fn peak() -> Outcome<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).ok_or("no VmHWM")?;
    Ok(line.split_whitespace().nth(1).ok_or("no number")?.parse()?)
}
