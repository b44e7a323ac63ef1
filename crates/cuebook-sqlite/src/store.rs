//! The store: one database, its writer, its readers and who watches; and the ports, as one line each to their tables.

mod agenda;
mod retention;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use cuebook_log::{
    Answer, Append, Blobs, Claim, Claimed, Definition, Definitions, Ending, Inbox, LogError, Offered, Open,
    QueueLength, Record, RequestKey, Requests, RunEntry, RunIndex, RunLog, Signal, WriteQueue,
};
use cuebook_prompt::{ContentHash, Principal};
use cuebook_wire::{RunId, RunStatus, Sequence, WorkflowId};
use rusqlite::Connection;
use tokio::sync::watch;

use crate::data_dir::DataDir;
use crate::database::Database;
use crate::error::OpenError;
use crate::holds::Held;
use crate::json::{Row, to_body, to_rows};
use crate::options::Options;
use crate::readers::Readers;
use crate::watchers::{Key, News, Watchers};
use crate::writer::{Done, Writer};
use crate::{agenda as agenda_table, blobs, definitions, holds, records, requests, runs, signals};

/// A store for runs on SQLite, in a data directory that it holds as long as it lives.
///
/// Its calls may be awaited on any runtime. When it is dropped, what was asked of it is done first.
///
/// What a call has acknowledged survives the process and, as far as the disk keeps what it has confirmed, the machine.
/// After [`LogError::Storage`] or [`LogError::Full`] from a call that writes, nothing has happened in this process; if the machine stops before
/// the next write, the whole of it may still be there at the next start, so a writer reads where the log stands before it
/// repeats.
#[derive(Debug)]
pub struct SqliteStore {
    // Dropped in this order: the last connection to close is the one that can tidy up.
    pub(crate) readers: Readers,
    pub(crate) writer: Writer,
    watchers: Arc<Watchers>,
    data_dir: DataDir,
}

/// How much a store has written since it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Requests that were taken up: openings, batches, signals, blobs, definitions, claims; refused ones too.
    pub requests: u64,
    /// Commits, each of one or more requests.
    pub commits: u64,
}

impl SqliteStore {
    /// Opens the store in the data directory `path`, and makes both when they are not there.
    ///
    /// # Errors
    ///
    /// What [`DataDir::open`] refuses; and, with nothing changed, [`OpenError::NotADatabase`],
    /// [`OpenError::OtherApplication`] and [`OpenError::NewerFormat`] when the database is not one that this version may
    /// touch, [`OpenError::Damaged`] when a page of it is torn and it is not larger than 64 MiB; [`OpenError::Sqlite`] when SQLite cannot open it or bring it to the present format; [`OpenError::Thread`].
    pub fn open(path: impl Into<PathBuf>, options: &Options) -> Result<Self, OpenError> {
        Self::open_in(DataDir::open(path)?, options)
    }

    /// Opens the store in a data directory that is held already.
    ///
    /// # Errors
    ///
    /// As [`SqliteStore::open`], except for what concerns the directory.
    pub fn open_in(data_dir: DataDir, options: &Options) -> Result<Self, OpenError> {
        let (database, connection) = Database::open(data_dir.database(), options)?;
        let watchers = Arc::new(Watchers::default());
        let failed = |source| OpenError::Thread { source };
        let writer = Writer::start(connection, options, Arc::clone(&watchers)).map_err(failed)?;
        let readers = Readers::start(&database, options).map_err(failed)?;
        Ok(Self { readers, writer, watchers, data_dir })
    }

    /// The data directory of the store.
    pub fn path(&self) -> &Path {
        self.data_dir.path()
    }

    /// How much the store has written since it was opened.
    pub fn stats(&self) -> Stats {
        let counters = self.writer.counters();
        Stats {
            requests: counters.requests.load(Ordering::Relaxed),
            commits: counters.commits.load(Ordering::Relaxed),
        }
    }

