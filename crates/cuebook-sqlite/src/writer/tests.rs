//! Group commit, request by request: what shares a commit, what is undone, what is told, and when.

use std::num::NonZeroUsize;
use std::sync::mpsc::{Sender, channel};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join_all};

use super::*;
use cuebook_wire::{RunId, Sequence};

/// A writer on a table of numbers, in which no number stands twice.
fn writer(options: &Options) -> (Arc<Writer>, Arc<Watchers>) {
    let connection = Connection::open_in_memory().expect("a database in memory");
    let schema = "PRAGMA foreign_keys = ON; CREATE TABLE numbers (number INTEGER PRIMARY KEY, text TEXT);
                  CREATE TABLE others (number INTEGER REFERENCES numbers DEFERRABLE INITIALLY DEFERRED);";
    connection.execute_batch(schema).expect("tables can be made");
    let watchers = Arc::new(Watchers::default());
    let writer = Writer::start(connection, options, Arc::clone(&watchers)).expect("a thread can be started");
    (Arc::new(writer), watchers)
}

fn small_groups(group: usize) -> Options {
    Options { group: NonZeroUsize::new(group).expect("a positive number"), ..Options::default() }
}

fn run(connection: &Connection, sql: &str) -> Result<(), LogError> {
    connection.execute_batch(sql).map_err(|error| storage("test", &error))
}

fn insert(connection: &Connection, number: u64) -> Result<Done<u64>, LogError> {
    run(connection, &format!("INSERT INTO numbers VALUES ({number}, '')")).map(|()| Done::quiet(number))
}

fn numbers(connection: &Connection) -> Result<Done<Vec<u64>>, LogError> {
    let read = || {
        let mut statement = connection.prepare("SELECT number FROM numbers ORDER BY number")?;
        let rows = statement.query_map([], |row| row.get::<_, i64>(0))?;
        rows.map(|number| number.map(i64::unsigned_abs)).collect::<Result<_, _>>()
    };
    read().map(Done::quiet).map_err(|error| storage("test", &error))
}

fn commits(writer: &Writer) -> u64 {
    writer.counters().commits.load(Ordering::Relaxed)
}

/// Keeps the thread at work until the sender is dropped.
fn occupy(writer: &Arc<Writer>) -> (Sender<()>, BoxFuture<'static, Result<(), LogError>>) {
    let (release, released) = channel::<()>();
    let (begun, beginning) = channel();
    let busy = Arc::clone(writer);
    let mut waiting = async move {
        let work = move |_: &Connection| {
            let _ = begun.send(());
            let _ = released.recv();
            Ok(Done::quiet(()))
        };
        busy.ask(work).await
    }
    .boxed();
    assert!((&mut waiting).now_or_never().is_none());
    beginning.recv().expect("the thread takes the request up");
    (release, waiting)
}

/// A request that stands in the queue.
fn queued<T: Send + 'static>(
    writer: &Arc<Writer>,
    work: impl FnOnce(&Connection) -> Result<Done<T>, LogError> + Send + 'static,
) -> BoxFuture<'static, Result<T, LogError>> {
    let writer = Arc::clone(writer);
    let mut asked = async move { writer.ask(work).await }.boxed();
    assert!((&mut asked).now_or_never().is_none());
    asked
}

#[tokio::test]
async fn what_waits_shares_a_commit() {
    #[track_caller]
    fn check(writer: &Writer, expect: u64) {
        assert_eq!((commits(writer), writer.counters().requests.load(Ordering::Relaxed)), (expect, 11));
    }
    for (group, expect) in [(256, 2), (10, 2), (9, 3), (3, 5), (1, 11)] {
        let (writer, _) = writer(&small_groups(group));
        let (release, first) = occupy(&writer);
        let asked: Vec<_> =
            (0..10).map(|number| queued(&writer, move |connection| insert(connection, number))).collect();
        drop(release);
        assert_eq!(first.await, Ok(()));
        let answers: Vec<_> = join_all(asked).await;
        assert_eq!(answers, (0..10).map(Ok).collect::<Vec<_>>());
        check(&writer, expect);
    }
}

#[tokio::test]
async fn a_refused_request_undoes_itself_alone() {
    let (writer, _) = writer(&Options::default());
    let refusal = LogError::Ended(RunId::new("run"));
    let refused = refusal.clone();
    let (release, first) = occupy(&writer);
    let before = queued(&writer, |connection| insert(connection, 1));
    let between = queued(&writer, |connection| {
        insert(connection, 2)?;
        Err::<Done<()>, _>(refused)
    });
    let failing = queued(&writer, |connection| insert(connection, 3).and_then(|_| insert(connection, 1)));
    let after = queued(&writer, |connection| insert(connection, 4));
    drop(release);
    assert_eq!((first.await, before.await, between.await, after.await), (Ok(()), Ok(1), Err(refusal), Ok(4)));
    assert!(matches!(failing.await, Err(LogError::Storage(text)) if text.contains("UNIQUE")));
    assert_eq!(writer.ask(numbers).await, Ok(vec![1, 4]));
    assert_eq!(commits(&writer), 3);
}

