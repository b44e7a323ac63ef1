//! Input that is built to hurt: all of it is answered, in time that grows with its size, on a stack of 2 MiB.
//!
//! Nothing here looks at a clock; work that grows with the square of these sizes would not end.

use cuebook_template::pongo::{LimitKind, Limits, Options, Profile, Settings};
use cuebook_template::{Diagnostic, Value};
use serde_json::json;

use super::support::{ENTRY, Files, compile, context, data, files, full};

const STACK: usize = 2 << 20;

/// Runs on a thread with a small stack.
fn on_small_stack<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread");
    thread.join().expect("no panic")
}

/// A text, or the code and message of the first fault.
fn answer(source: &str, others: &Files, options: &Options) -> Result<String, String> {
    let told = |fault: &Diagnostic| format!("{}: {}", fault.code, fault.message);
    let program = compile(source, others, options).map_err(|faults| told(&faults[0]))?;
    let settings = Settings { loader: Some(others), ..Settings::default() };
    program.render(&context(data()), &settings).map(|rendered| rendered.text).map_err(|fault| told(&fault))
}

#[track_caller]
fn answers(source: String, others: &[(&str, String)], expect: Result<&str, &str>) {
    let others: Files = others.iter().map(|(name, text)| ((*name).to_owned(), text.clone())).collect();
    let shown: String = source.chars().take(60).collect();
    let got = on_small_stack(move || answer(&source, &others, &full()));
    let got = got.as_ref().map(String::as_str).map_err(String::as_str);
    assert!(got == expect, "{shown}\n{:.200}", format!("{got:?}"));
}

#[track_caller]
fn fails(source: String, error: &str) {
    answers(source, &[], Err(error));
}

/// A text as often as `count` says, each time with its number in place of `N`.
fn numbered(count: usize, text: &str) -> String {
    (0..count).map(|n| text.replace('N', &n.to_string())).collect()
}

const NESTING: &str = "template_limit_exceeded: limit 'nesting' is 128, got 129";

#[test]
fn a_megabyte_of_braces() {
    let unexpected = |character: &str| format!("template_syntax: unexpected character '{character}'");
    fails("{".repeat(1 << 20), &unexpected("{"));
    fails("{{".repeat(1 << 19), &unexpected("{"));
    fails("{%".repeat(1 << 19), "template_syntax: unexpected character '{'");
    fails("{#".repeat(1 << 19), "template_unclosed_block: comment `{#` is not closed");
    fails("{{ ".repeat(1 << 18), &unexpected("{"));
    answers("{ ".repeat(1 << 19), &[], Ok(&"{ ".repeat(1 << 19)));
    answers("}".repeat(1 << 20), &[], Ok(&"}".repeat(1 << 20)));
    answers("{##}".repeat(1 << 18), &[], Ok(""));
    answers("{# #}\n".repeat(1 << 17), &[], Ok(&"\n".repeat(1 << 17)));
    fails("{{ 'a\n".repeat(1 << 17), "template_syntax: a string is not closed on its line");
    fails("{% comment %}".repeat(1 << 16), "template_unclosed_block: block 'comment' is not closed");
    fails("{% verbatim %}".repeat(1 << 16), "template_unclosed_block: block 'verbatim' is not closed");
}

#[test]
fn a_megabyte_of_tags() {
    let limit = "template_limit_exceeded: limit 'tags' is 65536, got ";
    fails("{%a%}".repeat(1 << 16), "template_unknown_tag: there is no tag 'a'");
    fails("{%enda%}".repeat(1 << 16), "template_unknown_tag: there is no tag 'enda'");
    fails("{%endif%}".repeat(1 << 16), "template_unclosed_block: tag 'endif' has no open block");
    fails("{%set a=1%}".repeat(1 << 17), &format!("{limit}131072"));
    fails("{%a%}".repeat(1 << 18), &format!("{limit}262144"));
    answers("{%set a=1%}".repeat(1 << 16), &[], Ok(""));
    answers("{{1}}".repeat(1 << 18), &[], Ok(&"1".repeat(1 << 18)));
    let distinct: String = numbered(30_000, "{%aN%}{%endaN%}");
    fails(distinct, "template_unknown_tag: there is no tag 'a0'");
}

