//! What is opened, what is refused, how that reads, and that what is refused stays as it was.

use std::fs;
use std::path::Path;

use cuebook_sqlite::{DataDir, OpenError, Options, SqliteStore};
use cuebook_wire::RunId;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::support::{assert_log, batch, begin, open};
use cuebook_log::RunLog;

fn directory() -> TempDir {
    TempDir::new().expect("a temporary directory")
}

/// Why `path` is not opened: the message, its causes and what helps, with `<dir>` for the directory.
#[track_caller]
fn refusal(path: &Path, directory: &Path) -> String {
    let error = SqliteStore::open(path, &Options::default()).map(drop).expect_err("the store is refused");
    let causes = std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source());
    let texts: Vec<String> = causes.map(ToString::to_string).collect();
    let hint = error.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
    format!("{}{hint}", texts.join(": ")).replace(&directory.display().to_string(), "<dir>")
}

/// A database of this version without runs.
fn fresh(directory: &Path) {
    drop(open(directory));
}

fn change(directory: &Path, sql: &str) {
    let connection = Connection::open(directory.join("cuebook.db")).expect("a database can be opened");
    connection.execute_batch(sql).expect("a database can be changed");
}

/// Every file of `directory` with its bytes, but the lock and what SQLite keeps to read: the index of a log, and a log without
/// a byte in it.
fn files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(directory).expect("a directory can be listed");
    let mut files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| entry.expect("a directory entry").path())
        .map(|path| {
            let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
            (name, fs::read(&path).expect("a file can be read"))
        })
        .filter(|(name, bytes)| {
            let is_empty_log = name.ends_with("-wal") && bytes.is_empty();
            name != "lock" && !name.ends_with("-shm") && !is_empty_log
        })
        .collect();
    files.sort();
    files
}

/// Makes a directory, and holds how it is refused against `expect`; nothing in it is touched.
#[track_caller]
fn check(make: impl FnOnce(&Path), expect: &str) {
    let directory = directory();
    make(directory.path());
    let before = files(directory.path());
    assert_eq!(refusal(directory.path(), directory.path()), expect);
    assert!(files(directory.path()) == before, "a file has changed: {expect}");
}

#[test]
fn foreign_files_are_refused_and_not_touched() {
    let write = |bytes: &'static [u8]| {
        move |directory: &Path| {
            fs::write(directory.join("cuebook.db"), bytes).expect("a file can be written");
        }
    };
    let no_database = "'<dir>/cuebook.db' is no SQLite database; move it away or choose another directory";
    check(write(b"minutes of the meeting"), no_database);
    check(write(b"SQLite format 3\0 but cut off"), no_database);
    check(write(&[0; 4096]), no_database);
    check(
        |directory| change(directory, "CREATE TABLE songs (title TEXT)"),
        "'<dir>/cuebook.db' belongs to another application (application id 0x00000000, expected 0x43756542); \
         move it away or choose another directory",
    );
    check(
        |directory| change(directory, "PRAGMA application_id = 252006674; CREATE TABLE songs (title TEXT)"),
        "'<dir>/cuebook.db' belongs to another application (application id 0x0f055112, expected 0x43756542); \
         move it away or choose another directory",
    );
}

#[test]
fn a_newer_format_is_refused_and_not_touched() {
    let expect = "'<dir>/cuebook.db' has format 99, this version knows formats up to 16; \
                  use a newer version or choose another directory";
    let newer = |directory: &Path| {
        fresh(directory);
        change(directory, "PRAGMA user_version = 99");
    };
    check(newer, expect);
}

#[test]
fn a_newer_format_that_only_the_write_ahead_log_knows_is_refused() {
    let killed = |directory: &Path| {
        let living = TempDir::new().expect("a temporary directory");
        fresh(living.path());
        let database = living.path().join("cuebook.db");
        let connection = Connection::open(&database).expect("a database can be opened");
        connection.execute_batch("PRAGMA user_version = 99").expect("a database can be changed");
        for name in ["cuebook.db", "cuebook.db-wal"] {
            fs::copy(living.path().join(name), directory.join(name)).expect("a file can be copied");
        }
    };
    let expect = "'<dir>/cuebook.db' has format 99, this version knows formats up to 16; \
                  use a newer version or choose another directory";
    check(killed, expect);
}

#[test]
fn a_damaged_database_is_refused() {
    let damaged = |directory: &Path| {
        fresh(directory);
        let path = directory.join("cuebook.db");
        let mut bytes = fs::read(&path).expect("a database can be read");
        bytes[100..].fill(0x5a);
        fs::write(&path, bytes).expect("a database can be written");
    };
    check(
        damaged,
        "cannot read the database '<dir>/cuebook.db': database disk image is malformed; \
         the file is damaged; restore it from a copy",
    );
}

/// A database with a run, closed in good order, and the size of its pages.
async fn with_a_run() -> (Vec<u8>, usize) {
    let directory = directory();
    let (store, run_id) = (open(directory.path()), RunId::new("run"));
    begin(&store, &run_id).await;
    for place in 0..40 {
        let batch = batch(&run_id, 10 * place, 10);
        assert_eq!(store.append(&crate::support::acme(), batch).await, Ok(()));
    }
    drop(store);
    let bytes = fs::read(directory.path().join("cuebook.db")).expect("a database can be read");
    let page = usize::from(u16::from_be_bytes([bytes[16], bytes[17]]));
    (bytes, page)
}

