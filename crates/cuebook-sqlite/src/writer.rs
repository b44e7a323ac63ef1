//! The one thread that writes, and group commit.
//!
//! Requests queue up while a commit is under way; the thread takes all that wait, up to a bound, runs them in one
//! transaction, each in a savepoint of its own, commits once, tells watchers, and answers. So a refused request undoes
//! nothing but itself, nothing is answered before it is durable, and a refusal that rests on another request of its group
//! is not given before that one is durable either.
//!
//! When a commit fails, every request of its group is answered with the failure, and the next group starts anew. It
//! refuses to try again on its own: only the caller knows whether that is right.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::{io, mem};

use cuebook_log::{LogError, QueueLength};
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::error::storage;
use crate::options::Options;
use crate::watchers::{News, Watchers};

/// What a request gives once it is durable.
pub(crate) struct Done<T> {
    /// What the caller is answered.
    pub(crate) answer: T,
    /// What watchers are told before.
    pub(crate) news: Option<News>,
}

impl<T> Done<T> {
    /// An answer that is no news to watchers.
    pub(crate) fn quiet(answer: T) -> Self {
        Self { answer, news: None }
    }
}

/// The handle of the thread. When it is dropped, what is queued is done first.
#[derive(Debug)]
pub(crate) struct Writer {
    queue: Option<mpsc::Sender<Box<dyn Job>>>,
    counters: Arc<Counters>,
    waiting: AtomicUsize,
    thread: Option<JoinHandle<()>>,
}

/// A request that has not been answered, for as long as this lives.
struct Waiting<'w>(&'w AtomicUsize);

impl<'w> Waiting<'w> {
    fn new(count: &'w AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Writer {
    /// Starts the thread, which owns `connection` from then on.
    pub(crate) fn start(
        connection: Connection,
        options: &Options,
        watchers: Arc<Watchers>,
    ) -> io::Result<Self> {
        let (queue, jobs) = mpsc::channel(options.queue.get());
        let counters = Arc::new(Counters::default());
        let group = options.group.get();
        let worker = Worker { connection, jobs, group, watchers, counters: Arc::clone(&counters) };
        let thread = thread::Builder::new().name("cuebook-writer".to_owned()).spawn(|| worker.run())?;
        Ok(Self { queue: Some(queue), counters, waiting: AtomicUsize::new(0), thread: Some(thread) })
    }

    /// Has `work` done in the next group, and gives its answer when it is durable.
    pub(crate) async fn ask<T, W>(&self, work: W) -> Result<T, LogError>
    where
        T: Send + 'static,
        W: FnOnce(&Connection) -> Result<Done<T>, LogError> + Send + 'static,
    {
        let _waiting = Waiting::new(&self.waiting);
        let (reply, answer) = oneshot::channel();
        let request = Box::new(Request { state: State::Asked(work), reply });
        let queue = self.queue.as_ref().ok_or_else(stopped)?;
        queue.send(request).await.map_err(|_| stopped())?;
        answer.await.map_err(|_| stopped())?
    }

    /// How many requests have not been answered.
    pub(crate) fn queue(&self) -> QueueLength {
        let room = self.queue.as_ref().map(mpsc::Sender::max_capacity);
        QueueLength { waiting: self.waiting.load(Ordering::Relaxed), room }
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // An error is a panic of the thread, which has been reported where it happened.
            drop(thread.join());
        }
    }
}

fn stopped() -> LogError {
    LogError::Storage("the thread that writes the database has stopped; restart the host".to_owned())
}

/// How much was written since the store was opened.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) requests: AtomicU64,
    pub(crate) commits: AtomicU64,
}

/// A request, whatever its answer is.
trait Job: Send {
    /// Does the work; an error when its changes are to be undone.
    fn perform(&mut self, connection: &Connection) -> Result<(), LogError>;

    /// Tells watchers and answers, when its group was committed; else answers why it was not.
    fn settle(self: Box<Self>, committed: Result<&Watchers, &LogError>);
}

struct Request<T, W> {
    state: State<T, W>,
    reply: oneshot::Sender<Result<T, LogError>>,
}

enum State<T, W> {
    Asked(W),
    Performed(Result<Done<T>, LogError>),
    /// Only while the work is being done.
    Taken,
}

impl<T, W> Job for Request<T, W>
where
    T: Send,
    W: FnOnce(&Connection) -> Result<Done<T>, LogError> + Send,
{
    fn perform(&mut self, connection: &Connection) -> Result<(), LogError> {
        if let State::Asked(work) = mem::replace(&mut self.state, State::Taken) {
            self.state = State::Performed(work(connection));
        }
        match &self.state {
            State::Performed(Err(error)) => Err(error.clone()),
            _ => Ok(()),
        }
    }

    fn settle(self: Box<Self>, committed: Result<&Watchers, &LogError>) {
        let answer = match (committed, self.state) {
            (Err(error), _) => Err(error.clone()),
            (Ok(watchers), State::Performed(done)) => done.map(|done| {
                done.news.iter().for_each(|news| watchers.tell(news));
                done.answer
            }),
            (Ok(_), _) => Err(stopped()),
        };
        // The caller may have gone away.
        let _ = self.reply.send(answer);
    }
}

/// What lives in the thread.
struct Worker {
    connection: Connection,
    jobs: mpsc::Receiver<Box<dyn Job>>,
    group: usize,
    watchers: Arc<Watchers>,
    counters: Arc<Counters>,
}

impl Worker {
    fn run(mut self) {
        let mut group = Vec::new();
        while self.jobs.blocking_recv_many(&mut group, self.group) > 0 {
            let committed = self.commit(&mut group);
            let committed = committed.as_ref().map(|()| &*self.watchers);
            group.drain(..).for_each(|job| job.settle(committed));
        }
    }

    /// Does all of `group` in one transaction; on an error nothing of it has happened.
    fn commit(&self, group: &mut [Box<dyn Job>]) -> Result<(), LogError> {
        self.counters.requests.fetch_add(group.len() as u64, Ordering::Relaxed);
        let done = self.transact(group);
        match done {
            Ok(()) => drop(self.counters.commits.fetch_add(1, Ordering::Relaxed)),
            Err(_) => self.roll_back(),
        }
        done
    }

    fn transact(&self, group: &mut [Box<dyn Job>]) -> Result<(), LogError> {
        self.execute("BEGIN IMMEDIATE", "begin a transaction")?;
        group.iter_mut().try_for_each(|job| self.perform(job.as_mut()))?;
        self.execute("COMMIT", "commit")
    }

    /// Does one job within a savepoint.
    fn perform(&self, job: &mut dyn Job) -> Result<(), LogError> {
        self.execute("SAVEPOINT job", "begin a request")?;
        if let Err(error) = job.perform(&self.connection) {
            // Out of space or memory, SQLite takes the whole transaction back.
            if self.connection.is_autocommit() {
                return Err(error);
            }
            self.execute("ROLLBACK TO job", "undo a request")?;
        }
        self.execute("RELEASE job", "end a request")
    }

    /// Leaves no transaction open, so that the next group can begin one.
    fn roll_back(&self) {
        if !self.connection.is_autocommit() {
            // If even this fails, the next group cannot begin, and is told so.
            let _ = self.execute("ROLLBACK", "undo a transaction");
        }
    }

    fn execute(&self, sql: &str, doing: &str) -> Result<(), LogError> {
        let mut statement = self.connection.prepare_cached(sql).map_err(|error| storage(doing, &error))?;
        statement.execute([]).map(drop).map_err(|error| storage(doing, &error))
    }
}

#[cfg(test)]
mod tests;