#[test]
fn blocks_within_blocks() {
    fails("{% if yes %}".repeat(10_000), NESTING);
    fails(format!("{}x{}", "{% if yes %}".repeat(10_000), "{% endif %}".repeat(10_000)), NESTING);
    for (open, close) in [
        ("{% with a=1 %}", "{% endwith %}"),
        ("{% filter upper %}", "{% endfilter %}"),
        ("{% macro m() %}", "{% endmacro %}"),
        ("{% spaceless %}", "{% endspaceless %}"),
        ("{% autoescape on %}", "{% endautoescape %}"),
        ("{% ifchanged %}", "{% endifchanged %}"),
    ] {
        fails(format!("{}x{}", open.repeat(129), close.repeat(129)), NESTING);
    }
    let loops = format!("{}x{}", "{% for x in xs %}".repeat(129), "{% endfor %}".repeat(129));
    fails(loops, "template_limit_exceeded: limit 'loop_nesting' is 128, got 129");
    let deepest = format!("{}x{}", "{% if yes %}".repeat(127), "{% endif %}".repeat(127));
    answers(deepest, &[], Ok("x"));
    let filters = format!("{}x{}", "{% filter upper %}".repeat(127), "{% endfilter %}".repeat(127));
    answers(filters, &[], Ok("X"));
    let blocks: String = numbered(10_000, "{% block bN %}");
    fails(blocks, NESTING);
}

#[test]
fn many_blocks_and_macros_side_by_side() {
    let blocks: String = numbered(30_000, "{% block bN %}{% endblock %}");
    answers(blocks.clone(), &[], Ok(""));
    answers("{% extends 'base' %}".to_owned(), &[("base", blocks)], Ok(""));
    let macros: String = numbered(30_000, "{% macro mN() export %}{% endmacro %}");
    let imports: String = numbered(30_000, "{% import 'lib' mN %}");
    answers(imports, &[("lib", macros)], Ok(""));
}

#[test]
fn expressions_within_expressions() {
    fails(format!("{{{{ {}1{} }}}}", "(".repeat(50_000), ")".repeat(50_000)), NESTING);
    fails(format!("{{{{ {}1{} }}}}", "[".repeat(50_000), "]".repeat(50_000)), NESTING);
    fails(format!("{{{{ a{}1{} }}}}", "[a".repeat(50_000), "]".repeat(50_000)), NESTING);
    fails(format!("{{{{ {}1{} }}}}", "a(".repeat(50_000), ")".repeat(50_000)), NESTING);
    fails(format!("{{{{ 1{} }}}}", "+1".repeat(100_000)), NESTING);
    fails(format!("{{{{ 1{} }}}}", "*1".repeat(100_000)), NESTING);
    fails(format!("{{{{ 1{} }}}}", "^1".repeat(100_000)), NESTING);
    fails(format!("{{{{ 1{} }}}}", " and 1".repeat(100_000)), NESTING);
    fails(format!("{{{{ 1{} }}}}", "==1".repeat(100_000)), NESTING);
    answers(format!("{{{{ 1{} }}}}", "+1".repeat(100)), &[], Ok("101"));
    answers(format!("{{{{ {}1{} }}}}", "(".repeat(100), ")".repeat(100)), &[], Ok("1"));
    answers(format!("{{{{ {}1{} }}}}", "1+(".repeat(42), ")".repeat(42)), &[], Ok("43"));
}

#[test]
fn long_chains_and_paths() {
    answers(format!("{{{{ name{} }}}}", "|upper".repeat(100_000)), &[], Ok("ADA"));
    answers(format!("{{{{ nope{} }}}}", ".a".repeat(100_000)), &[], Ok(""));
    answers(format!("{{% firstof {} %}}", "nope ".repeat(100_000)), &[], Ok(""));
    answers(format!("{{{{ [{}1]|length }}}}", "1,".repeat(100_000)), &[], Ok("100001"));
    answers(format!("{{% if no %}}{}{{% endif %}}", "{% elif no %}".repeat(60_000)), &[], Ok(""));
}

