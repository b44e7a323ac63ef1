//! Interrupts: a run that waits, the answer, and answers that come too late.

use cuebook_host::wire::ErrorCode;
use serde_json::{Value as Json, json};

use crate::support::{Answer, Call, THEIRS, TestHost};

const WORKFLOW: &str = "conformance-agent-low-confidence";

async fn waiting(host: &TestHost) -> String {
    let run = host.start(WORKFLOW, &json!({})).await;
    host.until_type(&run, "interrupt.requested").await;
    run
}

async fn resolve(host: &TestHost, run: &str, node: &str, value: &Json) -> Answer {
    let path = format!("/v1/runs/{run}/interrupts/{node}");
    host.post(&path, &json!({ "resumeValue": value })).await
}

#[tokio::test]
async fn a_run_that_waits_goes_on_with_the_answer() {
    let host = TestHost::new();
    let run = waiting(&host).await;
    let snapshot = host.snapshot(&run).await;
    assert_eq!(
        (&snapshot["status"], &snapshot["currentNodeId"]),
        (&json!("waiting-approval"), &json!("agent"))
    );
    let value = json!({ "decision": "go on" });
    let answer = resolve(&host, &run, "agent", &value).await.gives(200);
    assert_eq!((&answer["runId"], &answer["nodeId"]), (&json!(run), &json!("agent")));
    let events = host.ended(&run).await;
    let resolved = events.iter().find(|event| event["type"] == "interrupt.resolved").unwrap();
    assert_eq!(resolved["payload"]["resumeValue"], value);
    assert_eq!(events.last().unwrap()["type"], "run.completed");
}

#[tokio::test]
async fn null_is_an_answer_and_nothing_is_none() {
    let host = TestHost::new();
    let run = waiting(&host).await;
    let path = format!("/v1/runs/{run}/interrupts/agent");
    host.post(&path, &json!({})).await.refuses(ErrorCode::ValidationError);
    resolve(&host, &run, "agent", &Json::Null).await.gives(200);
    assert_eq!(host.ended(&run).await.last().unwrap()["type"], "run.completed");
}

#[tokio::test]
async fn the_second_answer_comes_too_late() {
    let host = TestHost::new();
    let run = waiting(&host).await;
    resolve(&host, &run, "agent", &json!(1)).await.gives(200);
    resolve(&host, &run, "agent", &json!(2)).await.refuses(ErrorCode::InterruptAlreadyResolved);
    host.ended(&run).await;
    resolve(&host, &run, "agent", &json!(3)).await.refuses(ErrorCode::InterruptAlreadyResolved);
}

#[tokio::test]
async fn a_cancelled_run_takes_no_answer() {
    let host = TestHost::new();
    let run = waiting(&host).await;
    host.post(&format!("/v1/runs/{run}/cancel"), &json!({})).await.gives(200);
    host.ended(&run).await;
    resolve(&host, &run, "agent", &json!(1)).await.refuses(ErrorCode::InterruptCancelled);
}

#[tokio::test]
async fn what_waits_for_nothing_takes_no_answer() {
    let host = TestHost::new();
    let run = waiting(&host).await;
    for node in ["other", "..", "a%2Fb"] {
        resolve(&host, &run, node, &json!(1)).await.refuses(ErrorCode::InterruptNotFound);
    }
    resolve(&host, "none", "agent", &json!(1)).await.refuses(ErrorCode::NotFound);
    let theirs = Call::post(&format!("/v1/runs/{run}/interrupts/agent"), &json!({ "resumeValue": 1 }));
    host.send(theirs.key(THEIRS)).await.refuses(ErrorCode::NotFound);
    assert_eq!(host.snapshot(&run).await["status"], "waiting-approval");
}

#[tokio::test]
async fn no_token_is_known_as_none_is_given_out() {
    let host = TestHost::new();
    host.get("/v1/interrupts/a.b").await.refuses(ErrorCode::InterruptNotFound);
    let answer = host.post("/v1/interrupts/secret-token", &json!({ "resumeValue": 1 })).await;
    answer.refuses(ErrorCode::InterruptNotFound);
    assert!(!answer.text.contains("secret-token"));
}