    /// Reads from a run.
    fn read_run<'a, T: Send + 'static>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        work: impl FnOnce(&Connection, &Key) -> Result<T, LogError> + Send + 'static,
    ) -> Answer<'a, T> {
        Box::pin(async move {
            let run = key(principal, run_id);
            self.readers.ask(move |connection| work(connection, &run)).await
        })
    }
}

fn key(principal: &Principal, run_id: &RunId) -> Key {
    (principal.tenant.clone(), run_id.clone())
}

/// Appends `batch`, whose records are `rows`, in the transaction of `connection`.
fn append(
    connection: &Connection,
    run: Key,
    batch: &Append,
    rows: Result<Vec<Row>, LogError>,
    taken: &[Held],
) -> Result<Done<()>, LogError> {
    let head = runs::head(connection, &run)?.admit(batch)?;
    let rows = rows?;
    records::insert(connection, &run.0, &run.1, &rows)?;
    signals::consume(connection, &run.0, &run.1, &batch.consumed)?;
    holds::take(connection, &run, taken)?;
    runs::advance(connection, &run.0, batch, &head)?;
    agenda_table::write(connection, &run.0, &run.1, (!head.ended).then_some(batch.due))?;
    let news = (!rows.is_empty()).then_some(News { run, next: Some(head.next) });
    Ok(Done { answer: (), news })
}

/// Offers a signal with the text of its body in the transaction of `connection`.
fn offer(
    connection: &Connection,
    run: Key,
    signal: &Signal,
    body: Result<String, LogError>,
    room: usize,
) -> Result<Done<Offered>, LogError> {
    let head = runs::head(connection, &run)?;
    let answer = signals::offer(connection, &run, &signal.key, &body?, room)?;
    let news = (answer == Offered::Accepted).then_some(News { run, next: Some(head.next) });
    Ok(Done { answer, news })
}

impl RunLog for SqliteStore {
    fn open<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId, how: Open) -> Answer<'a, u64> {
        Box::pin(async move {
            let run = key(principal, run_id);
            self.writer.ask(move |connection| runs::open(connection, &run, how).map(Done::quiet)).await
        })
    }

    fn append<'a>(&'a self, principal: &'a Principal, batch: Append) -> Answer<'a, ()> {
        Box::pin(async move {
            let run = key(principal, &batch.run_id);
            let rows = to_rows(&batch.records);
            let taken: Vec<Held> = batch.holds.iter().map(|hold| Held::of(hold, principal)).collect();
            self.writer.ask(move |connection| append(connection, run, &batch, rows, &taken)).await
        })
    }

    fn read<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        from: Sequence,
        limit: usize,
    ) -> Answer<'a, Vec<Record>> {
        self.read_run(principal, run_id, move |connection, run| records::page(connection, run, from, limit))
    }

    fn watch<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
    ) -> Answer<'a, watch::Receiver<Sequence>> {
        Box::pin(async move {
            let run = key(principal, run_id);
            let mut receiver = self.watchers.subscribe(run.clone());
            let head = self.read_run(principal, run_id, runs::head).await?;
            self.watchers.start(&run, head.next, &mut receiver);
            Ok(receiver)
        })
    }
}

impl Inbox for SqliteStore {
    fn offer_within<'a>(
        &'a self,
        principal: &'a Principal,
        run_id: &'a RunId,
        signal: Signal,
        room: usize,
    ) -> Answer<'a, Offered> {
        Box::pin(async move {
            let run = key(principal, run_id);
            let body = to_body(&signal.body);
            self.writer.ask(move |connection| offer(connection, run, &signal, body, room)).await
        })
    }

    fn pending<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId) -> Answer<'a, Vec<Signal>> {
        self.read_run(principal, run_id, signals::pending)
    }
}

