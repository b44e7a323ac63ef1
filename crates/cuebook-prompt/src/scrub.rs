//! The scrubber: masks known secrets in any text that is about to be written down or sent out.
//!
//! It knows the secrets that one run used, and looks for each as it is, JSON-escaped as common writers do it and also within
//! JSON, percent-encoded by each of the common sets, and in base64 (all three alignments, both alphabets). It is the second
//! line: the first is that secrets are redacted by type. It refuses to guess: what it was not told is a secret passes.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::{AhoCorasick, MatchKind};
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value as Json;

use crate::secret::{SecretId, SecretText};

/// What almost every writer of percent-encoding keeps besides letters and digits.
const KEPT_BY_MOST: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');
/// What RFC 3986 calls unreserved.
const UNRESERVED: &AsciiSet = &KEPT_BY_MOST.remove(b'~');
/// What writers of percent-encoding escape: all but letters and digits; all but what is unreserved; what `encodeURIComponent`
/// escapes; what forms escape.
const PERCENT_SETS: [&AsciiSet; 4] = [
    NON_ALPHANUMERIC,
    UNRESERVED,
    &UNRESERVED.remove(b'!').remove(b'*').remove(b'\'').remove(b'(').remove(b')'),
    &KEPT_BY_MOST.remove(b'*'),
];

/// The secrets of one run, ready to be found.
#[derive(Default)]
#[expect(missing_debug_implementations, reason = "it holds secrets")]
pub struct Scrubber {
    forms: BTreeMap<String, String>,
    automaton: Option<Automaton>,
}

struct Automaton {
    search: AhoCorasick,
    markers: Vec<String>,
    longest: usize,
}

impl Scrubber {
    /// Knows no secret yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Learns a secret; from then on each of its forms becomes the id's marker.
    pub fn learn(&mut self, id: &SecretId, secret: &SecretText) {
        let before = self.forms.len();
        secret.expose(|text| {
            for form in pieces_of(text).into_iter().flat_map(forms_of) {
                self.forms.entry(form).or_insert_with(|| id.marker());
            }
        });
        if self.forms.len() > before {
            self.automaton = Automaton::build(&self.forms);
        }
    }

    /// Masks every known secret in `text`.
    pub fn scrub<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match &self.automaton {
            Some(automaton) if automaton.search.is_match(text) => Cow::Owned(automaton.mask(text)),
            _ => Cow::Borrowed(text),
        }
    }

    /// Masks every known secret in the strings and keys of `json`.
    pub fn scrub_json(&self, json: &mut Json) {
        if self.automaton.is_none() {
            return;
        }
        match json {
            Json::String(text) => {
                if let Cow::Owned(masked) = self.scrub(text) {
                    *text = masked;
                }
            }
            Json::Array(items) => items.iter_mut().for_each(|item| self.scrub_json(item)),
            Json::Object(map) => {
                let entries = std::mem::take(map);
                map.extend(entries.into_iter().map(|(key, mut value)| {
                    self.scrub_json(&mut value);
                    (self.scrub(&key).into_owned(), value)
                }));
            }
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }

    /// The length of the longest form in bytes; 0 when no secret is known.
    fn longest(&self) -> usize {
        self.automaton.as_ref().map_or(0, |automaton| automaton.longest)
    }
}

impl Automaton {
    fn build(forms: &BTreeMap<String, String>) -> Option<Self> {
        let search =
            AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(forms.keys()).ok()?;
        let longest = forms.keys().map(String::len).max().unwrap_or(0);
        Some(Self { search, markers: forms.values().cloned().collect(), longest })
    }

    fn mask(&self, text: &str) -> String {
        self.search.replace_all(text, &self.markers)
    }
}

/// What a secret is told by: as it is, and each of its lines without the blanks around it, as others trim and quote it. Of
/// most secrets that is one piece.
fn pieces_of(secret: &str) -> BTreeSet<&str> {
    let lines = secret.lines().map(str::trim).filter(|line| line.len() >= SecretText::MIN_BYTES);
    lines.chain([secret, secret.trim()]).collect()
}

