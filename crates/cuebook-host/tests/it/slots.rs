//! `config check`: templates in places for another kind, and refs to what users wrote.

use cuebook_host::prompt::Principal;
use cuebook_host::wire::PromptTemplate;
use cuebook_host::{Host, ProjectCheck, PromptWrite};
use serde_json::json;

use crate::support::{Project, messages};

/// Checks the project as the local principal sees it.
async fn check(host: &Host) -> ProjectCheck {
    host.check(&Principal::local()).await
}

fn asking(reference: &str) -> Project {
    let agent = json!({
        "agentId": "local.desk.writer", "persona": "W", "modelClass": "writing",
        "promptOverrides": { "system": "prompt:question", "user": "prompt:question" },
    });
    let node = json!({
        "id": "n", "typeId": "core.ai.callPrompt", "name": "N", "position": { "x": 0, "y": 0 }, "inputs": {},
        "config": {
            "systemPromptRef": reference, "userPromptRef": reference, "fewShotPromptRefs": [reference],
            "additionalPromptRefs": [reference],
        },
    });
    let workflow = json!({
        "id": "w", "name": "W", "version": "1.0.0", "nodes": [node], "edges": [], "triggers": [], "variables": [],
        "metadata": {}, "settings": {}, "defaults": { "promptRefs": { "schema-hint": reference } },
    });
    Project::new()
        .with("agents/writer.json", &agent.to_string())
        .with("workflows/w.json", &format!("{workflow:#}"))
        .with("cuebook.toml", "[prompts.defaults]\nsystem = \"prompt:question\"\n")
}

#[tokio::test]
async fn a_template_in_a_place_for_another_kind_is_told_where_it_stands() {
    let project = asking("prompt:question");
    let found = check(&project.host().unwrap()).await;
    assert!(found.problems.is_empty(), "{}", found.problems);
    let told: Vec<(String, bool)> =
        found.warnings.iter().map(|it| (it.message.clone(), it.position().is_some())).collect();
    let said =
        |kind: &str, by: &str| format!("'prompt:question' is a user template in a place for {kind}{by}");
    let expect = [
        (said("system", " (named by prompts.defaults.system of the configuration)"), false),
        (
            said("system", " (named by promptOverrides.system of 'local.desk.writer' in agents/writer.json)"),
            false,
        ),
        (said("schema-hint", ""), true),
        (said("system", ""), true),
        (said("few-shot", ""), true),
    ];
    assert_eq!(told.len(), expect.len(), "{told:#?}");
    for ((message, placed), (expected, is_placed)) in told.iter().zip(&expect) {
        // The origin of an agent is a path, which differs from place to place.
        let begins = expected.split(" in agents/").next().unwrap_or_default();
        assert!(message.starts_with(begins), "{message} is not {expected}");
        assert_eq!(placed, is_placed, "{message}");
    }
}

#[tokio::test]
async fn a_ref_may_mean_what_users_wrote() {
    let project = asking("prompt:house.tone");
    let host = project.host().unwrap();
    let missing = check(&host).await;
    assert_eq!(missing.problems.iter().count(), 5, "{:#?}", messages(&missing.problems));
    let template: PromptTemplate = serde_json::from_value(json!({
        "templateId": "house.tone", "version": "1.0.0", "kind": "user", "text": "x",
    }))
    .unwrap();
    let write = PromptWrite { principal: &Principal::local(), ticket: None, condition: None };
    host.create_prompt(write, template).await.unwrap();
    assert!(check(&host).await.problems.is_empty());
    let stranger = Principal { tenant: "other".to_owned(), workspace: None };
    assert_eq!(host.check(&stranger).await.problems.iter().count(), 5);
}
