//! Our engine, its peers and a floor, on the same prompt with the same data: `cargo bench --manifest-path bench/Cargo.toml`.
//!
//! Every contestant's text is compared byte for byte before anything is measured. What counts are the ratios within
//! one run; `docs/performance.md` has them.

mod flat;
mod floor;
mod ours;
mod peers;
mod workload;

use criterion::{Criterion, criterion_group, criterion_main};

/// Rendering a compiled prompt of 4 KB.
fn render(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("render");
    let ours = ours::Prompt::new();
    group.bench_function("ours", |bencher| bencher.iter(|| ours.render()));
    group.bench_function("ours, strict with origins", |bencher| bencher.iter(|| ours.render_with_origins()));
    let data = floor::data();
    workload::check(&floor::render(&data));
    group.bench_function("floor", |bencher| bencher.iter(|| floor::render(&data)));
    let tera = peers::Tera::new();
    group.bench_function("tera", |bencher| bencher.iter(|| tera.render()));
    let minijinja = peers::MiniJinja::new();
    group.bench_function("minijinja", |bencher| bencher.iter(|| minijinja.render()));
    let handlebars = peers::Handlebars::new();
    group.bench_function("handlebars", |bencher| bencher.iter(|| handlebars.render()));
    group.finish();
}

/// Compiling its four files.
fn compile(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("compile");
    let sources = ours::Sources::new();
    group.bench_function("ours", |bencher| bencher.iter(|| sources.compile()));
    group.bench_function("tera", |bencher| bencher.iter(peers::Tera::new_unchecked));
    group.bench_function("minijinja", |bencher| bencher.iter(peers::MiniJinja::new_unchecked));
    group.finish();
}

/// One program and one context, shared by two threads.
fn threads(criterion: &mut Criterion) {
    const RENDERS: usize = 20_000;
    let mut group = criterion.benchmark_group("threads");
    let ours = ours::Prompt::new();
    let many = |renders: usize| (0..renders).for_each(|_| drop(std::hint::black_box(ours.render())));
    group.sample_size(20);
    group.bench_function("one renders all", |bencher| bencher.iter(|| many(RENDERS)));
    group.bench_function("two render half each", |bencher| {
        bencher.iter(|| {
            std::thread::scope(|scope| {
                scope.spawn(|| many(RENDERS / 2));
                many(RENDERS / 2);
            });
        });
    });
    group.finish();
}

/// The flat language, and a list of segments without types.
fn flat(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("flat");
    let prompt = flat::Prompt::new();
    group.bench_function("ours", |bencher| bencher.iter(|| prompt.render()));
    let (text, _) = workload::flat();
    let segments = flat::Segments::new();
    group.bench_function("segments", |bencher| bencher.iter(|| segments.render()));
    group.bench_function("compile", |bencher| bencher.iter(|| flat::Prompt::compile(&text)));
    group.finish();
}

criterion_group!(benches, render, compile, threads, flat);
criterion_main!(benches);
