//! What a client can be made from, and what is refused.

use std::time::Duration;

use cuebook_client::{Client, ClientBuilder, ClientErrorKind};

#[track_caller]
fn check(builder: ClientBuilder, expect: &[&str]) {
    let error = builder.build().expect_err("a problem");
    let ClientErrorKind::Config { problems } = error.kind() else { panic!("{error}") };
    assert_eq!(problems.len(), expect.len(), "{problems:?}");
    for (problem, expect) in problems.iter().zip(expect) {
        assert!(problem.contains(expect), "{problem}");
    }
    assert_eq!((error.endpoint(), error.status(), error.hint()), (None, None, None));
}

#[test]
fn every_problem_is_named_at_once() {
    check(Client::builder("host.example"), &["base_url must be"]);
    check(Client::builder("http://h/v1"), &["ends in /v1"]);
    check(Client::builder("http://h").key("two\nlines"), &["the key has characters"]);
    check(Client::builder("http://h").user_agent("a\nb"), &["cannot be set up"]);
    check(
        Client::builder("ftp://a:b@h").key("").timeout(Duration::ZERO).idle_timeout(Duration::ZERO),
        &[
            "timeout must be",
            "idle_timeout must be",
            "scheme is `ftp`",
            "user or password",
            "the key is empty",
        ],
    );
}

#[test]
fn ordinary_settings_make_a_client() {
    Client::new("http://host.example/under/this/", "key").unwrap();
    Client::builder("http://localhost:1").connect_timeout(Duration::from_secs(1)).build().unwrap();
}
