//! A database that an earlier version wrote is read for ever.
//!
//! Each file holds what [`write`] wrote in its time, and is never written again: `fixtures/v1.db` in format 8, the first
//! that was ever released; `fixtures/v2.db` in format 10, with a request that was answered and one under way. For a later
//! format, a new file is made once by `CUEBOOK_NEW_FIXTURE=NAME cargo test -p cuebook-sqlite fixture::`, which
//! refuses to overwrite one.

use std::fs;
use std::path::{Path, PathBuf};

use cuebook_log::{
    Append, Blobs, Claim, Claimed, Definition, Definitions, Ending, Inbox, LogError, Offered, Open, Reply,
    RequestKey, Requests, RunEntry, RunIndex, RunLog, Signal,
};
use cuebook_prompt::{ContentHash, Principal};
use cuebook_sqlite::SqliteStore;
use cuebook_wire::{EventType, RunId, RunStatus, Sequence, Timestamp, WorkflowId};
use serde_json::json;
use tempfile::TempDir;

use crate::support::{acme, batch, entry, log, open};

const TEXT: &str = "The night train leaves at \u{1F55B}.\n";

const DEFINITION: &str = "{ \"id\": \"newsroom\", \"nodes\": [] }";

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn other() -> Principal {
    Principal { tenant: "other".to_owned(), workspace: Some("office".to_owned()) }
}

fn signal(key: &str) -> Signal {
    Signal { key: key.to_owned(), body: json!({ "for": key, "number": 0.1 }) }
}

/// The batch that ends the run `ended`.
fn ending() -> Append {
    let run_id = RunId::new("ended");
    let mut ending = batch(&run_id, 0, 2);
    ending.records[0].event.payload = json!({ "z": 1, "a": [u64::MAX, -0.5, null], "text": TEXT });
    ending.records[0].private = cuebook_log::Private::NONE;
    ending.records[1].event.event_type = EventType::RunCompleted;
    ending.entry = RunEntry {
        status: RunStatus::Completed,
        started_at: Timestamp::from_millis(1_795_903_200_000),
        ..entry(&run_id)
    };
    ending
}

fn claim(key: &str, owner: &str, ticket: &str) -> Claim {
    Claim {
        request: RequestKey { endpoint: "POST /v1/runs".to_owned(), key: key.to_owned() },
        body: ContentHash::of("{}"),
        owner: owner.to_owned(),
        ticket: ticket.to_owned(),
        at: Timestamp::from_millis(1_795_903_200_000),
        forgotten: Timestamp::from_millis(0),
    }
}

fn reply() -> Reply {
    let headers = vec![("location".to_owned(), "/v1/runs/going".to_owned())];
    Reply { status: 201, headers, body: TEXT.into() }
}

/// Writes one of everything: three runs of two tenants, signals, blobs, definitions, requests.
async fn write(store: &SqliteStore) {
    let (going, ended) = (RunId::new("going"), RunId::new("ended"));
    assert_eq!(RunLog::open(store, &acme(), &going, Open::New).await, Ok(1));
    assert_eq!(RunLog::open(store, &acme(), &going, Open::TakeOver).await, Ok(2));
    assert_eq!(RunLog::open(store, &acme(), &ended, Open::New).await, Ok(1));
    assert_eq!(RunLog::open(store, &other(), &going, Open::New).await, Ok(1));
    for key in ["one", "two", "three"] {
        assert_eq!(store.offer(&acme(), &going, signal(key)).await, Ok(Offered::Accepted));
    }
    let consumed = vec!["two".to_owned()];
    let first = Append { epoch: 2, consumed, ..batch(&going, 0, 3) };
    assert_eq!(store.append(&acme(), first).await, Ok(()));
    assert_eq!(store.append(&acme(), ending()).await, Ok(()));
    assert_eq!(store.put(&acme(), TEXT).await, Ok(ContentHash::of(TEXT)));
    let newsroom = WorkflowId::new("newsroom");
    let registered = store.register(&other(), &newsroom, DEFINITION).await;
    assert_eq!(registered, Ok(ContentHash::of(DEFINITION)));
    for key in ["answered", "under way"] {
        assert_eq!(
            store.claim(&acme(), claim(key, "writer", "t1")).await,
            Ok(Claimed::Yours("t1".to_owned()))
        );
    }
    let answered = claim("answered", "writer", "t1").request;
    assert_eq!(store.settle(&acme(), &answered, Ending::Answered(reply())).await, Ok(()));
}

