//! Bodies by content hash.

use cuebook_prompt::ContentHash;

use super::Fixture;
use super::support::{Store, all, tenant};

/// Texts that stores tend to change.
fn texts() -> Vec<String> {
    let mut texts =
        ["", " ", "text", "Text", "text\n", "a\r\nb", "nul \0 inside", "\u{feff}bom", "\u{e9}", "e\u{301}"]
            .map(str::to_owned)
            .to_vec();
    texts.push("\u{1F3AD} ".repeat(300_000));
    texts
}

async fn put(store: &Store, owner: &str, text: &str) -> ContentHash {
    store.put(&tenant(owner), text).await.expect("a text is stored")
}

async fn get(store: &Store, owner: &str, hash: &ContentHash) -> Option<String> {
    store.get(&tenant(owner), hash).await.expect("blobs can be read")
}

/// The hash is that of the text, and gives back the text, byte by byte.
pub async fn texts_come_back_by_their_hash(fixture: &impl Fixture) {
    let store = fixture.open().await;
    for text in texts() {
        assert_eq!(get(&store, "acme", &ContentHash::of(&text)).await, None);
        assert_eq!(put(&store, "acme", &text).await, ContentHash::of(&text));
    }
    for text in texts() {
        let came_back = get(&store, "acme", &ContentHash::of(&text)).await;
        assert!(came_back.as_ref() == Some(&text), "a text of {} bytes", text.len());
    }
}

/// A text that is there already is no error.
pub async fn storing_twice_is_storing_once(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let first = put(&store, "acme", "text").await;
    assert_eq!(put(&store, "acme", "text").await, first);
    assert_eq!(get(&store, "acme", &first).await.as_deref(), Some("text"));
}

/// Knowing a hash is not knowing the text, until one's own tenant has stored it too.
pub async fn blobs_belong_to_their_tenant(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let hash = put(&store, "acme", "text").await;
    for other in ["other", "ACME", "acme "] {
        assert_eq!(get(&store, other, &hash).await, None);
        assert_eq!(put(&store, other, "text").await, hash);
        assert_eq!(get(&store, other, &hash).await.as_deref(), Some("text"));
    }
    assert_eq!(get(&store, "acme", &hash).await.as_deref(), Some("text"));
}

/// Many who store one text at once are all told its hash, and can read it from then on.
pub async fn one_text_is_stored_by_many_at_once(fixture: &impl Fixture) {
    let store = fixture.open().await;
    for round in 0..10 {
        let text = format!("text {round}");
        let tasks = (0..16).map(|_| {
            let (store, text) = (store.clone(), text.clone());
            tokio::spawn(async move {
                let hash = put(&store, "acme", &text).await;
                get(&store, "acme", &hash).await
            })
        });
        let read = all(tasks.collect()).await;
        assert!(read.iter().all(|answer| answer.as_ref() == Some(&text)), "{read:?}");
    }
}
