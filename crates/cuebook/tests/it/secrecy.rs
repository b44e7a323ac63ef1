//! Secrets: a model gets them, nobody else sees them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::openai::desk_on;
use crate::server::{Reply, Server};
use crate::support::{Outcome, Project};

/// A secret whose every encoding differs from it.
const CANARY: &str = "c4nary/\"of\"+gold";

/// The forms in which the secret must not be seen: as it is, in JSON, percent-encoded, in base64.
const FORMS: [&str; 4] =
    [CANARY, "c4nary/\\\"of\\\"+gold", "c4nary%2F%22of%22%2Bgold", "YzRuYXJ5LyJvZiIrZ29sZA"];

const VAULT: &str = r#"+++
templateId = "question"
version = "1.0.0"
kind = "user"

[[variables]]
name = "topic"
type = "string"
required = true

[[variables]]
name = "pin"
type = "string"
required = true
source = "secret"
+++
About {{topic}}: the pin is {{pin}}, keep it."#;

/// A project whose prompt holds a secret.
fn with_vault(project: Project) -> Project {
    project
        .with("prompts/question@1.0.0.md", VAULT)
        .edit(
            "workflows/desk.json",
            "\"prompt:question@1.0.0\"",
            r#"{ "templateId": "question", "version": "1.0.0", "variableOverrides": { "pin": "vault-pin" } }"#,
        )
        .edit("cuebook.toml", "[prompts]", "[secrets.vault-pin]\nfrom = \"env:VAULT_PIN\"\n\n[prompts]")
        .env("VAULT_PIN", CANARY)
}

#[track_caller]
fn check_unseen(text: &str) {
    for form in FORMS {
        assert!(!text.contains(form), "{form} is seen in\n{text}");
    }
}

/// Runs in every form of output and checks that none of them, nor the journal, shows the secret.
#[track_caller]
fn check_run_is_clean(project: &Project) -> Outcome {
    let run = ["run", ".", "--input", "topic=tea", "--journal", "run.jsonl"];
    let outcome = project.cuebook(&[&run[..], &["--json"]].concat()).succeeded();
    check_unseen(&outcome.to_string());
    check_unseen(&project.read("run.jsonl"));
    let explained = project.cuebook(&["explain", "run", "run.jsonl", "--text"]).succeeded();
    check_unseen(&explained.to_string());
    assert!(explained.stdout.contains("[REDACTED:vault-pin]"), "{explained}");
    outcome
}

#[test]
fn a_model_that_says_a_secret_back_is_not_heard() {
    for size in [1, 3, 7, 1000] {
        let server = Server::start(vec![Reply::Echo(size)]);
        let outcome = check_run_is_clean(&with_vault(desk_on(&server)));
        let sent = server.requests()[0].body["messages"].to_string();
        assert!(sent.contains(FORMS[1]), "the model got the secret: {sent}");
        let text = "About tea: the pin is [REDACTED:vault-pin], keep it.";
        assert_eq!(outcome.json()["outputs"]["text"], text, "in pieces of {size}");
    }
}

#[test]
fn a_model_that_encodes_a_secret_is_not_heard() {
    for form in FORMS {
        for cut in [1, 8, form.len() - 1] {
            let (head, tail) = form.split_at(cut);
            let answer = vec!["It is ".to_owned(), head.to_owned(), tail.to_owned(), ".".to_owned()];
            let server = Server::start(vec![Reply::Pieces(answer)]);
            check_run_is_clean(&with_vault(desk_on(&server)));
        }
    }
}

#[test]
fn the_built_in_model_is_no_way_out() {
    check_run_is_clean(&with_vault(Project::desk()));
}

#[test]
fn a_secret_shows_as_its_marker_where_nothing_is_sent() {
    let project = with_vault(Project::desk());
    let args = ["prompts", "render", "prompt:question", "--var", "topic=tea", "--var", "pin=vault-pin"];
    let rendered = project.cuebook(&args).succeeded();
    assert_eq!(rendered.stdout, "About tea: the pin is [REDACTED:vault-pin], keep it.");
    let node =
        project.cuebook(&["explain", "node", ".", "answer", "--input", "topic=tea", "--text"]).succeeded();
    assert!(node.stdout.contains("the pin is [REDACTED:vault-pin], keep it."), "{node}");
    check_unseen(&node.to_string());
}

#[test]
fn a_secret_comes_from_a_private_file_or_a_command() {
    let project = with_vault(Project::desk()).with("pin.txt", format!("{CANARY}\n"));
    let private = |mode| {
        fs::set_permissions(project.root().join("pin.txt"), fs::Permissions::from_mode(mode)).unwrap();
    };
    let config = project.read("cuebook.toml");
    let run = ["run", ".", "--input", "topic=tea", "--quiet"];
    let from = |origin: &str| {
        let text = config.replace("env:VAULT_PIN", origin);
        fs::write(project.root().join("cuebook.toml"), text).unwrap();
        project.cuebook(&run)
    };
    private(0o600);
    check_unseen(&from("file:pin.txt").succeeded().to_string());
    check_unseen(&from("command:cat pin.txt").succeeded().to_string());
    private(0o644);
    from("file:pin.txt").ended(1);
    from("file:none.txt").ended(1);
    from("env:NONE").ended(1);
    let failed = from("command:cat pin.txt; exit 1").ended(1);
    check_unseen(&failed.to_string());
}

#[test]
fn an_allow_list_is_held_against_agent_workflow_and_library() {
    for (list, code) in [
        ("agents = [\"local.desk.clerk\"]", 0),
        ("agents = [\"local.desk.other\"]", 1),
        ("workflows = [\"desk\"]", 0),
        ("workflows = []", 1),
        ("libraries = [\"host\"]", 0),
        ("libraries = [\"other\"]", 1),
        ("agents = [\"local.desk.clerk\"], workflows = [\"other\"]", 1),
    ] {
        let allow = format!("env:VAULT_PIN\"\nallow = {{ {list} }}");
        let project = with_vault(Project::desk()).edit("cuebook.toml", "env:VAULT_PIN\"", &allow);
        let outcome = project.cuebook(&["run", ".", "--input", "topic=tea", "--quiet"]);
        assert_eq!(outcome.code, code, "under {list}\n{outcome}");
    }
}

#[test]
fn a_secret_that_is_an_ordinary_word_is_masked_in_ordinary_text() {
    let answer = vec!["Show a pass".to_owned(), " word, or a pass wor".to_owned(), "k.".to_owned()];
    let server = Server::start(vec![Reply::Pieces(answer)]);
    let project = with_vault(desk_on(&server)).env("VAULT_PIN", "pass word");
    let outcome = project.cuebook(&["run", ".", "--input", "topic=tea", "--json"]).succeeded();
    assert_eq!(outcome.json()["outputs"]["text"], "Show a [REDACTED:vault-pin], or a pass work.");
    assert!(!outcome.stdout.contains("pass word"), "{outcome}");
}

#[test]
fn an_override_of_a_secret_variable_is_a_secrets_id_and_nothing_else() {
    for value in ["\"no id\"", "\"hunter2hunter2\"", "7", "[\"vault-pin\"]", "{ \"id\": \"vault-pin\" }"] {
        let project = with_vault(Project::desk()).edit("workflows/desk.json", "\"vault-pin\"", value);
        let outcome = project.cuebook(&["run", ".", "--input", "topic=tea"]).ended(1);
        assert!(outcome.to_string().contains("credential_unavailable"), "of {value}: {outcome}");
        assert!(!outcome.to_string().contains("hunter2"), "{outcome}");
    }
}
