//! Export and import: the same bytes on every way, everything wrong at once, all or nothing.

use std::fs;
use std::path::{Path, PathBuf};

use cuebook_host::prompt::Principal;
use cuebook_host::wire::PromptTemplate;
use cuebook_host::{Host, ImportSource, Options, PackName, Problems, PromptWrite, export_files, export_pack};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::support::{Project, messages};

fn of(id: &str, version: &str, text: &str) -> PromptTemplate {
    serde_json::from_value(json!({
        "templateId": id, "version": version, "kind": "user", "text": text, "name": "A name",
        "variables": [{"name": "topic", "type": "string", "required": false, "defaultValue": "tea"}],
        "tags": ["b", "a"], "modelHints": {"temperature": 0.2}, "meta": {"author": "An author"},
    }))
    .unwrap()
}

fn null_default() -> PromptTemplate {
    let mut template = of("odd", "1.0.0+build.1", "One.\r\n\n+++\n{{topic}}\r");
    template.variables[0].default_value = Some(Json::Null);
    template
}

async fn create(host: &Host, template: PromptTemplate) {
    let write = PromptWrite { principal: &Principal::local(), ticket: None, condition: None };
    host.create_prompt(write, template).await.unwrap();
}

/// A host whose library was written version by version, not in their order.
async fn written() -> Host {
    let host = Project::new().host().unwrap();
    for (version, text) in
        [("1.1.0", "New {{topic}}."), ("1.0.0", "Old {{topic}}."), ("2.0.0-rc.1", "{{topic}}")]
    {
        create(&host, of("tone", version, text)).await;
    }
    create(&host, null_default()).await;
    host
}

/// The files that the library of `host` is exported to, with their bytes.
async fn exported(host: &Host, directory: &Path) -> Vec<(String, String)> {
    let templates = host.user_templates(&Principal::local()).await.unwrap();
    export_files(directory, &templates).unwrap();
    files(directory)
}

fn files(directory: &Path) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(path).unwrap())
        })
        .collect();
    found.sort();
    found
}

async fn import(host: &Host, paths: &[PathBuf], dry_run: bool) -> Result<(usize, usize), Problems> {
    let source = ImportSource::read(paths)?;
    match host.import_prompts(&Principal::local(), &source.templates, dry_run).await {
        Ok(report) => Ok((report.added.len(), report.unchanged.len())),
        Err(refusal) => {
            Err(source.refused(refusal.code.as_str(), &refusal.message, refusal.details.get("faults")))
        }
    }
}

#[tokio::test]
async fn export_import_and_export_give_the_same_bytes() {
    let (first, second) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let files = exported(&written().await, first.path()).await;
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["odd@1.0.0+build.1.json", "tone@1.0.0.md", "tone@1.1.0.md", "tone@2.0.0-rc.1.md"]);
    let other = Project::new().host().unwrap();
    let paths = [first.path().to_owned()];
    assert_eq!(import(&other, &paths, true).await.unwrap(), (4, 0));
    assert!(other.user_templates(&Principal::local()).await.unwrap().is_empty(), "a dry run writes nothing");
    assert_eq!(import(&other, &paths, false).await.unwrap(), (4, 0));
    assert_eq!(exported(&other, second.path()).await, files);
    assert_eq!(import(&other, &paths, false).await.unwrap(), (0, 4), "a second import changes nothing");
    let again =
        export_files(second.path(), &other.user_templates(&Principal::local()).await.unwrap()).unwrap();
    assert_eq!((again.written.len(), again.unchanged.len()), (0, 4));
}

#[tokio::test]
async fn an_exported_directory_is_a_directory_of_prompts() {
    let project = Project::new();
    exported(&written().await, &project.path().join("prompts")).await;
    let host = project.host().unwrap();
    let entry = host.template(&Principal::local(), "prompt:tone").await.unwrap();
    assert_eq!(entry.template.text, "New {{topic}}.");
}