/// Reads everything back that [`write`] wrote.
async fn assert_written(store: &SqliteStore) {
    let (going, ended) = (RunId::new("going"), RunId::new("ended"));
    assert_eq!(log(store, &going).await, Ok(batch(&going, 0, 3).records));
    assert_eq!(log(store, &ended).await, Ok(ending().records));
    assert_eq!(store.runs(&acme(), &[], 9).await, Ok(vec![ending().entry, entry(&going)]));
    assert_eq!(store.pending(&acme(), &going).await, Ok(vec![signal("one"), signal("three")]));
    assert_eq!(store.read(&other(), &going, Sequence(0), 9).await, Ok(Vec::new()));
    assert_eq!(store.runs(&other(), &[], 9).await, Ok(Vec::new()));
    let hash = ContentHash::of(TEXT);
    assert_eq!(store.get(&acme(), &hash).await, Ok(Some(TEXT.to_owned())));
    assert_eq!(store.get(&other(), &hash).await, Ok(None));
    let definition = Definition {
        workflow_id: WorkflowId::new("newsroom"),
        hash: ContentHash::of(DEFINITION),
        text: DEFINITION.to_owned(),
    };
    assert_eq!(store.definitions(&other(), None, 9).await, Ok(vec![definition]));
}

/// Reads the requests back, which the first format did not have.
async fn assert_requests_written(store: &SqliteStore) {
    let answered = store.claim(&acme(), claim("answered", "reader", "t2")).await;
    assert_eq!(answered, Ok(Claimed::Answered(reply())));
    let begun = store.claim(&acme(), claim("under way", "reader", "t2")).await;
    assert_eq!(begun, Ok(Claimed::Yours("t1".to_owned())));
}

/// Goes on where the writer of the database stopped.
async fn assert_goes_on(store: &SqliteStore) {
    let (going, ended) = (RunId::new("going"), RunId::new("ended"));
    assert_eq!(store.offer(&acme(), &going, signal("two")).await, Ok(Offered::Duplicate));
    let stale = store.append(&acme(), batch(&going, 3, 1)).await;
    assert_eq!(stale, Err(LogError::StaleWriter { given: 1, current: 2 }));
    assert_eq!(RunLog::open(store, &acme(), &going, Open::TakeOver).await, Ok(3));
    assert_eq!(store.append(&acme(), Append { epoch: 3, ..batch(&going, 3, 1) }).await, Ok(()));
    assert_eq!(store.append(&acme(), batch(&ended, 2, 1)).await, Err(LogError::Ended(ended)));
}

async fn assert_readable(database: &Path) {
    let directory = TempDir::new().expect("a temporary directory");
    fs::copy(database, directory.path().join("cuebook.db")).expect("a fixture can be copied");
    let store = open(directory.path());
    assert_written(&store).await;
    if !database.ends_with("v1.db") {
        assert_requests_written(&store).await;
    }
    assert_goes_on(&store).await;
}

/// Writes a database with this version, and keeps it as a fixture when that is asked for.
#[tokio::test]
async fn a_database_of_this_version_is_read() {
    let place = TempDir::new().expect("a temporary directory");
    let store = open(place.path());
    write(&store).await;
    assert_written(&store).await;
    drop(store);
    let database = place.path().join("cuebook.db");
    if let Some(name) = std::env::var_os("CUEBOOK_NEW_FIXTURE") {
        let fixture = directory().join(name);
        assert!(!fixture.exists(), "{} is there and is kept", fixture.display());
        fs::copy(&database, fixture).expect("a fixture can be written");
    }
    assert_readable(&database).await;
}

#[tokio::test]
async fn databases_of_earlier_versions_are_read() {
    let files = fs::read_dir(directory()).expect("there are fixtures");
    let mut fixtures: Vec<PathBuf> = files.map(|file| file.expect("a directory entry").path()).collect();
    fixtures.sort();
    for kept in ["v1.db", "v2.db"] {
        assert!(fixtures.contains(&directory().join(kept)), "{kept} is kept for ever");
    }
    for fixture in fixtures {
        assert_readable(&fixture).await;
    }
}
