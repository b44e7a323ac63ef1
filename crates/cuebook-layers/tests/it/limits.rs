//! What no layer may do, and that each refusal names file, layer and place.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use cuebook_layers::{
    Catalog, FileFault, FileTree, Layer, Layers, OverlayRoots, ProjectRoot, Snapshot, Tier,
};
use cuebook_template::Diagnostic;
use cuebook_template::pongo::code;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::support::{alone, layer, reference, render, snapshot};

/// All that a problem says, in lines.
fn shown(problem: &Diagnostic) -> String {
    let layer = problem.label.as_ref().and_then(|label| label.source.layer().map(str::to_owned));
    let from = problem.included_from.iter().map(|place| format!("included from {place}"));
    let rest =
        layer.map(|layer| format!("layer {layer}")).into_iter().chain(from).chain(problem.hint.clone());
    std::iter::once(problem.to_string()).chain(rest).collect::<Vec<_>>().join("\n")
}

/// A template fails with `code`, and the problem says `parts`.
#[track_caller]
fn refused(snapshot: &Snapshot, name: &str, values: Json, code: &str, parts: &[&str]) {
    let problems = render(snapshot, name, values).expect_err("it is refused");
    let shown = shown(&problems[0]);
    assert_eq!(problems[0].code, code, "{shown}");
    for part in parts {
        assert!(shown.contains(part), "{part:?} is not in\n{shown}");
    }
}

#[track_caller]
fn refused_source(source: &str, code: &str, parts: &[&str]) {
    let files = [("partials/a.md", source), ("partials/b.md", "b"), ("partials/bee.md", "bee")];
    refused(&snapshot(Vec::new(), &files), "partials/a.md", json!({}), code, parts);
}

#[track_caller]
fn shows(snapshot: &Snapshot, name: &str, expect: &str) {
    match render(snapshot, name, json!({})) {
        Ok(text) => assert_eq!(text, expect, "{name}"),
        Err(problems) => panic!("{name}: {}", problems[0]),
    }
}

/// A chain of as many files, each including the next.
fn chain(files: usize) -> Snapshot {
    let include = |next: usize| format!("{{% include \"partials/p{next}.md\" %}}");
    let text = |index: usize| if index + 1 == files { "end".to_owned() } else { include(index + 1) };
    let tree = FileTree::of((0..files).map(|index| (format!("partials/p{index}.md"), text(index))));
    alone(Layer::overlay(Tier::Bundled, "bundled test/base", &tree))
}

/// An entry that includes as many files as make `files` with it.
fn fan(files: usize) -> Snapshot {
    let include = |index: usize| format!("{{% include \"partials/p{index}.md\" %}}");
    let entry = (1..files).map(include).collect::<Vec<_>>().concat();
    let parts = (1..files).map(|index| (format!("partials/p{index}.md"), ".".to_owned()));
    let tree = FileTree::of(parts.chain([("partials/p0.md".to_owned(), entry)]));
    alone(Layer::overlay(Tier::Bundled, "bundled test/base", &tree))
}

#[test]
fn twelve_files_deep_are_fine_and_thirteen_are_not() {
    shows(&chain(12), "partials/p0.md", "end");
    let parts = ["include_depth", "partials/p11.md", "bundled test/base"];
    refused(&chain(13), "partials/p0.md", json!({}), code::LIMIT, &parts);
}

#[test]
fn two_hundred_and_fifty_six_files_are_fine_and_one_more_is_not() {
    shows(&fan(256), "partials/p0.md", &".".repeat(255));
    refused(&fan(257), "partials/p0.md", json!({}), code::LIMIT, &["files", "256"]);
}

#[test]
fn a_list_of_257_items_fails_the_render_even_unread() {
    let over = snapshot(Vec::new(), &[("partials/a.md", "text")]);
    let list = |items: usize| json!({"unread": vec![0; items]});
    assert_eq!(render(&over, "partials/a.md", list(256)).as_deref(), Ok("text"));
    refused(&over, "partials/a.md", list(257), code::LIMIT, &["loop_items", "256", "257"]);
}

#[test]
fn a_circle_over_layers_is_shown_as_a_path() {
    let site = layer(Tier::Site, "site", &[("partials/a.md", "{% include \"partials/b.md\" %}")]);
    let base = [("partials/a.md", "below"), ("partials/b.md", "{% include \"partials/a.md\" %}")];
    let parts = ["partials/a.md -> partials/b.md -> partials/a.md", "bundled test/base"];
    refused(&snapshot(vec![site], &base), "partials/a.md", json!({}), code::CYCLE, &parts);
}

