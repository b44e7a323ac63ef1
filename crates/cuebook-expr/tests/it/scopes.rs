//! Where names get their values.

use std::collections::BTreeMap;

use cuebook_expr::{Layered, Scope};
use serde_json::json;

use crate::support::{object, parse};

#[test]
fn the_first_layer_that_has_a_name_decides() {
    let inner = object(json!({"a": 1, "gone": null}));
    let outer = BTreeMap::from([
        ("a".to_owned(), json!(2)),
        ("b".to_owned(), json!(3)),
        ("gone".to_owned(), json!(4)),
    ]);
    let layers: [&dyn Scope; 2] = [&inner, &outer];
    let scope = Layered::new(&layers);
    assert_eq!(parse("[a, b, gone, absent]").evaluate(&scope), Ok(json!([1, 3, null, null])));
}

#[test]
fn a_scope_is_asked_for_roots_only() {
    struct Asked(std::cell::RefCell<Vec<String>>);
    impl Scope for Asked {
        fn lookup(&self, root: &str) -> Option<&serde_json::Value> {
            self.0.borrow_mut().push(root.to_owned());
            None
        }
    }
    let scope = Asked(std::cell::RefCell::default());
    assert_eq!(parse("host.phase == null || other.thing < 1").evaluate(&scope), Ok(json!(true)));
    assert_eq!(*scope.0.borrow(), ["host"]);
}