#[tokio::test]
async fn a_failed_commit_fails_its_whole_group_and_no_other() {
    let (writer, watchers) = writer(&Options::default());
    let run_key = ("acme".to_owned(), RunId::new("run"));
    let watch = watchers.subscribe(run_key.clone());
    let (release, first) = occupy(&writer);
    let good = queued(&writer, move |connection| {
        let news = Some(News { run: run_key, next: Some(Sequence(1)) });
        insert(connection, 1).map(|done| Done { news, ..done })
    });
    let refused = queued(&writer, |_| Err::<Done<()>, _>(LogError::Ended(RunId::new("run"))));
    let orphan =
        queued(&writer, |connection| run(connection, "INSERT INTO others VALUES (99)").map(Done::quiet));
    drop(release);
    assert_eq!(first.await, Ok(()));
    let failed = LogError::Storage("cannot commit: FOREIGN KEY constraint failed".to_owned());
    assert_eq!((good.await, refused.await), (Err(failed.clone()), Err(failed.clone())));
    assert_eq!(orphan.await, Err(failed));
    assert!(!watch.has_changed().expect("the channel is open"), "nobody is told of what did not happen");
    assert_eq!(writer.ask(|connection| insert(connection, 2)).await, Ok(2));
    assert_eq!(writer.ask(numbers).await, Ok(vec![2]));
}

#[tokio::test]
async fn a_full_disk_is_reported_and_the_writer_goes_on() {
    let (writer, _) = writer(&Options::default());
    let limit = |pages: u32| {
        move |connection: &Connection| {
            run(connection, &format!("PRAGMA max_page_count = {pages}")).map(Done::quiet)
        }
    };
    let large = |connection: &Connection| {
        run(connection, "INSERT INTO numbers VALUES (7, hex(zeroblob(1000000)))").map(Done::quiet)
    };
    assert_eq!(writer.ask(limit(16)).await, Ok(()));
    let full = "cannot test: database or disk is full (free space on the disk of the data directory)";
    for _ in 0..3 {
        assert_eq!(writer.ask(large).await, Err(LogError::Full(full.to_owned())));
    }
    assert_eq!(writer.ask(|connection| insert(connection, 1)).await, Ok(1));
    assert_eq!(writer.ask(limit(10_000)).await, Ok(()));
    assert_eq!(writer.ask(large).await, Ok(()));
    assert_eq!(writer.ask(numbers).await, Ok(vec![1, 7]));
}

#[tokio::test]
async fn watchers_are_told_before_the_answer() {
    let (writer, watchers) = writer(&Options::default());
    let run_key = ("acme".to_owned(), RunId::new("run"));
    let watch = watchers.subscribe(run_key.clone());
    let news = News { run: run_key, next: Some(Sequence(3)) };
    let answer = writer.ask(|_| Ok(Done { answer: (), news: Some(news) })).await;
    assert_eq!((answer, *watch.borrow()), (Ok(()), Sequence(3)));
    assert!(watch.has_changed().expect("the channel is open"));
}

#[tokio::test]
async fn what_is_queued_is_done_before_the_writer_goes() {
    let (writer, _) = writer(&Options::default());
    let (done, was_done) = channel();
    let (release, first) = occupy(&writer);
    for number in 0..100_u64 {
        let done = done.clone();
        // Its caller goes away at once.
        drop(queued(&writer, move |connection| {
            let answer = insert(connection, number);
            let _ = done.send(number);
            answer
        }));
    }
    drop((release, first, done));
    drop(Arc::into_inner(writer).expect("nobody else has the writer"));
    assert_eq!(was_done.iter().collect::<Vec<_>>(), (0..100).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_caller_waits_when_the_queue_is_full() {
    let one = NonZeroUsize::MIN;
    let (writer, _) = writer(&Options { queue: one, ..Options::default() });
    let (release, first) = occupy(&writer);
    let in_queue = queued(&writer, |connection| insert(connection, 1));
    let gone = queued(&writer, |connection| insert(connection, 2));
    let waits = queued(&writer, |connection| insert(connection, 3));
    drop(gone);
    drop(release);
    assert_eq!((first.await, in_queue.await, waits.await), (Ok(()), Ok(1), Ok(3)));
    assert_eq!(writer.ask(numbers).await, Ok(vec![1, 3]));
}

#[test]
fn the_queue_counts_what_is_not_answered_and_who_waits_to_hand_over() {
    let (writer, _) = writer(&Options { queue: NonZeroUsize::MIN, ..Options::default() });
    assert_eq!(writer.queue(), QueueLength { waiting: 0, room: Some(1) });
    let (release, mut busy) = occupy(&writer);
    assert_eq!(writer.queue(), QueueLength { waiting: 1, room: Some(1) });
    assert!(writer.queue().is_full());
    let mut more: Vec<_> =
        (0..3).map(|number| queued(&writer, move |connection| insert(connection, number))).collect();
    assert_eq!(writer.queue().waiting, 4);
    drop(more.pop());
    assert_eq!(writer.queue().waiting, 3, "who goes away is not counted");
    drop(release);
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        (&mut busy).await.expect("the writer goes on");
        join_all(more).await.into_iter().for_each(|answer| assert!(answer.is_ok()));
    });
    drop(busy);
    assert_eq!(writer.queue().waiting, 0);
}
