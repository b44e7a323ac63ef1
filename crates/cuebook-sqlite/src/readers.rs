//! The connections that read.
//!
//! Each is opened when all others are at work, up to a bound, and kept. Reading happens on the runtime's threads for
//! blocking work, so that a slow disk holds up no task. Each request sees the latest commit. It refuses to write: its
//! connections cannot.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cuebook_log::LogError;
use rusqlite::Connection;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::database::Database;
use crate::error::storage;
use crate::options::Options;

/// The pool; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Readers {
    pool: Arc<Pool>,
}

#[derive(Debug)]
struct Pool {
    database: Database,
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
}

impl Readers {
    pub(crate) fn new(database: Database, options: &Options) -> Self {
        let permits = Arc::new(Semaphore::new(options.readers.get()));
        Self { pool: Arc::new(Pool { database, idle: Mutex::default(), permits }) }
    }

    /// Does `work` on a connection of its own.
    pub(crate) async fn ask<T, W>(&self, work: W) -> Result<T, LogError>
    where
        T: Send + 'static,
        W: FnOnce(&Connection) -> Result<T, LogError> + Send + 'static,
    {
        let pool = Arc::clone(&self.pool);
        let permit = Arc::clone(&pool.permits).acquire_owned().await.map_err(|_| closed())?;
        let read = spawn_blocking(move || {
            // The permit goes with the connection, also when nobody waits for the answer any more.
            let _permit = permit;
            pool.read(work)
        });
        read.await.map_err(|_| closed())?
    }
}

impl Pool {
    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, LogError>) -> Result<T, LogError> {
        let connection = self.take().map_err(|error| storage("open the database for reading", &error))?;
        let answer = work(&connection);
        self.idle().push(connection);
        answer
    }

    fn take(&self) -> rusqlite::Result<Connection> {
        let idle = self.idle().pop();
        idle.map_or_else(|| self.database.reader(), Ok)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn closed() -> LogError {
    LogError::Storage("reading was interrupted: the host is shutting down".to_owned())
}
