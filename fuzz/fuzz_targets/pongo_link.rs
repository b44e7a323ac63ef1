//! The linker of the pongo dialect: files that include, extend and import each other in every way.

#![no_main]

use std::collections::BTreeSet;

use cuebook_fuzz::{check_places, files, options};
use cuebook_template::pongo::{LimitKind, Program, undefined_names};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let (entry, named) = files(input);
    let options = options();
    let program = match Program::compile(entry, &named, &options) {
        Ok(program) => program,
        Err(faults) => return check_places(&faults),
    };
    assert!(program.node_count() <= options.limits.get(LimitKind::ProgramNodes));
    let asked: BTreeSet<_> = program.dependencies().iter().map(|asked| &asked.name).collect();
    assert_eq!(asked.len(), program.dependencies().len());
    assert!(program.dependencies().iter().all(|asked| asked.is_fresh(&named)));
    for name in undefined_names(&program) {
        assert!(!name.places.is_empty());
        assert!(name.places.iter().all(|place| program.files().contains(&place.source)));
        assert!(name.places.iter().all(|place| place.source.slice(place.span).is_some()));
    }
});
