//! `cuebook template`.

use std::io::{BufReader, BufWriter, Error as IoError, ErrorKind, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use cuebook_host::Problems;
use cuebook_host::templates::{
    Civil, Dialect, LimitUse, NameRead, Profile, RenderedTemplate, Renderer, Roots, TemplateCheck,
    TemplateOptions, open_batch, read_context, segment_line,
};

use crate::exit::{Exit, help};
use crate::output::{self, Output};

#[derive(Debug, ClapArgs)]
pub(crate) struct TemplateArgs {
    #[command(subcommand)]
    what: Template,
}

#[derive(Debug, Subcommand)]
enum Template {
    /// Render a template to stdout, byte for byte.
    #[command(after_help = help!(
        "cuebook template render prompt.md --context data.json",
        "cuebook template render agents/chat.md --root site --root base --strict --origins",
        "cuebook template render --batch cases.jsonl --context data.json",
        "echo 'Hello {{ name|default:\"you\" }}' | cuebook template render -",
    ))]
    Render(TemplateRenderArgs),
    /// Check a template: all errors, the names it reads, and what it takes of each limit.
    #[command(after_help = help!(
        "cuebook template check prompt.md --profile composed",
        "cuebook template check prompt.md --context data.json --strict --json",
    ))]
    Check(TemplateCheckArgs),
}

