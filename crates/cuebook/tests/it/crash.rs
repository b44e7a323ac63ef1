//! The real binary, loaded by many clients and killed again and again on one data directory.
//!
//! Everything that it ever acknowledged is held against what its successors say. The moment of a kill is a number of
//! acknowledged facts, drawn from a seed; how the processes are scheduled is not in its hand, so the same seed gives the
//! same load and the same numbers, and mostly, not always, the same history. `cargo xtask crash` runs the same test with
//! more kills: `CUEBOOK_CRASH_KILLS` says how many, `CUEBOOK_CRASH_SEED` from which seed.

mod dice;
mod disk;
mod flows;
mod http;
mod ledger;
mod load;
mod promises;
mod refusals;
mod torn;

use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::Duration;

use serde_json::Value as Json;

use crate::crash::dice::Dice;
use crate::crash::http::Request;
use crate::crash::ledger::Ledger;
use crate::crash::load::{Client, load};
use crate::serve::Serving;
use crate::support::Project;

/// The most facts between two kills.
const MOST_FACTS: u64 = 200;
/// After a restart so many runs are read again whose end was read before; at the end all are.
const SAMPLE: usize = 64;
/// How long a loaded host may take to its kill.
const PATIENCE: Duration = Duration::from_mins(2);

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

#[test]
fn a_host_that_is_killed_again_and_again_keeps_every_promise() {
    let kills = from_environment("CUEBOOK_CRASH_KILLS", 20);
    let history = History::new(from_environment("CUEBOOK_CRASH_SEED", 1), kills);
    history.play();
}

/// One data directory and everything that happens to it.
struct History {
    seed: u64,
    kills: u64,
    project: Project,
    ledger: Ledger,
}

impl Drop for History {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let (kills, seed) = (self.kills, self.seed);
            let again = format!("cargo xtask crash --kills {kills} --seed {seed}");
            let _ = writeln!(stderr(), "repeat this history with `{again}`");
        }
    }
}

impl History {
    fn new(seed: u64, kills: u64) -> Self {
        Self { seed, kills, project: flows::project(), ledger: Ledger::default() }
    }

    fn play(&self) {
        let mut dice = Dice::new(self.seed);
        for kill in 1..=self.kills {
            self.live(usize::try_from(kill).unwrap(), &mut dice);
            self.tell(kill);
        }
        self.finish();
    }

    /// One life of the host: begun, held against the ledger, loaded, killed.
    fn live(&self, life: usize, dice: &mut Dice) {
        let serving = Serving::start(&self.project, &[]);
        let address = serving.address.clone();
        self.check(&self.client(&address), &self.ledger.due(life, SAMPLE));
        let bell = self.ledger.light(dice.below(MOST_FACTS));
        load(&self.ledger, &address, life, dice, move || {
            let rung = bell.recv_timeout(PATIENCE);
            let told = serving.kill();
            assert_eq!(rung, Ok(()), "the host was not kept busy");
            assert!(!told.contains("panicked"), "{told}");
        });
    }

    /// A host that is not killed: everything comes to its end, and everything that was ever acknowledged is there.
    fn finish(&self) {
        let serving = Serving::start(&self.project, &[]);
        let mut client = self.client(&serving.address);
        self.check(&client, &self.ledger.runs());
        while let Some(run) = self.ledger.take_open() {
            client.attend(&run).unwrap();
        }
        self.check(&client, &self.ledger.runs());
        for (key, post) in self.ledger.posts() {
            client.post(&key, &post.path, &post.body).unwrap();
        }
        assert!(self.ledger.runs().iter().all(|run| self.ledger.has_ended(run)));
        let outcome = serving.terminate().ended(0);
        assert!(!outcome.stderr.contains("panicked"), "{outcome}");
    }

    fn client<'h>(&'h self, address: &'h str) -> Client<'h> {
        Client { ledger: &self.ledger, address, name: String::new(), dice: Dice::new(self.seed) }
    }

    /// Repeats what was cut off, then holds `runs` and the newest of the list against the ledger.
    fn check(&self, client: &Client<'_>, runs: &[String]) {
        for (key, post) in self.ledger.turn_over() {
            if post.path == "/v1/runs" {
                let run = client.begin(&key, &post.body).unwrap();
                self.ledger.leave(&run);
            } else {
                client.post(&key, &post.path, &post.body).unwrap();
            }
        }
        for run in runs {
            self.ledger.check(run, &client.read(run));
        }
        let list = Request::get("/v1/host/cuebook/runs?limit=200").send(client.address).unwrap();
        for run in list.body["runs"].as_array().unwrap() {
            assert!(self.ledger.knows(run["runId"].as_str().unwrap()), "nobody asked for {run}");
        }
    }

    /// Shows on a terminal how far it is.
    fn tell(&self, kill: u64) {
        if stderr().is_terminal() {
            let (kills, seed, facts) = (self.kills, self.seed, self.ledger.facts());
            let end = if kill == kills { "\n" } else { "" };
            let runs = self.ledger.runs().len();
            let line = format!("\rseed {seed}: kill {kill} of {kills}, {runs} runs, {facts} facts{end}");
            let _ = stderr().write_all(line.as_bytes());
        }
    }
}

/// The events of a run as JSON text, to compare them.
fn texts(log: &[Json]) -> Vec<String> {
    log.iter().map(Json::to_string).collect()
}
