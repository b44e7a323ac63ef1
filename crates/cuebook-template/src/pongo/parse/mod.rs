//! Tokens to a tree.
//!
//! It owns the grammar: blocks here, tags in `tags`, expressions in `expression`. It refuses to stop at the first
//! fault; a tag whose arguments are malformed still opens and closes its block, so that one mistake is one error.

mod arguments;
mod expression;
mod tags;
mod usage;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::fault::code;
use super::lex::{MAX_FAULTS, lex};
use super::limits::{LimitKind, Limits, exceeded};
use super::profile::Profile;
use super::token::{Element, ElementKind, Tokens};
use super::tree::{Block, File, Literal, Macro, Statement, StatementKind};
use crate::diagnostic::Diagnostic;
use crate::nearest::nearest;
use crate::source::Source;
use crate::span::Span;
use arguments::Arguments;
use usage::usage;

/// Parses a file.
///
/// # Errors
///
/// Everything that is wrong with it, in order of place, up to a number that nobody reads.
pub(super) fn parse(source: &Source, profile: Profile, limits: &Limits) -> Result<File, Vec<Diagnostic>> {
    if let Err(fault) = limits.check(LimitKind::SourceBytes, source.text().len()) {
        return Err(vec![fault.into_diagnostic().at(source, Span::new(0, 0))]);
    }
    let mut faults = Vec::new();
    let tokens = lex(source, &mut faults);
    let mut parser = Parser {
        source,
        profile,
        limits,
        tokens: &tokens,
        next: 0,
        open: Vec::new(),
        unknown: HashSet::new(),
        loops: 0,
        blocks: HashMap::new(),
        exports: HashMap::new(),
        parent: None,
        stopped: false,
        faults,
    };
    parser.check_tag_count();
    let body = parser.document();
    let Parser { mut faults, parent, blocks, exports, .. } = parser;
    if faults.is_empty() {
        return Ok(File { body, parent, blocks, exports });
    }
    faults.sort_by_key(|fault| fault.label.as_ref().map(|label| label.span));
    faults.truncate(MAX_FAULTS);
    Err(faults)
}

/// The tags that open a block, with those that may divide or end it.
const BLOCKS: [(&str, &[&str]); 12] = [
    ("autoescape", &["endautoescape"]),
    ("block", &["endblock"]),
    ("filter", &["endfilter"]),
    ("for", &["empty", "endfor"]),
    ("if", &["elif", "else", "endif"]),
    ("ifchanged", &["else", "endifchanged"]),
    ("ifequal", &["else", "endifequal"]),
    ("ifnotequal", &["else", "endifnotequal"]),
    ("macro", &["endmacro"]),
    ("spaceless", &["endspaceless"]),
    ("with", &["endwith"]),
    ("comment", &["endcomment"]),
];

/// The tags that stand alone.
const SINGLES: [&str; 12] = [
    "cycle",
    "extends",
    "firstof",
    "import",
    "include",
    "lorem",
    "now",
    "set",
    "ssi",
    "templatetag",
    "widthratio",
    "verbatim",
];

struct Parser<'s> {
    source: &'s Source,
    profile: Profile,
    limits: &'s Limits,
    tokens: &'s Tokens,
    /// The index of the next element.
    next: usize,
    /// The blocks that are open, outermost first: name and opening tag.
    open: Vec<(&'static str, Span)>,
    /// Unknown and unreadable tags so far, whose end tags are not worth another error.
    unknown: HashSet<&'s str>,
    /// `for` blocks that are open.
    loops: usize,
    /// The bodies of the `block`s so far.
    blocks: HashMap<Box<str>, Rc<Block>>,
    /// The exported macros so far.
    exports: HashMap<Box<str>, Rc<Macro>>,
    parent: Option<Literal>,
    /// Whether the rest is not read, so that open blocks say nothing.
    stopped: bool,
    faults: Vec<Diagnostic>,
}

/// The tag that ended a part of a block.
struct End<'s> {
    name: &'s str,
    span: Span,
    arguments: Arguments<'s>,
}

impl<'s> Parser<'s> {
    fn check_tag_count(&mut self) {
        let limit = self.limits.get(LimitKind::Tags);
        let mut tags = self.tokens.elements.iter().filter(|element| element.kind == ElementKind::Tag);
        if let Some(beyond) = tags.nth(limit) {
            let seen = limit + 1 + tags.count();
            self.report(exceeded(LimitKind::Tags, limit, &seen.to_string()).into_diagnostic(), beyond.span);
            self.stop();
        }
    }

    fn document(&mut self) -> Block {
        let mut body = Block::new();
        while self.next < self.tokens.elements.len() {
            // Only an end tag without a block stops early; it has been reported.
            self.statements(&mut body);
        }
        body
    }

