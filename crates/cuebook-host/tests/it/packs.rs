//! Packs: what is taken, what is refused, and that a refusal changes nothing.

mod archive;
mod bench;
mod layered;
mod signed;

use std::os::unix::fs::symlink;

use cuebook_host::prompt::Principal;
use cuebook_host::wire::{ErrorCode, PromptRef, PromptTemplate};
use cuebook_host::{Host, PromptWrite, Refusal};
use serde_json::{Value as Json, json};

use self::bench::{Bench, agents, phrases};
use crate::support::{checked, messages};

/// Checks that the pack of `manifest`, changed by `change`, is refused with `expect`, and that nothing is written.
#[track_caller]
fn check_refused(manifest: Json, change: impl FnOnce(&mut Json, &Bench), expect: &[&str]) {
    let bench = Bench::new("");
    let mut manifest = manifest;
    bench.write("new/prompts/writer.md", "You write.");
    change(&mut manifest, &bench);
    bench.manifest("new", &manifest);
    let before = bench.installed_files();
    let problems = bench.install("new").unwrap_err();
    let found: Vec<String> = problems.iter().map(|problem| problem.code.to_string()).collect();
    assert_eq!(found, expect, "{:#?}", messages(&problems));
    assert_eq!(bench.installed_files(), before);
    assert_eq!(bench.store().verify(&bench.path("new")).unwrap_err().iter().count(), expect.len());
}

/// As [`check_refused`], with members of the manifest set.
#[track_caller]
fn check_members(manifest: Json, members: &[(&str, Json)], expect: &[&str]) {
    let set = |manifest: &mut Json, _: &Bench| {
        for (pointer, value) in members {
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            manifest.pointer_mut(parent).unwrap()[key] = value.clone();
        }
    };
    check_refused(manifest, set, expect);
}

#[test]
fn kinds_are_told_apart() {
    check_members(phrases("1.0.0"), &[("/agents", json!([]))], &["pack_kind_invalid"]);
    check_members(
        phrases("1.0.0"),
        &[("/nodes", json!([])), ("/chains", json!([]))],
        &["pack_kind_invalid"; 2],
    );
    check_members(agents("1.0.0"), &[("/prompts", json!([]))], &["pack_kind_invalid"]);
    check_members(phrases("1.0.0"), &[("/kind", json!("workflow-chain"))], &["pack_kind_invalid"]);
    check_members(agents("1.0.0"), &[("/agents", json!([]))], &["agent_manifest_invalid"]);
    let nodes = [("/agents", json!([])), ("/nodes", json!([{ "typeId": "vendor.acme.echo" }]))];
    check_members(agents("1.0.0"), &nodes, &["pack_runtime_requirement_unmet"]);
    check_members(
        agents("1.0.0"),
        &[("/engines/openwop", json!(">=2.0.0"))],
        &["pack_runtime_requirement_unmet"],
    );
}

#[test]
fn templates_are_closed_and_well_formed() {
    let invalid = "prompt_template_invalid";
    let text = |text: &str| ("/prompts/0/text", json!(text));
    check_members(phrases("1.0.0"), &[text("Greet {{name}} and {{nmae}}.")], &[invalid]);
    check_members(phrases("1.0.0"), &[text(&"é".repeat(40_000))], &[invalid]);
    check_members(phrases("1.0.0"), &[("/prompts/0/templateId", json!("layered.x"))], &[invalid]);
    check_members(phrases("1.0.0"), &[("/prompts/0/body", json!("")), ("/extra", json!(1))], &[invalid; 2]);
    let path = ("/prompts/0/variables/0/extractPath", json!("name"));
    check_members(phrases("1.0.0"), &[path], &["unsupported_extract_path"]);
}

#[test]
fn a_fact_of_the_context_may_stay_undeclared() {
    let bench = Bench::new("");
    let mut manifest = phrases("1.0.0");
    manifest["prompts"][0]["text"] = json!("It is {{now}}: greet {{name}}.");
    bench.manifest("new", &manifest);
    assert!(bench.install("new").unwrap().is_some());
}

#[test]
fn agents_name_files_of_their_pack() {
    let invalid = "agent_manifest_invalid";
    for path in ["prompts/none.md", "../outside.md", "/etc/hostname", "prompts/../prompts/writer.md"] {
        let outside = |manifest: &mut Json, bench: &Bench| {
            bench.write("outside.md", "You are out.");
            manifest["agents"][0]["systemPromptRef"] = json!(path);
        };
        check_refused(agents("1.0.0"), outside, &[invalid]);
    }
    let schemas = ("/agents/0/handoff", json!({ "taskSchemaRef": "schemas/task.json" }));
    check_members(agents("1.0.0"), &[schemas], &[invalid]);
    check_members(agents("1.0.0"), &[("/agents/0/agentId", json!("local.desk.clerk"))], &[invalid]);
}