#[test]
fn blocks_full_of_expressions_at_the_deepest_place() {
    let expression = format!("{{{{ {}1{} }}}}", "(1+".repeat(42), ")".repeat(42));
    let deepest = format!("{}{expression}{}", "{% if yes %}".repeat(127), "{% endif %}".repeat(127));
    answers(deepest, &[], Ok("43"));
    let list = format!("{}{}", "[".repeat(126), "]".repeat(126));
    let lists = format!("{}{{{{ {list} }}}}{}", "{% with a=1 %}".repeat(127), "{% endwith %}".repeat(127));
    answers(lists, &[], Ok(&list));
}

#[test]
fn recursion_through_deep_macros() {
    let body = format!("{}{{{{ m(n - 1) }}}}{}", "{% if n %}".repeat(100), "{% endif %}".repeat(100));
    let source = format!("{{% macro m(n) %}}{body}{{% endmacro %}}{{{{ m(1000) }}}}");
    fails(source, "template_limit_exceeded: limit 'nesting' is 128, got 208");
    let sum = format!("{{{{ {}m(n - 1){} }}}}", "1+(".repeat(40), ")".repeat(40));
    let source = format!("{{% macro m(n) %}}{sum}{{% endmacro %}}{{{{ m(1000) }}}}");
    fails(source, "template_limit_exceeded: limit 'nesting' is 128, got 131");
    let shallow = "{% macro m(n) %}{{ n }}{% if n %},{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(20) }}";
    let expect: Vec<String> = (0..=20).rev().map(|n| n.to_string()).collect();
    answers(shallow.to_owned(), &[], Ok(&expect.join(",")));
}

#[test]
fn recursion_through_deep_files() {
    let part = format!("{}{{% include file %}}{}", "{% if yes %}".repeat(100), "{% endif %}".repeat(100));
    let error = "template_limit_exceeded: limit 'nesting' is 128, got 203";
    answers("{% include file %}".to_owned(), &[("part", part)], Err(error));
}

#[test]
fn lists_that_grow_inwards() {
    let grown = "{% for a in s %}{% set l = [l] %}{% endfor %}";
    let error = "template_limit_exceeded: limit 'nesting' is 128, got 129";
    for rest in ["{{ l }}", "{{ [l]|join:',' }}", "{{ l|length }}", "{{ l + 'a' }}", "{{ 'a' in l }}"] {
        let source = grown
            .replace("{% endfor %}", &format!("{{% if forloop.Last %}}{rest}{{% endif %}}{{% endfor %}}"));
        let got = on_small_stack(move || {
            let program = compile(&source, &Files::new(), &full()).expect("a template");
            let mut context = context(json!({}));
            context.insert("s", Value::trusted("x".repeat(100_000).into()));
            program
                .render(&context, &Settings::default())
                .map_err(|fault| format!("{}: {}", fault.code, fault.message))
        });
        assert_eq!(got.map(|rendered| rendered.text), Err(error.to_owned()), "{rest}");
    }
}

#[test]
fn files_that_multiply() {
    let options = Options { limits: Limits::FULL.with(LimitKind::ProgramNodes, 50_000), ..full() };
    let grows = |entry: &'static str, each: &str, last: &str| {
        let level = |n: usize| (format!("f{n}"), each.replace('N', &(n + 1).to_string()));
        let others: Files = (0..30).map(level).chain([("f30".to_owned(), last.to_owned())]).collect();
        let got = on_small_stack(move || answer(entry, &others, &options));
        assert_eq!(
            got,
            Err("template_limit_exceeded: limit 'program_nodes' is 50000, got more".to_owned()),
            "{each}"
        );
    };
    grows("{% include 'f0' %}", "{% include 'fN' %}{% include 'fN' %}", "x");
    grows("{% include 'f0' %}", "{% include 'fN' %}x{% ssi 'fN' parsed %}", "x");
    let twice = "{% extends 'fN' %}{% block a %}{{ block.Super }}{{ block.Super }}{% endblock %}";
    grows("{% extends 'f0' %}", twice, "{% block a %}x{% endblock %}");
    let macros = "{% macro m() export %}{% import 'fN' m as n, m as o %}{% endmacro %}";
    grows("{% import 'f0' m %}", macros, "{% macro m() export %}x{% endmacro %}");
}

