//! Neutralising: applying it twice changes nothing more, and no marker can be read out of what is left.

#![no_main]

#[path = "../../crates/cuebook-prompt/tests/it/reader.rs"]
mod reader;

use cuebook_prompt::neutralise;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let once = neutralise(text);
    assert_eq!(neutralise(&once), once);
    assert!(!reader::holds_marker(&once), "{once:?}");
});
