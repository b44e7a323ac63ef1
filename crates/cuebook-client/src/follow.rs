//! Owns the stream of a run's events: one sequence of events over as many connections as it takes.
//!
//! It repeats no event and skips none: a new connection names the last event seen, and whatever comes again is dropped. A
//! host that refuses to go on from there is read from the start. It refuses to end before the run does.

use std::collections::VecDeque;
use std::time::Duration;

use cuebook_wire::{RunEvent, RunId, Sequence};
use futures_util::stream::{self, Stream, StreamExt};
use reqwest::Response;
use reqwest::header::{ACCEPT, HeaderName};

use crate::call::Call;
use crate::client::Client;
use crate::error::{ClientError, DecodeError};
use crate::frame;
use crate::sse::{Decoder, Frame};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The longest a host may be asked to gather events.
const LONGEST_BUFFER: Duration = Duration::from_secs(5);

/// The host's code for a stream mode it does not have.
const UNSUPPORTED_MODE: &str = "unsupported_stream_mode";

/// Which events of a run are streamed; modes whose frames are no events of the log are left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StreamMode {
    /// Transitions of the run and its nodes, interrupts, artifacts: the mode every host has.
    #[default]
    Updates,
    /// Every event of the log.
    Debug,
}

impl StreamMode {
    fn as_str(self) -> &'static str {
        match self {
            Self::Updates => "updates",
            Self::Debug => "debug",
        }
    }
}

/// How a run's events are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventsOptions {
    /// Which events.
    pub mode: StreamMode,
    /// The last event already known; the stream begins after it, or with the first event when there is none.
    pub after: Option<Sequence>,
    /// How long the host may gather events before it sends them together, 0 to 5 seconds, to the millisecond.
    pub buffer: Option<Duration>,
    /// How often in a row the stream may be opened again without getting anywhere before it gives up.
    pub reconnects: u32,
}

impl Default for EventsOptions {
    fn default() -> Self {
        Self { mode: StreamMode::default(), after: None, buffer: None, reconnects: 10 }
    }
}

/// Follows `run` to its end.
pub(crate) fn follow(
    client: &Client,
    run: &RunId,
    options: EventsOptions,
) -> impl Stream<Item = Result<RunEvent, ClientError>> + Send + Unpin + use<> {
    let follower = Follower {
        client: client.clone(),
        run: run.clone(),
        options,
        last: options.after,
        resumes: true,
        connection: None,
        ready: VecDeque::new(),
        failure: None,
        failures: 0,
        run_has_ended: false,
        is_done: false,
    };
    stream::unfold(follower, Follower::next).boxed()
}

struct Follower {
    client: Client,
    run: RunId,
    options: EventsOptions,
    /// The last event handed out or already known.
    last: Option<Sequence>,
    /// Whether the host goes on from a given event.
    resumes: bool,
    connection: Option<Connection>,
    ready: VecDeque<RunEvent>,
    /// What ends the stream once the events before it are handed out.
    failure: Option<ClientError>,
    /// Connections in a row that got nowhere.
    failures: u32,
    /// Whether the host says that the run is over, though its last event has not come.
    run_has_ended: bool,
    is_done: bool,
}

struct Connection {
    response: Response,
    decoder: Decoder,
    /// Whether it brought anything at all, be it a sign of life.
    is_alive: bool,
    /// Whether it brought an event that was not known.
    has_news: bool,
}

impl Follower {
    async fn next(mut self) -> Option<(Result<RunEvent, ClientError>, Self)> {
        loop {
            if self.is_done {
                return None;
            }
            if let Some(event) = self.ready.pop_front() {
                self.is_done = event.event_type.is_terminal();
                return Some((Ok(event), self));
            }
            if let Some(error) = self.failure.take() {
                self.is_done = true;
                return Some((Err(error), self));
            }
            self.failure = self.advance().await.err();
        }
    }

    async fn advance(&mut self) -> Result<(), ClientError> {
        match self.connection.take() {
            Some(connection) => self.read(connection).await,
            None => self.connect().await,
        }
    }

