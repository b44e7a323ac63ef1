//! Every call about the prompt library: the request it makes, and what it reads from the answer.

use cuebook_client::{
    ClientError, ClientErrorKind, FetchedPrompt, PromptLookup, PromptPage, PromptQuery, RenderPrompt,
};
use cuebook_wire::payload::ContentTrust;
use cuebook_wire::template::TemplateOrigin;
use cuebook_wire::{LibraryId, PromptKind, PromptRef, PromptTemplate, TemplateId, Version};
use futures_util::StreamExt;
use serde_json::{Map, Value, json};

use crate::server::{Script, Server, answer, json as json_answer};
use crate::support::client;

fn template(id: &str) -> Value {
    json!({ "templateId": id, "version": "1.2.0", "kind": "user", "text": "Hello {{name}}", "colour": "blue" })
}

fn read_template(id: &str) -> PromptTemplate {
    serde_json::from_value(template(id)).unwrap()
}

fn page(ids: &[&str], next: Option<&str>) -> Script {
    let items: Vec<Value> = ids.iter().map(|id| template(id)).collect();
    let mut page = json!({ "items": items });
    if let Some(next) = next {
        page["nextCursor"] = json!(next);
    }
    json_answer("200 OK", &page.to_string())
}

fn writer() -> TemplateId {
    TemplateId::parse("writer").unwrap()
}

#[track_caller]
fn check_ids(page: &PromptPage, expect: &[&str]) {
    assert_eq!(page.items.iter().map(|item| item.template_id.as_str()).collect::<Vec<_>>(), expect);
}

#[tokio::test]
async fn a_list_is_narrowed_by_every_condition() {
    let server = Server::start([page(&["a", "b"], None)]).await;
    let query = PromptQuery {
        kind: Some(PromptKind::FewShot),
        tags: vec!["x y".to_owned(), "ü&z".to_owned()],
        model_class: Some("coding".to_owned()),
        source: Some(TemplateOrigin::Pack),
        cursor: Some("c=1".to_owned()),
        limit: Some(200),
    };
    let page = client(&server).0.prompts().in_workspace("w/1").list(&query).await.unwrap();
    check_ids(&page, &["a", "b"]);
    assert_eq!(
        server.lines(),
        [
            "GET /v1/prompts?tag=x+y&tag=%C3%BC%26z&kind=few-shot&modelClass=coding&source=pack&cursor=c%3D1&limit=200&workspaceId=w%2F1"
        ]
    );
}

async fn read_pages(scripts: Vec<Script>) -> (Vec<Result<PromptPage, ClientError>>, Vec<String>) {
    let server = Server::start(scripts).await;
    let client = client(&server).0;
    let query = PromptQuery { limit: Some(2), ..PromptQuery::default() };
    let pages = client.prompts().pages(query).collect().await;
    (pages, server.lines())
}

#[tokio::test]
async fn pages_follow_each_other_to_the_last() {
    let (pages, lines) =
        read_pages(vec![page(&["a", "b"], Some("n1")), page(&["c"], Some("n2")), page(&[], None)]).await;
    let pages: Vec<PromptPage> = pages.into_iter().collect::<Result<_, _>>().unwrap();
    assert_eq!(pages.len(), 3);
    check_ids(&pages[0], &["a", "b"]);
    check_ids(&pages[1], &["c"]);
    check_ids(&pages[2], &[]);
    assert_eq!(
        lines,
        ["GET /v1/prompts?limit=2", "GET /v1/prompts?cursor=n1&limit=2", "GET /v1/prompts?cursor=n2&limit=2"]
    );
}

#[tokio::test]
async fn the_only_page_is_the_last() {
    let (pages, lines) = read_pages(vec![page(&["a"], None)]).await;
    check_ids(pages[0].as_ref().unwrap(), &["a"]);
    assert_eq!((pages.len(), lines.len()), (1, 1));
}

#[tokio::test]
async fn a_cursor_that_comes_again_ends_the_pages() {
    let (pages, _) = read_pages(vec![page(&["a"], Some("n1")), page(&["b"], Some("n1"))]).await;
    check_ids(pages[0].as_ref().unwrap(), &["a"]);
    let error = pages[1].as_ref().unwrap_err();
    let expect = "GET /v1/prompts: the answer with status 200 is wrong at `nextCursor`: \
                  the cursor of the next page is the one of this page";
    assert_eq!((pages.len(), error.to_string()), (2, expect.to_owned()));
}

#[tokio::test]
async fn a_limit_outside_its_range_is_not_sent() {
    let server = Server::start([]).await;
    for limit in [0, 201] {
        let query = PromptQuery { limit: Some(limit), ..PromptQuery::default() };
        let error = client(&server).0.prompts().list(&query).await.unwrap_err();
        assert_eq!(error.to_string(), "GET /v1/prompts: limit must be 1 to 200");
    }
}

