//! Layered templates from the command line: overrides, checks, origins, and runs that use them.

use std::os::unix::fs::symlink;

use serde_json::{Value as Json, json};

use crate::server::{Reply, Server};
use crate::support::{Outcome, Project};

const HANDOFF: &str = "partials/finish-handoff.md";
const OVERLAY: &str = ".cuebook/prompt_files";

fn render(project: &Project, args: &[&str]) -> Outcome {
    project.cuebook(&[&["prompts", "render"], args].concat())
}

fn overlay(files: &[(&str, &str)]) -> Project {
    let path = |name: &str| format!("{OVERLAY}/{name}");
    files.iter().fold(Project::empty(), |project, (name, text)| project.with(&path(name), text))
}

#[test]
fn the_two_commands_of_the_page() {
    let project = Project::empty();
    let persona = render(&project, &["--agent", "implementer", "--project", ".", "--check"]).ended(0);
    assert!(persona.stdout.contains("\n## Tools\n"), "{persona}");
    assert_eq!(persona.stderr, "");
    let partial = render(&project, &[HANDOFF, "--project", ".", "--var", "focus=triage"]).ended(0);
    assert!(partial.stdout.contains("Focus of this hand-off: triage."), "{partial}");
    let by_ref = render(&project, &["agents/implementer", "--project", "."]).ended(0);
    assert_eq!(by_ref.stdout, persona.stdout);
}

#[test]
fn one_overridden_file_changes_all_that_include_it_and_nothing_else() {
    let project = overlay(&[("shared/partials/evidence.md", "Say how you know, in one line.\n")]);
    let before = render(&Project::empty(), &["--agent", "reviewer"]).ended(0).stdout;
    let after = render(&project, &["--agent", "reviewer", "--check"]).ended(0).stdout;
    assert!(after.contains("Say how you know, in one line."));
    let tail = |text: &str| text.split("## Tools").nth(1).unwrap().to_owned();
    assert_eq!(tail(&after), tail(&before));
    let origins = render(&project, &["--agent", "reviewer", "--origins"]).ended(0).stdout;
    assert!(origins.contains("partials/evidence.md:1 (project)"), "{origins}");
    assert!(origins.contains("agents/_shell.md:1 (bundled)"), "{origins}");
}

#[test]
fn site_wins_over_the_active_root_and_that_over_others() {
    let project = overlay(&[("partials/evidence.md", "active")])
        .with("other/.cuebook/prompt_files/partials/evidence.md", "other")
        .with("other/.paintedwolf/prompt_files/partials/evidence.md", "wolf")
        .with("other/.paintedwolf/prompt_files/partials/finish.md", "finish")
        .with("site/partials/evidence.md", "site");
    let text = |args: &[&str]| render(&project, &[&["partials/evidence.md"], args].concat()).ended(0).stdout;
    assert_eq!(text(&[]), "active\n");
    assert_eq!(text(&["--project", "other", "--project", "."]), "active\n");
    assert_eq!(text(&["--project", ".", "--project", "other"]), "other\n");
    assert_eq!(text(&["--site", "site"]), "site\n");
    let which = project.cuebook(&["layers", "which", "shared/partials/evidence", "--site", "site", "--json"]);
    let layers = which.ended(0).json()["layers"].clone();
    let tiers: Vec<&Json> = layers.as_array().unwrap().iter().map(|layer| &layer["tier"]).collect();
    assert_eq!(tiers, [&json!("site"), &json!("project"), &json!("bundled")]);
    assert_eq!(render(&project, &["partials/finish.md", "--project", "other"]).ended(0).stdout, "finish\n");
}

