//! Packs as archives: read as they are published, refused where an archive could do harm.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};

use super::bench::{Bench, phrases};
use crate::support::messages;

/// One entry: its name as bytes, its type, its content.
type Packed<'a> = (&'a str, EntryType, &'a [u8]);

/// An archive of these entries, their names as they are given.
fn archive(entries: &[Packed<'_>]) -> Vec<u8> {
    let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (name, kind, content) in entries {
        let mut header = Header::new_ustar();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        header.set_mode(0o644);
        header.set_size(content.len() as u64);
        if matches!(kind, EntryType::Symlink | EntryType::Link) {
            header.set_link_name("/etc/passwd").unwrap();
        }
        header.set_cksum();
        builder.append(&header, *content).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

fn manifest() -> Vec<u8> {
    format!("{:#}\n", phrases("1.0.0")).into_bytes()
}

const FILE: EntryType = EntryType::Regular;

/// The bench with an archive of the manifest and `more`.
fn packed(more: &[Packed<'_>]) -> Bench {
    let (bench, manifest) = (Bench::new(""), manifest());
    let entries: Vec<Packed<'_>> =
        [("pack.json", FILE, &manifest[..])].into_iter().chain(more.iter().copied()).collect();
    bench.write("new.tgz", archive(&entries));
    bench
}

#[test]
fn an_archive_is_the_pack_that_its_directory_is() {
    let bench = packed(&[("docs/readme.md", FILE, b"Read me."), (".git/config", FILE, b"hidden")]);
    bench.manifest("plain", &phrases("1.0.0"));
    bench.write("plain/docs/readme.md", "Read me.");
    let expect = bench.store().verify(&bench.path("plain")).unwrap().pack.integrity;
    let installed = bench.install("new.tgz").unwrap().unwrap();
    assert_eq!(installed.integrity, expect);
    let files = ["docs/readme.md", "pack.integrity", "pack.json"];
    assert_eq!(bench.installed_files(), files.map(|file| format!("vendor.acme.phrases/{file}")));
    assert_eq!(bench.install("plain").unwrap(), None, "it is the very same pack");
    bench.host().unwrap();
}

#[test]
fn one_folder_around_everything_is_left_out() {
    let (bench, manifest) = (Bench::new(""), manifest());
    let entries = [("package/", EntryType::Directory, &b""[..]), ("package/pack.json", FILE, &manifest)];
    bench.write("new.tar.gz", archive(&entries));
    bench.install("new.tar.gz").unwrap().unwrap();
    assert_eq!(bench.installed_files()[1], "vendor.acme.phrases/pack.json");
}

#[test]
fn a_pack_of_templates_may_come_as_an_archive() {
    let bench = Bench::new("");
    let manifest =
        b"manifest_version: 1\nid: acme/notes\nname: Notes\nversion: 1.0.0\ncompatibility: { extension_api: ^1 }\n";
    let entries = [
        ("notes-1.0.0/extension.yaml", FILE, &manifest[..]),
        ("notes-1.0.0/shared/partials/tone.md", FILE, b"Be plain."),
    ];
    bench.write("new.tgz", archive(&entries));
    bench.install("new.tgz").unwrap().unwrap();
    assert_eq!(bench.read("project/packs/acme.notes/shared/partials/tone.md"), "Be plain.");
    bench.host().unwrap();
}

#[test]
fn what_could_do_harm_is_refused() {
    for entry in [
        ("../escaped", FILE, &b"x"[..]),
        ("a/../../escaped", FILE, b"x"),
        ("/etc/escaped", FILE, b"x"),
        ("a\\..\\escaped", FILE, b"x"),
        ("link", EntryType::Symlink, b""),
        ("hard", EntryType::Link, b""),
        ("pipe", EntryType::Fifo, b""),
        ("pack.json", FILE, b"{}"),
    ] {
        let bench = packed(&[entry]);
        bench.check_install("new.tgz", "pack_invalid");
        assert!(!bench.path("escaped").exists() && !bench.path("project/escaped").exists());
    }
}

#[test]
fn limits_are_those_of_what_is_inflated() {
    let large = vec![0; 4 * 1024 * 1024 + 1];
    packed(&[("large", FILE, &large)]).check_install("new.tgz", "pack_invalid");
    let part = &large[1..];
    let parts = ["a", "b", "c", "d"].map(|name| (name, FILE, part));
    packed(&parts).check_install("new.tgz", "pack_invalid");
    let names: Vec<String> = (0..1001).map(|at| at.to_string()).collect();
    let many: Vec<Packed<'_>> = names.iter().map(|name| (name.as_str(), FILE, &b""[..])).collect();
    packed(&many).check_install("new.tgz", "pack_invalid");
}

#[test]
fn what_is_no_archive_is_told() {
    let bench = Bench::new("");
    let mut cut_off = archive(&[("pack.json", FILE, &manifest())]);
    cut_off.truncate(cut_off.len() / 2);
    let mut plain = GzEncoder::new(Vec::new(), Compression::fast());
    plain.write_all(&[b'x'; 700]).unwrap();
    for content in [cut_off, plain.finish().unwrap(), b"no gzip".to_vec()] {
        bench.write("new.tgz", content);
        bench.check_install("new.tgz", "file_unreadable");
    }
    bench.write("new.tgz", archive(&[("readme.md", FILE, b"x")]));
    let found = messages(&bench.install("new.tgz").unwrap_err());
    assert!(found[0].starts_with("pack_invalid: there is no pack.json"), "{found:?}");
}
