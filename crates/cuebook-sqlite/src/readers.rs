//! The threads that read, each with a connection of its own that it opens when it is first needed.
//!
//! Each request sees the latest commit. A slow disk holds up no task of the runtime. Threads of our own serve short reads
//! as fast as the runtime's threads for blocking work do when few ask, and three times as fast when many do. This module
//! refuses to write: its connections cannot.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use cuebook_log::LogError;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::database::Database;
use crate::error::storage;
use crate::options::Options;

/// A request with the way to its caller in it.
type Read = Box<dyn FnOnce(Result<&Connection, LogError>) + Send>;

/// The handle of the threads. When it is dropped, what is queued is read first.
#[derive(Debug)]
pub(crate) struct Readers {
    queue: Option<mpsc::Sender<Read>>,
    threads: Vec<JoinHandle<()>>,
}

impl Readers {
    /// Starts the threads.
    pub(crate) fn start(database: &Database, options: &Options) -> io::Result<Self> {
        let (queue, reads) = mpsc::channel(options.queue.get());
        let reads = Arc::new(Mutex::new(reads));
        let threads = (0..options.readers.get()).map(|_| {
            let (database, reads) = (database.clone(), Arc::clone(&reads));
            thread::Builder::new().name("cuebook-reader".to_owned()).spawn(move || serve(&database, &reads))
        });
        Ok(Self { threads: threads.collect::<Result<_, _>>()?, queue: Some(queue) })
    }

    /// Has `work` done by one of the threads.
    pub(crate) async fn ask<T, W>(&self, work: W) -> Result<T, LogError>
    where
        T: Send + 'static,
        W: FnOnce(&Connection) -> Result<T, LogError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let read: Read = Box::new(move |connection| {
            // Nothing is read for a caller who has gone away.
            if !reply.is_closed() {
                let _ = reply.send(connection.and_then(work));
            }
        });
        let queue = self.queue.as_ref().ok_or_else(stopped)?;
        queue.send(read).await.map_err(|_| stopped())?;
        answer.await.map_err(|_| stopped())?
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.queue = None;
        for thread in self.threads.drain(..) {
            // An error is a panic of the thread, which has been reported where it happened.
            drop(thread.join());
        }
    }
}

fn serve(database: &Database, reads: &Mutex<mpsc::Receiver<Read>>) {
    let mut opened = None;
    while let Some(read) = next(reads) {
        match opened.take().map_or_else(|| database.reader(), Ok) {
            Ok(connection) => read(Ok(opened.insert(connection))),
            Err(error) => read(Err(storage("open the database for reading", &error))),
        }
    }
}

/// Waits for a request. One thread waits for it, the others wait for their turn to do so.
fn next(reads: &Mutex<mpsc::Receiver<Read>>) -> Option<Read> {
    reads.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv()
}

fn stopped() -> LogError {
    LogError::Storage("the threads that read the database have stopped; restart the host".to_owned())
}
