//! What packs bring together, and why some of it is left out.

use std::collections::BTreeSet;
use std::sync::Arc;

use cuebook_layers::{Catalog, Choice, FileTree, Own, Pack, PackId, Snapshot, TemplateRef};
use proptest::prelude::*;

/// A pack in a few words: id, version, what stands below the head of its manifest, files.
struct Sketch<'s>(&'s str, &'s str, &'s str, &'s [(&'s str, &'s str)]);

fn pack(sketch: &Sketch<'_>) -> Pack {
    let Sketch(id, version, rest, files) = sketch;
    let manifest = format!(
        "manifest_version: 1\nid: {id}\nname: P\nversion: {version}\ncompatibility: {{extension_api: ^1}}\n{rest}"
    );
    let files =
        files.iter().map(|(name, text)| (*name, *text)).chain([("extension.yaml", manifest.as_str())]);
    Pack::read(&FileTree::of(files), format!("packs/{}", id.replace('/', "-"))).expect("a pack")
}

fn reference(name: &str) -> TemplateRef {
    TemplateRef::parse(name).expect("a name")
}

fn choice(disabled_packs: &[&str], disabled: &[&str], owns: &[&str]) -> Choice {
    Choice {
        disabled_packs: disabled_packs.iter().map(|id| PackId::parse(id).expect("an id")).collect(),
        disabled: disabled.iter().map(|name| reference(name)).collect(),
        owns: owns.iter().map(|own| Own::parse(own).expect("an entry")).collect(),
    }
}

/// Every name with its layer and text, or with its fault.
fn shown(catalog: &Catalog) -> Vec<String> {
    let files = catalog.layer().files();
    files
        .map(|(name, file)| match &file.source {
            Ok(source) => format!("{name} = {} from {}", source.text(), source.layer().unwrap_or_default()),
            Err(fault) => format!("{name}: {fault}"),
        })
        .collect()
}

#[track_caller]
fn check(packs: &[Sketch<'_>], choice: &Choice, expect: &[&str], problems: &[&str]) {
    let (catalog, found) = Catalog::of(packs.iter().map(pack).collect(), choice);
    assert_eq!(shown(&catalog), expect);
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found, problems);
}

const A: Sketch<'_> =
    Sketch("acme/a", "1.0.0", "", &[("shared/partials/x.md", "A"), ("shared/partials/a.md", "a")]);
const B: Sketch<'_> = Sketch("acme/b", "1.2.0", "", &[("shared/partials/x.md", "B"), ("guidance/b.md", "b")]);

#[test]
fn packs_bring_their_files_together() {
    let none = choice(&["acme/a"], &[], &[]);
    check(
        &[A, B],
        &none,
        &["guidance/b.md = b from bundled acme/b", "partials/x.md = B from bundled acme/b"],
        &[],
    );
    check(&[], &Choice::default(), &[], &[]);
}

#[test]
fn a_contested_name_stands_for_nothing_until_a_winner_is_named() {
    let rest = ["guidance/b.md = b from bundled acme/b", "partials/a.md = a from bundled acme/a"];
    let with = |last: &'static str| [rest[0], rest[1], last];
    check(
        &[A, B],
        &Choice::default(),
        &with("partials/x.md: acme/a, acme/b all bring it, and no winner is named"),
        &[
            "error[template_contested]: partials/x.md stands for nothing: acme/a, acme/b all bring it, and no winner is named",
        ],
    );
    let won = choice(&[], &[], &["acme/b:partials/x.md"]);
    check(&[A, B], &won, &with("partials/x.md = B from bundled acme/b"), &[]);
}

#[test]
fn owns_that_lead_nowhere_are_told() {
    let both = choice(&[], &[], &["acme/a:partials/x.md", "acme/b:partials/x.md"]);
    let (catalog, found) = Catalog::of([A, B].iter().map(pack).collect(), &both);
    assert!(shown(&catalog)[2].starts_with("partials/x.md: acme/a, acme/b all bring it"));
    let codes: Vec<&str> = found.iter().map(|it| &*it.code).collect();
    assert_eq!(codes, ["own_invalid", "template_contested"]);

    let stranger = choice(&["acme/c"], &["partials/b.md"], &["acme/b:partials/a.md"]);
    let (_, found) = Catalog::of([A].iter().map(pack).collect(), &stranger);
    let found: Vec<(&str, Option<&str>)> =
        found.iter().map(|it| (&*it.message, it.nearest.as_deref())).collect();
    assert_eq!(
        found,
        [
            ("`disabled` names the pack acme/c, and there is none of that id", Some("acme/a")),
            ("`disabled` names partials/b.md, and no pack brings it", Some("partials/a.md")),
            ("`owns` names acme/b:partials/a.md, and that pack does not bring it", Some("partials/a.md")),
        ]
    );
}

#[test]
fn a_disabled_name_is_told_apart_from_one_that_is_not_there() {
    let off = choice(&[], &["partials/a.md"], &[]);
    let (catalog, problems) = Catalog::of(vec![pack(&A)], &off);
    assert_eq!(problems, []);
    let snapshot = Snapshot::new(Vec::new(), Arc::new(catalog), Vec::new());
    let code = |name: &str| {
        let problems = snapshot.program(name).expect_err("no program");
        (problems[0].code.to_string(), problems[0].message.clone())
    };
    assert_eq!(code("partials/b.md").0, "template_not_found");
    let (code, message) = code("partials/a.md");
    assert_eq!(code, "template_disabled");
    assert!(message.ends_with("shared/partials/a.md: disabled by the host"), "{message}");
}

