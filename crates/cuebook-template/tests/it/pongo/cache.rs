//! A cache keeps a program exactly as long as everything it was made from.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};

use cuebook_template::Source;
use cuebook_template::pongo::{Cache, LoadError, Loader, Options, Profile, Program, Settings};
use serde_json::json;

use super::support::{Files, context, files, full};

/// Layers of templates, the highest first; it counts what it is asked for, and may be made to fail.
#[derive(Default)]
struct Layers {
    files: Mutex<Vec<Files>>,
    unreadable: Mutex<Option<String>>,
    asked: AtomicUsize,
}

impl Layers {
    fn new(layers: &[&[(&str, &str)]]) -> Self {
        Self { files: Mutex::new(layers.iter().map(|layer| files(layer)).collect()), ..Self::default() }
    }

    fn write(&self, layer: usize, name: &str, text: &str) {
        self.files.lock().expect("the layers")[layer].insert(name.to_owned(), text.to_owned());
    }

    fn remove(&self, layer: usize, name: &str) {
        self.files.lock().expect("the layers")[layer].remove(name);
    }

    fn break_file(&self, name: Option<&str>) {
        *self.unreadable.lock().expect("the name") = name.map(str::to_owned);
    }
}

impl Loader for Layers {
    fn load(&self, name: &str) -> Result<Option<Source>, LoadError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        if self.unreadable.lock().expect("the name").as_deref() == Some(name) {
            return Err(LoadError { message: "the disk says no".to_owned() });
        }
        let layers = self.files.lock().expect("the layers");
        let found = layers.iter().enumerate().find_map(|(at, layer)| Some((at, layer.get(name)?)));
        Ok(found.map(|(at, text)| Source::new(name, text.as_str()).in_layer(format!("layer {at}"))))
    }
}

#[track_caller]
fn get(cache: &Cache, loader: &dyn Loader) -> Arc<Program> {
    cache.get("main", loader, &full()).expect("a program").expect("a template")
}

fn text(program: &Program, loader: &dyn Loader) -> String {
    let settings = Settings { loader: Some(loader), ..Settings::default() };
    program.render(&context(json!({"file": "part"})), &settings).expect("a text").text
}

/// After `change`, a program that was kept is made anew if `expect` differs from what it showed, and else is the same.
#[track_caller]
fn after(layers: &Layers, change: impl FnOnce(&Layers), expect: Option<&str>) {
    let cache = Cache::default();
    let before = get(&cache, layers);
    assert!(Arc::ptr_eq(&before, &get(&cache, layers)), "unchanged files give the same program");
    change(layers);
    let now = get(&cache, layers);
    match expect {
        Some(expect) => {
            assert!(!Arc::ptr_eq(&before, &now));
            assert_eq!(text(&now, layers), expect);
        }
        None => assert!(Arc::ptr_eq(&before, &now)),
    }
    assert!(Arc::ptr_eq(&now, &get(&cache, layers)));
}

#[test]
fn a_changed_file_makes_a_new_program() {
    let include =
        || Layers::new(&[&[], &[("main", "<{% include 'part' %}>"), ("part", "old"), ("other", "x")]]);
    after(&include(), |layers| layers.write(1, "part", "new"), Some("<new>"));
    after(&include(), |layers| layers.write(1, "main", "all new"), Some("all new"));
    after(&include(), |layers| layers.write(1, "part", "old"), None);
    after(&include(), |layers| layers.write(1, "other", "y"), None);
    let parent = Layers::new(&[&[("main", "{% extends 'base' %}"), ("base", "old")]]);
    after(&parent, |layers| layers.write(0, "base", "new"), Some("new"));
    let import = Layers::new(&[&[
        ("main", "{% import 'lib' m %}{{ m() }}"),
        ("lib", "{% macro m() export %}old{% endmacro %}"),
    ]]);
    after(&import, |layers| layers.write(0, "lib", "{% macro m() export %}new{% endmacro %}"), Some("new"));
    let ssi = Layers::new(&[&[("main", "{% ssi 'part' %}"), ("part", "old")]]);
    after(&ssi, |layers| layers.write(0, "part", "new"), Some("new"));
    let deep = Layers::new(&[&[("main", "{% include 'a' %}"), ("a", "{% include 'b' %}"), ("b", "old")]]);
    after(&deep, |layers| layers.write(0, "b", "new"), Some("new"));
}