/// Opens a directory whose database is `bytes`: it is refused, and stays as it is.
#[track_caller]
fn check_damaged(bytes: &[u8], what: &str) {
    let directory = directory();
    let path = directory.path().join("cuebook.db");
    fs::write(&path, bytes).expect("a database can be written");
    let text = refusal(directory.path(), directory.path());
    assert!(text.contains("'<dir>/cuebook.db'"), "{what}: {text}");
    assert!(
        text.contains("restore it from a copy") || text.contains("is no SQLite database"),
        "{what}: {text}"
    );
    assert!(fs::read(&path).expect("the database is there") == bytes, "{what}: the file has changed");
}

/// Pages have no checksums: what is found is a page that is no page any more, or is not there.
#[tokio::test]
async fn any_page_that_is_overwritten_or_missing_is_found_at_the_start() {
    let (whole, page) = with_a_run().await;
    let pages = whole.len() / page;
    assert!(pages > 30, "{pages} pages");
    for number in 0..pages {
        let mut torn = whole.clone();
        torn[number * page..(number + 1) * page].fill(0x5a);
        check_damaged(&torn, &format!("page {number} is overwritten"));
        if number > 0 {
            check_damaged(&whole[..number * page], &format!("only {number} pages are left"));
        }
    }
}

#[test]
fn a_place_that_cannot_be_used_is_refused() {
    #[track_caller]
    fn check(make: impl FnOnce(&Path), expect: &str) {
        let directory = directory();
        let path = directory.path().join("data");
        make(&path);
        let found = refusal(&path, directory.path());
        assert!(found.starts_with(expect), "{found}");
        assert!(found.ends_with("; the data directory must be one that this process may write"), "{found}");
    }
    check(
        |path| fs::write(path, "a file").expect("a file can be written"),
        "cannot make the directory '<dir>/data': ",
    );
    check(
        |path| fs::create_dir_all(path.join("lock")).expect("a directory can be made"),
        "cannot open the lock file '<dir>/data/lock': Is a directory",
    );
    check(
        |path| fs::create_dir_all(path.join("cuebook.db")).expect("a directory can be made"),
        "cannot read '<dir>/data/cuebook.db': Is a directory",
    );
}

/// Whoever may write everywhere is not held up by a mode; anybody else is refused with the reason.
#[cfg(unix)]
#[test]
fn a_read_only_directory_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let directory = directory();
    let path = directory.path().join("data");
    fs::create_dir(&path).expect("a directory can be made");
    let set_mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode));
    set_mode(0o555).expect("a mode can be set");
    let opened = SqliteStore::open(&path, &Options::default()).map(drop);
    let may_write = fs::write(path.join("probe"), "").is_ok();
    set_mode(0o755).expect("a mode can be set");
    match opened {
        Ok(()) => assert!(may_write, "the store is open where nothing can be written"),
        Err(OpenError::Directory { doing, source, .. }) => {
            assert_eq!((may_write, doing), (false, "open the lock file"));
            assert_eq!(source.kind(), std::io::ErrorKind::PermissionDenied);
        }
        Err(error) => panic!("another error: {error}"),
    }
}

#[test]
fn a_directory_is_held_by_one_store() {
    let directory = directory();
    let first = open(directory.path());
    for _ in 0..2 {
        let error = SqliteStore::open(directory.path(), &Options::default()).map(drop);
        let Err(OpenError::Held { path, holder }) = error else { panic!("{error:?}") };
        assert_eq!(path, directory.path());
        assert!(holder.starts_with(&format!("process {}, running since 2", std::process::id())), "{holder}");
    }
    drop(first);
    drop(open(directory.path()));
}

#[test]
fn a_hold_lasts_as_long_as_any_of_its_clones() {
    let directory = directory();
    let held = DataDir::open(directory.path()).expect("a directory can be held");
    assert_eq!((held.path(), held.database()), (directory.path(), directory.path().join("cuebook.db")));
    let store = SqliteStore::open_in(held.clone(), &Options::default()).expect("a store can be opened");
    assert_eq!(store.path(), directory.path());
    drop(held);
    let text = refusal(directory.path(), directory.path());
    assert!(text.starts_with("the data directory '<dir>' is in use by process "), "{text}");
    assert!(text.ends_with("; stop it or choose another directory"), "{text}");
    drop(store);
    drop(DataDir::open(directory.path()).expect("a directory can be held again"));
}

#[test]
fn a_lock_file_that_says_nothing_useful_is_no_obstacle() {
    let long = vec![b'x'; 100_000];
    for text in [&b"process 1, running since yesterday"[..], b"", b"\xff\xfe", &long] {
        let directory = directory();
        fs::write(directory.path().join("lock"), text).expect("a file can be written");
        let held = DataDir::open(directory.path()).expect("nobody holds the directory");
        let written = fs::read_to_string(directory.path().join("lock")).expect("the lock is text");
        assert!(written.starts_with(&format!("process {}, ", std::process::id())), "{written}");
        drop(held);
    }
}

#[cfg(unix)]
#[test]
fn a_new_directory_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let directory = directory();
    let path = directory.path().join("deep").join("data");
    fresh(&path);
    let mode = fs::metadata(&path).expect("the directory is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[tokio::test]
async fn an_empty_or_half_made_file_becomes_a_database() {
    let run_id = RunId::new("run");
    let mark = |directory: &Path| change(directory, "PRAGMA application_id = 0x43756542");
    let empty = |directory: &Path| drop(fs::File::create(directory.join("cuebook.db")).expect("a file"));
    for make in [&mark as &dyn Fn(&Path), &empty, &|_| {}] {
        let directory = directory();
        make(directory.path());
        let store = open(directory.path());
        begin(&store, &run_id).await;
        assert_eq!(store.append(&crate::support::acme(), batch(&run_id, 0, 3)).await, Ok(()));
        drop(store);
        assert_log(&open(directory.path()), &run_id, 3).await;
    }
}