/// How a template is read and rendered.
#[derive(Debug, ClapArgs)]
struct LanguageArgs {
    /// The template language.
    #[arg(long, value_enum, default_value_t = DialectArg::Pongo)]
    dialect: DialectArg,
    /// Which tags and filters are allowed, and how much of everything (pongo).
    #[arg(long, value_enum, default_value_t = ProfileArg::Full)]
    profile: ProfileArg,
    /// A JSON object with the values; - reads stdin.
    #[arg(long, value_name = "FILE.json")]
    context: Option<PathBuf>,
    /// A directory in which templates find each other; of several, the first that has a name wins. Without one, the
    /// directory of FILE (pongo).
    #[arg(long = "root", value_name = "DIR")]
    roots: Vec<PathBuf>,
    /// Make a name without a value an error.
    #[arg(long)]
    strict: bool,
    /// Escape values for HTML (pongo).
    #[arg(long)]
    autoescape: bool,
    /// The time that 'now' shows, by RFC 3339 (pongo).
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    now: Option<Civil>,
    /// The seed that 'random' and 'lorem random' draw from (pongo).
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

#[derive(Debug, ClapArgs)]
struct TemplateRenderArgs {
    /// The template: a path, a name that a --root has, or - for stdin.
    #[arg(required_unless_present = "batch")]
    file: Option<PathBuf>,
    /// Render each line of a file of JSON lines, {"source", "context"?}, to a line {"output"} or {"error", "line",
    /// "column"}; a line's own context comes before --context. - reads stdin.
    #[arg(long, value_name = "FILE.jsonl", conflicts_with = "file")]
    batch: Option<PathBuf>,
    /// Tell where each range of the text came from, in place of the text: bytes, place, name, trust.
    #[arg(long)]
    origins: bool,
    #[command(flatten)]
    language: LanguageArgs,
}

#[derive(Debug, ClapArgs)]
struct TemplateCheckArgs {
    /// The template: a path, a name that a --root has, or - for stdin.
    file: PathBuf,
    #[command(flatten)]
    language: LanguageArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DialectArg {
    /// pongo2 6.0.0's: includes, logic, filters.
    Pongo,
    /// {{name}} and nothing else.
    Mustache,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ProfileArg {
    /// Everything.
    Full,
    /// Prompts made of files.
    Composed,
    /// Single texts, without includes.
    Isolated,
}

impl From<DialectArg> for Dialect {
    fn from(dialect: DialectArg) -> Self {
        match dialect {
            DialectArg::Pongo => Self::Pongo,
            DialectArg::Mustache => Self::Mustache,
        }
    }
}

impl From<ProfileArg> for Profile {
    fn from(profile: ProfileArg) -> Self {
        match profile {
            ProfileArg::Full => Self::Full,
            ProfileArg::Composed => Self::Composed,
            ProfileArg::Isolated => Self::Isolated,
        }
    }
}

fn parse_time(text: &str) -> Result<Civil, String> {
    Civil::parse(text).ok_or_else(|| "write a time by RFC 3339, such as 2024-02-29T12:00:00Z".to_owned())
}

impl LanguageArgs {
    /// The renderer for a template at `file`.
    fn renderer(&self, file: &Path, origins: bool) -> Result<Renderer, Problems> {
        let mut problems = Problems::new();
        let roots = problems.collect(Roots::open(&self.roots, file));
        let context = problems.collect(self.context.as_deref().map(read_context).transpose());
        let options = TemplateOptions {
            dialect: self.dialect.into(),
            profile: self.profile.into(),
            strict: self.strict,
            autoescape: self.autoescape,
            origins,
            now: self.now,
            seed: self.seed,
        };
        match (roots, context) {
            (Some(roots), Some(context)) => Ok(Renderer::new(options, roots, context)),
            _ => Err(problems),
        }
    }
}

pub(crate) fn template(args: &TemplateArgs, output: Output) -> Result<Exit, Problems> {
    match &args.what {
        Template::Render(args) => render(args, output),
        Template::Check(args) => check(args, output),
    }
}

fn render(args: &TemplateRenderArgs, output: Output) -> Result<Exit, Problems> {
    if let Some(file) = &args.batch {
        return batch(args, file);
    }
    let file = args.file.as_deref().unwrap_or_else(|| Path::new("-"));
    let renderer = args.language.renderer(file, args.origins)?;
    let source = renderer.read(file)?;
    let exit = match renderer.render(source) {
        Ok(text) => {
            show(&text, output);
            Exit::Fine
        }
        Err(problems) => {
            output.problems(&problems);
            Exit::Findings
        }
    };
    Ok(exit)
}

fn show(rendered: &RenderedTemplate, output: Output) {
    if output.is_json() {
        output::json(&rendered.to_json());
        return;
    }
    output.remarks(&rendered.warnings);
    match &rendered.segments {
        Some(segments) => output::data(&segments.iter().map(segment_line).collect::<Vec<_>>().join("\n")),
        None => output::bytes(&rendered.text),
    }
}

fn batch(args: &TemplateRenderArgs, file: &Path) -> Result<Exit, Problems> {
    let renderer = args.language.renderer(file, args.origins)?;
    let (name, input) = open_batch(file)?;
    let result = renderer.batch(&name, &mut BufReader::new(input), &mut BufWriter::new(stdout().lock()));
    match result {
        Ok(summary) if summary.errors == 0 => Ok(Exit::Fine),
        Ok(_) => Ok(Exit::Findings),
        Err(error) => Ok(broken_off(&name, &error)),
    }
}

/// A reader that has gone away ends the output, not the program.
fn broken_off(name: &str, error: &IoError) -> Exit {
    if error.kind() == ErrorKind::BrokenPipe {
        return Exit::Fine;
    }
    output::note(&format!("error: the batch {name} broke off: {error}"));
    Exit::Usage
}

fn check(args: &TemplateCheckArgs, output: Output) -> Result<Exit, Problems> {
    let renderer = args.language.renderer(&args.file, false)?;
    let source = renderer.read(&args.file)?;
    let name = Arc::clone(source.name());
    let found = renderer.check(source);
    if output.is_json() {
        output::json(&found.to_json());
    } else {
        output.remarks(&found.problems.iter().chain(found.warnings.iter()).cloned().collect());
        output::data(&report(&name, &found));
    }
    Ok(if found.problems.is_empty() { Exit::Fine } else { Exit::Findings })
}

/// A summary, then the names read and the limits used, as far as there are any.
fn report(name: &str, found: &TemplateCheck) -> String {
    let counts = [(found.problems.iter().count(), "error"), (found.warnings.iter().count(), "warning")];
    let told = counts.iter().filter(|(number, _)| *number > 0);
    let told: Vec<String> = told
        .map(|(number, thing)| format!("{number} {thing}{}", if *number == 1 { "" } else { "s" }))
        .collect();
    let verdict = if told.is_empty() { "fine".to_owned() } else { told.join(", ") };
    let mut lines = vec![format!("{name}: {verdict}")];
    lines.extend(section("names read:", found.names.iter().map(name_row)));
    lines.extend(section("limits used:", found.limits.iter().map(limit_row)));
    lines.join("\n")
}

/// Rows of two columns below a title; nothing without rows.
fn section(title: &str, rows: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let rows: Vec<(String, String)> = rows.collect();
    let width = rows.iter().map(|(first, _)| first.chars().count()).max().unwrap_or(0);
    let lines = rows.iter().map(|(first, second)| format!("  {first:<width$}  {second}"));
    let title = (!rows.is_empty()).then(|| title.to_owned());
    title.into_iter().chain(lines).collect()
}

fn name_row(read: &NameRead) -> (String, String) {
    let places = read.places.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let remark = match (read.given, &read.nearest) {
        (Some(false), Some(near)) => format!(" (not in the context; did you mean '{near}'?)"),
        (Some(false), None) => " (not in the context)".to_owned(),
        _ => String::new(),
    };
    (read.name.clone(), format!("{places}{remark}"))
}

fn limit_row(limit: &LimitUse) -> (String, String) {
    (limit.name.to_owned(), format!("{} of {}", limit.used, limit.limit))
}
