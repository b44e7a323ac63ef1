//! Previews at edit time: what is drafted stands before what is kept, and everything else is as in a run.

use cuebook_host::prompt::Principal;
use cuebook_host::wire::{AgentManifest, PromptKind, PromptTemplate, WorkflowId};
use cuebook_host::{NodePreview, PreviewDraft, Refusal};
use serde_json::{Map, Value as Json, json};

use crate::support::{Project, about_tea, run};

fn object(value: Json) -> Map<String, Json> {
    serde_json::from_value(value).unwrap()
}

async fn preview(draft: PreviewDraft) -> Result<NodePreview, Refusal> {
    Project::new().host().unwrap().preview_draft(&Principal::local(), draft).await
}

fn of_workflow() -> PreviewDraft {
    PreviewDraft {
        node: Some((WorkflowId::new("ask"), "answer".to_owned())),
        variables: object(json!({ "topic": "tea" })),
        ..PreviewDraft::default()
    }
}

fn composed(preview: &NodePreview) -> &str {
    preview.composition.as_ref().and_then(|it| it.composed.as_deref()).unwrap_or_default()
}

#[tokio::test]
async fn a_node_of_a_workflow_is_told_what_a_run_tells_it() {
    let project = Project::new();
    let host = project.host().unwrap();
    let seen = host.preview_draft(&Principal::local(), of_workflow()).await.unwrap();
    let principal = Principal::local();
    let workflow = host.workflow(None).unwrap();
    let (_, records) = run(&host, about_tea(&principal, &workflow, None)).await;
    let told = records.iter().find(|it| it.event.event_type.as_str() == "prompt.composed").unwrap();
    assert_eq!(seen.composition.unwrap().hash, told.event.payload["hash"]);
    let resolved = records.iter().find(|it| it.event.event_type.as_str() == "agent.promptResolved").unwrap();
    assert_eq!(json!(seen.resolutions[0]), resolved.event.payload);
}

#[tokio::test]
async fn a_drafted_template_stands_before_the_kept_one() {
    let template: PromptTemplate = serde_json::from_value(json!({
        "templateId": "question", "version": "1.0.1", "kind": "user", "text": "Why {{topic}}, {{ topik }}?",
        "variables": [{ "name": "topic", "type": "string", "required": true }],
    }))
    .unwrap();
    let seen = preview(PreviewDraft { template: Some(template), ..of_workflow() }).await.unwrap();
    assert_eq!(composed(&seen), "Why tea, ?");
    let json = seen.to_json(true);
    assert_eq!(json["templates"][0]["ref"], "prompt:question@1.0.1");
    let finding = &json["templates"][0]["findings"][0];
    assert_eq!(
        (&finding["code"], &finding["nearest"]),
        (&json!("prompt_placeholder_undeclared"), &json!("topic"))
    );
    assert_eq!((&finding["line"], &finding["column"]), (&json!(1), &json!(16)));
    assert_eq!(json["composition"]["event"]["refs"], json!(["prompt:question@1.0.1"]));
}

#[tokio::test]
async fn a_drafted_template_leaves_the_files_of_a_project_in_place() {
    let file = "version: 1\nproject: tea\nprimary: { model: a, system_prompt: role.md }\n";
    let project = Project::new().with(".cuebook/project.yaml", file).with("role.md", "You pour.\n");
    let host = project.host().unwrap();
    let template: PromptTemplate = serde_json::from_value(json!({
        "templateId": "asked", "version": "1.0.0", "kind": "user", "text": "Now?",
    }))
    .unwrap();
    let config = json!({ "systemPromptRef": "prompt:project.tea.primary.system_prompt", "userPromptRef": "prompt:asked" });
    let draft =
        PreviewDraft { config: Some(object(config)), template: Some(template), ..PreviewDraft::default() };
    let seen = host.preview_draft(&Principal::local(), draft).await.unwrap();
    assert!(seen.problems.is_empty(), "{}", seen.problems);
    assert_eq!(composed(&seen), "You pour.\n\nNow?");
}

#[tokio::test]
async fn a_drafted_config_and_agent_go_through_the_chain() {
    let agent: AgentManifest = serde_json::from_value(json!({
        "agentId": "local.desk.writer", "persona": "Writer", "modelClass": "writing", "systemPrompt": "You are brief.",
    }))
    .unwrap();
    let draft = PreviewDraft {
        config: Some(object(json!({
            "agentId": "local.desk.writer", "systemPromptRef": "prompt:question", "userPromptRef": "prompt:question",
        }))),
        agent: Some(agent.clone()),
        bindings: object(json!({
            "topic": { "value": "<b>", "meta": { "contentTrust": "untrusted" } },
        })),
        ..PreviewDraft::default()
    };
    let seen = preview(draft.clone()).await.unwrap();
    let body = "What is <UNTRUSTED><b></UNTRUSTED>?";
    assert_eq!(composed(&seen), format!("{body}\n\n{body}"));
    let json = seen.to_json(false);
    assert_eq!(json["slots"][0]["code"], "prompt_kind_mismatch");
    assert!(!json.to_string().contains("What is"), "without the leave to show texts: {json}");
    assert_eq!(json["composition"]["contentTrust"], "untrusted");
    let config = object(json!({ "agentId": "local.desk.writer" }));
    let own = PreviewDraft { config: Some(config), kind: Some(PromptKind::System), ..draft };
    let seen = preview(own).await.unwrap();
    assert_eq!((composed(&seen), seen.resolutions.len()), ("You are brief.", 1));
    assert_eq!(seen.resolutions[0].resolved.as_deref(), Some("prompt:agent-intrinsic.local.desk.writer"));
}

#[tokio::test]
async fn what_is_wrong_with_the_prompt_is_in_the_preview() {
    let draft = PreviewDraft {
        config: Some(object(json!({ "userPromptRef": "prompt:qestion" }))),
        ..PreviewDraft::default()
    };
    let seen = preview(draft).await.unwrap();
    assert!(seen.composition.is_none());
    let json = seen.to_json(true);
    assert_eq!(json["problems"][0]["code"], "prompt_template_not_found");
    assert_eq!(seen.resolutions[0].resolved.as_deref(), Some("prompt:qestion"));
}

#[track_caller]
fn check_refused(draft: PreviewDraft, expect: &str) {
    let refusal = futures_util::FutureExt::now_or_never(preview(draft)).unwrap().unwrap_err();
    assert_eq!(format!("{} {}", refusal.code, refusal.message), expect);
}

#[test]
fn what_cannot_be_looked_at_is_refused_with_its_place() {
    let config = |config: Json| PreviewDraft { config: Some(object(config)), ..PreviewDraft::default() };
    let bad = preview_of(config(json!({ "userPromptRef": "question" })));
    assert_eq!(bad.details["faults"][0]["path"], "/config/userPromptRef");
    let unknown = Some((WorkflowId::new("asks"), "answer".to_owned()));
    check_refused(
        PreviewDraft { node: unknown, ..PreviewDraft::default() },
        "not_found there is no such workflow",
    );
    let node = Some((WorkflowId::new("ask"), "answers".to_owned()));
    check_refused(PreviewDraft { node, ..of_workflow() }, "not_found workflow 'ask' has no node 'answers'");
}

fn preview_of(draft: PreviewDraft) -> Refusal {
    futures_util::FutureExt::now_or_never(preview(draft)).unwrap().unwrap_err()
}
