//! Requests that are done once.

use cuebook_prompt::ContentHash;

use super::Fixture;
use super::support::{Store, all, millis, tenant};
use crate::requests::{Claim, Claimed, Ending, Reply, RequestKey};

fn request(key: &str) -> RequestKey {
    RequestKey { endpoint: "POST /v1/runs".to_owned(), key: key.to_owned() }
}

/// A claim of `owner` at ten milliseconds, when everything up to the start is forgotten.
fn claim(key: &str, body: &str, owner: &str, ticket: &str) -> Claim {
    Claim {
        request: request(key),
        body: ContentHash::of(body),
        owner: owner.to_owned(),
        ticket: ticket.to_owned(),
        at: millis(10),
        forgotten: millis(0),
    }
}

/// A claim at so many milliseconds, which forgets nothing.
pub(super) fn claim_at(key: &str, at: u64) -> Claim {
    Claim {
        at: millis(at),
        forgotten: cuebook_wire::Timestamp::from_millis(i64::MIN),
        ..claim(key, "{}", "one", key)
    }
}

fn reply(body: &str) -> Reply {
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let headers = vec![header("content-type", "application/json"), header("location", "/v1/runs/\u{e9}")];
    Reply { status: 201, headers, body: body.into() }
}

fn yours(ticket: &str) -> Claimed {
    Claimed::Yours(ticket.to_owned())
}

async fn ask(store: &Store, claim: Claim) -> Claimed {
    store.claim(&tenant("acme"), claim).await.expect("a claim can be made")
}

async fn settle(store: &Store, key: &str, ending: Ending) {
    store.settle(&tenant("acme"), &request(key), ending).await.expect("an attempt can be ended");
}

/// The first claim is to do the request, the next ones are told that it is under way, and all later ones the answer.
pub async fn a_request_is_done_once(fixture: &impl Fixture) {
    let store = fixture.open().await;
    assert_eq!(ask(&store, claim("k", "{}", "one", "t1")).await, yours("t1"));
    assert_eq!(ask(&store, claim("k", "{}", "one", "t2")).await, Claimed::InFlight);
    let answer = reply("{\"nul\":\"\0\", \"mask\": \"\u{1F3AD}\"}");
    settle(&store, "k", Ending::Answered(answer.clone())).await;
    for owner in ["one", "two"] {
        assert_eq!(ask(&store, claim("k", "{}", owner, "t3")).await, Claimed::Answered(answer.clone()));
    }
}

/// A key stands for one body, whether the request is under way or answered.
pub async fn another_body_is_a_mismatch(fixture: &impl Fixture) {
    let store = fixture.open().await;
    ask(&store, claim("k", "{}", "one", "t1")).await;
    assert_eq!(ask(&store, claim("k", "{ }", "one", "t2")).await, Claimed::Mismatch);
    settle(&store, "k", Ending::Answered(reply("made"))).await;
    assert_eq!(ask(&store, claim("k", "", "two", "t2")).await, Claimed::Mismatch);
    assert_eq!(ask(&store, claim("k", "{}", "one", "t2")).await, Claimed::Answered(reply("made")));
}

/// Tenants, endpoints and keys are compared byte by byte, and never run together.
pub async fn requests_are_kept_apart(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let keys = [("a", "b c"), ("a b", "c"), ("a", "B C"), ("A", "b c"), ("a", ""), ("", "a"), ("a", "b%")];
    for owner in ["acme", "other", "ACME", ""] {
        for (endpoint, key) in keys {
            let request = RequestKey { endpoint: endpoint.to_owned(), key: key.to_owned() };
            let claim = Claim { request, ..claim("", "{}", "one", "t") };
            let claimed = store.claim(&tenant(owner), claim).await;
            assert_eq!(claimed, Ok(yours("t")), "{owner:?} {endpoint:?} {key:?}");
        }
    }
}

/// A request that was forgotten may come with any body; one that was abandoned goes on under its ticket.
pub async fn an_attempt_may_end_without_an_answer(fixture: &impl Fixture) {
    let store = fixture.open().await;
    ask(&store, claim("k", "{}", "one", "t1")).await;
    settle(&store, "k", Ending::Forgotten).await;
    assert_eq!(ask(&store, claim("k", "[]", "one", "t2")).await, yours("t2"));
    settle(&store, "k", Ending::Abandoned).await;
    assert_eq!(ask(&store, claim("k", "{}", "one", "t3")).await, Claimed::Mismatch);
    assert_eq!(ask(&store, claim("k", "[]", "one", "t3")).await, yours("t2"));
    assert_eq!(ask(&store, claim("k", "[]", "one", "t4")).await, Claimed::InFlight);
}

