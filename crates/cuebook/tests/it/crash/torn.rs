//! A write-ahead log whose end never reached the disk, under the real binary: what was acknowledged before the tear is there.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::dice::Dice;
use super::flows::project;
use super::ledger::Ledger;
use super::load::Client;
use super::texts;
use crate::serve::Serving;
use crate::support::Project;

const DATABASE: &str = "cuebook-data/cuebook.db";
const LOG: &str = "cuebook-data/cuebook.db-wal";

/// A run that was followed to its end, and how long the write-ahead log was at most when its end was known.
struct Mark {
    run: String,
    events: Vec<Json>,
    end: usize,
}

/// What a killed host left behind.
struct Remains {
    database: Vec<u8>,
    log: Vec<u8>,
    marks: Vec<Mark>,
}

fn client<'c>(ledger: &'c Ledger, serving: &'c Serving) -> Client<'c> {
    Client { ledger, address: &serving.address, name: String::new(), dice: Dice::new(0) }
}

/// Has runs brought to their ends one after another, then kills the host.
fn remains() -> Remains {
    let (project, ledger) = (project(), Ledger::default());
    let serving = Serving::start(&project, &[]);
    let file = |name: &str| fs::read(project.root().join(name)).unwrap();
    let marks = (0..5).map(|number| {
        let mut client = client(&ledger, &serving);
        let body = json!({ "workflowId": "talk", "inputs": { "topic": "tea" } });
        let run = client.begin(&format!("run-{number}"), &body).unwrap();
        client.attend(&run).unwrap();
        Mark { events: client.read(&run), end: file(LOG).len(), run }
    });
    let marks = marks.collect();
    serving.kill();
    Remains { database: file(DATABASE), log: file(LOG), marks }
}

impl Remains {
    /// A project with these files, the write-ahead log being `log`.
    fn restored(&self, log: &[u8]) -> Project {
        project().with(DATABASE, &self.database).with(LOG, log)
    }

    /// Holds what a host makes of a write-ahead log that is good up to `good` against what was acknowledged.
    fn check(&self, log: &[u8], good: usize) {
        let (project, ledger) = (self.restored(log), Ledger::default());
        let serving = Serving::start(&project, &[]);
        for mark in self.marks.iter().filter(|mark| mark.end <= good) {
            let found = client(&ledger, &serving).read(&mark.run);
            assert_eq!(texts(&found), texts(&mark.events), "{} is whole at {good}", mark.run);
        }
        let mut client = client(&ledger, &serving);
        let list = super::http::Request::get("/v1/host/cuebook/runs").send(&serving.address).unwrap();
        for run in list.body["runs"].as_array().unwrap().iter().map(|run| run["runId"].as_str().unwrap()) {
            ledger.begin(run, &super::flows::FLOWS[0]);
            client.attend(run).unwrap();
            ledger.check(run, &client.read(run));
        }
        serving.terminate().ended(0);
    }
}

#[test]
fn a_torn_log_has_everything_that_was_acknowledged_before_the_tear() {
    let remains = remains();
    let ends: Vec<usize> = remains.marks.iter().map(|mark| mark.end).collect();
    assert!(ends.is_sorted() && ends[0] > 0, "{ends:?}");
    for (end, cut) in ends.iter().flat_map(|end| [(end, 0), (end, 1), (end, 4_000)]) {
        remains.check(&remains.log[..end - cut], end - cut);
    }
    let mut garbled = remains.log.clone();
    let last = garbled.len() - 100;
    garbled[last..].fill(0x5a);
    remains.check(&garbled, last);
}

/// Every byte of the two files.
fn bytes(project: &Project) -> [Vec<u8>; 2] {
    [DATABASE, LOG].map(|name| fs::read(project.root().join(name)).unwrap_or_default())
}

/// A database that cannot be trusted is left alone, and the one who runs the host is told which file it is.
#[test]
fn a_damaged_database_is_refused_and_stays_as_it_is() {
    let whole = {
        let project = project();
        let serving = Serving::start(&project, &[]);
        let ledger = Ledger::default();
        let mut client = client(&ledger, &serving);
        let run =
            client.begin("run", &json!({ "workflowId": "talk", "inputs": { "topic": "tea" } })).unwrap();
        client.attend(&run).unwrap();
        drop(client);
        serving.terminate().ended(0);
        fs::read(project.root().join(DATABASE)).unwrap()
    };
    let page = 4096;
    let torn = |from: usize| [&whole[..from], &vec![0x5a; page][..], &whole[from + page..]].concat();
    let last = whole.len() - page;
    for damaged in
        [b"minutes of the meeting".to_vec(), torn(0), torn(5 * page), torn(last), whole[..last].to_vec()]
    {
        let project = project().with(DATABASE, &damaged);
        let before = bytes(&project);
        let outcome = project.cuebook(&["serve", "--listen", "127.0.0.1:0"]).ended(2);
        assert_eq!(outcome.stdout, "");
        let file = Path::new("cuebook-data").join("cuebook.db");
        for part in ["error[data_unusable]", &file.display().to_string(), "restore it from a copy"] {
            let no_database = part.starts_with("restore") && outcome.stderr.contains("is no SQLite database");
            assert!(outcome.stderr.contains(part) || no_database, "{part}: {outcome}");
        }
        assert!(!outcome.stderr.contains("panicked"), "{outcome}");
        assert!(bytes(&project) == before, "the files are as they were");
    }
}
