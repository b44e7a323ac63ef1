//! Rendering of the pongo dialect: it ends, it stays within its limits, and every way of asking gives the same text.

#![no_main]

use cuebook_fuzz::{check_places, context, files, options};
use cuebook_template::Trust;
use cuebook_template::pongo::{Civil, LimitKind, Program, Segment, Settings};
use libfuzzer_sys::fuzz_target;

/// Letters that only the untrusted value has, as filters may change them.
const UNTRUSTED: [char; 4] = ['ξ', 'ψ', 'Ξ', 'Ψ'];

/// The segments are in order, without gaps, and nothing untrusted is in a trusted one.
fn check_segments(text: &str, segments: &[Segment], input: &str) {
    let telling = !input.contains(UNTRUSTED);
    let mut end = 0;
    for segment in segments {
        assert!(segment.range.start == end && segment.range.end > end);
        end = segment.range.end;
        assert!(segment.location.source.slice(segment.location.span).is_some());
        let leaks = telling && text[segment.range.clone()].contains(UNTRUSTED);
        assert!(!leaks || segment.trust == Trust::Untrusted);
    }
    assert_eq!(end, text.len());
}

fuzz_target!(|input: &str| {
    let (entry, named) = files(input);
    let Ok(program) = Program::compile(entry, &named, &options()) else { return };
    let context = context();
    let now = Civil::parse("2031-07-09T08:05:04Z");
    let lenient = Settings { now, seed: Some(7), loader: Some(&named), ..Settings::default() };
    let strict = Settings { strict: true, ..lenient };
    let first = program.render(&context, &lenient);
    assert_eq!(first, program.render(&context, &lenient));
    let traced = program.render_with_origins(&context, &lenient);
    match (&first, traced) {
        (Ok(rendered), Ok((traced, segments))) => {
            assert_eq!(*rendered, traced);
            assert!(rendered.text.len() <= program.options().limits.get(LimitKind::OutputBytes));
            check_segments(&rendered.text, &segments, input);
        }
        (Err(fault), Err(traced)) => {
            assert_eq!(*fault, traced);
            check_places(std::slice::from_ref(&**fault));
        }
        (plain, traced) => panic!("{plain:?} but {:?}", traced.map(|(rendered, _)| rendered)),
    }
    if let Ok(rendered) = program.render(&context, &strict) {
        assert_eq!(first.as_ref(), Ok(&rendered));
    }
});