/// What an owner has begun, another takes over under the same ticket; the one who lost it may still answer.
pub async fn what_another_owner_began_is_taken_over(fixture: &impl Fixture) {
    let store = fixture.open().await;
    ask(&store, claim("k", "{}", "one", "t1")).await;
    assert_eq!(ask(&store, claim("k", "{}", "two", "t2")).await, yours("t1"));
    assert_eq!(ask(&store, claim("k", "{}", "two", "t3")).await, Claimed::InFlight);
    settle(&store, "k", Ending::Answered(reply("made"))).await;
    assert_eq!(ask(&store, claim("k", "{}", "three", "t4")).await, Claimed::Answered(reply("made")));
}

/// An answer that was given stands, whatever ends after it; and what nobody claimed is not made by ending it.
pub async fn an_answer_stands(fixture: &impl Fixture) {
    let store = fixture.open().await;
    settle(&store, "k", Ending::Answered(reply("never asked"))).await;
    assert_eq!(ask(&store, claim("k", "{}", "one", "t1")).await, yours("t1"));
    settle(&store, "k", Ending::Answered(reply("first"))).await;
    for later in [Ending::Answered(reply("second")), Ending::Forgotten, Ending::Abandoned] {
        settle(&store, "k", later).await;
        assert_eq!(ask(&store, claim("k", "{}", "one", "t2")).await, Claimed::Answered(reply("first")));
    }
}

/// A key is forgotten at the claim that says so, answered or not, and then stands for a new request.
pub async fn keys_are_forgotten_by_their_age(fixture: &impl Fixture) {
    let store = fixture.open().await;
    for key in ["answered", "under way"] {
        ask(&store, claim(key, "{}", "one", "t1")).await;
    }
    settle(&store, "answered", Ending::Answered(reply("old"))).await;
    let later = |key: &str, forgotten| Claim {
        at: millis(30),
        forgotten: millis(forgotten),
        ..claim(key, "{}", "one", "t2")
    };
    assert_eq!(ask(&store, later("answered", 9)).await, Claimed::Answered(reply("old")));
    assert_eq!(ask(&store, later("under way", 9)).await, Claimed::InFlight);
    assert_eq!(ask(&store, later("answered", 10)).await, yours("t2"));
    assert_eq!(ask(&store, later("under way", 10)).await, yours("t2"));
    assert_eq!(ask(&store, later("answered", 29)).await, Claimed::InFlight);
}

/// Of many claims of one request at once, one is to do it.
pub async fn one_of_many_equal_claims_wins(fixture: &impl Fixture) {
    let store = fixture.open().await;
    let tasks = (0..16).map(|number: u8| {
        let store = store.clone();
        tokio::spawn(async move { ask(&store, claim("k", "{}", "one", &number.to_string())).await })
    });
    let claimed = all(tasks.collect()).await;
    let (won, others): (Vec<_>, Vec<_>) =
        claimed.into_iter().partition(|claimed| matches!(claimed, Claimed::Yours(_)));
    assert_eq!(won.len(), 1);
    assert!(others.iter().all(|claimed| *claimed == Claimed::InFlight), "{others:?}");
}

/// Claims and answers are there for the next process.
pub async fn requests_are_there_after_opening_anew(fixture: &impl Fixture) {
    let store = fixture.open().await;
    for key in ["answered", "under way"] {
        ask(&store, claim(key, "{}", "one", "t1")).await;
    }
    settle(&store, "answered", Ending::Answered(reply("made"))).await;
    drop(store);
    let store = fixture.open().await;
    assert_eq!(ask(&store, claim("answered", "{}", "two", "t2")).await, Claimed::Answered(reply("made")));
    assert_eq!(ask(&store, claim("answered", "[]", "two", "t2")).await, Claimed::Mismatch);
    assert_eq!(ask(&store, claim("under way", "{}", "two", "t2")).await, yours("t1"));
}
