//! `cuebook-sim`: plays seeds, many at once; a seed that breaks a promise is told with the way to repeat it.

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{io, thread};

use anyhow::{Context, bail};
use cuebook_sim::{Scenario, shrink, simulate};

const USAGE: &str = "usage: cuebook-sim --seeds N [--from N] [--jobs N] | --seed N";

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (mut seeds, mut from, mut jobs) = (None, 0, thread::available_parallelism()?.get());
    for pair in arguments.chunks(2) {
        let [name, value] = pair else { bail!(USAGE) };
        let number: u64 = value.parse().with_context(|| format!("{name} takes a number, got '{value}'"))?;
        match name.as_str() {
            "--seeds" => seeds = Some(number),
            "--from" => from = number,
            "--jobs" => jobs = usize::try_from(number)?.max(1),
            "--seed" => (seeds, from, jobs) = (Some(1), number, 1),
            _ => bail!(USAGE),
        }
    }
    play(from, seeds.context(USAGE)?, jobs)
}

/// Plays `count` seeds from `from` on, `jobs` at once, with a line of progress.
fn play(from: u64, count: u64, jobs: usize) -> anyhow::Result<ExitCode> {
    let (next, done, failed) = (AtomicU64::new(0), AtomicU64::new(0), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            let seed = from + number;
            if let Some(report) = report(seed)
                && let Ok(mut failed) = failed.lock()
            {
                failed.push((seed, report));
            }
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, count);
        }
    };
    thread::scope(|scope| (0..jobs).for_each(|_| drop(scope.spawn(work))));
    let mut failed = failed.into_inner().unwrap_or_default();
    failed.sort_by_key(|(seed, _)| *seed);
    let mut out = io::stdout();
    failed.iter().try_for_each(|(_, report)| writeln!(out, "{report}"))?;
    writeln!(out, "{count} seeds from {from} on: {} broke a promise", failed.len())?;
    Ok(if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What a seed breaks, how to repeat it, and the smallest history that still does; none when all is well.
fn report(seed: u64) -> Option<String> {
    let scenario = Scenario::generate(seed);
    let broken = match simulate(&scenario) {
        Ok(verdict) if verdict.broken.is_empty() => return None,
        Ok(verdict) => verdict.broken.join("; "),
        Err(error) => return Some(format!("seed {seed} cannot be played: {error:#}")),
    };
    let smallest = shrink(&scenario);
    let again = format!("cargo xtask sim --seed {seed}");
    Some(format!("seed {seed}: {broken}\nrepeat it with: {again}\nsmallest history found: {smallest:#?}"))
}

fn progress(done: u64, count: u64) {
    if done.is_multiple_of(100) || done == count {
        // Progress that cannot be shown is no reason to stop.
        let _ = writeln!(io::stderr(), "{done} of {count}");
    }
}
