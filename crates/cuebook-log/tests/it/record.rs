//! The private part of a record.

use std::collections::HashMap;

use cuebook_log::Private;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Part {
    place: u8,
}

#[test]
fn a_part_is_read_as_it_was_kept() {
    let private = Private::of(&Part { place: 3 }).expect("a part has a JSON form");
    assert_eq!(private.as_json(), Some(&json!({ "place": 3 })));
    assert_eq!(private.read::<Part>().expect("a part has its shape"), Some(Part { place: 3 }));
    assert_eq!(Private::from_json(private.as_json().cloned()), private);
}

#[test]
fn no_part_is_of_every_shape() {
    assert_eq!(Private::NONE.read::<Part>().expect("nothing is missing"), None);
    assert_eq!(Private::default(), Private::NONE);
    assert_eq!(Private::from_json(None), Private::NONE);
    assert_ne!(Private::from_json(Some(json!(null))), Private::NONE);
}

#[test]
fn a_part_of_another_shape_is_an_error() {
    let cases = [
        (json!({}), "missing field `place`"),
        (json!({ "place": 300 }), "invalid value: integer `300`, expected u8"),
        (json!(null), "invalid type: null, expected struct Part"),
    ];
    for (json, expect) in cases {
        let error = Private::from_json(Some(json)).read::<Part>().expect_err("another shape");
        assert_eq!(error.to_string(), expect);
    }
}

#[test]
fn what_has_no_json_form_is_not_kept() {
    let error = Private::of(&HashMap::from([(vec![1], 2)])).expect_err("a key is no string");
    assert_eq!(error.to_string(), "key must be a string");
}

#[test]
fn a_part_can_be_changed_before_it_is_stored() {
    let mut private = Private::of(&Part { place: 3 }).expect("a part has a JSON form");
    if let Some(json) = private.as_json_mut() {
        json["place"] = json!(4);
    }
    assert_eq!(private.read::<Part>().expect("a part has its shape"), Some(Part { place: 4 }));
    assert_eq!(Private::default().as_json_mut(), None);
}
