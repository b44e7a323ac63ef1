//! Prompt templates that are created at run time.

use cuebook_prompt::{ContentHash, Principal};
use cuebook_wire::{TemplateId, Version};

use super::Fixture;
use super::support::{Store, all, millis, tenant};
use crate::prompts::{
    AddRule, Added, ImportedPrompts, KeptPrompt, NewPrompt, PromptImport, PromptRemoval, Removed, Which,
};

fn template(id: &str) -> TemplateId {
    TemplateId::parse(id).expect("a template id")
}

fn version(text: &str) -> Version {
    Version::parse(text).expect("a version")
}

fn kept(id: &str, at: &str, document: &str) -> KeptPrompt {
    KeptPrompt { template_id: template(id), version: version(at), document: document.to_owned() }
}

/// A version whose document is also its content, under a ticket of its own.
fn new(prompt: &KeptPrompt) -> NewPrompt {
    NewPrompt {
        prompt: prompt.clone(),
        content: ContentHash::of(&prompt.document),
        rule: AddRule::Unused,
        ticket: format!("{}@{} {}", prompt.template_id, prompt.version, prompt.document),
        at: millis(1),
    }
}

fn above(prompt: &KeptPrompt, matching: Option<&str>) -> NewPrompt {
    let matching = matching.map(|document| vec![ContentHash::of("elsewhere"), ContentHash::of(document)]);
    NewPrompt { rule: AddRule::AboveAll { matching }, ..new(prompt) }
}

fn removal(id: &str, at: Option<&str>) -> PromptRemoval {
    PromptRemoval {
        template_id: template(id),
        version: at.map(version),
        matching: None,
        ticket: "removal".to_owned(),
        at: millis(2),
    }
}

async fn add(store: &Store, new: NewPrompt) -> Added {
    store.add_prompt(&tenant("acme"), new).await.expect("a version can be put on a shelf")
}

/// Puts a version on the shelf of `acme`, which must take it.
async fn put(store: &Store, id: &str, at: &str, document: &str) -> KeptPrompt {
    let prompt = kept(id, at, document);
    assert_eq!(add(store, new(&prompt)).await, Added::Kept(prompt.clone()), "{id}@{at}");
    prompt
}

async fn remove(store: &Store, removal: PromptRemoval) -> Removed {
    store.remove_prompt(&tenant("acme"), removal).await.expect("a version can be removed")
}

async fn find(store: &Store, id: &str, which: Which) -> Option<KeptPrompt> {
    store.prompt(&tenant("acme"), &template(id), &which).await.expect("a version can be read")
}

async fn latest(store: &Store, id: &str) -> Option<String> {
    find(store, id, Which::Latest).await.map(|kept| kept.version.to_string())
}

async fn list(
    store: &Store,
    principal: &Principal,
    after: Option<&TemplateId>,
    limit: usize,
) -> Vec<KeptPrompt> {
    store.prompts(principal, after, limit).await.expect("a shelf can be listed")
}

/// Documents are kept byte by byte; what was never put there is not there.
pub async fn a_version_comes_back_as_it_was_put(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let documents = ["{}", "{ \"b\": 1.0,\r\n\"a\": 1e2 }", "nul \0 inside", "", "\u{1F3AD}"];
    for (at, document) in ["1.0.0", "1.0.0-a", "1.0.0+b", "1.0.0+c", "0.0.1"].into_iter().zip(documents) {
        assert_eq!(find(&store, "tone", Which::Exact(version(at))).await, None);
        let expect = put(&store, "tone", at, document).await;
        assert_eq!(find(&store, "tone", Which::Exact(version(at))).await, Some(expect));
    }
    assert_eq!(find(&store, "ton", Which::Latest).await, None);
    let large = "\u{1F3AD} ".repeat(100_000);
    let expect = put(&store, "large", "1.0.0", &large).await;
    assert!(
        find(&store, "large", Which::Latest).await == Some(expect),
        "a document of {} bytes",
        large.len()
    );
}