#[test]
fn files_that_multiply_while_they_render() {
    let level =
        |n: usize| (format!("f{n}"), "{% include next.N %}{% include next.N %}".replace('N', &n.to_string()));
    let others: Files = (0..30).map(level).chain([("f30".to_owned(), "x".to_owned())]).collect();
    let got = on_small_stack(move || {
        let options = Options { limits: Limits::FULL.with(LimitKind::Fuel, 100_000), ..full() };
        let program = compile("{% include 'f0' %}", &others, &options).expect("a template");
        let names: Vec<String> = (1..31).map(|n| format!("f{n}")).collect();
        let settings = Settings { loader: Some(&others), ..Settings::default() };
        let rendered = program.render(&context(json!({ "next": names })), &settings);
        rendered.map(|rendered| rendered.text).map_err(|fault| fault.message)
    });
    assert_eq!(got, Err("limit 'fuel' is 100000, got more steps".to_owned()));
}

#[test]
fn text_that_multiplies() {
    let big = "x".repeat(1 << 20);
    for (tag, rest) in
        [("{% include 'big' %}", ""), ("{% ssi 'big' %}", ""), ("{% include 'e' %}", "{% extends 'big' %}")]
    {
        let seen = 64 * ((1 << 20) + tag.len());
        let limit =
            format!("template_limit_exceeded: limit 'program_bytes' is 67108864, got at least {seen}");
        answers(tag.repeat(1_000), &[("big", big.clone()), ("e", rest.to_owned())], Err(&limit));
    }
    let expressions = format!("{{{{ [{}1] }}}}", "1,".repeat(100_000));
    let limit = "template_limit_exceeded: limit 'program_nodes' is 1000000, got more";
    answers("{% include 'big' %}".repeat(1_000), &[("big", expressions)], Err(limit));
    let names: String = numbered(10_000, "{% set aN = 1 %}");
    answers(format!("{names}{}", "{% include file %}".repeat(1_000)), &[], Err(limit));
}

#[test]
fn chains_of_files() {
    let chain = |tag: &str, len: usize| -> Vec<(String, String)> {
        let link = |n: usize| (format!("f{n}"), format!("{{% {tag} 'f{}' %}}", n + 1));
        (0..len).map(link).chain([(format!("f{len}"), "end".to_owned())]).collect()
    };
    for tag in ["include", "extends"] {
        for (len, expect) in
            [(30, Ok("end")), (2_000, Err("template_limit_exceeded: limit 'include_depth' is 32, got 33"))]
        {
            let others = chain(tag, len);
            let others: Vec<(&str, String)> =
                others.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
            answers(format!("{{% {tag} 'f0' %}}"), &others, expect);
        }
    }
}

/// Renders with a text `s` of so many bytes; the length of the text, or the message of the fault.
fn with_text(source: &'static str, bytes: usize, limits: Limits) -> Result<usize, String> {
    on_small_stack(move || {
        let options = Options { limits, ..Options::of(Profile::Full) };
        let program = compile(source, &Files::new(), &options).expect("a template");
        let context = context(json!({ "s": "ab".repeat(bytes / 2) }));
        let rendered = program.render(&context, &Settings::default());
        rendered.map(|rendered| rendered.text.len()).map_err(|fault| fault.message)
    })
}

#[test]
fn a_loop_of_ten_megabytes() {
    let limits = Limits::FULL.with(LimitKind::LoopItems, 10_000_000).with(LimitKind::Fuel, 30_000_000);
    assert_eq!(with_text("{% for c in s %}{{ c }}{% endfor %}", 10_000_000, limits), Ok(10_000_000));
    let items = Err("limit 'loop_items' is 1000000, got 10000000".to_owned());
    assert_eq!(with_text("{% for c in s %}{% endfor %}", 10_000_000, Limits::FULL), items);
}