/// Every spelling of a secret that is looked for.
fn forms_of(secret: &str) -> Vec<String> {
    let mut forms = json_forms(secret);
    // JSON within a string of JSON, as the arguments of tools are.
    let nested: Vec<String> = forms.iter().flat_map(|form| json_forms(form)).collect();
    forms.extend(nested);
    forms.push(secret.to_owned());
    for kept in PERCENT_SETS {
        let percent = utf8_percent_encode(secret, kept).to_string();
        forms.extend([percent.replace("%20", "+"), lower_percent(&percent), percent]);
    }
    for alignment in 0..3 {
        forms.push(base64_core(&STANDARD_NO_PAD, secret, alignment));
        forms.push(base64_core(&URL_SAFE_NO_PAD, secret, alignment));
    }
    forms.retain(|form| form.len() >= SecretText::MIN_BYTES);
    forms
}

/// The text within a string of JSON, as common writers escape it: the least, all that is not ASCII, what would end a script,
/// and slashes too.
fn json_forms(text: &str) -> Vec<String> {
    let json = Json::String(text.to_owned()).to_string();
    let least = json[1..json.len() - 1].to_owned();
    let ascii = escaped(&least, |c| !c.is_ascii());
    let script = escaped(&least, |c| matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}'));
    let slashes = ascii.replace('/', "\\/");
    let upper = upper_escapes(&ascii);
    vec![least, ascii, script, slashes, upper]
}

/// `json` with `\u` escapes for the characters that `is_escaped` names.
fn escaped(json: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_escaped(c) {
            let mut units = [0; 2];
            out.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    out
}

/// The same with upper-case digits in its `\u` escapes.
fn upper_escapes(json: &str) -> String {
    let mut parts = json.split("\\u");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_at_checked(4).unwrap_or((part, ""));
        out.extend(["\\u", &digits.to_ascii_uppercase(), rest]);
    }
    out
}

/// The characters of base64 that depend on the secret alone, whatever stands `alignment` bytes before and after it.
fn base64_core(engine: &impl base64::Engine, secret: &str, alignment: usize) -> String {
    let mut bytes = vec![0; alignment];
    bytes.extend_from_slice(secret.as_bytes());
    let encoded = engine.encode(&bytes);
    let first = (alignment * 8).div_ceil(6);
    let last = bytes.len() * 8 / 6;
    encoded.get(first..last).unwrap_or_default().to_owned()
}

fn lower_percent(percent: &str) -> String {
    let mut left = 0_u8;
    let lower = |c: char| {
        left = if c == '%' { 3 } else { left };
        let inside = left > 0;
        left = left.saturating_sub(1);
        if inside { c.to_ascii_lowercase() } else { c }
    };
    percent.chars().map(lower).collect()
}

/// Scrubs a text that comes in pieces, holding back what could be the beginning of a secret.
#[expect(missing_debug_implementations, reason = "it may hold a part of a secret")]
#[derive(Default)]
pub struct StreamScrubber {
    held: String,
}

impl StreamScrubber {
    /// Begins with nothing held back.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a piece and gives what can no longer be part of a secret, masked.
    pub fn push(&mut self, scrubber: &Scrubber, piece: &str) -> String {
        self.held.push_str(piece);
        let keep = scrubber.longest().saturating_sub(1);
        let cut = self.safe_cut(scrubber, self.held.len().saturating_sub(keep));
        let rest = self.held.split_off(cut);
        let ready = std::mem::replace(&mut self.held, rest);
        scrubber.scrub(&ready).into_owned()
    }

    /// Gives the rest, masked.
    pub fn finish(self, scrubber: &Scrubber) -> String {
        scrubber.scrub(&self.held).into_owned()
    }

