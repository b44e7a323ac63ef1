//! Which calls are made again, when, and how often.

use std::sync::Arc;
use std::time::Duration;

use cuebook_client::{Client, ClientError, RetryPolicy, Timer};
use cuebook_wire::{CreateRun, RunStatus, TemplateId, WorkflowId};

use crate::server::{Script, Server, answer, hang_up, json, refusal};
use crate::support::{Pauses, client, run, snapshot};

/// A refusal for now, with `headers`.
fn busy(status: &str, headers: &str) -> Script {
    answer(status, headers, r#"{"error":"rate_limited","message":"later"}"#)
}

async fn read(client: Client) -> Result<(), ClientError> {
    client.runs().get(&run()).await.map(drop)
}

async fn create(client: Client) -> Result<(), ClientError> {
    client.runs().create(&CreateRun::new(WorkflowId::new("w"))).await.map(drop)
}

async fn create_with_key(client: Client) -> Result<(), ClientError> {
    client.runs().create(&CreateRun::new(WorkflowId::new("w"))).idempotency_key("k").await.map(drop)
}

async fn delete(client: Client) -> Result<(), ClientError> {
    client.prompts().delete(&TemplateId::parse("t").unwrap(), None).await
}

/// Makes a call of a host that answers by `scripts`: how many attempts, which pauses, and the last status that failed.
async fn check(
    scripts: Vec<Script>,
    call: impl AsyncFnOnce(Client) -> Result<(), ClientError>,
    expect: (usize, &[u128], Option<u16>),
) {
    let server = Server::start(scripts).await;
    let (client, pauses) = client(&server);
    let status = call(client).await.err().and_then(|error| error.status());
    assert_eq!((server.lines().len(), pauses.millis().as_slice(), status), expect);
}

fn fine() -> Script {
    json("200 OK", &snapshot("completed"))
}

#[tokio::test]
async fn reads_are_repeated() {
    check(vec![busy("429 Slow", ""), busy("503 Busy", ""), fine()], read, (3, &[500, 1000], None)).await;
    check(vec![hang_up(), fine()], read, (2, &[500], None)).await;
    check(vec![answer("503 Busy", "retry-after: 3\r\n", "<html>"), fine()], read, (2, &[3000], None)).await;
}

#[tokio::test]
async fn the_host_says_how_long_to_wait() {
    check(vec![busy("429 Slow", "retry-after: 7\r\n"), fine()], read, (2, &[7000], None)).await;
    check(vec![busy("429 Slow", "retry-after: 0\r\n"), fine()], read, (2, &[0], None)).await;
    check(
        vec![busy("429 Slow", "retry-after: Fri, 31 Dec 1999 23:59:59 GMT\r\n"), fine()],
        read,
        (2, &[500], None),
    )
    .await;
    let millis = r#"{"error":"rate_limited","message":"later","details":{"retryAfterMs":250}}"#;
    check(vec![json("429 Slow", millis), fine()], read, (2, &[250], None)).await;
    check(vec![busy("429 Slow", "retry-after: 30\r\n"), fine()], read, (2, &[30_000], None)).await;
    check(vec![busy("429 Slow", "retry-after: 31\r\n")], read, (1, &[], Some(429))).await;
}

#[tokio::test]
async fn repetitions_are_bounded() {
    let always = || (0..4).map(|_| busy("503 Busy", "")).collect();
    check(always(), read, (4, &[500, 1000, 2000], Some(503))).await;
}

#[tokio::test]
async fn other_refusals_are_final() {
    for status in [
        "400 Bad Request",
        "404 Not Found",
        "409 Conflict",
        "500 Oops",
        "501 Not Implemented",
        "502 Bad Gateway",
    ] {
        let number = status[..3].parse().ok();
        check(vec![refusal(status, "c")], read, (1, &[], number)).await;
        check(vec![refusal(status, "c")], create_with_key, (1, &[], number)).await;
    }
}

#[tokio::test]
async fn changes_are_repeated_with_a_key_alone() {
    let created = || json("201 Created", r#"{"runId":"r","status":"pending"}"#);
    check(vec![busy("429 Slow", "")], create, (1, &[], Some(429))).await;
    check(vec![busy("503 Busy", "")], create, (1, &[], Some(503))).await;
    check(vec![hang_up()], create, (1, &[], None)).await;
    check(vec![busy("429 Slow", ""), hang_up(), created()], create_with_key, (3, &[500, 1000], None)).await;
}

#[tokio::test]
async fn idempotent_methods_are_repeated_unless_they_may_have_been_done() {
    check(vec![busy("503 Busy", ""), answer("204 No Content", "", "")], delete, (2, &[500], None)).await;
    check(vec![hang_up()], delete, (1, &[], None)).await;
}

#[tokio::test]
async fn every_attempt_has_the_same_key_and_body() {
    let created = json("201 Created", r#"{"runId":"r","status":"pending"}"#);
    let server = Server::start([hang_up(), busy("503 Busy", ""), created]).await;
    create_with_key(client(&server).0).await.unwrap();
    assert_eq!(server.header("idempotency-key"), ["k", "k", "k"]);
    let bodies: Vec<String> = server.requests().into_iter().map(|request| request.body).collect();
    assert_eq!(bodies, [r#"{"workflowId":"w"}"#; 3]);
}

/// A client whose policy is `retry`.
fn with_policy(url: &str, retry: RetryPolicy) -> (Client, Arc<Pauses>) {
    let pauses = Arc::<Pauses>::default();
    let timer: Arc<dyn Timer> = Arc::<Pauses>::clone(&pauses);
    (Client::builder(url).retry(retry).timer(timer).build().unwrap(), pauses)
}

#[tokio::test]
async fn the_policy_is_the_callers() {
    let server = Server::start([busy("503 Busy", "")]).await;
    let (client, pauses) = with_policy(&server.url(), RetryPolicy { retries: 0, ..RetryPolicy::default() });
    assert_eq!(read(client).await.unwrap_err().status(), Some(503));
    assert_eq!(pauses.millis(), [0_u128; 0]);

    let server =
        Server::start([busy("503 Busy", ""), busy("503 Busy", ""), busy("503 Busy", ""), fine()]).await;
    let (first_pause, longest_pause) = (Duration::from_secs(2), Duration::from_secs(5));
    let (client, pauses) = with_policy(&server.url(), RetryPolicy { retries: 3, first_pause, longest_pause });
    assert_eq!(client.runs().get(&run()).await.unwrap().status, RunStatus::Completed);
    assert_eq!(
        (pauses.millis(), server.header("authorization")),
        (vec![2000, 4000, 5000], vec!["-".to_owned(); 4])
    );
}

#[tokio::test]
async fn a_host_that_is_not_there_yet_is_asked_again() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let (client, pauses) = with_policy(&url, RetryPolicy { retries: 2, ..RetryPolicy::default() });
    let error = read(client).await.unwrap_err();
    assert_eq!((error.status(), pauses.millis()), (None, vec![500, 1000]));
}