#[tokio::test]
async fn a_template_is_fetched_once_and_then_compared() {
    let body = template("writer").to_string();
    let fresh = answer("200 OK", "content-type: application/json\r\netag: \"abc\"\r\n", &body);
    let server = Server::start([fresh, answer("304 Not Modified", "etag: \"abc\"\r\n", "")]).await;
    let client = client(&server).0;
    let mut lookup = PromptLookup {
        version: Some(Version::parse("1.2.0-rc.1+b5").unwrap()),
        library_id: Some(LibraryId::parse("vendor.acme").unwrap()),
        if_none_match: None,
    };
    let fetched = client.prompts().get(&writer(), &lookup).await.unwrap();
    assert_eq!(
        fetched,
        Some(FetchedPrompt { template: read_template("writer"), etag: Some("\"abc\"".to_owned()) })
    );
    lookup.if_none_match = Some("\"abc\"".to_owned());
    assert_eq!(client.prompts().get(&writer(), &lookup).await.unwrap(), None);
    let line = "GET /v1/prompts/writer?version=1.2.0-rc.1%2Bb5&libraryId=vendor.acme";
    assert_eq!(
        (server.lines(), server.header("if-none-match")),
        (vec![line.to_owned(); 2], vec!["-".to_owned(), "\"abc\"".to_owned()])
    );
}

#[tokio::test]
async fn a_template_is_rendered() {
    let hash = format!("sha256:{}", "0".repeat(64));
    let body = json!({ "hash": hash, "refs": ["prompt:writer@1.2.0"], "variableHashes": { "name": hash }, "new": 1 });
    let server = Server::start([json_answer("200 OK", &body.to_string())]).await;
    let variables = Map::from_iter([("name".to_owned(), json!("[REDACTED:acme-key]"))]);
    let mut render = RenderPrompt::new(PromptRef::parse("prompt:writer").unwrap(), variables);
    render.content_trust = Some(ContentTrust::Untrusted);
    let rendered = client(&server).0.prompts().render(&render).await.unwrap();
    assert_eq!(
        (rendered.hash.as_str(), rendered.composed, rendered.content_trust),
        (hash.as_str(), None, None)
    );
    assert_eq!((&rendered.variable_hashes["name"], &rendered.other["new"]), (&hash, &json!(1)));
    assert_eq!(server.lines(), ["POST /v1/prompts:render"]);
    assert_eq!(
        server.requests()[0].json(),
        json!({ "ref": "prompt:writer", "variables": { "name": "[REDACTED:acme-key]" }, "contentTrust": "untrusted" })
    );
}

#[tokio::test]
async fn templates_are_written() {
    let stored = template("writer").to_string();
    let location = "location: /v1/prompts/writer?version=1.2.0\r\n";
    let server = Server::start([
        answer("201 Created", location, ""),
        answer("201 Created", "content-type: application/json\r\n", &stored),
        json_answer("200 OK", &stored),
        answer("204 No Content", "", ""),
        answer("204 No Content", "", ""),
    ])
    .await;
    let client = client(&server).0;
    let (prompts, given) = (client.prompts(), read_template("writer"));
    let created = prompts.in_workspace("w1").create(&given).idempotency_key("k").await.unwrap();
    assert_eq!(
        (created.location.as_deref(), created.template),
        (Some("/v1/prompts/writer?version=1.2.0"), None)
    );
    assert_eq!(prompts.create(&given).await.unwrap().template, Some(given.clone()));
    assert_eq!(prompts.update(&given).await.unwrap(), given);
    prompts.delete(&writer(), None).await.unwrap();
    prompts.delete(&writer(), Some(&Version::new(1, 2, 0))).await.unwrap();
    assert_eq!(
        server.lines(),
        [
            "POST /v1/prompts?workspaceId=w1",
            "POST /v1/prompts",
            "PUT /v1/prompts/writer",
            "DELETE /v1/prompts/writer",
            "DELETE /v1/prompts/writer?version=1.2.0",
        ]
    );
    assert_eq!(server.header("idempotency-key"), ["k", "-", "-", "-", "-"]);
    assert_eq!(server.requests()[2].json(), serde_json::to_value(&given).unwrap());
}

#[tokio::test]
async fn a_template_that_cannot_be_read_is_named_by_its_place() {
    let mut wrong = template("b");
    wrong["kind"] = json!("sonnet");
    let body = json!({ "items": [template("a"), wrong] });
    let server = Server::start([json_answer("200 OK", &body.to_string())]).await;
    let error = client(&server).0.prompts().list(&PromptQuery::default()).await.unwrap_err();
    let ClientErrorKind::Decode(fault) = error.kind() else { panic!("{error}") };
    assert_eq!(fault.path.as_deref(), Some("items[1].kind"));
    assert!(fault.problem.contains("sonnet"), "{fault}");
}