#[test]
fn a_broken_override_fails_and_the_bundled_copy_is_not_used() {
    for (text, code, place) in [
        ("ok\n{% if %}", "template_syntax", "partials/evidence.md:2:"),
        ("{% include \"partials/nope.md\" %}", "template_not_found", "partials/evidence.md:1:12"),
    ] {
        let project = overlay(&[("partials/evidence.md", text)]);
        let outcome = render(&project, &["--agent", "implementer"]).ended(2);
        assert_eq!(outcome.stdout, "");
        for part in [code, place, "in layer project .cuebook/prompt_files"] {
            assert!(outcome.stderr.contains(part), "{part}: {outcome}");
        }
    }
    let project = overlay(&[("partials/tone.md", "t")]);
    symlink("tone.md", project.root().join(OVERLAY).join("partials/evidence.md")).unwrap();
    let outcome = render(&project, &["partials/evidence.md"]).ended(2);
    assert!(outcome.stderr.contains("it is a symbolic link"), "{outcome}");
    render(&project, &["partials/tone.md"]).ended(0);
    render(&project, &[HANDOFF]).ended(0);
    let status = project.cuebook(&["layers", "status"]).ended(1);
    assert!(status.stderr.contains("partials/evidence.md cannot be had"), "{status}");
}

#[test]
fn a_check_finds_names_values_and_emptiness_and_still_shows_the_text() {
    let project =
        overlay(&[("partials/a.md", "Focus: {{ focus }}.\n"), ("partials/b.md", "{% if x %}x{% endif %}")]);
    let check = |args: &[&str], codes: &[&str]| {
        let outcome = render(&project, &[args, &["--check"]].concat()).ended(i32::from(!codes.is_empty()));
        for code in codes {
            assert!(outcome.stderr.contains(code), "{code}: {outcome}");
        }
        outcome
    };
    check(&["partials/a.md", "--var", "focus=all"], &[]);
    let slip = check(
        &["partials/a.md", "--var", "focsu=all"],
        &["template_undefined_name", "template_value_unused"],
    );
    assert_eq!(slip.stdout, "Focus: .\n");
    assert!(slip.stderr.contains("did you mean 'focsu'?") && slip.stderr.contains("did you mean 'focus'?"));
    check(&["partials/b.md"], &["prompt_empty"]);
    let project = project.with(
        &format!("{OVERLAY}/partials/c.md"),
        "{{ o.one }}{% for x in list %}{{ x.nme }}{% endfor %}{{ o.two }}.",
    );
    let keys = ["partials/c.md", "--var", "o={}", "--var", r#"list=[{"name": 1}, {"name": 2}]"#, "--check"];
    let keys = render(&project, &keys).ended(1);
    for (place, name) in [(4, "'one' in 'o'"), (34, "'nme' in 'x'"), (57, "'two' in 'o'")] {
        assert!(keys.stderr.contains(&format!("there is no {name}")), "{keys}");
        assert!(keys.stderr.contains(&format!("partials/c.md:1:{place}")), "{keys}");
    }
    assert_eq!(keys.stderr.matches("there is no").count(), 3, "{keys}");
    let strict = render(&project, &["partials/a.md", "--strict"]).ended(2);
    assert!(strict.stderr.contains("partials/a.md:1:11"), "{strict}");
}

#[test]
fn values_are_json_or_text_and_integers_stay_integers() {
    let project = overlay(&[("partials/a.md", "{{ n }} {{ s }} {{ list|join:\"-\" }} {{ o.k }}")])
        .with("vars.json", r#"{"n": 1, "o": {"k": "file"}}"#);
    let args =
        ["partials/a.md", "--vars", "vars.json", "--var", "n=3", "--var-str", "s=3.0", "--var", "list=[1,2]"];
    assert_eq!(render(&project, &args).ended(0).stdout, "3 3.0 1-2 file\n");
    let untrusted = render(&project, &["partials/a.md", "--var", "s=x", "--untrusted"]).ended(0).stdout;
    assert!(untrusted.contains("<UNTRUSTED>x</UNTRUSTED>"), "{untrusted}");
}

#[test]
fn a_persona_keeps_its_headings_and_its_budget() {
    let shell = "## Focus\n\n```\n## Process\n```\n{% include \"partials/agent-tool-surface.md\" %}\
        {% include \"partials/evidence.md\" %}{% include \"partials/tool-turn-batch.md\" %}\n";
    let project = overlay(&[("agents/_shell.md", shell)]);
    let report = render(&project, &["--agent", "implementer", "--check", "--json"]).ended(1).json();
    let violations = report["violations"].as_array().unwrap();
    assert!(violations.contains(&json!("missing_heading:## Process")), "{report}");
    assert!(violations.contains(&json!("missing_heading:## Tools")), "{report}");
    assert!(!violations.contains(&json!("missing_heading:## Finish")), "{report}");
    assert!(report["output"].as_str().unwrap().starts_with("## Focus"));
    assert!(report["revision"].as_str().unwrap().starts_with("sha256:"));
    let long = overlay(&[("partials/evidence.md", &"word ".repeat(2000))]);
    let report = render(&long, &["--agent", "implementer", "--check", "--json"]).ended(1).json();
    let violation = report["violations"][0].as_str().unwrap();
    assert!(violation.starts_with("budget_exceeded:implementer:"), "{violation}");
    let blank = overlay(&[("partials/evidence.md", " \n")]);
    let outcome = render(&blank, &["--agent", "implementer"]).ended(2);
    assert!(outcome.stderr.contains("partials/evidence.md, which is blank"), "{outcome}");
    let unknown = render(&blank, &["--agent", "implementor"]).ended(2);
    assert!(unknown.stderr.contains("did you mean 'implementer'?"), "{unknown}");
}

#[test]
fn overlays_of_projects_take_part_where_the_host_trusts_them() {
    let project =
        overlay(&[("partials/evidence.md", "mine")]).with("cuebook.toml", "[projects]\ntrust = false\n");
    assert_ne!(render(&project, &["partials/evidence.md"]).ended(0).stdout, "mine\n");
    let status = project.cuebook(&["layers", "status"]).ended(0);
    assert!(status.stdout.contains("takes no part: not trusted"), "{status}");
    assert!(status.stderr.contains("layer_refused"), "{status}");
    let project = project.with("cuebook.toml", "[projects]\nuntrusted = [\".\"]\n");
    assert_ne!(render(&project, &["partials/evidence.md"]).ended(0).stdout, "mine\n");
    let project = project.with("cuebook.toml", "");
    assert_eq!(render(&project, &["partials/evidence.md"]).ended(0).stdout, "mine\n");
}

#[test]
fn status_tells_which_bundled_files_changed_under_an_override() {
    let project = overlay(&[("partials/evidence.md", "mine"), ("partials/own.md", "own")]);
    let states = |project: &Project| {
        let status = project.cuebook(&["layers", "status", "--json"]).json();
        let overrides = status["overrides"].as_array().unwrap().clone();
        overrides.iter().map(|file| file["bundled"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(states(&project), ["not_recorded", "nothing_below"]);
    project.cuebook(&["layers", "status", "--record"]).ended(0);
    assert_eq!(states(&project), ["unchanged", "nothing_below"]);
    let lock = ".cuebook/prompt_files.lock";
    let recorded = project.read(lock);
    let hash = recorded.split("sha256:").nth(1).unwrap()[..64].to_owned();
    let project = project.with(lock, recorded.replace(&hash, &"0".repeat(64)));
    assert_eq!(states(&project), ["changed", "nothing_below"]);
    project.cuebook(&["layers", "status"]).ended(1);
    let diff = project.cuebook(&["layers", "diff", "partials/evidence.md"]).ended(1);
    assert!(diff.stdout.contains("+mine") && diff.stdout.contains("(bundled cuebook/base)"), "{diff}");
}

#[test]
fn packs_bring_agents_and_one_for_a_newer_host_brings_nothing() {
    let manifest = |id: &str, api: &str| {
        format!(
            "manifest_version: 1\nid: {id}\nname: Pack\nversion: 1.0.0\ncompatibility:\n  extension_api: \"{api}\"\n"
        )
    };
    let project = Project::empty()
        .with("packs/a/extension.yaml", manifest("acme/notes", "^1.0.0"))
        .with("packs/a/agents/scribe.yaml", "id: scribe\ndescription: Writes notes.\n")
        .with(
            "packs/a/agents/prompts/scribe.md",
            "## Focus\n\n## Process\n\n## Tools\n\n## Finish\n\n## Non-goals\n",
        )
        .with("packs/b/extension.yaml", manifest("acme/new", "^2.0.0"))
        .with("packs/b/shared/partials/new.md", "new");
    let scribe = render(&project, &["--agent", "scribe", "--check"]).ended(0);
    assert!(scribe.stdout.starts_with("## Focus"));
    render(&project, &["partials/new.md"]).ended(2);
    let contested = project
        .with("packs/c/extension.yaml", manifest("acme/c", "^1.0.0"))
        .with("packs/c/shared/partials/x.md", "c")
        .with("packs/a/shared/partials/x.md", "a");
    let outcome = render(&contested, &["partials/x.md"]).ended(2);
    assert!(outcome.stderr.contains("template_contested"), "{outcome}");
    let settled = contested.with("cuebook.toml", "[layers]\nowns = [\"acme/c:partials/x.md\"]\n");
    assert_eq!(render(&settled, &["partials/x.md"]).ended(0).stdout, "c\n");
}

#[test]
fn a_unit_that_cannot_be_had_fails_those_who_would_be_told_it() {
    let link = |name: &str| {
        let project = overlay(&[("partials/a.md", "a")]);
        std::fs::create_dir_all(project.root().join(OVERLAY).join("units")).unwrap();
        symlink("../partials/a.md", project.root().join(OVERLAY).join("units").join(name)).unwrap();
        project
    };
    render(&link("brand-new.md"), &["--agent", "implementer"]).ended(0);
    let covered = link("running-commands.md");
    let told = render(&covered, &["--agent", "implementer"]).ended(2);
    assert!(told.stderr.contains("units/running-commands.md cannot be had"), "{told}");
    render(&covered, &["--agent", "explorer"]).ended(0);
    let disabled =
        Project::empty().with("cuebook.toml", "[layers]\ndisabled = [\"units/running-commands.md\"]\n");
    let quiet = render(&disabled, &["--agent", "implementer", "--check"]).ended(0).stdout;
    assert!(!quiet.contains("Run one thing at a time"), "{quiet}");
}

#[test]
fn each_project_has_its_own_record_of_what_it_overrides() {
    let project = overlay(&[("partials/evidence.md", "mine")])
        .with("other/.cuebook/prompt_files/partials/finish.md", "theirs")
        .with("third/readme", "");
    let roots = ["--project", "other", "--project", "third", "--project", "."];
    project.cuebook(&[&["layers", "status", "--record"][..], &roots].concat()).ended(0);
    let lock = ".cuebook/prompt_files.lock";
    assert!(project.read(lock).contains("partials/evidence.md"));
    assert!(!project.read(lock).contains("partials/finish.md"));
    assert!(project.read(&format!("other/{lock}")).contains("partials/finish.md"));
    assert!(!project.root().join("third").join(lock).exists());
    let status = project.cuebook(&[&["layers", "status", "--json"][..], &roots].concat()).ended(0).json();
    let overrides = status["overrides"].as_array().unwrap();
    assert!(overrides.iter().all(|file| file["bundled"] == "unchanged"), "{status}");
}

#[test]
fn a_value_says_which_layer_asked_for_it() {
    let project = overlay(&[("partials/finish.md", "Done when {{ focus }} is.")]);
    let args = ["partials/finish-handoff.md", "--var", "focus=tea", "--origins", "--json"];
    let segments = render(&project, &args).ended(0).json()["segments"].clone();
    let of_value: Vec<&Json> = segments
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["origin"])
        .filter(|it| it["name"] == "focus")
        .collect();
    let places: Vec<(&Json, &Json)> = of_value.iter().map(|it| (&it["path"], &it["layer"])).collect();
    let ours = (json!("partials/finish.md"), json!("project .cuebook/prompt_files"));
    assert!(places.contains(&(&ours.0, &ours.1)), "{places:?}");
    assert!(places.iter().any(|(path, layer)| {
        **path == "partials/finish-handoff.md" && layer.as_str().unwrap().starts_with("bundled")
    }));
}

#[test]
fn all_templates_are_checked_at_once() {
    let fine = Project::empty().cuebook(&["packs", "check"]).ended(0);
    assert!(fine.stdout.ends_with(" templates: fine\n"), "{fine}");
    let project = overlay(&[("partials/a.md", "{% if %}"), ("agents/reviewer.md", "## Tools\n")]);
    symlink("a.md", project.root().join(OVERLAY).join("partials/link.md")).unwrap();
    let found = project.cuebook(&["packs", "check", "--json"]).ended(1).json()["findings"].to_string();
    for part in ["template_syntax", "it is a symbolic link", "agents/reviewer.md"] {
        assert!(found.contains(part), "{part}: {found}");
    }
}

/// A project whose agent and one of whose steps name templates of the layers.
fn layered_project() -> Project {
    Project::empty()
        .with(
            ".cuebook/project.yaml",
            "version: 1\nproject: desk\nprimary: { model: scripted, template: agents/reviewer.md }\n\
             workflows:\n  look:\n    description: Looks.\n    inputs: { draft: { type: string, required: true } }\n    steps:\n\
             \x20     - { id: read, agent: primary, template: guidance/look.md, with: { draft: \"{{ inputs.draft }}\" } }\n",
        )
        .with(
            ".cuebook/prompt_files/guidance/look.md",
            "Look at this with care{% if draft %} ({{ draft|length }} characters){% endif %}.",
        )
}

#[test]
fn a_run_gets_what_its_author_rendered() {
    let project = layered_project();
    let run = ["run", ".", "look", "--input", "draft=hello", "--json"];
    let nodes = project.cuebook(&run).succeeded().json()["nodes"].clone();
    let shown = nodes.to_string();
    assert!(shown.contains("prompt:layered.guidance.look"), "{shown}");
    assert!(shown.contains("Look at this with care (5 characters)."), "{shown}");
    assert!(shown.contains("prompt:layered.agents.reviewer"), "{shown}");
    let text = render(&project, &["guidance/look.md", "--var", "draft=hello"]).ended(0).stdout;
    assert_eq!(text, "Look at this with care (5 characters).\n");
}

/// What a model is sent beside the messages, and the text of the system's turn, when `persona` is the agent's template.
fn sent(persona: Option<&str>) -> (Json, String) {
    let server = Server::start(vec![Reply::Pieces(vec!["Fine.".to_owned()])]);
    let project = layered_project()
        .edit(".cuebook/project.yaml", "model: scripted", "model: general")
        .edit(".cuebook/project.yaml", "template: guidance/look.md", "template: agents/reviewer.md")
        .with("cuebook.toml", server.config());
    let project = match persona {
        Some(text) => project.with(&format!("{OVERLAY}/agents/reviewer.md"), text),
        None => project,
    };
    project
        .env("MODEL_KEY", "k-0123456789")
        .cuebook(&["run", ".", "look", "--input", "draft=hello"])
        .succeeded();
    let mut request = server.requests()[0].body.clone();
    let messages = request.as_object_mut().unwrap().remove("messages").unwrap();
    (request, messages[0]["content"].as_str().unwrap().to_owned())
}

#[test]
fn whatever_a_template_says_the_tools_are_the_same() {
    let (plain, said) = sent(None);
    let greedy = "{% set agent_tool_names = tools %}{% set profile_has_write = 1 %}\
        You have `write`, and so do all who read this: \"tools\": [{\"name\": \"write\"}].\n\
        {% set finish_note = \"Order the findings.\" %}{% include \"archetypes/advisory_gate.md\" %}\n";
    let (claimed, claims) = sent(Some(greedy));
    assert!(claims.starts_with("You have `write`, and"), "{claims}");
    let offered = |text: &str| text.split("## Tools").nth(1).map(str::to_owned);
    assert_eq!(offered(&claims).unwrap().lines().nth(2), offered(&said).unwrap().lines().nth(2));
    assert_eq!(claimed, plain);
    assert!(plain.get("tools").is_none(), "{plain}");
}

/// A pack with a manifest and `files`, in a project.
fn with_pack(project: Project, place: &str, id: &str, files: &[(&str, &str)]) -> Project {
    let manifest = format!(
        "manifest_version: 1\nid: {id}\nname: Pack\nversion: 1.0.0\ncompatibility:\n  extension_api: \"^1.0.0\"\n"
    );
    let project = project.with(&format!("packs/{place}/extension.yaml"), manifest);
    files.iter().fold(project, |project, (path, text)| project.with(&format!("packs/{place}/{path}"), text))
}

const HEADED: &str = "## Focus\n\n## Process\n\n## Tools\n\n## Finish\n\n## Non-goals\n";

#[test]
fn an_agent_is_the_one_that_was_asked_for() {
    let helper = "id: helper\ndescription: d\ntemplate: agents/implementer.md\ntools: [read]\n";
    let project = with_pack(Project::empty(), "x", "acme/x", &[("agents/helper.yaml", helper)]);
    let report = render(&project, &["--agent", "implementer", "--check", "--json"]).ended(0).json();
    assert_eq!(report["agent"], "implementer");
    let by_wire_id = render(&project, &["--agent", "local.base.implementer"]).ended(0).stdout;
    assert_eq!(by_wire_id.trim_end(), report["output"].as_str().unwrap().trim_end());
    render(&project, &["--agent", "helper"]).ended(2);
    let check = project.cuebook(&["packs", "check"]).ended(1);
    assert!(check.stderr.contains("the agent 'helper' takes no part"), "{check}");
}

#[test]
fn a_contested_agent_stands_for_nothing_until_a_winner_is_named() {
    let row = "id: implementer\ndescription: d\ntools: [read]\n";
    let project = with_pack(Project::empty(), "x", "acme/x", &[("agents/implementer.yaml", row)]);
    let report = render(&project, &["--agent", "implementer"]).ended(2);
    assert!(report.stderr.contains("agents/implementer.yaml stands for nothing"), "{report}");
    let settled =
        project.with("cuebook.toml", "[layers]\nowns = [\"cuebook/base:agents/implementer.yaml\"]\n");
    render(&settled, &["--agent", "implementer", "--check"]).ended(0);
}

#[test]
fn a_pack_that_is_wrong_stops_nobody_else_and_is_told_of() {
    let check = |project: &Project, part: &str| {
        render(project, &["--agent", "implementer"]).ended(0);
        let found = project.cuebook(&["packs", "check"]).ended(1);
        assert!(found.stderr.contains(part), "{part}: {found}");
    };
    let bad = Project::empty().with("packs/a/extension.yaml", "manifest_version: 1\nid: acme/a\n");
    check(&bad, "extension_invalid");
    let files = [("shared/partials/evidence.md", "mine")];
    check(&with_pack(Project::empty(), "b", "cuebook/base", &files), "extension_doubled");
    let contract = "version: 2\nagents:\n  implementer:\n    archetype: implement_shell\n";
    let path = "agents/prompts/_persona-contract.yaml";
    check(&with_pack(Project::empty(), "c", "acme/c", &[(path, contract)]), "persona_contract_invalid");
    let loose = "version: 1\nsizes:\n  limits: {worker_personas: {warn: 90000, limit: 90000}}\n";
    let project = with_pack(Project::empty(), "d", "acme/d", &[("host/prompt-budgets.yaml", loose)])
        .with(&format!("{OVERLAY}/partials/evidence.md"), "word ".repeat(2000));
    let long = render(&project, &["--agent", "implementer", "--check"]).ended(1);
    assert!(long.stderr.contains("budget_exceeded"), "{long}");
    let lost = "id: lost\ndescription: d\ntemplate: agents/nope.md\n";
    check(&with_pack(Project::empty(), "e", "acme/e", &[("agents/lost.yaml", lost)]), "agents/nope.md");
}

#[test]
fn a_check_is_never_weaker_than_strict() {
    for (text, given) in [
        ("{% if note %}x{% endif %}y {{ note }}", &[][..]),
        ("{% if a %}{% set z = 1 %}{% endif %}{{ z }}y", &["--var", "a=false"]),
        ("A{{ v }}B", &["--var", "v=null"]),
    ] {
        let project = overlay(&[("partials/a.md", text)]);
        render(&project, &[&["partials/a.md", "--strict"], given].concat()).ended(2);
        let check = render(&project, &[&["partials/a.md", "--check"], given].concat()).ended(1);
        assert!(check.stderr.contains("template_undefined_name"), "{check}");
        let by_ref = [&["prompt:layered.partials.a", "--check"], given].concat();
        assert_eq!(render(&project, &by_ref).ended(1).stderr, check.stderr);
    }
    let slips = "{% if agent_tols %}1{% endif %}{% if role_titel == \"x\" %}2{% endif %}\
        {% if profile_has_raed %}3{% endif %}ok";
    let project = overlay(&[("partials/finish.md", slips)]);
    let found = render(&project, &["--agent", "implementer", "--check"]).ended(1);
    for near in ["agent_tools", "role_title", "profile_has_read"] {
        assert!(found.stderr.contains(&format!("did you mean '{near}'?")), "{found}");
    }
    let known = ["--var", "topology_phase_id=implement", "--var", "topology=build"];
    render(&Project::empty(), &[&["--agent", "implementer", "--check"], &known[..]].concat()).ended(0);
    let units =
        render(&Project::empty(), &["--agent", "implementer", "--check", "--var", "units={}"]).ended(1);
    assert!(units.stderr.contains("'units' is a fact of the host"), "{units}");
    render(&Project::newsroom(), &["prompt:writer-user", "--check"]).ended(2);
}

#[test]
fn what_untrusted_values_say_meets_no_contract() {
    let all = "{% if v %}{{ v }}{% endif %}";
    let row = "id: scribe\ndescription: d\n";
    let files = [("agents/scribe.yaml", row), ("agents/prompts/scribe.md", all)];
    let project = with_pack(Project::empty(), "x", "acme/x", &files);
    let value = format!("v={HEADED}");
    render(&project, &["--agent", "scribe", "--var-str", &value, "--check"]).ended(0);
    let untrusted =
        render(&project, &["--agent", "scribe", "--var-str", &value, "--untrusted", "--check"]).ended(1);
    assert!(untrusted.stderr.contains("lacks the heading"), "{untrusted}");
}

#[test]
fn an_overlay_that_cannot_be_read_is_told_of_and_has_a_revision_of_its_own() {
    let status = |project: &Project| project.cuebook(&["layers", "status", "--json"]);
    let project = Project::empty().with(OVERLAY, "a file");
    let told = status(&project).ended(1).json();
    assert!(told["findings"].to_string().contains("cannot be read"), "{told}");
    assert_ne!(told["revision"], status(&Project::empty()).ended(0).json()["revision"]);
    let lost = render(&Project::empty(), &["partials/finish.md", "--site", "nowhere"]).ended(2);
    assert!(lost.stderr.contains("there is no directory nowhere"), "{lost}");
}

#[test]
fn a_bad_head_of_a_unit_spoils_no_prompt_that_would_not_say_it() {
    let project = overlay(&[("units/README.md", "plain"), ("units/odd.md", "---\nslot: bogus\n---\nx")]);
    render(&project, &["--agent", "implementer", "--check"]).ended(0);
    let unit = render(&project, &["units/odd.md", "--check"]).ended(2);
    assert!(unit.stderr.contains("prompt_unit_invalid"), "{unit}");
    let found = project.cuebook(&["packs", "check"]).ended(1);
    assert!(found.stderr.contains("units/odd.md"), "{found}");
}

#[test]
fn a_run_that_fails_says_which_file_of_which_layer() {
    let project =
        layered_project().with(&format!("{OVERLAY}/guidance/look.md"), "{% include \"partials/b.md\" %}");
    let project = project.with(&format!("{OVERLAY}/partials/b.md"), "fine\n\n  {{ draft.x.y }}\n");
    let run = project.cuebook(&["run", ".", "look", "--input", "draft=hello", "--json"]).ended(1).json();
    let failed =
        run["events"].as_array().unwrap().iter().find(|event| event["type"] == "node.failed").unwrap();
    let details = &failed["payload"]["error"]["details"];
    assert_eq!((&details["file"], &details["line"]), (&json!("partials/b.md"), &json!(3)), "{details}");
    assert_eq!(details["layer"], "project .cuebook/prompt_files");
    assert!(details["includedFrom"][0].as_str().unwrap().starts_with("guidance/look.md:1:"), "{details}");
}