#[test]
fn names_that_lead_out_of_a_layer_are_no_templates() {
    let over = snapshot(Vec::new(), &[("partials/a.md", "a")]);
    for (name, part) in [
        ("../partials/a.md", "no '..'"),
        ("partials/../../a.md", "no '..'"),
        ("/partials/a.md", "no slash first"),
        ("C:/a.md", "no slash first"),
        ("partials\\a.md", "no backslash"),
        ("partials/a\0.md", "no control characters"),
    ] {
        refused(&over, name, json!({}), code::NOT_FOUND, &[part]);
        let include = format!("x\n{{% include \"{}\" %}}", name.replace('\\', "\\\\"));
        let over = snapshot(Vec::new(), &[("partials/a.md", &include)]);
        let problem = render(&over, "partials/a.md", json!({})).expect_err("it is refused").remove(0);
        assert_eq!(problem.position().expect("a place").line, 2, "{problem}");
    }
}

#[test]
fn includes_are_plain() {
    refused_source("{% include name %}", code::BANNED, &["partials/a.md:1:"]);
    refused_source("{% include \"partials/b.md\" with x=1 %}", code::BANNED, &["partials/a.md:1:"]);
    refused_source("{% include \"partials/b.md\" with x=1 only %}", code::BANNED, &["partials/a.md:1:"]);
    refused_source("{% include \"partials/b.md\" if_exists %}", code::BANNED, &["partials/a.md:1:"]);
    refused_source(
        "a\n{% include \"partials/beee.md\" %}",
        code::NOT_FOUND,
        &["partials/a.md:2:12", "'partials/bee.md'"],
    );
}

#[test]
fn loops_nest_twice_and_no_more() {
    let two = "{% for a in xs %}{% for b in a %}{{ b }}{% endfor %}{% endfor %}";
    let over = snapshot(Vec::new(), &[("partials/a.md", two)]);
    assert_eq!(render(&over, "partials/a.md", json!({"xs": [["1", "2"], ["3"]]})).as_deref(), Ok("123"));
    let three = format!("{{% for x in ys %}}{two}{{% endfor %}}");
    refused_source(&three, code::LIMIT, &["loop_nesting", "2"]);
}

#[test]
fn an_overlay_that_does_not_parse_is_never_passed_over() {
    let over = layer(Tier::Project, "project here", &[("partials/a.md", "fine\n{% if x %}open")]);
    let base = [("partials/a.md", "below"), ("agents/x.md", "{% include \"partials/a.md\" %}")];
    let over = snapshot(vec![over], &base);
    for name in ["partials/a.md", "agents/x.md"] {
        let parts = ["partials/a.md:2:1", "layer project here"];
        refused(&over, name, json!({}), code::UNCLOSED, &parts);
    }
}

#[test]
fn an_overlay_that_includes_nothing_is_told_with_the_nearest_name() {
    let over =
        layer(Tier::Project, "project here", &[("partials/a.md", "{% include \"partials/ton.md\" %}")]);
    let base = [("partials/a.md", "below"), ("partials/tone.md", "tone")];
    let parts = ["partials/a.md:1:12", "layer project here", "did you mean 'partials/tone.md'?"];
    refused(&snapshot(vec![over], &base), "partials/a.md", json!({}), code::NOT_FOUND, &parts);
}

/// Directories that go away with the test: a site and two projects.
struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn layers(&self, base: &[(&str, &str)]) -> Layers {
        let project = |name| ProjectRoot { path: self.path().join(name), is_trusted: true };
        let roots = OverlayRoots {
            site: Some(self.path().join("site")),
            projects: vec![project("one"), project("two")],
        };
        let bundled = layer(Tier::Bundled, "bundled test/base", base);
        Layers::new(&roots, Arc::new(Catalog::new(bundled)))
    }
}

#[test]
fn the_highest_layer_that_has_a_name_gives_the_file() {
    let desk = Desk::new();
    let layers = desk.layers(&[("partials/a.md", "bundled")]);
    let name = "partials/a.md";
    shows(&layers.snapshot(), name, "bundled");
    for (path, text) in [
        ("one/.paintedwolf/prompt_files/partials/a.md", "one, second directory"),
        ("one/.cuebook/prompt_files/partials/a.md", "one"),
        ("two/.paintedwolf/prompt_files/shared/partials/a.md", "two, second directory"),
        ("two/.cuebook/prompt_files/partials/a.md", "two"),
        ("site/partials/a.md", "site"),
    ] {
        desk.write(path, text);
        shows(&layers.snapshot(), name, text);
    }
    let tiers: Vec<Tier> = layers.snapshot().stack(&reference(name)).map(|found| found.tier).collect();
    assert_eq!(
        tiers,
        [Tier::Site, Tier::Project, Tier::Project, Tier::Project, Tier::Project, Tier::Bundled]
    );
}

