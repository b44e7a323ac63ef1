//! `cargo xtask crash`: the crash tests of the real binary, with more kills, and with a full disk that is one.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail, ensure};

/// The profile that optimises and still checks overflows and debug assertions.
const PROFILE: &str = "ci";
/// The test that kills.
const KILLS: &str = "crash::a_host_that_is_killed_again_and_again_keeps_every_promise";
/// The test that fills a disk.
const DISK: &str = "crash::disk::a_host_without_room_refuses_reads_on_and_goes_on_when_there_is_room";
/// Becomes a command that finds a file system of four megabytes in the directory that comes first.
const MOUNT: &str = r#"mount -t tmpfs -o size=4m tmpfs "$1" && shift && exec "$@""#;

/// What to do.
#[derive(Debug, PartialEq, Eq)]
struct Options {
    kills: u64,
    seed: u64,
}

/// Kills a loaded host many times, then fills a small disk under one.
pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<ExitCode> {
    let Options { kills, seed } = read(arguments, fresh_seed())?;
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(test(KILLS));
    cargo.env("CUEBOOK_CRASH_KILLS", kills.to_string()).env("CUEBOOK_CRASH_SEED", seed.to_string());
    let status = cargo.status().context("start cargo")?;
    if !status.success() {
        bail!(
            "seed {seed} broke a promise; repeat it with `cargo xtask crash --kills {kills} --seed {seed}`"
        );
    }
    fill_small_disk()?;
    Ok(ExitCode::SUCCESS)
}

/// Reads `--kills N` and `--seed S`, in any order.
fn read(arguments: &[&str], seed: u64) -> anyhow::Result<Options> {
    let mut options = Options { kills: 500, seed };
    for pair in arguments.chunks(2) {
        let [name, value] = pair else { bail!("{} needs a number", pair.concat()) };
        let number = value.parse().with_context(|| format!("{name} takes a number, not {value:?}"))?;
        match *name {
            "--kills" => options.kills = number,
            "--seed" => options.seed = number,
            other => bail!("crash takes --kills and --seed, not {other}"),
        }
    }
    Ok(options)
}

fn fresh_seed() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The arguments of cargo that run one test, which may show its progress.
fn test(name: &str) -> Vec<&str> {
    let cargo = ["test", "--quiet", "--profile", PROFILE, "--package", "cuebook", "--test", "it"];
    [&cargo[..], &["--", "--exact", "--nocapture", name]].concat()
}

/// Mounts a small disk in a namespace of its own, which needs no rights on most systems, and runs the test in it.
fn fill_small_disk() -> anyhow::Result<()> {
    let disk = std::env::temp_dir().join(format!("cuebook-small-disk-{}", std::process::id()));
    std::fs::create_dir(&disk).with_context(|| format!("make {}", disk.display()))?;
    let status = within(&disk).args(test(DISK)).status();
    std::fs::remove_dir(&disk).with_context(|| format!("remove {}", disk.display()))?;
    ensure!(
        status.context("start unshare")?.success(),
        "the full disk broke a promise, or none could be mounted"
    );
    Ok(())
}

fn within(disk: &Path) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", MOUNT, "sh"]).arg(disk).arg(env!("CARGO"));
    command.env("CUEBOOK_CRASH_SMALL_DISK", disk);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(arguments: &[&str], expect: Option<(u64, u64)>) {
        let options = read(arguments, 7).ok().map(|options| (options.kills, options.seed));
        assert_eq!(options, expect, "{arguments:?}");
    }

    #[test]
    fn kills_and_seed_are_read_in_any_order() {
        check(&[], Some((500, 7)));
        check(&["--kills", "20"], Some((20, 7)));
        check(&["--seed", "3", "--kills", "1"], Some((1, 3)));
        check(&["--kills"], None);
        check(&["--kills", "many"], None);
        check(&["--jobs", "2"], None);
    }
}