#[test]
fn a_file_that_appears_or_goes_makes_a_new_program() {
    let layers = || {
        Layers::new(&[
            &[],
            &[("main", "<{% include 'part' %}{% include 'maybe' if_exists %}>"), ("part", "old")],
        ])
    };
    after(&layers(), |layers| layers.write(0, "part", "mine"), Some("<mine>"));
    after(&layers(), |layers| layers.write(0, "main", "mine"), Some("mine"));
    after(&layers(), |layers| layers.write(1, "maybe", "!"), Some("<old!>"));
    // The same text in a higher layer is another file.
    after(&layers(), |layers| layers.write(0, "part", "old"), Some("<old>"));
    let overridden = layers();
    overridden.write(0, "part", "mine");
    after(&overridden, |layers| layers.remove(0, "part"), Some("<old>"));
}

#[test]
fn a_file_that_only_the_render_names_is_kept_as_well() {
    let layers = Layers::new(&[&[("main", "{% include file %}"), ("part", "old")]]);
    let (cache, program) = (Cache::default(), Cache::default());
    let main = get(&program, &layers);
    let settings = Settings { loader: Some(&layers), cache: Some(&cache), ..Settings::default() };
    let show = || main.render(&context(json!({"file": "part"})), &settings).expect("a text").text;
    assert_eq!((show(), show(), cache.len()), ("old".to_owned(), "old".to_owned(), 1));
    layers.write(0, "part", "new");
    assert_eq!(show(), "new");
}

#[test]
fn what_is_missing_or_broken_is_not_kept() {
    let layers = Layers::new(&[&[("main", "{% include 'part' %}"), ("part", "old")]]);
    let cache = Cache::default();
    let code = |cache: &Cache| cache.get("main", &layers, &full()).expect_err("a fault")[0].code.to_string();
    let kept = get(&cache, &layers);
    for name in ["main", "part"] {
        layers.break_file(Some(name));
        assert_eq!(code(&cache), "template_unreadable");
        layers.break_file(None);
        assert!(!Arc::ptr_eq(&kept, &get(&cache, &layers)), "nothing is kept of an unreadable {name}");
    }
    layers.remove(0, "part");
    assert_eq!(code(&cache), "template_not_found");
    layers.write(0, "part", "{{ }}");
    assert_eq!(code(&cache), "template_syntax");
    layers.write(0, "part", "new");
    assert_eq!(text(&get(&cache, &layers), &layers), "new");
    assert!(cache.get("nowhere", &layers, &full()).expect("no fault").is_none());
}

#[test]
fn options_are_part_of_the_key() {
    let layers = Layers::new(&[&[("main", "{{ '<' }}")]]);
    let cache = Cache::default();
    let mut escaping = full();
    escaping.autoescape = true;
    let composed = Options::of(Profile::Composed);
    let programs = [full(), escaping, composed]
        .map(|options| cache.get("main", &layers, &options).expect("a program").expect("a template"));
    assert!(!Arc::ptr_eq(&programs[0], &programs[1]) && !Arc::ptr_eq(&programs[0], &programs[2]));
    assert_eq!(
        (text(&programs[0], &layers), text(&programs[1], &layers), cache.len()),
        ("<".to_owned(), "&lt;".to_owned(), 3)
    );
}

#[test]
fn the_least_recently_used_goes() {
    let names: Vec<String> = (0..65).map(|n| format!("t{n}")).collect();
    let files: Files = names.iter().map(|name| (name.clone(), name.clone())).collect();
    let cache = Cache::default();
    let get = |name: &str| cache.get(name, &files, &full()).expect("a program").expect("a template");
    let first: Vec<Arc<Program>> = names[..64].iter().map(|name| get(name)).collect();
    assert_eq!(cache.len(), 64);
    assert!(Arc::ptr_eq(&first[0], &get("t0")), "used again, so that t1 is the oldest");
    get("t64");
    assert_eq!(cache.len(), 64);
    assert!(Arc::ptr_eq(&first[0], &get("t0")) && Arc::ptr_eq(&first[2], &get("t2")));
    assert!(!Arc::ptr_eq(&first[1], &get("t1")));
    let tiny = Cache::new(0);
    assert!(tiny.is_empty());
    tiny.get("t0", &files, &full()).expect("a program");
    tiny.get("t1", &files, &full()).expect("a program");
    assert_eq!(tiny.len(), 1);
}

#[test]
fn many_threads_compile_once() {
    const THREADS: usize = 8;
    let layers = Layers::new(&[&[("main", "{% include 'part' %}"), ("part", "x")]]);
    let (cache, start) = (Cache::default(), Barrier::new(THREADS));
    let programs: Vec<Arc<Program>> = std::thread::scope(|scope| {
        let one = || {
            start.wait();
            get(&cache, &layers)
        };
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(one)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a program")).collect()
    });
    assert!(programs.iter().all(|program| Arc::ptr_eq(program, &programs[0])));
    // Each asks for the entry and for what the program depends on: once to compile or once to see that it is fresh.
    assert_eq!(layers.asked.load(Ordering::SeqCst), 2 * THREADS);
}