    /// Reads statements up to a tag that divides or ends the innermost open block.
    fn statements(&mut self, body: &mut Block) -> Option<End<'s>> {
        while let Some(element) = self.tokens.elements.get(self.next) {
            self.next += 1;
            match element.kind {
                ElementKind::Text => {
                    body.push(Statement { kind: StatementKind::Text, span: element.span });
                }
                ElementKind::Output => {
                    let value = self.arguments(element).only_expression(self);
                    body.extend(value.map(|value| statement(StatementKind::Output(value), element.span)));
                }
                ElementKind::Broken => self.expect_end_of_broken(element),
                ElementKind::Tag => match self.tag(element) {
                    Tag::Statement(kind) => body.push(statement(kind, element.span)),
                    Tag::Nothing => {}
                    Tag::End(end) => return Some(end),
                    Tag::Outer => return None,
                },
            }
        }
        None
    }

    /// A tag that could not be read has been reported; its end tag is not worth another error.
    fn expect_end_of_broken(&mut self, element: &Element) {
        if let Some(first) = self.tokens.of(element).first() {
            self.unknown.insert(&self.source.text()[first.span.range()]);
        }
    }

    fn arguments(&self, element: &Element) -> Arguments<'s> {
        Arguments::new(self.source, self.tokens.of(element), element)
    }

    fn tag(&mut self, element: &Element) -> Tag<'s> {
        let mut arguments = self.arguments(element);
        let Some((name, span)) = arguments.tag_name() else {
            let fault = Diagnostic::error(code::SYNTAX, "a tag begins with its name");
            self.report(
                fault.with_hint("for example {% if name %}; braces that are text go into {% verbatim %}"),
                element.span,
            );
            return Tag::Nothing;
        };
        if self.open.last().is_some_and(|(block, _)| ends_of(block).contains(&name)) {
            arguments.set_usage(usage(name));
            return Tag::End(End { name, span, arguments });
        }
        if self.closes_outer(name) {
            self.next -= 1;
            return Tag::Outer;
        }
        let Some(known) = known_tag(name) else {
            self.report_unknown(name, span);
            return Tag::Nothing;
        };
        if !self.profile.allows_tag(known) {
            self.report_banned("tag", known, span);
        }
        arguments.set_usage(usage(known));
        self.parse_tag(known, element.span, arguments)
    }

    /// Whether `name` ends a block further out than the innermost, which is therefore not closed.
    fn closes_outer(&self, name: &str) -> bool {
        name.starts_with("end") && self.open.iter().any(|(block, _)| ends_of(block).last() == Some(&name))
    }

    /// Reads the parts of a block up to its end tag; `part` gets each part with the tag behind it.
    fn block(
        &mut self,
        name: &'static str,
        opening: Span,
        mut part: impl FnMut(&mut Self, Block, &mut End<'s>),
    ) {
        if self.open.len() >= self.limits.get(LimitKind::Nesting) {
            self.report_nesting(opening);
            // Each level further in would only say the same.
            self.stop();
            return;
        }
        self.open.push((name, opening));
        loop {
            let mut body = Block::new();
            let Some(mut end) = self.statements(&mut body) else {
                self.report_unclosed(name, opening);
                break;
            };
            let last = ends_of(name).last() == Some(&end.name);
            part(self, body, &mut end);
            if end.name != "elif" && end.name != "endblock" {
                end.arguments.end(self);
            }
            if last {
                break;
            }
        }
        self.open.pop();
    }

    fn report(&mut self, fault: Diagnostic, span: Span) {
        self.faults.push(fault.at(self.source, span));
        if self.faults.len() >= MAX_FAULTS {
            self.stop();
        }
    }

    /// Leaves the rest of the file unread.
    fn stop(&mut self) {
        self.next = self.tokens.elements.len();
        self.stopped = true;
    }

    fn report_nesting(&mut self, span: Span) {
        let limit = self.limits.get(LimitKind::Nesting);
        let fault = exceeded(LimitKind::Nesting, limit, &(limit + 1).to_string());
        self.report(fault.into_diagnostic(), span);
    }

    fn report_unclosed(&mut self, name: &str, opening: Span) {
        if self.stopped {
            return;
        }
        let fault = Diagnostic::error(code::UNCLOSED, format!("block '{name}' is not closed"));
        let end = ends_of(name).last().copied().unwrap_or_default();
        self.report(fault.with_hint(format!("close it with {{% {end} %}}")), opening);
    }

    fn report_unknown(&mut self, name: &'s str, span: Span) {
        let opened = name.strip_prefix("end").is_some_and(|block| self.unknown.contains(block));
        if opened {
            return;
        }
        let belongs = BLOCKS.iter().find(|(_, ends)| ends.contains(&name));
        let in_loop = self.open.last().is_some_and(|(block, _)| *block == "for");
        let fault = if name == "else" && in_loop {
            Diagnostic::error(code::SYNTAX, "a 'for' block has no 'else'")
                .with_hint("write {% empty %} for a list without items")
        } else if let Some((block, _)) = belongs {
            Diagnostic::error(code::UNCLOSED, format!("tag '{name}' has no open block"))
                .with_hint(format!("it belongs to {{% {block} … %}}, which is not open here"))
        } else {
            self.unknown.insert(name);
            let fault = Diagnostic::error(code::UNKNOWN_TAG, format!("there is no tag '{name}'"));
            match nearest(name, tag_names().filter(|tag| self.profile.allows_tag(tag))) {
                Some(near) => fault.with_hint(format!("did you mean '{near}'?")),
                None => fault.with_hint("braces that are text go into {% verbatim %}"),
            }
        };
        self.report(fault, span);
    }

    fn report_banned(&mut self, what: &str, name: &str, span: Span) {
        let message = format!("{what} '{name}' is not allowed in the {} profile", self.profile.as_str());
        let hint = "the full profile allows it";
        self.report(Diagnostic::error(code::BANNED, message).with_hint(hint), span);
    }
}

/// What a tag turned out to be.
enum Tag<'s> {
    Statement(StatementKind),
    /// Nothing to put out: a comment, or a tag with a fault.
    Nothing,
    /// It divides or ends the innermost block.
    End(End<'s>),
    /// It ends a block further out; the innermost is not closed.
    Outer,
}

const fn statement(kind: StatementKind, span: Span) -> Statement {
    Statement { kind, span }
}

fn ends_of(block: &str) -> &'static [&'static str] {
    BLOCKS.iter().find(|(name, _)| *name == block).map_or(&[], |(_, ends)| ends)
}

fn tag_names() -> impl Iterator<Item = &'static str> {
    BLOCKS.iter().map(|(name, _)| *name).chain(SINGLES)
}

fn known_tag(name: &str) -> Option<&'static str> {
    tag_names().find(|tag| *tag == name)
}