#[test]
fn nobody_chooses_among_files_that_begin_with_an_underscore() {
    const SHELL: &[(&str, &str)] = &[("agents/prompts/_shell.md", "s")];
    let packs = [Sketch("acme/a", "1.0.0", "", SHELL), Sketch("acme/b", "1.0.0", "", SHELL)];
    let (catalog, problems) =
        Catalog::of(packs.iter().map(pack).collect(), &choice(&[], &["agents/_shell.md"], &[]));
    assert_eq!(shown(&catalog), ["agents/_shell.md: acme/a, acme/b all bring it, and no winner is named"]);
    let codes: Vec<&str> = problems.iter().map(|it| &*it.code).collect();
    assert_eq!(codes, ["own_invalid", "template_contested"]);
}

#[test]
fn two_packs_of_one_id_bring_nothing() {
    let other = Sketch("acme/a", "2.0.0", "", &[]);
    check(
        &[A, other, B],
        &Choice::default(),
        &["guidance/b.md = b from bundled acme/b", "partials/x.md = B from bundled acme/b"],
        &[
            "error[extension_doubled]: packs/acme-a and packs/acme-a have the id acme/a, and none of them is taken",
        ],
    );
}

#[test]
fn a_pack_without_what_it_needs_brings_nothing() {
    let needs = |range: &str| format!("dependencies: {{acme/b: {{version: '{range}'}}}}\n");
    let file: &[(&str, &str)] = &[("guidance/d.md", "d")];
    let met = needs(">=1.1, <2");
    check(
        &[Sketch("acme/d", "1.0.0", &met, file), B],
        &Choice::default(),
        &[
            "guidance/b.md = b from bundled acme/b",
            "guidance/d.md = d from bundled acme/d",
            "partials/x.md = B from bundled acme/b",
        ],
        &[],
    );
    let newer = needs("^2");
    check(
        &[Sketch("acme/d", "1.0.0", &newer, file)],
        &Choice::default(),
        &[],
        &[
            "error[extension_dependency_unmet]: acme/d contributes nothing: it needs acme/b in ^2, which takes no part here",
        ],
    );
    check(
        &[Sketch("acme/d", "1.0.0", &newer, file), B],
        &Choice::default(),
        &["guidance/b.md = b from bundled acme/b", "partials/x.md = B from bundled acme/b"],
        &[
            "error[extension_dependency_unmet]: acme/d contributes nothing: it needs acme/b in ^2, which is there in version 1.2.0",
        ],
    );
    check(
        &[
            Sketch("acme/d", "1.0.0", &met, file),
            B,
            Sketch("acme/e", "1.0.0", "dependencies: {acme/d: {version: '*'}}\n", &[]),
        ],
        &choice(&["acme/b"], &[], &[]),
        &[],
        &[
            "error[extension_dependency_unmet]: acme/d contributes nothing: it needs acme/b in >=1.1, <2, which is disabled by the host",
            "error[extension_dependency_unmet]: acme/e contributes nothing: it needs acme/d in *, which takes no part here",
        ],
    );
}

#[test]
fn a_name_has_its_provider() {
    let (catalog, _) = Catalog::of(vec![pack(&A), pack(&B)], &Choice::default());
    let provider = |name: &str| catalog.provider(&reference(name)).map(PackId::as_str);
    assert_eq!(provider("partials/a.md"), Some("acme/a"));
    assert_eq!(provider("partials/x.md"), None);
    assert_eq!(catalog.packs().len(), 2);
}

const NAMES: [&str; 5] = [
    "shared/partials/a.md",
    "shared/partials/b.md",
    "guidance/c.md",
    "agents/prompts/_d.md",
    "host/prompt-budgets.yaml",
];
const BUDGET: &str = "version: 1\nsizes: {limits: {kicks: {warn: 1, limit: 2}}}\n";

prop_compose! {
    fn any_pack()(id in 0..4_u8, version in 0..3_u8, need in proptest::option::of(0..4_u8), files in proptest::collection::btree_set(0..NAMES.len(), 0..4)) -> Pack {
        let rest = need.filter(|need| *need != id).map_or_else(String::new, |need| format!("dependencies: {{acme/p{need}: {{version: ^1}}}}\n"));
        let files: Vec<(&str, &str)> = files.iter().map(|at| (NAMES[*at], if *at == 4 { BUDGET } else { "text" })).collect();
        pack(&Sketch(&format!("acme/p{id}"), &format!("{version}.0.0"), &rest, &files))
    }
}

prop_compose! {
    fn any_choice()(pack in proptest::option::of(0..4_u8), name in proptest::option::of(0..3_usize), winner in proptest::option::of((0..4_u8, 0..3_usize))) -> Choice {
        let owns: BTreeSet<Own> = winner.iter().map(|(pack, at)| Own::Pack(PackId::parse(&format!("acme/p{pack}")).expect("an id"), reference(NAMES[*at]))).collect();
        Choice {
            disabled_packs: pack.iter().map(|id| PackId::parse(&format!("acme/p{id}")).expect("an id")).collect(),
            disabled: name.iter().map(|at| reference(NAMES[*at])).collect(),
            owns,
        }
    }
}

proptest! {
    #[test]
    fn the_order_of_packs_says_nothing(
        (packs, shuffled) in proptest::collection::vec(any_pack(), 0..6).prop_flat_map(|packs| (Just(packs.clone()), Just(packs).prop_shuffle())),
        choice in any_choice(),
    ) {
        let (one, problems) = Catalog::of(packs, &choice);
        let (other, others) = Catalog::of(shuffled, &choice);
        prop_assert_eq!(one.revision(), other.revision());
        prop_assert_eq!(shown(&one), shown(&other));
        prop_assert_eq!(problems, others);
    }
}
