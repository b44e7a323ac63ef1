//! `cuebook template render` and `check`.

use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::process::Stdio;

use serde_json::json;

use crate::support::{Outcome, Project};

const GREETING: &str = "Dear {{ user.name|upper }},\n{% include \"part.md\" %}\nBye";
const DATA: &str = r#"{"user": {"name": "Ada"}, "word": "tea"}"#;

/// A prompt with a part, and values for both.
fn desk() -> Project {
    Project::empty().with("main.md", GREETING).with("part.md", "here is {{ word }}.").with("data.json", DATA)
}

/// Runs the binary with `input` on stdin.
pub(crate) fn fed(project: &Project, args: &[&str], input: &[u8]) -> Outcome {
    let mut command = project.command(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let feeder = std::thread::spawn(move || stdin.write_all(&input));
    let outcome = child.wait_with_output().unwrap().into();
    // A program that refuses its options closes the pipe before it has read.
    let _ = feeder.join().unwrap();
    outcome
}

/// Checks the text that a template on stdin gives, with `args` after `template render -`.
#[track_caller]
fn check_text(source: &str, args: &[&str], expect: &str) {
    let args = [&["template", "render", "-"], args].concat();
    let outcome = fed(&desk(), &args, source.as_bytes()).succeeded();
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (expect, ""), "of {source:?}");
}

#[test]
fn a_template_is_rendered_byte_for_byte() {
    let outcome = desk().cuebook(&["template", "render", "main.md", "--context", "data.json"]).succeeded();
    assert_eq!(outcome.stdout, "Dear ADA,\nhere is tea.\nBye");
    assert_eq!(outcome.stderr, "");
    check_text("", &[], "");
    check_text("a\r\n\tb\n\n", &[], "a\r\n\tb\n\n");
    check_text("{{ word }}", &["--context", "data.json"], "tea");
    check_text("{% include \"part.md\" %}", &["--context", "data.json"], "here is tea.");
}

#[test]
fn options_reach_the_engine() {
    check_text("{% now \"2006-01-02\" %}", &["--now", "2024-02-29T12:00:00Z"], "2024-02-29");
    check_text("{{ \"<b>\" }}", &[], "<b>");
    check_text("{{ \"<b>\" }}", &["--autoescape"], "&lt;b&gt;");
    check_text("{{ \"aaa\"|random }}", &["--seed", "7"], "a");
    check_text("{{ nobody }}.", &[], ".");
    check_text("{{ nobody|default:\"x\" }}", &["--strict"], "x");
    let refused = |args: &[&str], source: &[u8], code: &str| {
        let outcome = fed(&desk(), &[&["template", "render", "-"], args].concat(), source).ended(1);
        assert!(outcome.stdout.is_empty() && outcome.stderr.contains(code), "{outcome}");
    };
    refused(&["--strict"], b"{{ nobody }}", "error[template_undefined_name]");
    refused(&[], b"{% now \"2006\" %}", "error[template_nondeterministic]");
    refused(&["--profile", "composed"], b"{% macro m() %}{% endmacro %}", "error[template_not_allowed]");
    refused(&["--profile", "isolated"], b"{% include \"part.md\" %}", "error[template_not_allowed]");
}

#[test]
fn the_flat_language() {
    let flat = ["--dialect", "mustache", "--context", "data.json"];
    check_text("{{word}} {{ user }} {\"a\": 1}", &flat, "tea {\"name\":\"Ada\"} {\"a\": 1}");
    check_text("[{{nobody}}]", &["--dialect", "mustache"], "[]");
    let project = desk().with("flat.txt", "{{#if word}}{{wrd}} {word} {% if x %}\n");
    let render = ["template", "render", "flat.txt", "--dialect", "mustache", "--context", "data.json"];
    project.check("template-mustache", &render).ended(0);
    project.check("template-mustache-strict", &[&render[..], &["--strict"]].concat()).ended(1);
    let check = ["template", "check", "flat.txt", "--dialect", "mustache", "--context", "data.json"];
    project.check("template-mustache-check", &check).ended(0);
}

#[test]
fn errors_have_their_place_layer_and_includes() {
    let project = desk()
        .with("site/part.md", "one\n{{ word|uper }} {% fro x %}{{")
        .with("base/part.md", "base")
        .with("base/main.md", GREETING);
    let render = ["template", "render", "main.md", "--root", "site", "--root", "base"];
    project.check("template-errors", &render).ended(1);
    project.check("template-errors-json", &[&render[..], &["--json"]].concat()).ended(1);
    let failing = project.with("site/part.md", "{{ word }} {{ 1 / nothing.here }}");
    failing.check("template-render-error", &[&render[..], &["--strict"]].concat()).ended(1);
}

#[test]
fn the_page_shows_what_the_program_says() {
    let project = Project::empty()
        .with("main.md", "Dear {{ name }},\n{% include \"part.md\" %}")
        .with("site/part.md", "Yours,\n{% include \"sing.md\" %}")
        .with("base/sign.md", "the desk");
    let render = ["template", "render", "main.md", "--root", "site", "--root", "base"];
    let outcome = project.cuebook(&render).ended(1);
    let page = include_str!("../../../../docs/templates.md");
    let shown = format!("```text\n$ cuebook {}\n{}```", render.join(" "), outcome.stderr);
    assert!(page.contains(&shown), "docs/templates.md does not show\n{shown}");
}