#[test]
fn loops_that_do_not_end_soon() {
    let limits = Limits::FULL.with(LimitKind::Fuel, 300_000).with(LimitKind::OutputBytes, 100_000);
    let fuel = Err("limit 'fuel' is 300000, got more steps".to_owned());
    for source in [
        "{% for c in s %}{% for d in s %}{% endfor %}{% endfor %}",
        // Work on big values costs as much as its size.
        "{% for c in s %}{% if s|length > 3 %}{% endif %}{% endfor %}",
        "{% for c in s %}{% if 'x' in s %}{% endif %}{% endfor %}",
        "{% for c in s %}{% if s == s %}{% endif %}{% endfor %}",
        "{% for c in s %}{{ s|wordcount }}{% endfor %}",
        "{% for c in s %}{{ s.99999 }}{% endfor %}",
        "{% for c in s %}{% firstof no no no no no no no no no no no %}{% endfor %}",
        "{% for c in s %}{% if no %}{% elif no %}{% elif no %}{% elif no %}{% elif no %}{% elif no %}{% elif no %}{% elif no %}{% elif no %}{% elif no %}{% endif %}{% endfor %}",
    ] {
        assert_eq!(with_text(source, 100_000, limits), fuel, "{source}");
    }
    let output = "limit 'output_bytes' is 100000, got at least 100002";
    assert_eq!(with_text("{% for c in s %}abc{% endfor %}", 100_000, limits), Err(output.to_owned()));
}

#[test]
fn filters_asked_for_too_much() {
    let limit = |seen: &str| format!("template_limit_exceeded: limit 'filter_argument' is 10000, got {seen}");
    fails("{{ name|center:99999999 }}".to_owned(), &limit("99999999"));
    fails("{{ name|ljust:99999999 }}".to_owned(), &limit("99999999"));
    fails("{{ name|rjust:99999999 }}".to_owned(), &limit("99999999"));
    fails("{{ 1|floatformat:99999999 }}".to_owned(), &limit("99999999"));
    answers("{% set n = 0 - 99999999 %}{{ name|center:n }}".to_owned(), &[], Ok("Ada"));
    answers("{{ name|truncatechars:99999999 }}".to_owned(), &[], Ok("Ada"));
    let doubling = "{% for c in 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' %}{% set s = s + s + 'x' %}{{ s|length }} {% endfor %}";
    let error = on_small_stack(move || answer(doubling, &files(&[]), &full())).expect_err("too much memory");
    assert!(error.starts_with("template_limit_exceeded: limit 'memory_bytes' is 67108864, got "), "{error}");
}

#[test]
fn texts_held_open_at_once_are_counted() {
    let open = "{% filter upper %}{% for c in s %}{{ t }}{% endfor %}".repeat(100);
    let close = "{% endfilter %}".repeat(100);
    let got = on_small_stack(move || {
        let program = compile(&format!("{open}{close}"), &Files::new(), &full()).expect("a template");
        let context = context(json!({ "s": "x".repeat(1_000), "t": "y".repeat(10_000) }));
        program.render(&context, &Settings::default()).map(|_| ()).map_err(|fault| fault.message)
    });
    let error = got.expect_err("too much memory");
    assert!(error.starts_with("limit 'memory_bytes' is 67108864, got "), "{error}");
}

#[test]
fn odd_bytes_stay_or_are_told() {
    answers("\u{feff}a\u{0}\r\n\u{85}b".to_owned(), &[], Ok("a\u{0}\r\n\u{85}b"));
    fails("{{ \u{0} }}".to_owned(), "template_syntax: unexpected character '\\u{0}'");
    fails("{{ \u{feff}name }}".to_owned(), "template_syntax: unexpected character '\\u{feff}'");
    answers(format!("{ENTRY}{}", "\r".repeat(1 << 20)), &[], Ok(&format!("{ENTRY}{}", "\r".repeat(1 << 20))));
}