impl RunIndex for SqliteStore {
    fn entry<'a>(&'a self, principal: &'a Principal, run_id: &'a RunId) -> Answer<'a, RunEntry> {
        self.read_run(principal, run_id, runs::entry)
    }

    fn runs<'a>(
        &'a self,
        principal: &'a Principal,
        statuses: &'a [RunStatus],
        limit: usize,
    ) -> Answer<'a, Vec<RunEntry>> {
        Box::pin(async move {
            let (tenant, statuses) = (principal.tenant.clone(), statuses.to_vec());
            self.readers.ask(move |connection| runs::list(connection, &tenant, &statuses, limit)).await
        })
    }

    fn in_scope<'a>(&'a self, principal: &'a Principal, scope: &'a str) -> Answer<'a, Vec<RunId>> {
        Box::pin(async move {
            let (tenant, scope) = (principal.tenant.clone(), scope.to_owned());
            self.readers.ask(move |connection| holds::in_scope(connection, &tenant, &scope)).await
        })
    }
}

impl WriteQueue for SqliteStore {
    fn queue(&self) -> QueueLength {
        self.writer.queue()
    }
}

impl Blobs for SqliteStore {
    fn put<'a>(&'a self, principal: &'a Principal, text: &'a str) -> Answer<'a, ContentHash> {
        Box::pin(async move {
            let (hash, tenant, text) = (ContentHash::of(text), principal.tenant.clone(), text.to_owned());
            let stored = hash.clone();
            let work = move |connection: &Connection| {
                blobs::put(connection, &tenant, stored.as_str(), &text).map(Done::quiet)
            };
            self.writer.ask(work).await.map(|()| hash)
        })
    }

    fn get<'a>(&'a self, principal: &'a Principal, hash: &'a ContentHash) -> Answer<'a, Option<String>> {
        Box::pin(async move {
            let (tenant, hash) = (principal.tenant.clone(), hash.clone());
            self.readers.ask(move |connection| blobs::get(connection, &tenant, hash.as_str())).await
        })
    }
}

impl Definitions for SqliteStore {
    fn register<'a>(
        &'a self,
        principal: &'a Principal,
        workflow_id: &'a WorkflowId,
        text: &'a str,
    ) -> Answer<'a, ContentHash> {
        Box::pin(async move {
            let (tenant, hash) = (principal.tenant.clone(), ContentHash::of(text));
            let definition =
                Definition { workflow_id: workflow_id.clone(), hash: hash.clone(), text: text.to_owned() };
            let work = move |connection: &Connection| {
                definitions::put(connection, &tenant, &definition).map(Done::quiet)
            };
            self.writer.ask(work).await.map(|()| hash)
        })
    }

    fn definition<'a>(
        &'a self,
        principal: &'a Principal,
        workflow_id: &'a WorkflowId,
    ) -> Answer<'a, Option<Definition>> {
        Box::pin(async move {
            let (tenant, id) = (principal.tenant.clone(), workflow_id.clone());
            self.readers.ask(move |connection| definitions::get(connection, &tenant, &id)).await
        })
    }

    fn definitions<'a>(
        &'a self,
        principal: &'a Principal,
        after: Option<&'a WorkflowId>,
        limit: usize,
    ) -> Answer<'a, Vec<Definition>> {
        Box::pin(async move {
            let (tenant, after) = (principal.tenant.clone(), after.cloned());
            let work =
                move |connection: &Connection| definitions::page(connection, &tenant, after.as_ref(), limit);
            self.readers.ask(work).await
        })
    }
}

impl Requests for SqliteStore {
    fn claim<'a>(&'a self, principal: &'a Principal, claim: Claim) -> Answer<'a, Claimed> {
        Box::pin(async move {
            let tenant = principal.tenant.clone();
            let work =
                move |connection: &Connection| requests::claim(connection, &tenant, &claim).map(Done::quiet);
            self.writer.ask(work).await
        })
    }

    fn settle<'a>(
        &'a self,
        principal: &'a Principal,
        request: &'a RequestKey,
        ending: Ending,
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let (tenant, request) = (principal.tenant.clone(), request.clone());
            let work = move |connection: &Connection| {
                requests::settle(connection, &tenant, &request, &ending).map(Done::quiet)
            };
            self.writer.ask(work).await
        })
    }
}