#[test]
fn the_first_root_wins() {
    let project = Project::empty()
        .with("site/part.md", "site")
        .with("base/part.md", "base")
        .with("base/agents/chat.md", "{% include \"part.md\" %}");
    let render = |args: &[&str]| {
        project.cuebook(&[&["template", "render", "agents/chat.md"], args].concat()).succeeded().stdout
    };
    assert_eq!(render(&["--root", "site", "--root", "base"]), "site");
    assert_eq!(render(&["--root", "base", "--root", "site"]), "base");
    let alone = project.cuebook(&["template", "render", "base/agents/chat.md"]).ended(1);
    assert!(alone.stderr.contains("there is no template 'part.md'"), "{alone}");
}

#[test]
fn no_name_leads_out_of_the_roots() {
    let project = Project::empty().with("secret.md", "hidden").with("in/ok.md", "fine");
    symlink(project.root().join("secret.md"), project.root().join("in/link.md")).unwrap();
    for (name, reason) in [
        ("../secret.md", "a name stays below its root"),
        ("/etc/hostname", "a name stays below its root"),
        ("link.md", "a symbolic link leads out of in"),
    ] {
        let source = format!("{{% include \"{name}\" %}}");
        let outcome = fed(&project, &["template", "render", "-", "--root", "in"], source.as_bytes()).ended(1);
        assert!(outcome.stderr.contains("error[template_unreadable]"), "{outcome}");
        assert!(outcome.stderr.contains(reason) && outcome.stdout.is_empty(), "{outcome}");
    }
}

#[test]
fn origins_in_place_of_the_text() {
    let untrusted = r#"{"value": "tea", "meta": {"contentTrust": "untrusted"}}"#;
    let project = desk().with("data.json", format!(r#"{{"user": {{"name": "Ada"}}, "word": {untrusted}}}"#));
    let render = ["template", "render", "main.md", "--context", "data.json", "--origins"];
    project.check("template-origins", &render).ended(0);
    let found = project.cuebook(&[&render[..], &["--json"]].concat()).succeeded().json();
    assert_eq!(found["output"], "Dear ADA,\nhere is tea.\nBye");
    assert_eq!(found["trust"], "untrusted");
    let tea = json!({
        "start": 18, "end": 21, "file": "part.md", "layer": ".", "line": 1, "column": 12, "name": "word",
        "trust": "untrusted",
    });
    assert!(found["segments"].as_array().unwrap().contains(&tea), "{found:#}");
    let flat = ["template", "render", "-", "--dialect", "mustache", "--context", "data.json", "--origins"];
    let outcome = fed(&project, &flat, b"x {{word}}").succeeded();
    assert_eq!(outcome.stdout, "0..2\t<stdin>:1:1\t-\ttrusted\n2..5\t<stdin>:1:3\tword\tuntrusted\n");
}

#[test]
fn a_check_tells_names_and_limits() {
    let project = desk().with("lacking.json", r#"{"usr": {"name": "Ada"}}"#);
    project.check("template-check", &["template", "check", "main.md"]).ended(0);
    let check = ["template", "check", "main.md", "--context", "lacking.json"];
    project.check("template-check-context", &check).ended(0);
    project.check("template-check-strict", &[&check[..], &["--strict", "--json"]].concat()).ended(1);
    let broken = project.with("main.md", "{% if a %}\n{{ x|nope }}");
    broken.check("template-check-broken", &["template", "check", "main.md"]).ended(1);
}

#[test]
fn what_cannot_be_read_is_refused() {
    let project = desk()
        .with("latin.md", b"caf\xe9")
        .with("list.json", "[1]")
        .with("cut.json", "{\"password\": \"hunter2\", ")
        .with("twice.json", "{\"password\": \"hunter2\", \"password\": \"hunter3\"}");
    let check = |name: &str, args: &[&str]| {
        let outcome = project.check_refused(name, &[&["template", "render"], args].concat());
        assert!(!outcome.stderr.contains("hunter"), "a value is shown\n{outcome}");
    };
    check("template-missing", &["nowhere.md"]);
    check("template-not-utf-8", &["latin.md"]);
    check("template-context-missing", &["main.md", "--context", "none.json"]);
    check("template-context-list", &["main.md", "--context", "list.json"]);
    check("template-context-cut-off", &["main.md", "--context", "cut.json"]);
    check("template-context-twice", &["main.md", "--context", "twice.json"]);
    check("template-root-missing", &["main.md", "--root", "nowhere", "--context", "list.json"]);
    check("template-time", &["main.md", "--now", "noon"]);
    let stdin = fed(&project, &["template", "render", "-"], b"ok \xff").ended(2);
    assert!(stdin.stderr.contains("<stdin>: byte 3 is not UTF-8"), "{stdin}");
}

#[test]
fn no_error_shows_a_value() {
    let project = Project::empty().with("data.json", r#"{"password": "hunter2", "list": ["hunter2"]}"#);
    for source in ["{{ password.a.b }}", "{{ password / 2 }}", "{{ password|date:\"2006\" }}", "{{ -list }}"]
    {
        let args = ["template", "render", "-", "--strict", "--context", "data.json"];
        let outcome = fed(&project, &args, source.as_bytes());
        assert!(!outcome.stderr.contains("hunter"), "{outcome}");
    }
}

#[test]
fn a_project_check_tells_what_is_doubtful_about_templates() {
    let project = Project::desk().edit(
        "prompts/question@1.0.0.md",
        "about {{topic}}",
        "about {{topik}} {topic} {{#if count}} {{ count|upper }}",
    );
    project.check("config-template-lints", &["config", "check"]).ended(0);
}