/// Whatever the order they come in, and also when the latest goes.
pub async fn the_latest_is_the_highest_release(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let steps = [("2.0.0-rc.1", "2.0.0-rc.1"), ("1.9.0", "1.9.0"), ("1.10.0", "1.10.0"), ("1.2.0", "1.10.0")];
    for (at, expect) in steps {
        put(&store, "tone", at, at).await;
        assert_eq!(latest(&store, "tone").await.as_deref(), Some(expect), "after {at}");
    }
    for (gone, expect) in [("1.10.0", "1.9.0"), ("1.2.0", "1.9.0"), ("1.9.0", "2.0.0-rc.1")] {
        assert_eq!(remove(&store, removal("tone", Some(gone))).await, Removed::Gone);
        assert_eq!(latest(&store, "tone").await.as_deref(), Some(expect), "without {gone}");
        let listed = list(&store, &tenant("acme"), None, 9).await;
        assert_eq!(listed.iter().map(|it| it.version.to_string()).collect::<Vec<_>>(), [expect]);
    }
    assert_eq!(remove(&store, removal("tone", None)).await, Removed::Gone);
    assert_eq!(latest(&store, "tone").await, None);
    assert_eq!(list(&store, &tenant("acme"), None, 9).await, []);
}

/// A version that is there stays as it is, whatever comes under its name.
pub async fn a_version_is_put_once(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let first = put(&store, "tone", "1.0.0", "first").await;
    let again = NewPrompt { ticket: "other".to_owned(), ..new(&first) };
    assert_eq!(add(&store, again).await, Added::Taken);
    assert_eq!(add(&store, new(&kept("tone", "1.0.0", "second"))).await, Added::Taken);
    assert_eq!(find(&store, "tone", Which::Latest).await, Some(first));
    put(&store, "tone", "1.0.0+build", "third").await;
}

/// Of many equal versions at once, one is kept.
pub async fn one_of_many_equal_versions_is_kept(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let tasks = (0..32).map(|number: u8| {
        let store = store.clone();
        let prompt = kept("tone", "1.0.0", &number.to_string());
        tokio::spawn(async move { add(&store, new(&prompt)).await })
    });
    let (won, lost): (Vec<Added>, Vec<Added>) =
        all(tasks.collect()).await.into_iter().partition(|added| matches!(added, Added::Kept(_)));
    assert_eq!(won.len(), 1);
    assert!(lost.iter().all(|added| *added == Added::Taken), "{lost:?}");
    let versions = store.prompt_versions(&tenant("acme"), &template("tone")).await.expect("a history");
    assert_eq!(versions.len(), 1);
    let found = find(&store, "tone", Which::Latest).await.map(Added::Kept);
    assert_eq!(found.as_ref(), won.first());
}

/// By precedence, pre-releases too; of what is no latest version nothing can be above.
pub async fn a_new_version_is_above_all_others(fixture: &impl Fixture) {
    let store = fixture.open().await;
    assert_eq!(add(&store, above(&kept("tone", "1.0.0", ""), None)).await, Added::Unknown);
    put(&store, "tone", "1.2.0+b", "").await;
    for at in ["1.2.0", "1.2.0+c", "1.2.0-rc.1", "1.1.9"] {
        let added = add(&store, above(&kept("tone", at, ""), None)).await;
        assert_eq!(added, Added::NotAbove(version("1.2.0+b")), "{at}");
    }
    let candidate = above(&kept("tone", "1.3.0-rc.2", ""), None);
    assert!(matches!(add(&store, candidate).await, Added::Kept(_)));
    for at in ["1.2.1", "1.3.0-rc.1", "1.3.0-rc.2+b"] {
        let added = add(&store, above(&kept("tone", at, ""), None)).await;
        assert_eq!(added, Added::NotAbove(version("1.3.0-rc.2")), "{at}");
    }
    let next = kept("tone", "1.3.0", "next");
    assert_eq!(add(&store, above(&next, None)).await, Added::Kept(next.clone()));
    assert_eq!(find(&store, "tone", Which::Latest).await, Some(next));
    assert!(find(&store, "tone", Which::Exact(version("1.2.0+b"))).await.is_some());
}

