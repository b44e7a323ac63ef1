//! The tables of `docs/templates.md` say what the code does.

use cuebook_template::pongo::{LimitKind, Limits, Options, Profile, Program, code};
use cuebook_template::{Diagnostic, Source};

const PAGE: &str = include_str!("../../../../docs/templates.md");

/// The rows of the table whose head begins with `| title |`, by cell.
#[track_caller]
fn table(title: &str) -> Vec<Vec<String>> {
    let head = format!("\n| {title} |");
    let (_, rest) = PAGE.split_once(&head).expect("the table");
    let rows = rest.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split(" | ").map(|cell| plain(cell).to_owned()).collect()).collect()
}

fn plain(cell: &str) -> &str {
    cell.trim().trim_matches('`')
}

/// Whether `source` compiles under `profile` as far as tags and filters are known and allowed; `None` when unknown.
fn allows(source: &str, profile: Profile) -> Option<bool> {
    let compiled = Program::compile(Source::new("t", source), &(), &Options::of(profile));
    let faults: Vec<Diagnostic> = compiled.err().unwrap_or_default();
    let has = |code: &str| faults.iter().any(|fault| fault.code == code);
    if has(code::UNKNOWN_TAG) || has(code::UNKNOWN_FILTER) { None } else { Some(!has(code::BANNED)) }
}

#[track_caller]
fn check(source: &str, profile: Profile, cell: &str) {
    let expect = match cell {
        "yes" => true,
        "no" => false,
        other => panic!("{other:?} is neither yes nor no"),
    };
    assert_eq!(allows(source, profile), Some(expect), "{source} under {profile:?}");
}

#[test]
fn tags() {
    let rows = table("tag");
    assert_eq!(rows.len(), 24, "the dialect has 24 tags");
    for row in &rows {
        let source = format!("{{% {} %}}", row[0]);
        check(&source, Profile::Full, "yes");
        check(&source, Profile::Composed, &row[2]);
        check(&source, Profile::Isolated, &row[3]);
    }
    assert!(rows.is_sorted_by(|a, b| a[0] < b[0]), "each tag once, in order");
}

#[test]
fn filters() {
    let rows = table("filter");
    assert_eq!(rows.len(), 51, "the dialect has 51 filters");
    for row in &rows {
        let source = format!("{{{{ x|{} }}}}", row[0]);
        check(&source, Profile::Full, "yes");
        check(&source, Profile::Composed, &row[2]);
        check(&source, Profile::Isolated, &row[2]);
    }
    assert!(rows.is_sorted_by(|a, b| a[0] < b[0]), "each filter once, in order");
}

#[test]
fn what_the_tables_do_not_have_is_unknown() {
    assert_eq!(allows("{% nothing %}", Profile::Full), None);
    assert_eq!(allows("{{ x|nothing }}", Profile::Full), None);
}

#[test]
fn limits() {
    let told: Vec<(String, String, String)> =
        table("limit").into_iter().map(|row| (row[0].clone(), row[2].clone(), row[3].clone())).collect();
    let set = LimitKind::ALL.map(|kind| {
        let value = |limits: Limits| limits.get(kind).to_string();
        (kind.to_string(), value(Limits::FULL), value(Limits::COMPOSED))
    });
    assert_eq!(told, set);
}
