//! The load: clients that start runs, follow them, answer and cancel them, and repeat what was answered, until the host dies.

use std::io::Result;
use std::thread;

use serde_json::{Value as Json, json};

use super::dice::Dice;
use super::flows::{FLOWS, Need};
use super::http::{Answer, Request};
use super::ledger::{Ledger, cancel_path, flow_of};

/// How many clients there are at once.
pub(super) const CLIENTS: u64 = 16;

/// One client; what it is told goes into the ledger.
pub(super) struct Client<'c> {
    pub(super) ledger: &'c Ledger,
    pub(super) address: &'c str,
    /// No other client of any life has this name.
    pub(super) name: String,
    pub(super) dice: Dice,
}

/// Has `CLIENTS` clients load the host at `address` until it is dead, while `watch` is at work.
pub(super) fn load(ledger: &Ledger, address: &str, life: usize, dice: &mut Dice, watch: impl FnOnce()) {
    thread::scope(|scope| {
        for number in 0..CLIENTS {
            let name = format!("{life}-{number}");
            let client = Client { ledger, address, name, dice: Dice::new(dice.draw()) };
            scope.spawn(move || client.work());
        }
        watch();
    });
}

impl Client<'_> {
    fn work(mut self) {
        for turn in 0.. {
            if let Err(error) = self.turn(turn) {
                assert!(self.ledger.is_burnt(), "the host broke off while it lived: {error}");
                return;
            }
        }
    }

    fn turn(&mut self, turn: u64) -> Result<()> {
        match self.dice.below(8) {
            0..=2 => match self.ledger.take_open() {
                Some(run) => self.attend(&run),
                None => self.create(turn).map(drop),
            },
            3 => self.repeat(),
            4 => self.create(turn).map(|run| self.ledger.leave(&run)),
            _ => {
                let run = self.create(turn)?;
                self.attend(&run)
            }
        }
    }

    /// Starts a run.
    fn create(&mut self, turn: u64) -> Result<String> {
        let flow = &FLOWS[usize::try_from(self.dice.below(FLOWS.len() as u64)).unwrap()];
        let key = format!("{}-{turn}", self.name);
        let body = json!({ "workflowId": flow.id, "inputs": { "topic": format!("the matter of {key}") } });
        self.begin(&key, &body)
    }

    /// Sends a request for a run and notes the run.
    pub(super) fn begin(&self, key: &str, body: &Json) -> Result<String> {
        let answer = self.post(key, "/v1/runs", body)?;
        assert_eq!(answer.status, 201, "{answer:?}");
        let run = answer.body["runId"].as_str().unwrap();
        self.ledger.begin(run, flow_of(&self.ledger.intend(key, "/v1/runs", body)));
        Ok(run.to_owned())
    }

    /// Sends a request once more that was answered.
    fn repeat(&mut self) -> Result<()> {
        let number = usize::try_from(self.dice.below(1 << 20)).unwrap();
        let Some((key, post)) = self.ledger.answered(number) else { return Ok(()) };
        self.begin(&key, &post.body).map(drop)
    }

    /// Follows a run to its end, in one of the two ways, and gives it what it needs.
    pub(super) fn attend(&mut self, run: &str) -> Result<()> {
        self.serve_need(run)?;
        while !self.ledger.has_ended(run) {
            if self.dice.below(3) == 0 { self.poll(run)? } else { self.stream(run)? }
        }
        Ok(())
    }

    fn stream(&self, run: &str) -> Result<()> {
        let path = format!("/v1/runs/{run}/events?streamMode=debug");
        for event in Request::get(&path).follow(self.address, self.ledger.seen(run))? {
            self.ledger.see(run, &event?);
            self.serve_need(run)?;
        }
        // A stream that ends though its run goes on was cut off with its host.
        if self.ledger.has_ended(run) { Ok(()) } else { Err(std::io::ErrorKind::UnexpectedEof.into()) }
    }

    fn poll(&self, run: &str) -> Result<()> {
        let last = self.ledger.seen(run).map(|last| format!("&lastSequence={last}")).unwrap_or_default();
        let path = format!("/v1/runs/{run}/events/poll?timeout=5{last}");
        let answer = Request::get(&path).send(self.address)?;
        assert_eq!(answer.status, 200, "{answer:?}");
        for event in answer.body["events"].as_array().unwrap() {
            self.ledger.see(run, event);
        }
        self.serve_need(run)
    }

    /// Gives a run what it waits for.
    fn serve_need(&self, run: &str) -> Result<()> {
        let (path, body) = match self.ledger.need(run) {
            Need::Nothing => return Ok(()),
            Need::Answer => (format!("/v1/runs/{run}/interrupts/doubt"), json!({ "resumeValue": "go on" })),
            Need::Cancel => (cancel_path(run), json!({ "reason": "enough" })),
        };
        let answer = self.post(&path, &path, &body)?;
        assert_eq!(answer.status, 200, "{answer:?}");
        Ok(())
    }

    /// Sends a request under `key` and notes the answer.
    pub(super) fn post(&self, key: &str, path: &str, body: &Json) -> Result<Answer> {
        let known = self.ledger.intend(key, path, body);
        assert_eq!(known.body, *body, "{key} names one request");
        let request = Request { method: "POST", path, key: Some(key), body: Some(body) };
        loop {
            let answer = request.send(self.address)?;
            // Another client is at the same request.
            if answer.body["error"] == "idempotency_in_flight" {
                continue;
            }
            assert!(answer.status < 500, "{path}: {answer:?}");
            self.ledger.acknowledge(key, answer.clone());
            return Ok(answer);
        }
    }

    /// Reads the whole log of a run.
    pub(super) fn read(&self, run: &str) -> Vec<Json> {
        let answer = Request::get(&format!("/v1/runs/{run}/events")).send(self.address).unwrap();
        assert_eq!(answer.status, 200, "{run}: {answer:?}");
        answer.body["events"].as_array().unwrap().clone()
    }
}