#[tokio::test]
async fn a_pack_goes_the_same_way() {
    let (directory, host) = (TempDir::new().unwrap(), written().await);
    let name = PackName::parse("vendor.acme.library@1.0.0").unwrap();
    let templates = host.user_templates(&Principal::local()).await.unwrap();
    let pack = directory.path().join("pack");
    export_pack(&pack, &name, &templates).unwrap();
    let other = Project::new().host().unwrap();
    assert_eq!(import(&other, std::slice::from_ref(&pack), false).await.unwrap(), (4, 0));
    let again = directory.path().join("again");
    export_pack(&again, &name, &other.user_templates(&Principal::local()).await.unwrap()).unwrap();
    assert_eq!(files(&again), files(&pack));
}

#[test]
fn what_is_no_pack_is_not_exported() {
    let directory = TempDir::new().unwrap();
    let check = |name: &str, templates: &[PromptTemplate], code: &str| {
        let name = PackName::parse(name).unwrap();
        let problems = export_pack(&directory.path().join("pack"), &name, templates).unwrap_err();
        assert!(messages(&problems)[0].starts_with(code), "{problems}");
        assert!(!directory.path().join("pack").exists());
    };
    check("vendor.acme.library@1.0.0", &[], "pack_invalid");
    check("library@1.0.0", &[of("a", "1.0.0", "x")], "prompt_template_invalid");
    check("vendor.acme.library@1.0.0", &[of("a", "1.0.0", "{{unknown}}")], "prompt_template_invalid");
    assert!(PackName::parse("vendor.acme.library").is_err());
}

fn write(directory: &Path, name: &str, template: &PromptTemplate) -> PathBuf {
    let path = directory.join(name);
    fs::write(&path, format!("{:#}", json!(template))).unwrap();
    path
}

#[tokio::test]
async fn an_import_that_is_refused_says_everything_and_writes_nothing() {
    let (directory, host) = (TempDir::new().unwrap(), written().await);
    let before = host.user_templates(&Principal::local()).await.unwrap();
    let sound = write(directory.path(), "sound.json", &of("new", "1.0.0", "{{topic}}"));
    let wrong = [
        write(directory.path(), "a.json", &of("tone", "1.1.0", "Other {{topic}}.")),
        write(directory.path(), "b.json", &of("tone", "1.0.5", "Between {{topic}}.")),
        write(directory.path(), "c.json", &of("project.x", "1.0.0", "{{topic}}")),
        write(directory.path(), "d.json", &of("question", "9.0.0", "{{topic}}")),
        write(directory.path(), "e.json", &of("new", "1.0.0", "{{topic}}")),
    ];
    let paths: Vec<PathBuf> = std::iter::once(sound).chain(wrong).collect();
    for dry_run in [true, false] {
        let problems = import(&host, &paths, dry_run).await.unwrap_err();
        let codes: Vec<&str> = problems.iter().map(|problem| &*problem.code).collect();
        let expect = [
            "prompt_already_exists",
            "prompt_version_not_greater",
            "validation_error",
            "forbidden",
            "prompt_already_exists",
        ];
        assert_eq!(codes, expect, "{problems}");
        let names: Vec<String> = problems
            .iter()
            .map(|it| it.label.as_ref().unwrap().source.name().rsplit('/').next().unwrap().to_owned())
            .collect();
        assert_eq!(names, ["a.json", "b.json", "c.json", "d.json", "e.json"]);
        assert_eq!(host.user_templates(&Principal::local()).await.unwrap(), before);
    }
}

#[test]
fn everything_that_cannot_be_read_is_told_at_once() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("a.md"), "no front matter").unwrap();
    fs::write(directory.path().join("b.json"), "{\"templateId\": \"b\"}").unwrap();
    let problems = ImportSource::read(&[directory.path().to_owned()]).unwrap_err();
    assert!(problems.iter().count() > 2, "{problems}");
}

#[tokio::test]
async fn an_import_on_disk_is_durable() {
    let (project, directory) = (Project::new(), TempDir::new().unwrap());
    exported(&written().await, directory.path()).await;
    let open = || {
        let data = Some(project.path().join("data"));
        Host::open(&Options { root: project.path().to_owned(), data, ..Options::default() }).unwrap()
    };
    assert_eq!(import(&open(), &[directory.path().to_owned()], false).await.unwrap(), (4, 0));
    assert_eq!(open().user_templates(&Principal::local()).await.unwrap().len(), 4);
}
