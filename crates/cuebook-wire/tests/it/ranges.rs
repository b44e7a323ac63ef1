//! Ranges of versions, as packs write them.

use cuebook_wire::{Version, VersionRange};

#[track_caller]
fn check(range: &str, inside: &[&str], outside: &[&str]) {
    let read = VersionRange::parse(range).unwrap();
    assert_eq!(read.to_string(), range);
    for (versions, expect) in [(inside, true), (outside, false)] {
        for version in versions {
            assert_eq!(read.contains(&Version::parse(version).unwrap()), expect, "{version} in {range}");
        }
    }
}

#[test]
fn ranges_hold_what_they_say() {
    check(">=1.1.0 <2.0.0", &["1.1.0", "1.9.9"], &["1.0.9", "2.0.0", "1.2.0-rc.1"]);
    check(">=1.1 <2", &["1.1.0", "1.99.0"], &["1.0.0", "2.0.0"]);
    check(">= 1.1.0, < 2", &["1.1.0"], &["2.0.0"]);
    check("^1.2", &["1.2.0", "1.9.0"], &["1.1.9", "2.0.0"]);
    check("~1.2.3", &["1.2.3", "1.2.9"], &["1.3.0"]);
    check("1.2.3", &["1.2.3"], &["1.2.4", "1.2.2"]);
    check("1.2", &["1.2.0", "1.2.7"], &["1.3.0"]);
    check("1", &["1.0.0", "1.9.0"], &["2.0.0"]);
    check("1.x", &["1.4.0"], &["2.0.0"]);
    check("*", &["0.0.1", "9.0.0"], &[]);
    check("1.x || >=3.0.0", &["1.0.0", "3.1.0"], &["2.0.0"]);
    check("1.2.0 - 1.4.0", &["1.2.0", "1.4.0"], &["1.4.1"]);
    check(">=1.0.0-rc.1", &["1.0.0-rc.2", "1.0.0"], &["1.1.0-rc.1"]);
}

#[track_caller]
fn check_refused(text: &str) {
    let error = VersionRange::parse(text).unwrap_err().to_string();
    assert!(error.chars().count() < 250, "{error}");
}

#[test]
fn what_is_no_range_is_refused() {
    for text in ["", " ", "newest", ">=", "1.2.3.4", "1 ||", "=>1", &"9".repeat(400)] {
        check_refused(text);
    }
}