/// A caller who names what it saw replaces and removes nothing else.
pub async fn a_replacement_names_what_it_replaces(fixture: &impl Fixture) {
    let store = fixture.open().await;
    put(&store, "tone", "1.0.0", "first").await;
    let (second, third) = (kept("tone", "2.0.0", "second"), kept("tone", "3.0.0", "third"));
    assert_eq!(add(&store, above(&second, Some("other"))).await, Added::Changed);
    assert_eq!(add(&store, above(&second, Some("first"))).await, Added::Kept(second));
    assert_eq!(add(&store, above(&third, Some("first"))).await, Added::Changed);
    let stale =
        PromptRemoval { matching: Some(vec![ContentHash::of("first")]), ..removal("tone", Some("1.0.0")) };
    assert_eq!(remove(&store, stale.clone()).await, Removed::Changed);
    assert_eq!(remove(&store, PromptRemoval { version: None, ..stale }).await, Removed::Changed);
    let fresh = PromptRemoval { matching: Some(vec![ContentHash::of("second")]), ..removal("tone", None) };
    assert_eq!(remove(&store, fresh).await, Removed::Gone);
}

/// A request that is done again, after its first answer was lost, gets that answer.
pub async fn the_same_request_finds_its_own_version(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let first = put(&store, "tone", "1.0.0", "first").await;
    let later = NewPrompt { at: millis(9), ..new(&first) };
    assert_eq!(add(&store, later).await, Added::Kept(first));
    let second = kept("tone", "1.1.0", "second");
    for _ in 0..2 {
        assert_eq!(add(&store, above(&second, Some("first"))).await, Added::Kept(second.clone()));
    }
    for _ in 0..2 {
        assert_eq!(remove(&store, removal("tone", None)).await, Removed::Gone);
    }
    let other = PromptRemoval { ticket: "other".to_owned(), ..removal("tone", None) };
    assert_eq!(remove(&store, other).await, Removed::Unknown);
}

/// What was removed is found by its exact name alone, and comes back only as what it was.
pub async fn removed_versions_are_kept_for_those_who_name_them(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let first = put(&store, "tone", "1.0.0", "first").await;
    assert_eq!(remove(&store, removal("tone", None)).await, Removed::Gone);
    let exact = version("1.0.0");
    assert_eq!(find(&store, "tone", Which::Latest).await, None);
    assert_eq!(find(&store, "tone", Which::Exact(exact.clone())).await, None);
    assert_eq!(find(&store, "tone", Which::Kept(exact.clone())).await, Some(first.clone()));
    assert_eq!(find(&store, "tone", Which::Kept(version("2.0.0"))).await, None);
    assert_eq!(add(&store, new(&kept("tone", "1.0.0", "other"))).await, Added::Taken);
    let back = NewPrompt { ticket: "back".to_owned(), ..new(&first) };
    assert_eq!(add(&store, back).await, Added::Kept(first.clone()));
    assert_eq!(find(&store, "tone", Which::Exact(exact)).await, Some(first));
    assert_eq!(latest(&store, "tone").await.as_deref(), Some("1.0.0"));
}

/// A history tells every version in order, and which of them went and when.
pub async fn removals_are_told_apart(fixture: &impl Fixture) {
    let store = fixture.open().await;
    for at in ["1.10.0", "1.9.0", "2.0.0-rc.1"] {
        put(&store, "tone", at, at).await;
    }
    assert_eq!(remove(&store, removal("tone", Some("1.9.0"))).await, Removed::Gone);
    for (id, at) in [("tone", Some("7.0.0")), ("other", None), ("other", Some("1.9.0"))] {
        assert_eq!(remove(&store, removal(id, at)).await, Removed::Unknown, "{id} {at:?}");
    }
    let versions = store.prompt_versions(&tenant("acme"), &template("tone")).await.expect("a history");
    let told: Vec<_> = versions.iter().map(|it| (it.version.to_string(), it.removed_at)).collect();
    let expect = [("1.9.0", Some(millis(2))), ("1.10.0", None), ("2.0.0-rc.1", None)];
    assert_eq!(told, expect.map(|(at, removed)| (at.to_owned(), removed)));
    for it in versions {
        assert_eq!((it.hash, it.added_at), (ContentHash::of(&it.version.to_string()), millis(1)));
    }
}

