//! Which options make a model.

use std::time::Duration;

use cuebook_provider::{ModelPort, OpenAi, OpenAiOptions};

use crate::support::options;

#[track_caller]
fn check_error(options: OpenAiOptions, expect: &str) {
    let error = OpenAi::new(options).err().expect("an error");
    assert_eq!(error.to_string(), expect);
}

#[test]
fn a_model_has_the_name_it_was_given() {
    for base_url in ["http://localhost:11434/v1", "https://models.example/v1"] {
        assert_eq!(OpenAi::new(options(base_url.to_owned())).expect(base_url).name(), "local");
    }
}

#[test]
fn addresses_that_cannot_be_used() {
    const MUST: &str = "model provider 'local': base_url must be an http or https address such as http://localhost:11434/v1, but ";
    for (base_url, why) in [
        ("", "relative URL without a base"),
        ("localhost:11434/v1", "its scheme is 'localhost'"),
        ("ftp://ann:password@h/", "its scheme is 'ftp'"),
        ("http://", "empty host"),
        ("http://ann:password@h:99999", "invalid port number"),
    ] {
        check_error(options(base_url.to_owned()), &format!("{MUST}{why}"));
    }
}

#[test]
fn an_address_with_the_path_already() {
    check_error(
        options("https://ann:password@h/v1/chat/completions/".to_owned()),
        "model provider 'local': base_url ends in /chat/completions, which is added to it; write https://h/v1",
    );
}

#[test]
fn all_problems_are_told_at_once() {
    let zero = Duration::ZERO;
    check_error(
        OpenAiOptions { timeout: zero, connect_timeout: zero, ..options("h/v1".to_owned()) },
        "model provider 'local': base_url must be an http or https address such as http://localhost:11434/v1, but \
         relative URL without a base; timeout must be more than zero; connect_timeout must be more than zero",
    );
}
