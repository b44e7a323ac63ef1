//! The lexer and parser of the pongo dialect: any text is a program, or has faults within itself.

#![no_main]

use cuebook_fuzz::check_places;
use cuebook_template::Source;
use cuebook_template::pongo::{Options, Profile, Program, undefined_names};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for profile in Profile::ALL {
        let compile = || Program::compile(Source::new("main", text), &(), &Options::of(profile));
        match compile() {
            Ok(program) => {
                for name in undefined_names(&program) {
                    assert!(name.places.iter().all(|place| place.source.slice(place.span).is_some()));
                }
            }
            Err(faults) => {
                check_places(&faults);
                assert_eq!(compile().expect_err("the same faults"), faults);
            }
        }
    }
});
