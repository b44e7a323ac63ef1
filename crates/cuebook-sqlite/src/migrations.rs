//! The steps that bring a database from any earlier format to the present one.
//!
//! A step is one file, changes one thing and may be repeated. It refuses to be undone: formats go forward. The format of
//! a database is the number of the last step that was taken, kept in `user_version`. `schema.sql` shows where all steps
//! lead.

use rusqlite::{Connection, TransactionBehavior};

/// One step.
struct Migration {
    number: u32,
    sql: &'static str,
}

/// Lists the steps by number and file.
macro_rules! migrations {
    ($($number:literal $file:literal)+) => {
        &[$(Migration { number: $number, sql: include_str!(concat!("../migrations/", $file, ".sql")) }),+]
    };
}

const MIGRATIONS: &[Migration] = migrations! {
    1 "0001_runs"
    2 "0002_runs_by_start"
    3 "0003_records"
    4 "0004_signals"
    5 "0005_signals_by_place"
    6 "0006_signals_waiting"
    7 "0007_blobs"
    8 "0008_definitions"
    9 "0009_requests"
    10 "0010_requests_by_age"
    11 "0011_unfinished"
    12 "0012_unfinished_by_due"
    13 "0013_checkpoints"
    14 "0014_prompts"
    15 "0015_prompt_versions"
    16 "0016_holds"
};

/// The format that this version writes, and the newest that it reads.
pub(crate) const FORMAT: u32 = MIGRATIONS[MIGRATIONS.len() - 1].number;

/// Takes the steps that `connection`'s database has not taken yet, each in a transaction of its own.
pub(crate) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let present = version(connection)?;
    for step in MIGRATIONS.iter().filter(|step| step.number > present) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(step.sql)?;
        transaction.pragma_update(None, "user_version", step.number)?;
        transaction.commit()?;
    }
    Ok(())
}

/// The format of `connection`'s database.
pub(crate) fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that a schema is made of, without white space and the words that let a step be repeated.
    fn schema(connection: &Connection) -> Vec<String> {
        let mut statement = connection
            .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name")
            .expect("a schema can be read");
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).expect("a schema can be read");
        let normal = |sql: String| sql.split_whitespace().collect::<Vec<_>>().join(" ");
        rows.map(|sql| normal(sql.expect("a schema is text"))).collect()
    }

    fn migrated() -> Connection {
        let mut connection = Connection::open_in_memory().expect("a database in memory");
        migrate(&mut connection).expect("the steps can be taken");
        connection
    }

    #[test]
    fn the_schema_file_shows_where_the_steps_lead() {
        let latest = Connection::open_in_memory().expect("a database in memory");
        latest.execute_batch(include_str!("../schema.sql")).expect("the schema is good SQL");
        assert_eq!(schema(&migrated()), schema(&latest));
    }

    #[test]
    fn steps_are_in_rising_order_and_named_by_their_files() {
        let numbers: Vec<u32> = MIGRATIONS.iter().map(|step| step.number).collect();
        assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
        let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
        let files = std::fs::read_dir(directory).expect("there are steps");
        let mut texts: Vec<(String, String)> = files
            .map(|file| file.expect("a directory entry").path())
            .map(|path| {
                let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
                (name, std::fs::read_to_string(&path).expect("a step is text"))
            })
            .collect();
        texts.sort();
        assert_eq!(texts.len(), MIGRATIONS.len(), "every file is listed");
        for (step, (name, text)) in MIGRATIONS.iter().zip(&texts) {
            assert!(name.starts_with(&format!("{:04}_", step.number)), "{name} is not step {}", step.number);
            assert_eq!(step.sql, text, "{name}");
            assert!(text.starts_with("-- "), "{name} says why it is there");
        }
    }

    #[test]
    fn every_step_may_be_repeated() {
        let connection = migrated();
        let before = schema(&connection);
        for step in MIGRATIONS {
            connection.execute_batch(step.sql).expect("a step can be repeated");
        }
        assert_eq!(schema(&connection), before);
    }

    #[test]
    fn a_database_of_any_format_is_brought_to_the_present_one() {
        let latest = schema(&migrated());
        for taken in 0..MIGRATIONS.len() {
            let mut connection = Connection::open_in_memory().expect("a database in memory");
            for step in &MIGRATIONS[..taken] {
                connection.execute_batch(step.sql).expect("a step can be taken");
                connection.pragma_update(None, "user_version", step.number).expect("the format can be set");
            }
            migrate(&mut connection).expect("the rest can be taken");
            assert_eq!(schema(&connection), latest, "from format {taken}");
            assert_eq!(version(&connection).expect("there is a format"), FORMAT);
        }
    }

    /// A database of the format before holds, with a run that was fixed to a version and one that was not.
    const BEFORE_HOLDS: &str = r#"
        INSERT INTO runs (tenant, run_id, epoch, next, ended) VALUES ('acme', 'one', 1, 2, 1), ('acme', 'two', 1, 1, 0);
        INSERT INTO records (tenant, run_id, sequence, event, private) VALUES
            ('acme', 'one', 0, '{}', '{"definition": "sha256:d", "principal": {"tenant": "acme", "workspace": "desk"}}'),
            ('acme', 'one', 1, '{}', '{"record": {"pins": [{"reference": "prompt:greet", "version": "1.2.0"}]}}'),
            ('acme', 'two', 0, '{}', '{"definition": "sha256:d", "principal": {"tenant": "acme"}}'),
            ('acme', 'two', 1, '{}', '{"record": {"pins": [{"reference": "prompt:part", "version": "2.0.0"}]}}'),
            ('acme', 'two', 2, '{}', NULL);
    "#;

    #[test]
    fn what_earlier_runs_stand_on_is_held() {
        let mut connection = Connection::open_in_memory().expect("a database in memory");
        for step in MIGRATIONS.iter().filter(|step| step.number < 16) {
            connection.execute_batch(step.sql).expect("a step can be taken");
            connection.pragma_update(None, "user_version", step.number).expect("the format can be set");
        }
        connection.execute_batch(BEFORE_HOLDS).expect("rows can be written");
        migrate(&mut connection).expect("the rest can be taken");
        let mut statement = connection
            .prepare("SELECT run_id || ' ' || kind || ' ' || name FROM holds ORDER BY run_id, kind")
            .expect("holds can be read");
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).expect("holds can be read");
        let held: Vec<String> = rows.map(|held| held.expect("a hold is text")).collect();
        let expect = [
            "one blob sha256:d",
            "one template greet@1.2.0 workspace:desk",
            "two blob sha256:d",
            "two template part@2.0.0 ",
        ];
        assert_eq!(held, expect);
    }
}