#[test]
fn a_bad_file_spoils_its_own_name_alone() {
    let desk = Desk::new();
    desk.write("two/.cuebook/prompt_files/partials/good.md", "mine");
    desk.write("two/.cuebook/prompt_files/partials/big.md", vec![b'x'; 256 * 1024 + 1]);
    desk.write("two/.cuebook/prompt_files/partials/bytes.md", b"ok\xff");
    let overlay = desk.path().join("two/.cuebook/prompt_files/partials");
    symlink("good.md", overlay.join("link.md")).expect("a link");
    desk.write("two/.cuebook/prompt_files/partials/folder.md/inner.md", "inner");
    desk.write("two/.cuebook/prompt_files/partials/.good.md.swp", b"\xff");
    let base = [
        ("partials/folder.md", "below"),
        ("partials/good.md", "below"),
        ("partials/big.md", "below"),
        ("partials/bytes.md", "below"),
        ("partials/link.md", "below"),
        ("agents/x.md", "{% include \"partials/good.md\" %}"),
        ("agents/y.md", "a\n{% include \"partials/link.md\" %}"),
    ];
    let snapshot = desk.layers(&base).snapshot();
    shows(&snapshot, "agents/x.md", "mine");
    for (name, fault) in [
        ("partials/big.md", "262144 bytes"),
        ("partials/bytes.md", "byte 2"),
        ("partials/link.md", "symbolic link"),
        ("partials/folder.md", "no regular file"),
    ] {
        refused(&snapshot, name, json!({}), code::UNREADABLE, &[name, "two/.cuebook/prompt_files", fault]);
    }
    refused(&snapshot, "agents/y.md", json!({}), code::UNREADABLE, &["agents/y.md:2:12", "symbolic link"]);
}

#[test]
fn a_file_of_exactly_256_kib_is_fine() {
    let desk = Desk::new();
    desk.write("site/partials/a.md", vec![b'x'; 256 * 1024]);
    let text = render(&desk.layers(&[]).snapshot(), "partials/a.md", json!({})).expect("it renders");
    assert_eq!(text.len(), 256 * 1024);
}

#[test]
fn an_overlay_that_cannot_be_read_stops_everything_below_it() {
    let desk = Desk::new();
    desk.write("two/.cuebook/prompt_files", "a file where a directory should be");
    let snapshot = desk.layers(&[("partials/a.md", "below")]).snapshot();
    refused(&snapshot, "partials/a.md", json!({}), code::UNREADABLE, &["two/.cuebook/prompt_files"]);
    desk.write("site/partials/a.md", "site");
    let above = desk.layers(&[("partials/a.md", "below")]).snapshot();
    shows(&above, "partials/a.md", "site");
}

#[test]
fn a_link_in_place_of_a_projects_own_directory_leads_nowhere() {
    let desk = Desk::new();
    desk.write("elsewhere/prompt_files/partials/a.md", "elsewhere");
    fs::create_dir_all(desk.path().join("two")).expect("a directory");
    symlink("../elsewhere", desk.path().join("two/.cuebook")).expect("a link");
    let snapshot = desk.layers(&[("partials/a.md", "below")]).snapshot();
    refused(&snapshot, "partials/a.md", json!({}), code::UNREADABLE, &["two/.cuebook", "symbolic link"]);
}

#[test]
fn a_project_that_is_not_trusted_takes_no_part_and_is_told_of() {
    let desk = Desk::new();
    desk.write("one/.cuebook/prompt_files/partials/a.md", "{% not even a template");
    let projects = vec![ProjectRoot { path: desk.path().join("one"), is_trusted: false }];
    let bundled = layer(Tier::Bundled, "bundled test/base", &[("partials/a.md", "below")]);
    let layers = Layers::new(&OverlayRoots { site: None, projects }, Arc::new(Catalog::new(bundled)));
    let snapshot = layers.snapshot();
    shows(&snapshot, "partials/a.md", "below");
    let labels: Vec<&str> = snapshot.refused().iter().map(|layer| &*layer.label).collect();
    assert_eq!(labels.len(), 1);
    assert!(labels[0].ends_with("one/.cuebook/prompt_files"), "{labels:?}");
}

#[test]
fn two_spellings_of_one_name_in_a_layer_choose_nothing() {
    let files = [("kicks/leg.md", "1"), ("inject/leg.md", "2")];
    let over = snapshot(vec![layer(Tier::Site, "site", &files)], &[("guidance/leg.md", "below")]);
    for name in ["guidance/leg", "kicks/leg.md", "inject/leg"] {
        refused(&over, name, json!({}), code::UNREADABLE, &["inject/leg.md and kicks/leg.md"]);
    }
    let closed = Layer::closed(Tier::Site, "site", FileFault::Other("no".to_owned()));
    refused(&snapshot(vec![closed], &[]), "partials/a.md", json!({}), code::UNREADABLE, &["site", "no"]);
}
