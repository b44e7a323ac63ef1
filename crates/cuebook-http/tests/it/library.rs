//! The library that users write: create, replace, remove; who may, what must hold, and what is told.

use std::collections::BTreeSet;

use cuebook_host::wire::{ErrorCode, PromptTemplate, strict};
use serde_json::{Value as Json, json};

use crate::support::{Answer, Call, MEMBER, POWERLESS, THEIRS, TestHost, template};

fn of(version: &str, text: &str) -> Json {
    template("house.style", version, "user", text, &json!([]))
}

fn put(template: &Json) -> Call {
    let id = template["templateId"].as_str().unwrap();
    Call::new("PUT", &format!("/v1/prompts/{id}")).json(template)
}

async fn create(host: &TestHost, template: &Json) -> Answer {
    host.post("/v1/prompts", template).await
}

async fn text(host: &TestHost, path: &str) -> String {
    host.get(&format!("/v1/prompts/{path}")).await.gives(200)["text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_template_is_kept_with_what_the_host_stamps_on_it() {
    let host = TestHost::new();
    let mut given = of("1.0.0+build.7", "Write.");
    given["meta"] = json!({ "source": "host", "author": "somebody", "createdAt": "2001-01-01T00:00:00Z" });
    let answer = create(&host, &given).await;
    let kept = answer.gives(201);
    assert!(strict::read::<PromptTemplate>(&kept).is_ok(), "{kept}");
    let meta = &kept["meta"];
    assert_eq!((&meta["source"], &meta["author"]), (&json!("user"), &json!("somebody")));
    assert_eq!(meta["createdAt"], meta["updatedAt"]);
    assert!(!meta["createdAt"].as_str().unwrap().starts_with("2001"), "{meta}");
    let found = host.get(answer.header("location").unwrap()).await;
    assert_eq!((found.gives(200), found.header("etag")), (kept, answer.header("etag")));
    assert_eq!(found.header("cache-control"), Some("private, max-age=31536000, immutable"));
}

#[tokio::test]
async fn old_versions_stay_and_the_latest_is_seen_at_once() {
    let host = TestHost::builder().on_disk().open();
    create(&host, &of("1.0.0", "one")).await.gives(201);
    let first = host.get("/v1/prompts/house.style?version=1.0.0").await;
    for (version, text_of) in [("1.1.0", "two"), ("1.10.0", "three")] {
        let replaced = host.send(put(&of(version, text_of))).await.gives(200);
        assert_eq!((&replaced["version"], &replaced["text"]), (&json!(version), &json!(text_of)));
        assert_eq!(text(&host, "house.style").await, text_of);
    }
    let again = host.get("/v1/prompts/house.style?version=1.0.0").await;
    assert_eq!((again.text, again.headers["etag"].clone()), (first.text, first.headers["etag"].clone()));
    assert_eq!(text(&host, "house.style?version=1.1.0&libraryId=user").await, "two");
    create(&host, &of("2.0.0-rc.1", "early")).await.gives(201);
    assert_eq!(text(&host, "house.style").await, "three", "a pre-release is not the latest");
    let latest = host.get("/v1/prompts/house.style").await;
    let known = Call::get("/v1/prompts/house.style").header("if-none-match", latest.header("etag").unwrap());
    assert_eq!(host.send(known).await.status, 304);
    let host = host.restarted().await;
    assert_eq!(text(&host, "house.style?version=1.0.0").await, "one");
}

#[tokio::test]
async fn a_replacement_must_be_above_the_latest() {
    let host = TestHost::new();
    create(&host, &of("1.1.0+a", "one")).await.gives(201);
    for version in ["1.1.0", "1.1.0+a", "1.1.0+b", "1.1.0-rc.1", "1.0.9"] {
        let error = host.send(put(&of(version, "two"))).await.refuses(ErrorCode::PromptVersionNotGreater);
        assert_eq!(error["details"]["latestVersion"], "1.1.0+a");
    }
    create(&host, &of("1.0.0", "below")).await.gives(201);
    create(&host, &of("1.0.0", "again")).await.refuses(ErrorCode::PromptAlreadyExists);
    assert_eq!(text(&host, "house.style").await, "one");
    let elsewhere = Call::new("PUT", "/v1/prompts/other").json(&of("2.0.0", "two"));
    host.send(elsewhere).await.refuses(ErrorCode::ValidationError);
    let unknown = template("unknown", "1.0.0", "user", "x", &json!([]));
    host.send(put(&unknown)).await.refuses(ErrorCode::NotFound);
}

#[tokio::test]
async fn who_names_what_it_saw_replaces_nothing_else() {
    let host = TestHost::new();
    let first = create(&host, &of("1.0.0", "one")).await;
    let tag = first.header("etag").unwrap();
    let second = put(&of("1.1.0", "two"));
    host.send(second.clone().header("if-match", "\"other\"")).await.refuses(ErrorCode::PreconditionFailed);
    host.send(second.header("if-match", &format!("\"other\", {tag}"))).await.gives(200);
    let third = put(&of("1.2.0", "three"));
    host.send(third.clone().header("if-match", tag)).await.refuses(ErrorCode::PreconditionFailed);
    let delete = Call::new("DELETE", "/v1/prompts/house.style");
    host.send(delete.header("if-match", tag)).await.refuses(ErrorCode::PreconditionFailed);
    host.send(third.header("if-match", "*")).await.gives(200);
}

#[tokio::test]
async fn a_removed_template_is_gone_and_comes_back_only_as_it_was() {
    let host = TestHost::new();
    create(&host, &of("1.0.0", "one")).await.gives(201);
    create(&host, &of("1.1.0", "two")).await.gives(201);
    let delete = |query: &str| Call::new("DELETE", &format!("/v1/prompts/house.style{query}"));
    let gone = host.send(delete("?version=1.1.0")).await;
    assert_eq!((gone.status, gone.text.as_str()), (204, ""));
    assert_eq!(text(&host, "house.style").await, "one");
    host.send(delete("?version=7.0.0")).await.refuses(ErrorCode::NotFound);
    host.send(delete("?version=1")).await.refuses(ErrorCode::ValidationError);
    assert_eq!(host.send(delete("")).await.status, 204);
    for path in ["house.style", "house.style?version=1.0.0", "house.style?version=1.1.0"] {
        host.get(&format!("/v1/prompts/{path}")).await.refuses(ErrorCode::NotFound);
    }
    host.send(delete("")).await.refuses(ErrorCode::NotFound);
    create(&host, &of("1.0.0", "another")).await.refuses(ErrorCode::PromptAlreadyExists);
    create(&host, &of("1.0.0", "one")).await.gives(201);
}

#[tokio::test]
async fn what_belongs_to_the_host_is_not_written() {
    let host = TestHost::new();
    let own = template("topic-user", "9.0.0", "user", "Mine.", &json!([]));
    create(&host, &own).await.refuses(ErrorCode::Forbidden);
    host.send(put(&own)).await.refuses(ErrorCode::Forbidden);
    host.send(Call::new("DELETE", "/v1/prompts/topic-user")).await.refuses(ErrorCode::Forbidden);
    for prefix in ["agent-intrinsic.", "layered.", "project."] {
        let reserved = template(&format!("{prefix}x"), "1.0.0", "user", "x", &json!([]));
        create(&host, &reserved).await.refuses(ErrorCode::ValidationError);
    }
    create(&host, &template("projection", "1.0.0", "user", "x", &json!([]))).await.gives(201);
}

#[tokio::test]
async fn what_is_no_template_is_told_with_every_fault() {
    let host = TestHost::new();
    let mut wrong = of("1", "x");
    wrong["kind"] = "poem".into();
    wrong["txt"] = "x".into();
    let error = create(&host, &wrong).await.refuses(ErrorCode::ValidationError);
    assert_eq!(error["details"]["faults"].as_array().unwrap().len(), 3, "{error}");
    let long = of("1.0.0", &"\u{e9}".repeat(32_769));
    let error = create(&host, &long).await.refuses(ErrorCode::ValidationError);
    assert_eq!(error["details"]["faults"][0]["path"], "/text");
    let path = json!([{ "name": "a", "type": "string", "required": true, "extractPath": "a.b" }]);
    let bad_path = template("paths", "1.0.0", "user", "{{a}}", &path);
    create(&host, &bad_path).await.refuses(ErrorCode::UnsupportedExtractPath);
    create(&host, &of("1.0.0", &"\u{e9}".repeat(32_768))).await.gives(201);
}

#[tokio::test]
async fn ids_at_the_edges_of_the_grammar() {
    let host = TestHost::new();
    for id in ["0", "a.", "a..b", "a-_.b", &"x".repeat(128)] {
        create(&host, &template(id, "1.0.0", "user", id, &json!([]))).await.gives(201);
        assert_eq!(text(&host, id).await, id);
    }
    for id in ["", "A", ".a", "-a", "a/b", "a b", "a%2Fb", "\u{e9}", &"x".repeat(129)] {
        let answer = create(&host, &template(id, "1.0.0", "user", "x", &json!([]))).await;
        answer.refuses(ErrorCode::ValidationError);
    }
    for path in ["a%2Fb", "a%252Fb", "%2e%2e", "a%00", "A"] {
        for method in ["GET", "DELETE"] {
            let answer = host.send(Call::new(method, &format!("/v1/prompts/{path}"))).await;
            answer.refuses(ErrorCode::NotFound);
        }
    }
    assert_eq!(text(&host, "a%2D%5F.b").await, "a-_.b", "an id may be written in any way that means it");
}

#[tokio::test]
async fn templates_are_of_one_tenant_and_one_workspace() {
    let host = TestHost::builder().on_disk().open();
    create(&host, &of("1.0.0", "ours")).await.gives(201);
    let theirs = Call::post("/v1/prompts", &of("1.0.0", "theirs")).key(THEIRS);
    host.send(Call::get("/v1/prompts/house.style").key(THEIRS)).await.refuses(ErrorCode::NotFound);
    host.send(theirs).await.gives(201);
    let studio = Call::post("/v1/prompts?workspaceId=studio", &of("1.0.0", "studio"));
    host.send(studio.clone()).await.refuses(ErrorCode::WorkspaceMembershipRequired);
    host.send(studio.key(MEMBER)).await.gives(201);
    let read = |path: &str, key| host.send(Call::get(path).key(key));
    for (path, key, expect) in [
        ("/v1/prompts/house.style", THEIRS, "theirs"),
        ("/v1/prompts/house.style", MEMBER, "ours"),
        ("/v1/prompts/house.style?workspaceId=studio", MEMBER, "studio"),
    ] {
        assert_eq!(read(path, key).await.gives(200)["text"], expect);
        let list = path.replace("/house.style", "").replace('?', "&");
        let list = list.replacen("/v1/prompts", "/v1/prompts?source=user", 1);
        let page = read(&list, key).await.gives(200);
        assert_eq!((page["items"].as_array().unwrap().len(), &page["items"][0]["text"]), (1, &json!(expect)));
    }
    let delete = Call::new("DELETE", "/v1/prompts/house.style?workspaceId=studio");
    host.send(delete.clone()).await.refuses(ErrorCode::WorkspaceMembershipRequired);
    assert_eq!(host.send(delete.key(MEMBER)).await.status, 204);
    assert_eq!(text(&host, "house.style").await, "ours");
    let powerless = Call::post("/v1/prompts", &json!({ "not": "a template" })).key(POWERLESS);
    host.send(powerless).await.refuses(ErrorCode::Forbidden);
}

#[tokio::test]
async fn the_list_has_users_templates_in_its_order_and_pages() {
    let host = TestHost::builder().on_disk().open();
    for at in 0..120 {
        let kind = if at % 40 == 0 { "system" } else { "user" };
        let made = template(&format!("mine.{at:03}"), "1.0.0", kind, "x", &json!([]));
        create(&host, &made).await.gives(201);
    }
    let whole = host.get("/v1/prompts?limit=200").await.gives(200);
    assert_eq!(whole["items"].as_array().unwrap().len(), 128);
    for (limit, filter, expect) in
        [(7, "", 128), (50, "&source=user", 120), (1, "&kind=system&source=user", 3)]
    {
        let (mut found, mut cursor): (Vec<String>, String) = (Vec::new(), String::new());
        loop {
            let page = host.get(&format!("/v1/prompts?limit={limit}{filter}{cursor}")).await.gives(200);
            let items = page["items"].as_array().unwrap();
            found.extend(items.iter().map(|item| item["templateId"].as_str().unwrap().to_owned()));
            match page["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), expect, "{filter}");
        assert_eq!(found.len(), expect, "{filter}");
        assert!(found.iter().filter(|id| id.starts_with("mine.")).is_sorted());
    }
}

#[tokio::test]
async fn what_is_doubtful_is_told_and_taken() {
    let host = TestHost::new();
    let variables = json!([{ "name": "topic", "type": "string", "required": true }]);
    let doubtful = template("doubtful", "1.0.0", "user", "On {{topic}}.\nOn {{topik}}.", &variables);
    let answer = create(&host, &doubtful).await;
    assert_eq!(answer.gives(201)["text"], doubtful["text"]);
    let told = host.send(Call::get("/v1/host/cuebook/prompts/doubtful/lint")).await.gives(200);
    let finding = &told["findings"][0];
    assert_eq!(
        (&finding["code"], &finding["path"]),
        (&json!("prompt_placeholder_undeclared"), &json!("/text"))
    );
    assert_eq!((&finding["line"], &finding["column"]), (&json!(2), &json!(4)));
    assert_eq!((&finding["nearest"], &finding["severity"]), (&json!("topic"), &json!("warning")));
    assert_eq!((&told["ref"], &told["size"]["bytes"]), (&json!("prompt:doubtful@1.0.0"), &json!(27)));
    let changed = json!([{ "name": "subject", "type": "string", "required": true }]);
    let next = template("doubtful", "1.1.0", "user", "On {{subject}}.", &changed);
    host.send(Call::new("PUT", "/v1/prompts/doubtful").json(&next)).await.gives(200);
    let told = host.send(Call::get("/v1/host/cuebook/prompts/doubtful/lint?version=1.1.0")).await.gives(200);
    assert_eq!(told["findings"][0]["code"], "prompt_breaking_change");
    assert_eq!(told["findings"][0]["nearest"], "subject");
}

#[tokio::test]
async fn writes_are_done_once_for_each_key() {
    let host = TestHost::builder().on_disk().open();
    let create = Call::post("/v1/prompts", &of("1.0.0", "one")).idempotency_key("create");
    let replace = put(&of("1.1.0", "two")).idempotency_key("replace");
    let remove = Call::new("DELETE", "/v1/prompts/house.style").idempotency_key("remove");
    for (call, status) in [(create, 201), (replace, 200), (remove, 204)] {
        let first = host.send(call.clone()).await;
        assert_eq!(first.status, status, "{}", first.text);
        let again = host.send(call).await;
        assert_eq!((again.status, &again.text), (status, &first.text));
        assert_eq!(again.header("openwop-idempotent-replay"), Some("true"));
        assert_eq!(again.header("location"), first.header("location"));
        assert_eq!(again.header("etag"), first.header("etag"));
    }
    let other = Call::post("/v1/prompts", &of("3.0.0", "one")).idempotency_key("create");
    host.send(other).await.refuses(ErrorCode::IdempotencyKeyMismatch);
}
