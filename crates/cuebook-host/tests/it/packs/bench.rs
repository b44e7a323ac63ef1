//! A project, packs beside it, and what is done with them.

use std::fs;
use std::path::{Path, PathBuf};

use cuebook_host::{CheckedPack, Host, InstallPack, Options, PackStore, PackView, Problems};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::support::messages;

/// A directory with a project, which has an agent of its own, and with room for packs.
pub(super) struct Bench(TempDir);

impl Bench {
    /// A project with this configuration.
    pub(super) fn new(config: &str) -> Self {
        let bench = Self(TempDir::new().unwrap());
        bench.write("project/cuebook.toml", config);
        let clerk = json!({
            "agentId": "local.desk.clerk", "persona": "Clerk", "modelClass": "general", "systemPrompt": "You file.",
        });
        bench.write("project/agents/clerk.json", clerk.to_string());
        bench
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(super) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(super) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// Writes the manifest of the pack in `directory`.
    pub(super) fn manifest(&self, directory: &str, manifest: &Json) {
        self.write(&format!("{directory}/pack.json"), format!("{manifest:#}\n"));
    }

    fn options(&self) -> Options {
        Options { root: self.path("project"), ..Options::default() }
    }

    pub(super) fn store(&self) -> PackStore {
        PackStore::open(&self.options()).unwrap()
    }

    pub(super) fn host(&self) -> Result<Host, Problems> {
        Host::open(&self.options())
    }

    /// Installs the pack in `directory`.
    pub(super) fn install(&self, directory: &str) -> Result<Option<PackView>, Problems> {
        let request = InstallPack { source: &self.path(directory), integrity: None, replace: false };
        self.store().install(&request).map(|checked| checked.map(|checked| checked.pack))
    }

    /// Installs the pack in `directory` in the place of another version.
    pub(super) fn replace(&self, directory: &str) -> Result<Option<CheckedPack>, Problems> {
        let request = InstallPack { source: &self.path(directory), integrity: None, replace: true };
        self.store().install(&request)
    }

    /// Checks that the pack in `needy`, which needs from 1.1 on below 2 of the one that `put` writes into `new`, comes after it
    /// and goes before it; without it the refusal has `code`.
    #[track_caller]
    pub(super) fn check_need(&self, [needy, needed]: [&str; 2], code: &str, put: impl Fn(&str)) {
        self.check_install("needy", code);
        put("1.0.0");
        self.install("new").unwrap().unwrap();
        self.check_install("needy", code);
        put("1.1.0");
        self.replace("new").unwrap();
        self.install("needy").unwrap().unwrap();
        let before = self.installed_files();
        assert!(messages(&self.store().remove(needed).unwrap_err())[0].starts_with(code));
        put("2.0.0");
        assert!(messages(&self.replace("new").unwrap_err())[0].starts_with(code));
        assert_eq!(self.installed_files(), before);
        self.store().remove(needy).unwrap();
        self.store().remove(needed).unwrap();
        assert_eq!(self.installed_files(), [""; 0]);
    }

    /// Checks that the pack in `new` needs the hash of its files, and that a change of `file` of the installed packs stops a
    /// start.
    #[track_caller]
    pub(super) fn check_change(&self, file: &str) {
        self.check_install("new", "pack_integrity_failure");
        let hash = Self::new("").store().verify(&self.path("new")).unwrap().pack.integrity;
        self.write("new/pack.integrity", format!("{hash}\n"));
        assert_eq!(self.install("new").unwrap().unwrap().integrity, hash);
        assert!(self.host().is_ok());
        self.write(&format!("project/packs/{file}"), "You rob.");
        assert!(messages(&self.host().err().unwrap())[0].starts_with("pack_integrity_failure"));
        let (packs, problems) = self.store().list().unwrap();
        assert_eq!((packs.len(), problems.iter().count()), (0, 1));
    }

    /// Checks that the pack in `directory` is refused with `code`, and that nothing is written.
    #[track_caller]
    pub(super) fn check_install(&self, directory: &str, code: &str) {
        let before = self.installed_files();
        let found = messages(&self.install(directory).unwrap_err());
        assert!(found.len() == 1 && found[0].starts_with(&format!("{code}: ")), "{found:#?}");
        assert_eq!(self.installed_files(), before);
    }

    /// Every file below the project's packs, in order.
    pub(super) fn installed_files(&self) -> Vec<String> {
        let packs = self.path("project/packs");
        let mut found = Vec::new();
        visit(&packs, &mut |path| found.push(path.strip_prefix(&packs).unwrap().display().to_string()));
        found.sort();
        found
    }
}

fn visit(directory: &Path, each: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(directory).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() { visit(&path, each) } else { each(&path) }
    }
}

/// A pack of one prompt.
pub(super) fn phrases(version: &str) -> Json {
    json!({
        "name": "vendor.acme.phrases", "version": version, "kind": "prompt",
        "engines": { "openwop": ">=1.1.0 <2.0.0" },
        "prompts": [{
            "templateId": "greeting", "version": "1.0.0", "kind": "user", "text": "Greet {{name}}.",
            "variables": [{ "name": "name", "type": "string", "required": true }],
        }],
    })
}

/// A pack of one agent, whose prompt is the file `prompts/writer.md`.
pub(super) fn agents(version: &str) -> Json {
    json!({
        "name": "vendor.acme.desk", "version": version, "engines": { "openwop": ">=1.0.0" },
        "agents": [{
            "agentId": "vendor.acme.desk.writer", "persona": "Writer", "modelClass": "writing",
            "systemPromptRef": "prompts/writer.md",
        }],
        "runtime": { "language": "remote", "entry": "pack.json" },
    })
}
