//! A disk without room under the real binary: writes are refused in clear words, reads go on, and so does everything once
//! there is room, in the same process.
//!
//! The disk is a limit on the size of files, which works for everybody: a write beyond it fails as it does on a disk with
//! a fault. Where `CUEBOOK_CRASH_SMALL_DISK` names a small file system of its own, as `cargo xtask crash` mounts one, that is
//! filled instead, and the refusal is that of a full disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::dice::Dice;
use super::flows::project;
use super::http::{Answer, Request};
use super::ledger::Ledger;
use super::load::Client;
use crate::serve::Serving;
use crate::support::Project;

/// How large files may become, in bytes.
const LIMIT: u64 = 1_000_000;
/// How long a host may take to go on.
const PATIENCE: Duration = Duration::from_mins(1);

/// A disk that can be given room.
enum Disk {
    /// No file may be larger than [`LIMIT`].
    Limited,
    /// A file system that a file of this name fills, but for a rest.
    Small(PathBuf),
}

impl Disk {
    fn of_environment() -> Self {
        std::env::var_os("CUEBOOK_CRASH_SMALL_DISK")
            .map_or(Self::Limited, |disk| Self::Small(Path::new(&disk).join("ballast")))
    }

    fn start(&self, project: &Project) -> Serving {
        match self {
            Self::Limited => {
                let binary = env!("CARGO_BIN_EXE_cuebook");
                let limit = format!("exec prlimit --fsize={LIMIT}:unlimited \"$0\" \"$@\"");
                let mut command = project.program("sh");
                command.args([
                    "-c",
                    &limit,
                    binary,
                    "serve",
                    "--listen",
                    "127.0.0.1:0",
                    "--log-level",
                    "off",
                ]);
                Serving::of(command)
            }
            Self::Small(ballast) => {
                fs::write(ballast, vec![0; 2_000_000]).unwrap();
                let data = ballast.with_file_name("data").display().to_string();
                Serving::start(project, &["--data", &data, "--log-level", "off"])
            }
        }
    }

    fn make_room(&self, serving: &Serving) {
        match self {
            Self::Limited => {
                let process = serving.process().to_string();
                let raised = Command::new("prlimit").args(["--pid", &process, "--fsize=unlimited"]).status();
                assert!(raised.unwrap().success());
            }
            Self::Small(ballast) => fs::remove_file(ballast).unwrap(),
        }
    }

    /// The code and status of a write for which there is no room.
    fn refusal(&self) -> (u16, &'static str) {
        match self {
            Self::Limited => (503, "service_unavailable"),
            Self::Small(_) => (507, "storage_full"),
        }
    }
}

fn body(number: usize) -> Json {
    json!({ "workflowId": "talk", "inputs": { "topic": format!("{number} {}", "x".repeat(20_000)) } })
}

fn post(serving: &Serving, number: usize) -> Answer {
    let (key, body) = (number.to_string(), body(number));
    let request = Request { method: "POST", path: "/v1/runs", key: Some(&key), body: Some(&body) };
    request.send(&serving.address).unwrap()
}

/// Starts runs until one is refused; gives its number.
fn fill(serving: &Serving, client: &Client<'_>, disk: &Disk) -> usize {
    for number in 0..1_000 {
        let answer = post(serving, number);
        if answer.status != 201 {
            assert_eq!(
                (answer.status, answer.body["error"].as_str()),
                (disk.refusal().0, Some(disk.refusal().1))
            );
            assert!(answer.head.contains("retry-after: "), "{}", answer.head);
            return number;
        }
        client.ledger.intend(&number.to_string(), "/v1/runs", &body(number));
        client.ledger.begin(answer.body["runId"].as_str().unwrap(), &super::flows::FLOWS[0]);
        client.ledger.acknowledge(&number.to_string(), answer);
    }
    panic!("the disk was never full");
}

/// Sends the refused request again until it is taken.
fn insist(serving: &Serving, number: usize) -> Answer {
    let begun = Instant::now();
    loop {
        let answer = post(serving, number);
        if answer.status == 201 {
            return answer;
        }
        assert!(answer.head.contains("retry-after: "), "{answer:?}");
        assert!(begun.elapsed() < PATIENCE, "there is room, and still: {answer:?}");
    }
}

#[test]
fn a_host_without_room_refuses_reads_on_and_goes_on_when_there_is_room() {
    let (disk, project, ledger) = (Disk::of_environment(), project(), Ledger::default());
    let serving = disk.start(&project);
    let address = serving.address.clone();
    let mut client = Client { ledger: &ledger, address: &address, name: String::new(), dice: Dice::new(0) };
    let refused = fill(&serving, &client, &disk);
    assert!(refused > 0, "there was room for something");
    for run in ledger.runs() {
        ledger.check(&run, &client.read(&run));
    }
    let ready = Request::get("/readyz").send(&address).unwrap();
    assert_eq!(ready.status, 200, "reading goes on: {ready:?}");
    disk.make_room(&serving);
    let answer = insist(&serving, refused);
    ledger.begin(answer.body["runId"].as_str().unwrap(), &super::flows::FLOWS[0]);
    for run in ledger.runs() {
        client.attend(&run).unwrap();
        ledger.check(&run, &client.read(&run));
    }
    let list = Request::get("/v1/host/cuebook/runs?limit=200").send(&address).unwrap();
    let listed = list.body["runs"].as_array().unwrap();
    assert_eq!(listed.len(), ledger.runs().len(), "nothing was begun besides");
    serving.terminate().ended(0);
}