#[test]
fn files_are_plain_and_within_limits() {
    let invalid = ["pack_invalid"];
    check_refused(phrases("1.0.0"), |_, bench| symlink("/etc", bench.path("new/etc")).unwrap(), &invalid);
    check_refused(phrases("1.0.0"), |_, bench| symlink("a", bench.path("new/prompts/b")).unwrap(), &invalid);
    let large = "x".repeat(4 * 1024 * 1024 + 1);
    check_refused(phrases("1.0.0"), |_, bench| bench.write("new/large", &large), &invalid);
    let many =
        |_: &mut Json, bench: &Bench| (0..1001).for_each(|at| bench.write(&format!("new/many/{at}"), ""));
    check_refused(phrases("1.0.0"), many, &invalid);
    let full =
        |_: &mut Json, bench: &Bench| (0..5).for_each(|at| bench.write(&format!("new/{at}"), &large[2..]));
    check_refused(phrases("1.0.0"), full, &invalid);
}

#[test]
fn a_directory_without_manifest_is_no_pack() {
    let bench = Bench::new("");
    bench.write("new/readme", "");
    let problems = bench.install("new").unwrap_err();
    assert_eq!(messages(&problems).len(), 1);
    assert!(messages(&problems)[0].starts_with("pack_invalid: there is no pack.json"), "{problems}");
}

/// The template that a ref leads to, for the host's own principal.
fn template_of(host: &Host, reference: &PromptRef) -> Result<PromptTemplate, Refusal> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(host.template_of(&Principal::local(), reference)).map(|(_, template)| template)
}

#[test]
fn a_sound_pack_is_installed_once() {
    let bench = Bench::new("");
    bench.manifest("new", &phrases("1.0.0"));
    bench.write("new/.git/config", "no part of a pack");
    let installed = bench.install("new").unwrap().unwrap();
    assert_eq!((installed.kind, installed.holds), ("prompt", vec!["prompt:greeting@1.0.0".to_owned()]));
    assert_eq!(
        bench.installed_files(),
        ["vendor.acme.phrases/pack.integrity", "vendor.acme.phrases/pack.json"]
    );
    assert_eq!(bench.read("project/packs/vendor.acme.phrases/pack.json"), bench.read("new/pack.json"));
    assert_eq!(bench.install("new").unwrap(), None);
    let template = template_of(&bench.host().unwrap(), &reference("prompt:greeting")).unwrap();
    let meta = template.meta.unwrap();
    assert_eq!(meta.pack_name.as_deref(), Some("vendor.acme.phrases"));
    assert_eq!(meta.pack_version.unwrap().to_string(), "1.0.0");
}

