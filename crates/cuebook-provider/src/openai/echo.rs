//! Takes out of a provider's message what the provider was sent.
//!
//! Some providers quote the request or the key in their errors. It owns the search for such quotations, also of
//! parts. It refuses to guess which part of a prompt is secret: whatever the two have in common goes.

use std::collections::HashMap;

/// A common run of this many bytes without white space is a quotation; no secret is shorter.
const WORD: usize = cuebook_prompt::SecretText::MIN_BYTES;

/// A common run of this many bytes of any kind is a quotation.
const PHRASE: usize = 2 * WORD;

const HIDDEN: &str = "[hidden]";

/// Gives `message` with every quotation of one of the `sent` texts replaced by `[hidden]`.
pub(super) fn hide(message: &str, sent: &[&str]) -> String {
    let mut quoted = vec![false; message.len()];
    let is_word = |run: &[u8]| !run.iter().any(u8::is_ascii_whitespace);
    mark(message, sent, WORD, is_word, &mut quoted);
    mark(message, sent, PHRASE, |_| true, &mut quoted);
    replace(message, &quoted)
}

/// Marks every byte of `message` that is part of a run of `length` bytes which one of the `sent` texts has too.
fn mark(message: &str, sent: &[&str], length: usize, counts: impl Fn(&[u8]) -> bool, quoted: &mut [bool]) {
    let mut places: HashMap<&[u8], Vec<usize>> = HashMap::new();
    let runs = message.as_bytes().windows(length).enumerate();
    for (at, run) in runs.filter(|(_, run)| counts(run)) {
        places.entry(run).or_default().push(at);
    }
    for run in sent.iter().flat_map(|text| text.as_bytes().windows(length)) {
        for at in places.remove(run).unwrap_or_default() {
            quoted[at..at + length].fill(true);
        }
    }
}

fn replace(message: &str, quoted: &[bool]) -> String {
    let mut text = String::with_capacity(message.len());
    let mut hiding = false;
    for (at, character) in message.char_indices() {
        let hide = quoted[at..at + character.len_utf8()].contains(&true);
        match (hide, hiding) {
            (false, _) => text.push(character),
            (true, false) => text.push_str(HIDDEN),
            (true, true) => {}
        }
        hiding = hide;
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(message: &str, sent: &[&str], expect: &str) {
        assert_eq!(hide(message, sent), expect);
    }

    #[test]
    fn quotations_are_hidden() {
        check("bad key 'sk-12345678'", &["sk-12345678"], "bad key '[hidden]'");
        check("bad key sk-12345***", &["sk-12345678"], "bad key [hidden]***");
        check("got tell me a story now", &["Please tell me a story"], "got[hidden] now");
        check("two: secret-1, secret-1", &["a secret-1"], "two: [hidden], [hidden]");
        check("naïveté-naïveté!", &["naïveté-naïveté"], "[hidden]!");
    }

    #[test]
    fn common_words_of_ordinary_length_stay() {
        check("the model is busy", &["is the model busy"], "the model is busy");
        check("too long", &[], "too long");
        check("", &["anything at all"], "");
    }

    proptest! {
        #[test]
        fn no_secret_survives(before in "\\PC{0,20}", secret in "[!-~é]{8,40}", after in "\\PC{0,20}") {
            let hidden = hide(&format!("{before}{secret}{after}"), &[&format!("use {secret} here")]);
            prop_assert!(!hidden.contains(&secret), "{hidden}");
        }
    }
}
