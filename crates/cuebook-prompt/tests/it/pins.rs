//! Refs without version keep the text of their first use for the whole run.

use cuebook_prompt::{Owner, Pin, PromptRequest};
use serde_json::{Value as Json, json};

use crate::support::{Host, composition, library, plain, prepare, refs, request};

/// A host at some time: the versions of `style` it has.
fn host(versions: &[&str]) -> Host {
    Host::new(versions.iter().map(|version| plain("style", version, "system")).collect())
}

fn pins(host: Host, config: &Json, earlier: &[Pin]) -> (Vec<String>, Vec<Pin>) {
    let mut prepared = host.prepare(&PromptRequest { pins: earlier.to_vec(), ..request(config) });
    let pins = std::mem::take(&mut prepared.pins);
    (composition(prepared).observed.refs, pins)
}

#[test]
fn a_newer_version_waits_for_the_next_run() {
    let config = json!({ "systemPromptRef": "prompt:style" });
    let (refs, first) = pins(host(&["1.9.0"]), &config, &[]);
    assert_eq!(refs, ["prompt:style@1.9.0"]);
    assert_eq!(
        serde_json::to_value(&first).unwrap(),
        json!([{ "reference": "prompt:style", "found_in": "host", "version": "1.9.0" }])
    );
    let (refs, none) = pins(host(&["1.9.0", "1.10.0"]), &config, &first);
    assert_eq!(refs, ["prompt:style@1.9.0"]);
    assert!(none.is_empty());
    let (refs, _) = pins(host(&["1.9.0", "1.10.0"]), &config, &[]);
    assert_eq!(refs, ["prompt:style@1.10.0"]);
}

#[test]
fn an_exact_ref_is_no_pin_and_obeys_none() {
    let config = json!({ "systemPromptRef": "prompt:style@1.9.0", "additionalPromptRefs": ["prompt:style"] });
    let (refs, pins) = pins(host(&["1.9.0", "1.10.0"]), &config, &[]);
    assert_eq!(refs, ["prompt:style@1.9.0", "prompt:style@1.10.0"]);
    assert_eq!(pins.len(), 1);
}

#[test]
fn one_pin_for_one_ref_however_often_it_stands() {
    let config = json!({ "systemPromptRef": "prompt:style", "additionalPromptRefs": ["prompt:style", "prompt:style"] });
    let (refs, pins) = pins(host(&["1.0.0"]), &config, &[]);
    assert_eq!((refs.len(), pins.len()), (3, 1));
}

#[test]
fn every_spelling_of_a_template_gets_the_same_version() {
    let config = json!({ "systemPromptRef": "prompt:style" });
    let (_, first) = pins(host(&["1.0.0"]), &config, &[]);
    let spelled = json!({ "systemPromptRef": { "libraryId": "host", "templateId": "style" } });
    let (found, second) = pins(host(&["1.0.0", "2.0.0"]), &spelled, &first);
    assert_eq!(found, ["prompt:style@1.0.0"]);
    assert_eq!(second[0].library.as_ref().unwrap().as_str(), "host");
    let mut newer = host(&["1.0.0", "2.0.0"]);
    newer.policy.host_defaults = refs(json!({ "system": "prompt:style" }));
    let (found, _) = pins(newer, &json!({}), &first);
    assert_eq!(found, ["prompt:style@1.0.0"]);
}

#[test]
fn a_library_that_comes_later_takes_nothing_over() {
    let pack = || library("vendor.a.p", Owner::Pack, vec![plain("tone", "1.0.0", "system")]);
    let config = json!({ "systemPromptRef": "prompt:tone" });
    let mut before = host(&[]);
    before.libraries.push(pack());
    let (_, first) = pins(before, &config, &[]);
    let mut after = host(&[]);
    after.libraries.push(pack());
    after.libraries.push(library("user", Owner::User, vec![plain("tone", "1.0.0", "system")]));
    let request = PromptRequest { pins: first, ..request(&config) };
    let body = composition(prepare(&after.pipeline(), &request)).observed.bodies.remove(0);
    assert_eq!(body.library.unwrap().as_str(), "vendor.a.p");
}
