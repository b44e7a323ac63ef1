//! Registered workflow definitions.

use cuebook_prompt::ContentHash;
use cuebook_wire::WorkflowId;

use super::Fixture;
use super::support::{Store, all, tenant};
use crate::ports::Definition;

fn definition(id: &str, text: &str) -> Definition {
    Definition { workflow_id: WorkflowId::new(id), hash: ContentHash::of(text), text: text.to_owned() }
}

/// Registers `text`, and gives what must be found then.
async fn register(store: &Store, owner: &str, id: &str, text: &str) -> Definition {
    let hash = store.register(&tenant(owner), &WorkflowId::new(id), text).await;
    assert_eq!(hash, Ok(ContentHash::of(text)));
    definition(id, text)
}

async fn get(store: &Store, owner: &str, id: &str) -> Option<Definition> {
    store.definition(&tenant(owner), &WorkflowId::new(id)).await.expect("definitions can be read")
}

async fn list(store: &Store, owner: &str, after: Option<&str>, limit: usize) -> Vec<Definition> {
    let after = after.map(WorkflowId::new);
    store.definitions(&tenant(owner), after.as_ref(), limit).await.expect("definitions can be listed")
}

/// Text and id are kept byte by byte; what was never registered is not there.
pub async fn a_definition_comes_back_as_it_was_given(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let texts = ["{}", "{ \"b\": 1.0,\r\n\"a\": 1e2 }", "nul \0 inside", "", "\u{1F3AD}"];
    for (id, text) in ["newsroom", "NEWSROOM", "newsroom ", "1", "\u{1F3AD} %"].into_iter().zip(texts) {
        assert_eq!(get(&store, "acme", id).await, None, "{id:?}");
        let expect = register(&store, "acme", id, text).await;
        assert_eq!(get(&store, "acme", id).await, Some(expect), "{id:?}");
    }
    assert_eq!(get(&store, "acme", "newsroo_").await, None);
    let large = "\u{1F3AD} ".repeat(300_000);
    let expect = register(&store, "acme", "large", &large).await;
    assert!(get(&store, "acme", "large").await == Some(expect), "a text of {} bytes", large.len());
}

/// The latest registration of an id counts, and the others stay as they are.
pub async fn registering_again_replaces(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let other = register(&store, "acme", "other", "{}").await;
    for text in ["first", "second", "second", "first"] {
        let expect = register(&store, "acme", "newsroom", text).await;
        assert_eq!(get(&store, "acme", "newsroom").await, Some(expect.clone()));
        assert_eq!(list(&store, "acme", None, usize::MAX).await, [expect, other.clone()]);
    }
    let tasks = (0..16).map(|number: u8| {
        let store = store.clone();
        tokio::spawn(async move { register(&store, "acme", "newsroom", &number.to_string()).await })
    });
    let registered = all(tasks.collect()).await;
    let found = get(&store, "acme", "newsroom").await;
    assert!(found.is_some_and(|found| registered.contains(&found)), "one of them was the last");
}

/// Another tenant's definitions do not exist, and have no part in a list.
pub async fn definitions_belong_to_their_tenant(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let ours = register(&store, "acme", "newsroom", "ours").await;
    for other in ["other", "ACME", ""] {
        assert_eq!(get(&store, other, "newsroom").await, None);
        assert_eq!(list(&store, other, None, usize::MAX).await, []);
    }
    let theirs = register(&store, "other", "newsroom", "theirs").await;
    assert_eq!(list(&store, "acme", None, usize::MAX).await, [ours]);
    assert_eq!(list(&store, "other", None, usize::MAX).await, [theirs]);
}

/// Pages of any size, each after the last id of the one before, are the list in the order of bytes.
pub async fn pages_of_definitions_make_up_the_list(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let mut expect = Vec::new();
    for id in ["b", "a", "B", "10", "9", "\u{e9}", "a ", "ab"] {
        expect.push(register(&store, "acme", id, id).await);
    }
    expect.sort_by(|one, other| one.workflow_id.cmp(&other.workflow_id));
    for limit in [1, 3, 8, 9, usize::MAX] {
        let mut read: Vec<Definition> = Vec::new();
        loop {
            let after = read.last().map(|last| last.workflow_id.as_str().to_owned());
            let page = list(&store, "acme", after.as_deref(), limit).await;
            assert!(page.len() <= limit);
            if page.is_empty() {
                break;
            }
            read.extend(page);
        }
        assert_eq!(read, expect, "pages of {limit}");
    }
    assert_eq!(list(&store, "acme", None, 0).await, []);
    assert_eq!(list(&store, "acme", Some("aa"), 1).await, [definition("ab", "ab")]);
}

/// What was registered is registered for the next process.
pub async fn definitions_are_there_after_opening_anew(fixture: &impl Fixture) {
    let store = fixture.open().await;
    register(&store, "acme", "newsroom", "first").await;
    let expect = register(&store, "acme", "newsroom", "second").await;
    drop(store);
    let store = fixture.open().await;
    assert_eq!(list(&store, "acme", None, usize::MAX).await, [expect]);
}