    fn call(&self) -> Call {
        let buffer = self.options.buffer;
        let too_long = buffer.is_some_and(|buffer| buffer > LONGEST_BUFFER);
        let call = Call::get("/v1/runs/{runId}/events")
            .id(&self.run)
            .query("streamMode", Some(self.options.mode.as_str()))
            .query("bufferMs", buffer.map(|buffer| buffer.as_millis()))
            .header(ACCEPT, "text/event-stream")
            .problem(too_long.then(|| "buffer must be at most 5 seconds".to_owned()));
        match self.last.filter(|_| self.resumes) {
            Some(last) => call.header(LAST_EVENT_ID, &last.to_string()),
            None => call,
        }
    }

    async fn connect(&mut self) -> Result<(), ClientError> {
        match self.client.open(&self.call()).await {
            Ok(response) => {
                let decoder = Decoder::default();
                self.connection = Some(Connection { response, decoder, is_alive: false, has_news: false });
                Ok(())
            }
            Err(error) if self.refuses_to_resume(&error) => {
                self.resumes = false;
                Ok(())
            }
            Err(error) if may_pass(&error) => self.pause(error).await,
            Err(error) => Err(error),
        }
    }

    fn refuses_to_resume(&self, error: &ClientError) -> bool {
        let is_about_mode = error.as_api().is_some_and(|error| error.code == UNSUPPORTED_MODE);
        self.last.is_some() && self.resumes && error.status() == Some(400) && !is_about_mode
    }

    async fn read(&mut self, mut connection: Connection) -> Result<(), ClientError> {
        match connection.response.chunk().await {
            Ok(Some(bytes)) => {
                connection.is_alive = true;
                let frames = connection.decoder.push(&bytes);
                for frame in frames.map_err(|_| self.fault("data", "an event is too long"))? {
                    connection.has_news |= self.take(&frame)?;
                }
                self.connection = Some(connection);
                Ok(())
            }
            Ok(None) => self.ended(&connection).await,
            Err(error) => self.lost(&connection, ClientError::transport(self.call().endpoint(), error)).await,
        }
    }

    /// Takes the events of a frame that are not known yet, and tells whether there were any.
    fn take(&mut self, frame: &Frame) -> Result<bool, ClientError> {
        let events = frame::events(frame, self.client.scrubber());
        let events = events.map_err(|fault| self.fault(&fault.path, &fault.problem))?;
        let mut has_news = false;
        for event in events {
            if self.last.is_none_or(|last| event.sequence > last) {
                self.last = Some(event.sequence);
                self.failures = 0;
                has_news = true;
                self.ready.push_back(event);
            }
        }
        Ok(has_news)
    }

    /// The connection was closed in order, but no event said that the run is over.
    async fn ended(&mut self, connection: &Connection) -> Result<(), ClientError> {
        if !connection.has_news {
            if self.run_has_ended {
                self.is_done = true;
                return Ok(());
            }
            match self.client.runs().get(&self.run).await {
                Ok(snapshot) => self.run_has_ended = snapshot.status.is_terminal(),
                Err(error) if may_pass(&error) => return self.lost(connection, error).await,
                Err(error) => return Err(error),
            }
            if self.run_has_ended {
                // Its last events may have come between the connection and the question: one more connection tells.
                return Ok(());
            }
        }
        self.lost(connection, ClientError::ended(self.call().endpoint())).await
    }

    async fn lost(&mut self, connection: &Connection, error: ClientError) -> Result<(), ClientError> {
        if connection.is_alive && connection.decoder.is_between_frames() {
            self.failures = 0;
        }
        self.pause(error).await
    }

    /// Waits before the next connection, or gives up with `error`.
    async fn pause(&mut self, error: ClientError) -> Result<(), ClientError> {
        let shared = self.client.shared();
        let pause =
            shared.retry.pause(self.failures, &error).filter(|_| self.failures < self.options.reconnects);
        let Some(pause) = pause else { return Err(error) };
        self.failures += 1;
        shared.timer.wait(pause).await;
        Ok(())
    }

    fn fault(&self, path: &str, problem: &str) -> ClientError {
        let (path, problem) = (Some(path.to_owned()), problem.to_owned());
        ClientError::decode(self.call().endpoint(), DecodeError { status: 200, path, problem, quote: None })
    }
}

/// Whether a new connection may fare better.
fn may_pass(error: &ClientError) -> bool {
    error.transport_fault().is_some() || matches!(error.status(), Some(429 | 502..=504))
}