/// The public scenario of that name: what a pack brings is found without its library, says where it is from, and stays.
#[test]
fn prompt_pack_install() {
    let bench = Bench::new("");
    let prompt =
        |id: &str| json!({ "templateId": id, "version": "1.0.0", "kind": "system", "text": "You help." });
    let mut sample = phrases("1.0.0");
    sample["prompts"] = json!([prompt("writer-system"), prompt("critic-system")]);
    bench.manifest("new", &sample);
    bench.install("new").unwrap().unwrap();
    let host = bench.host().unwrap();
    for id in ["writer-system", "critic-system"] {
        let meta = json!(template_of(&host, &reference(&format!("prompt:{id}"))).unwrap().meta);
        let expect = json!({ "source": "pack", "packName": "vendor.acme.phrases", "packVersion": "1.0.0" });
        assert_eq!(meta, expect, "of {id}");
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let write = PromptWrite { principal: &Principal::local(), ticket: None, condition: None };
    let template = template_of(&host, &reference("prompt:writer-system")).unwrap();
    let removed = runtime.block_on(host.delete_prompt(write, &template.template_id, None));
    assert_eq!(removed.unwrap_err().code, ErrorCode::Forbidden);
}

#[test]
fn another_version_takes_the_place_only_when_asked_to() {
    let bench = Bench::new("");
    bench.manifest("new", &phrases("1.0.0"));
    bench.install("new").unwrap();
    bench.manifest("new", &phrases("1.1.0"));
    let before = bench.installed_files();
    assert!(messages(&bench.install("new").unwrap_err())[0].starts_with("pack_already_installed"));
    assert_eq!(bench.store().list().unwrap().0[0].version, "1.0.0");
    bench.replace("new").unwrap().unwrap();
    assert_eq!(bench.store().list().unwrap().0[0].version, "1.1.0");
    assert_eq!(bench.installed_files(), before);
}

#[test]
fn a_pack_is_held_against_the_one_in_whose_place_it_comes() {
    let bench = Bench::new("");
    bench.manifest("new", &phrases("1.0.0"));
    bench.install("new").unwrap();
    let mut next = phrases("1.1.0");
    next["prompts"][0]["version"] = json!("1.0.1");
    next["prompts"][0]["text"] = json!("Greet {{person}}.");
    next["prompts"][0]["variables"][0]["name"] = json!("person");
    bench.manifest("new", &next);
    let checked = bench.store().verify(&bench.path("new")).unwrap();
    let replaced = bench.replace("new").unwrap().unwrap();
    for templates in [checked.templates, replaced.templates] {
        let found = messages(&templates[0].problems());
        let expect = "prompt_breaking_change: variable 'name' is called 'person', but 1.0.0 and 1.0.1 have one major version";
        assert_eq!(found, [expect]);
        let place = templates[0].problems().iter().next().unwrap().position().unwrap();
        assert!(bench.read("new/pack.json").lines().nth(place.line - 1).unwrap().contains("person"));
    }
}

#[test]
fn no_pack_is_called_as_a_library_of_the_host() {
    let bench = Bench::new("[prompts]\nlibrary = \"vendor.acme.phrases\"\n");
    bench.manifest("new", &phrases("1.0.0"));
    bench.check_install("new", "pack_invalid");
    for name in ["user", "host"] {
        check_members(phrases("1.0.0"), &[("/name", json!(name))], &["prompt_template_invalid"]);
    }
}

#[test]
fn packs_that_are_needed_come_first_and_go_last() {
    let bench = Bench::new("");
    let mut needy = agents("1.0.0");
    needy["dependencies"] = json!({ "vendor.acme.phrases": ">=1.1 <2" });
    bench.write("needy/prompts/writer.md", "You write.");
    bench.manifest("needy", &needy);
    let put = |version: &str| bench.manifest("new", &phrases(version));
    let names = ["vendor.acme.desk", "vendor.acme.phrases"];
    bench.check_need(names, "prompt_pack_dependency_unresolvable", put);
}

#[test]
fn a_pack_that_is_not_there_cannot_be_removed() {
    let bench = Bench::new("");
    bench.manifest("new", &phrases("1.0.0"));
    bench.install("new").unwrap();
    let problems = bench.store().remove("vendor.acme.phrase").unwrap_err();
    let hint = problems.iter().next().unwrap().hint.clone();
    assert_eq!(hint.as_deref(), Some("did you mean 'vendor.acme.phrases'?"));
}

#[test]
fn the_same_agent_in_two_packs_is_refused() {
    let bench = Bench::new("");
    bench.write("new/prompts/writer.md", "You write.");
    bench.manifest("new", &agents("1.0.0"));
    bench.install("new").unwrap();
    let mut other = agents("1.0.0");
    other["name"] = json!("vendor.acme.other");
    bench.manifest("new", &other);
    bench.check_install("new", "agent_manifest_invalid");
}

fn reference(text: &str) -> PromptRef {
    text.parse().unwrap()
}

#[test]
fn a_template_of_two_packs_is_ambiguous_until_its_library_is_named() {
    let bench = Bench::new("");
    bench.manifest("new", &phrases("1.0.0"));
    bench.install("new").unwrap();
    let mut other = phrases("1.0.0");
    (other["name"], other["prompts"][0]["text"]) = (json!("vendor.other.phrases"), json!("Hail {{name}}."));
    bench.manifest("new", &other);
    bench.install("new").unwrap();
    let host = bench.host().unwrap();
    let refusal = template_of(&host, &reference("prompt:greeting@1.0.0")).unwrap_err();
    assert_eq!(refusal.code, ErrorCode::PromptRefAmbiguous);
    let named = json!({ "templateId": "greeting", "libraryId": "vendor.other.phrases" });
    let named: PromptRef = serde_json::from_value(named).unwrap();
    assert_eq!(template_of(&host, &named).unwrap().text, "Hail {{name}}.");
}

#[test]
fn two_packs_of_one_name_stop_the_start() {
    let bench = Bench::new("");
    bench.manifest("project/packs/one", &phrases("1.0.0"));
    bench.manifest("project/packs/two", &phrases("1.1.0"));
    bench.manifest("project/packs/.three", &phrases("1.2.0"));
    let problems = bench.host().err().unwrap();
    assert_eq!(problems.iter().count(), 1, "{problems}");
    assert!(messages(&problems)[0].starts_with("pack_invalid: the pack 'vendor.acme.phrases' is in "));
}

#[test]
fn a_pack_for_other_hosts_is_told_of_at_the_start() {
    let bench = Bench::new("");
    bench
        .manifest("project/packs/chains", &json!({ "name": "vendor.acme.chains", "kind": "workflow-chain" }));
    let host = bench.host().unwrap();
    let told = messages(&checked(&host).warnings);
    assert_eq!(told, ["pack_kind_invalid: this host takes no packs of kind 'workflow-chain'"]);
}

#[test]
fn public_packs_are_taken_or_refused_for_a_reason() {
    let beside = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("CUEBOOK_SHARED").map_or(beside, std::path::PathBuf::from);
    let Ok(packs) = std::fs::read_dir(shared.join("openwop/packs")) else { return };
    let bench = Bench::new("");
    let mut refused = Vec::new();
    let mut taken = 0;
    for pack in packs {
        let pack = pack.unwrap();
        match bench.install(pack.path().to_str().unwrap()) {
            Ok(_) => taken += 1,
            Err(problems) => refused.push((pack.file_name(), messages(&problems))),
        }
    }
    let reason = "pack_kind_invalid: this host takes no packs of kind 'workflow-chain'";
    assert_eq!(refused, [("vendor.openwop.workflow-chain-sample".into(), vec![reason.to_owned()])]);
    assert_eq!(taken, bench.store().list().unwrap().0.len());
    assert_eq!(checked(&bench.host().unwrap()).warnings.iter().count(), 0);
}