    /// Moves `cut` out of the middle of a match or a character.
    fn safe_cut(&self, scrubber: &Scrubber, cut: usize) -> usize {
        let Some(automaton) = &scrubber.automaton else { return self.held.len() };
        let across = automaton.search.find_iter(&self.held).find(|found| found.end() > cut);
        let cut = across.filter(|found| found.start() < cut).map_or(cut, |found| found.start());
        (0..=cut).rev().find(|at| self.held.is_char_boundary(*at)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use proptest::prelude::*;

    const SECRET: &str = "s3cr3t \"q\\uote\"/{brace}+é";

    fn scrubber() -> Scrubber {
        let id = SecretId::parse("canary").expect("an id");
        let mut scrubber = Scrubber::new();
        scrubber.learn(&id, &SecretText::new(SECRET.to_owned()).expect("long enough"));
        scrubber
    }

    #[track_caller]
    fn check_masked(text: &str) {
        let scrubbed = scrubber().scrub(text).into_owned();
        assert!(scrubbed.contains("[REDACTED:canary]"), "{text:?} gave {scrubbed:?}");
    }

    #[test]
    fn every_form_is_masked() {
        assert_eq!(scrubber().scrub(&format!("a{SECRET}b")), "a[REDACTED:canary]b");
        check_masked(&Json::String(SECRET.to_owned()).to_string());
        check_masked(&utf8_percent_encode(SECRET, NON_ALPHANUMERIC).to_string());
        check_masked(&utf8_percent_encode(SECRET, NON_ALPHANUMERIC).to_string().to_lowercase());
        for prefix in ["", "x", "xy"] {
            for suffix in ["", "z", "zz"] {
                let text = format!("{prefix}{SECRET}{suffix}");
                check_masked(&base64::engine::general_purpose::STANDARD.encode(&text));
                check_masked(&base64::engine::general_purpose::URL_SAFE.encode(&text));
            }
        }
    }

    #[track_caller]
    fn check_form(secret: &str, form: &str) {
        let id = SecretId::parse("canary").expect("an id");
        let mut scrubber = Scrubber::new();
        scrubber.learn(&id, &SecretText::new(secret.to_owned()).expect("a fit length"));
        assert_eq!(scrubber.scrub(form), "[REDACTED:canary]", "{form}");
    }

    #[test]
    fn the_forms_of_common_writers_are_masked() {
        let secret = "pä<ss>/wort&geheim9😀";
        check_form(secret, r"p\u00e4<ss>/wort&geheim9\ud83d\ude00");
        check_form(secret, r"p\u00E4<ss>/wort&geheim9\uD83D\uDE00");
        check_form(secret, r"pä\u003css\u003e/wort\u0026geheim9😀");
        check_form(secret, r"p\u00e4<ss>\/wort&geheim9\ud83d\ude00");
        check_form("sk-live_ab.cd~x/yz==", "sk-live_ab.cd~x%2Fyz%3D%3D");
        check_form("it's (a) secret!*", "it's%20(a)%20secret!*");
        check_form("it's (a) secret!*", "it%27s+%28a%29+secret%21*");
        let key = "-----BEGIN\nCaNaRy\"sec\\ret{x}|99\n";
        let once = Json::String(key.to_owned()).to_string();
        let twice = Json::String(once.clone()).to_string();
        check_form(key, &once[1..once.len() - 1]);
        check_form(key, &twice[3..twice.len() - 3]);
    }

    #[test]
    fn what_others_trim_and_quote_of_a_secret_is_masked() {
        check_form("longsecretvalue\n", "longsecretvalue");
        check_form("  longsecretvalue \r\n\n", "longsecretvalue");
        check_form("first-line-of-it\r\n  second-line-of-it\nend", "second-line-of-it");
        check_form("first-line-of-it\nend", "first-line-of-it");
    }

    #[test]
    fn the_longest_secret_of_one_letter_is_learnt() {
        let secret = "x".repeat(SecretText::MAX_BYTES);
        check_form(&secret, &secret);
    }

    #[test]
    fn json_is_masked_in_keys_and_depth() {
        let mut json = serde_json::json!({ SECRET: [{"deep": format!("<{SECRET}>")}], "n": 1 });
        scrubber().scrub_json(&mut json);
        assert_eq!(json, serde_json::json!({"[REDACTED:canary]": [{"deep": "<[REDACTED:canary]>"}], "n": 1}));
    }

    #[test]
    fn a_scrubber_without_secrets_changes_nothing() {
        assert_eq!(Scrubber::new().scrub(SECRET), SECRET);
        let mut stream = StreamScrubber::new();
        assert_eq!(stream.push(&Scrubber::new(), "abc"), "abc");
    }

    proptest! {
        #[test]
        fn a_stream_equals_the_whole(before in ".{0,40}", after in ".{0,40}", cuts in prop::collection::vec(0usize..120, 0..8)) {
            let scrubber = scrubber();
            let whole = format!("{before}{SECRET}{after}{SECRET}");
            let mut stream = StreamScrubber::new();
            let mut out = String::new();
            let mut at = 0;
            let mut cuts = cuts;
            cuts.sort_unstable();
            for cut in cuts.into_iter().filter(|cut| whole.is_char_boundary(*cut)) {
                if cut > at {
                    out.push_str(&stream.push(&scrubber, &whole[at..cut]));
                    at = cut;
                }
            }
            out.push_str(&stream.push(&scrubber, &whole[at..]));
            out.push_str(&stream.finish(&scrubber));
            prop_assert_eq!(out, scrubber.scrub(&whole).into_owned());
        }
    }
}