/// All of an import or nothing: what stands against one version keeps the others out.
pub async fn an_import_is_whole_or_nothing(fixture: &impl Fixture) {
    let store = fixture.open().await;
    put(&store, "tone", "1.0.0", "first").await;
    let (next, other) = (kept("tone", "1.1.0", "next"), kept("other", "2.0.0-rc.1", "other"));
    let import = |seen: Option<&str>, prompts: &[&KeptPrompt]| PromptImport {
        new: prompts.iter().map(|prompt| new(prompt)).collect(),
        seen: vec![(template("tone"), seen.map(version)), (template("other"), None)],
    };
    let stale = kept("tone", "1.0.0", "second");
    let refusals = [
        (import(None, &[&other, &next]), ImportedPrompts::Changed(template("tone"))),
        (import(Some("0.9.0"), &[&other, &next]), ImportedPrompts::Changed(template("tone"))),
        (
            import(Some("1.0.0"), &[&other, &stale]),
            ImportedPrompts::Taken(template("tone"), version("1.0.0")),
        ),
    ];
    for (refused, expect) in refusals {
        assert_eq!(store.import_prompts(&tenant("acme"), refused).await, Ok(expect));
        assert_eq!(latest(&store, "other").await, None);
    }
    let all = import(Some("1.0.0"), &[&other, &next]);
    let expect = ImportedPrompts::Kept(vec![other, next]);
    assert_eq!(store.import_prompts(&tenant("acme"), all).await, Ok(expect));
    assert_eq!(latest(&store, "other").await.as_deref(), Some("2.0.0-rc.1"));
    assert_eq!(latest(&store, "tone").await.as_deref(), Some("1.1.0"));
}

/// Another tenant's and another workspace's templates do not exist.
pub async fn shelves_share_nothing(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let workspace =
        |tenant: &str, name: &str| Principal { tenant: tenant.to_owned(), workspace: Some(name.to_owned()) };
    let all =
        [tenant("acme"), tenant("ACME"), workspace("acme", ""), workspace("acme", "studio"), tenant("")];
    for (at, principal) in all.iter().enumerate() {
        let prompt = kept("tone", "1.0.0", &at.to_string());
        assert_eq!(store.prompt(principal, &prompt.template_id, &Which::Latest).await, Ok(None));
        assert_eq!(list(&store, principal, None, 9).await, []);
        let removed = store.remove_prompt(principal, removal("tone", None)).await;
        assert_eq!(removed, Ok(Removed::Unknown));
        let added = store.add_prompt(principal, new(&prompt)).await;
        assert_eq!(added, Ok(Added::Kept(prompt)));
    }
    for (at, principal) in all.iter().enumerate() {
        assert_eq!(list(&store, principal, None, 9).await, [kept("tone", "1.0.0", &at.to_string())]);
    }
}

/// Pages of any size, each after the last id of the one before, are the list in the order of bytes.
pub async fn pages_of_prompts_make_up_the_list(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let mut expect = Vec::new();
    for id in ["b", "a", "9", "10", "a.b", "a-b", "ab"] {
        put(&store, id, "0.9.0", "old").await;
        expect.push(put(&store, id, "1.0.0", id).await);
    }
    expect.sort_by(|one, other| one.template_id.cmp(&other.template_id));
    let principal = tenant("acme");
    for limit in [1, 3, 7, 8, usize::MAX] {
        let mut read: Vec<KeptPrompt> = Vec::new();
        loop {
            let after = read.last().map(|last| last.template_id.clone());
            let page = list(&store, &principal, after.as_ref(), limit).await;
            assert!(page.len() <= limit);
            if page.is_empty() {
                break;
            }
            read.extend(page);
        }
        assert_eq!(read, expect, "pages of {limit}");
    }
    assert_eq!(list(&store, &principal, None, 0).await, []);
    assert_eq!(list(&store, &principal, Some(&template("aa")), 1).await, [kept("ab", "1.0.0", "ab")]);
}

/// What was put and removed is so for the next process.
pub async fn prompts_are_there_after_opening_anew(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let first = put(&store, "tone", "1.0.0", "first").await;
    put(&store, "gone", "1.0.0", "gone").await;
    assert_eq!(remove(&store, removal("gone", None)).await, Removed::Gone);
    drop(store);
    let store = fixture.open().await;
    assert_eq!(list(&store, &tenant("acme"), None, 9).await, std::slice::from_ref(&first));
    assert_eq!(add(&store, new(&first)).await, Added::Kept(first));
    assert_eq!(add(&store, new(&kept("gone", "1.0.0", "other"))).await, Added::Taken);
    assert_eq!(remove(&store, removal("gone", None)).await, Removed::Gone);
}
