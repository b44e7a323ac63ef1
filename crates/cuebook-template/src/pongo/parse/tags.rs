//! The tags, one function each.
//!
//! It owns what stands between a tag's name and its closing braces, and which parts its block has. It refuses other
//! files: `include`, `extends` and `import` keep the name they were given.

use std::rc::Rc;

use super::arguments::{Arguments, Read};
use super::{End, Parser, Tag};
use crate::diagnostic::Diagnostic;
use crate::nearest::nearest;
use crate::pongo::fault::code;
use crate::pongo::limits::{LimitKind, exceeded};
use crate::pongo::token::{Keyword, Symbol, TokenKind};
use crate::pongo::tree::{
    Block, Expression, For, Import, Include, IncludeFile, Lorem, LoremMethod, Macro, Name, Pair,
    StatementKind,
};
use crate::span::Span;

/// The words of `templatetag`, with what each stands for.
const TEMPLATE_TAGS: [(&str, &str); 8] = [
    ("openblock", "{%"),
    ("closeblock", "%}"),
    ("openvariable", "{{"),
    ("closevariable", "}}"),
    ("openbrace", "{"),
    ("closebrace", "}"),
    ("opencomment", "{#"),
    ("closecomment", "#}"),
];

impl<'s> Parser<'s> {
    /// Reads the arguments of a tag, and its block if it has one.
    pub(super) fn parse_tag(
        &mut self,
        name: &'static str,
        tag: Span,
        mut arguments: Arguments<'s>,
    ) -> Tag<'s> {
        let arguments = &mut arguments;
        let read = match name {
            "if" => self.if_tag(tag, arguments),
            "ifequal" | "ifnotequal" => self.if_equal_tag(name, tag, arguments),
            "ifchanged" => self.if_changed_tag(tag, arguments),
            "for" => self.for_tag(tag, arguments),
            "with" => self.with_tag(tag, arguments),
            "block" => self.block_tag(tag, arguments),
            "macro" => self.macro_tag(tag, arguments),
            "filter" => self.filter_tag(tag, arguments),
            "spaceless" => self.spaceless_tag(tag, arguments),
            "autoescape" => self.autoescape_tag(tag, arguments),
            _ => self.single(name, tag, arguments),
        };
        match read {
            Ok(kind) if arguments.end(self).is_some() => Tag::Statement(kind),
            _ => Tag::Nothing,
        }
    }

    fn single(
        &mut self,
        name: &'static str,
        tag: Span,
        arguments: &mut Arguments<'_>,
    ) -> Read<StatementKind> {
        match name {
            "set" => self.pair(arguments).map(StatementKind::Set),
            "include" => self.include_tag(arguments),
            "extends" => self.extends_tag(tag, arguments),
            "import" => self.import_tag(arguments),
            "ssi" => self.ssi_tag(arguments),
            "cycle" => self.cycle_tag(arguments),
            "firstof" => self.expressions(arguments).map(StatementKind::FirstOf),
            "templatetag" => self.template_tag(arguments),
            "widthratio" => self.width_ratio_tag(arguments),
            "now" => self.now_tag(arguments),
            "lorem" => Ok(Self::lorem_tag(arguments)),
            "verbatim" => {
                let fault = Diagnostic::error(code::SYNTAX, "'verbatim' is written in one way only");
                self.report(fault.with_hint("write exactly {% verbatim %} … {% endverbatim %}"), tag);
                self.unknown.insert("verbatim");
                Err(super::arguments::Reported)
            }
            _ => Ok(StatementKind::Constant("")),
        }
    }

    /// The body of a block that has one part.
    fn body(&mut self, name: &'static str, tag: Span) -> Block {
        let mut whole = Block::new();
        self.block(name, tag, |_, body, _| whole = body);
        whole
    }

    /// The bodies of a block of two parts.
    fn two_bodies(&mut self, name: &'static str, tag: Span) -> (Block, Block) {
        let mut parts = Vec::with_capacity(2);
        self.block(name, tag, |parser, body, end| {
            if !parts.is_empty() && matches!(end.name, "else" | "empty") {
                let message = format!("block '{name}' has '{}' twice", end.name);
                parser
                    .report(Diagnostic::error(code::SYNTAX, message).with_hint("keep one of them"), end.span);
            }
            parts.push(body);
        });
        let mut parts = parts.into_iter();
        (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
    }

    fn if_tag(&mut self, tag: Span, arguments: &mut Arguments<'s>) -> Read<StatementKind> {
        let mut condition = arguments.only_expression(self);
        let malformed = condition.is_none();
        let mut branches = Vec::new();
        let mut otherwise = None;
        self.block("if", tag, |parser, body, end| {
            match condition.take() {
                Some(condition) => branches.push((condition, body)),
                None => otherwise = Some(body),
            }
            condition = parser.next_condition(end, otherwise.is_some());
        });
        if malformed {
            Err(super::arguments::Reported)
        } else {
            Ok(StatementKind::If { branches, otherwise: otherwise.unwrap_or_default() })
        }
    }

    /// The condition of the part that begins at `end`, if it has one.
    fn next_condition(&mut self, end: &mut End<'_>, in_otherwise: bool) -> Option<Expression> {
        if in_otherwise && end.name != "endif" {
            let fault = Diagnostic::error(code::SYNTAX, format!("'{}' stands behind 'else'", end.name));
            self.report(fault.with_hint("'else' is the last part of an 'if' block"), end.span);
        }
        if end.name == "elif" { end.arguments.only_expression(self) } else { None }
    }

    fn if_equal_tag(
        &mut self,
        name: &'static str,
        tag: Span,
        arguments: &mut Arguments<'s>,
    ) -> Read<StatementKind> {
        let operands = self.expression(arguments).and_then(|left| Ok((left, self.expression(arguments)?)));
        let (then, otherwise) = self.two_bodies(name, tag);
        let (left, right) = operands?;
        Ok(StatementKind::IfEqual { negated: name == "ifnotequal", left, right, then, otherwise })
    }

    fn if_changed_tag(&mut self, tag: Span, arguments: &mut Arguments<'s>) -> Read<StatementKind> {
        let watched = self.expressions(arguments);
        let (then, otherwise) = self.two_bodies("ifchanged", tag);
        Ok(StatementKind::IfChanged { watched: watched?, then, otherwise })
    }

    fn for_tag(&mut self, tag: Span, arguments: &mut Arguments<'s>) -> Read<StatementKind> {
        let head = self.for_head(arguments);
        self.loops += 1;
        let limit = self.limits.get(LimitKind::LoopNesting);
        if self.loops > limit {
            let fault = exceeded(LimitKind::LoopNesting, limit, &self.loops.to_string());
            self.report(fault.into_diagnostic(), tag);
        }
        let (body, empty) = self.two_bodies("for", tag);
        self.loops -= 1;
        let head = head?;
        Ok(StatementKind::For(Box::new(For { body, empty, ..head })))
    }

    /// Everything of a `for` but its bodies.
    fn for_head(&mut self, arguments: &mut Arguments<'_>) -> Read<For> {
        let key = arguments.expect_name(self, "the name of the loop's variable")?;
        let value = if arguments.eat_symbol(Symbol::Comma) {
            Some(arguments.expect_name(self, "the name of the loop's second variable")?)
        } else {
            None
        };
        if !arguments.eat_keyword(Keyword::In) {
            return Err(arguments.expected(self, "'in'"));
        }
        let sequence = self.expression(arguments)?;
        let reversed = arguments.eat_word("reversed");
        let sorted = arguments.eat_word("sorted");
        if !arguments.is_done() {
            return Err(arguments.expected(self, "'reversed', 'sorted' or the end of the tag"));
        }
        Ok(For { key, value, sequence, reversed, sorted, body: Block::new(), empty: Block::new() })
    }

    fn with_tag(&mut self, tag: Span, arguments: &mut Arguments<'s>) -> Read<StatementKind> {
        let pairs = self.with_pairs(arguments);
        let body = self.body("with", tag);
        Ok(StatementKind::With { pairs: pairs?, body })
    }

    /// `name=value …`, or in the older style `value as name …`.
    fn with_pairs(&mut self, arguments: &mut Arguments<'_>) -> Read<Vec<Pair>> {
        if arguments.is_done() {
            return Err(arguments.expected(self, "name=value"));
        }
        let older = arguments.holds_keyword(Keyword::As);
        let mut pairs = Vec::new();
        while !arguments.is_done() {
            pairs.push(if older { self.pair_as(arguments)? } else { self.pair(arguments)? });
        }
        Ok(pairs)
    }

    fn pair(&mut self, arguments: &mut Arguments<'_>) -> Read<Pair> {
        let name = arguments.expect_name(self, "a name")?;
        arguments.expect_symbol(self, Symbol::Assign, "'='")?;
        Ok(Pair { name, value: self.expression(arguments)? })
    }

    fn pair_as(&mut self, arguments: &mut Arguments<'_>) -> Read<Pair> {
        let value = self.expression(arguments)?;
        if !arguments.eat_keyword(Keyword::As) {
            return Err(arguments.expected(self, "'as'"));
        }
        Ok(Pair { name: arguments.expect_name(self, "a name")?, value })
    }

    fn include_tag(&mut self, arguments: &mut Arguments<'_>) -> Read<StatementKind> {
        let start = arguments.span();
        let file = match arguments.eat_string() {
            Some(literal) => IncludeFile::Literal(literal),
            None => IncludeFile::Expression(self.expression(arguments)?),
        };
        let is_literal = matches!(file, IncludeFile::Literal(_));
        let if_exists = arguments.eat_word("if_exists");
        let (pairs, only) = self.include_pairs(arguments)?;
        let plain = is_literal && !if_exists && pairs.is_empty();
        if !plain && !self.profile.allows_include_options() {
            let message = format!(
                "an include by expression or with options is not allowed in the {} profile",
                self.profile.as_str()
            );
            let fault = Diagnostic::error(code::BANNED, message);
            self.report(fault.with_hint("name the file in quotes, and nothing else"), start);
        }
        Ok(StatementKind::Include(Box::new(Include { file, if_exists, pairs, only })))
    }

    /// `with name=value … [only]`.
    fn include_pairs(&mut self, arguments: &mut Arguments<'_>) -> Read<(Vec<Pair>, bool)> {
        let mut pairs = Vec::new();
        if !arguments.eat_word("with") {
            return Ok((pairs, false));
        }
        while !arguments.is_done() {
            pairs.push(self.pair(arguments)?);
            if arguments.eat_word("only") {
                return Ok((pairs, true));
            }
        }
        Ok((pairs, false))
    }

    fn extends_tag(&mut self, tag: Span, arguments: &mut Arguments<'_>) -> Read<StatementKind> {
        let parent = arguments.expect_string(self, "the name of a file in quotes")?;
        let fault = if !self.open.is_empty() {
            Some("'extends' stands inside a block")
        } else if self.parent.is_some() {
            Some("a file extends one other file, not two")
        } else {
            None
        };
        if let Some(message) = fault {
            self.report(
                Diagnostic::error(code::SYNTAX, message).with_hint("keep one 'extends', outside all blocks"),
                tag,
            );
        }
        self.parent = Some(parent);
        Ok(StatementKind::Constant(""))
    }

    fn block_tag(&mut self, tag: Span, arguments: &mut Arguments<'s>) -> Read<StatementKind> {
        let name = arguments.expect_name(self, "the name of the block");
        let mut whole = Block::new();
        let opened = name.as_ref().ok().map(|name| name.text.clone());
        self.block("block", tag, |parser, body, end| {
            whole = body;
            parser.end_block_name(end, opened.as_deref());
        });
        let name = name?;
        self.define_block(&name, whole);
        Ok(StatementKind::Block(name))
    }

    /// `{% endblock %}` may repeat the block's name.
    fn end_block_name(&mut self, end: &mut End<'_>, opened: Option<&str>) {
        if let (Some(name), Some(opened)) = (end.arguments.eat_name(), opened)
            && *opened != *name.text
        {
            let message = format!("block '{opened}' ends as '{}'", name.text);
            let fault = Diagnostic::error(code::UNCLOSED, message);
            self.report(fault.with_hint("use the same name, or none at the end"), name.span);
        }
        end.arguments.end(self);
    }

    fn define_block(&mut self, name: &Name, body: Block) {
        if self.blocks.insert(name.text.clone(), Rc::new(body)).is_some() {
            let fault = Diagnostic::error(code::MACRO, format!("block '{}' is defined twice", name.text));
            self.report(fault.with_hint("give the second block another name"), name.span);
        }
    }

    fn macro_tag(&mut self, tag: Span, arguments: &mut Arguments<'s>) -> Read<StatementKind> {
        let head = self.macro_head(arguments);
        let body = self.body("macro", tag);
        let definition = Rc::new(Macro { body, ..head? });
        if definition.exported {
            self.exports.entry(definition.name.text.clone()).or_insert_with(|| Rc::clone(&definition));
        }
        Ok(StatementKind::Macro(definition))
    }

    /// Everything of a macro but its body.
    fn macro_head(&mut self, arguments: &mut Arguments<'_>) -> Read<Macro> {
        let name = arguments.expect_name(self, "the name of the macro")?;
        arguments.expect_symbol(self, Symbol::OpenParen, "'('")?;
        let mut parameters = Vec::new();
        while !arguments.eat_symbol(Symbol::CloseParen) {
            parameters.push(self.parameter(arguments)?);
            if arguments.peek() != Some(TokenKind::Symbol(Symbol::CloseParen)) {
                arguments.expect_symbol(self, Symbol::Comma, "',' or ')'")?;
            }
        }
        let exported = arguments.eat_keyword(Keyword::Export);
        Ok(Macro { name, parameters, exported, body: Block::new() })
    }

    fn parameter(&mut self, arguments: &mut Arguments<'_>) -> Read<(Name, Option<Expression>)> {
        let name = arguments.expect_name(self, "the name of a parameter")?;
        let default =
            if arguments.eat_symbol(Symbol::Assign) { Some(self.expression(arguments)?) } else { None };
        Ok((name, default))
    }

    fn import_tag(&mut self, arguments: &mut Arguments<'_>) -> Read<StatementKind> {
        let file = arguments.expect_string(self, "the name of a file in quotes")?;
        let mut macros = Vec::new();
        loop {
            let name = arguments.expect_name(self, "the name of a macro")?;
            let alias = if arguments.eat_keyword(Keyword::As) {
                arguments.expect_name(self, "another name for the macro")?
            } else {
                name.clone()
            };
            macros.push(Import { name, alias });
            if arguments.is_done() {
                return Ok(StatementKind::Import { file, macros });
            }
            arguments.expect_symbol(self, Symbol::Comma, "','")?;
        }
    }

    fn ssi_tag(&mut self, arguments: &mut Arguments<'_>) -> Read<StatementKind> {
        let file = arguments.expect_string(self, "the name of a file in quotes")?;
        Ok(StatementKind::Ssi { file, parsed: arguments.eat_word("parsed") })
    }

    fn filter_tag(&mut self, tag: Span, arguments: &mut Arguments<'s>) -> Read<StatementKind> {
        let calls = self.filter_calls(arguments);
        let body = self.body("filter", tag);
        Ok(StatementKind::Filter { calls: calls?, body })
    }

    fn filter_calls(&mut self, arguments: &mut Arguments<'_>) -> Read<Vec<crate::pongo::tree::FilterCall>> {
        let mut calls = vec![self.filter_call(arguments)?];
        while arguments.eat_symbol(Symbol::Pipe) {
            calls.push(self.filter_call(arguments)?);
        }
        Ok(calls)
    }

    fn spaceless_tag(&mut self, tag: Span, arguments: &mut Arguments<'s>) -> Read<StatementKind> {
        let alone = arguments.end(self);
        let body = self.body("spaceless", tag);
        alone.map(|()| StatementKind::Spaceless(body)).ok_or(super::arguments::Reported)
    }

    fn autoescape_tag(&mut self, tag: Span, arguments: &mut Arguments<'s>) -> Read<StatementKind> {
        let on = match (arguments.eat_word("on"), arguments.eat_word("off")) {
            (false, false) => Err(arguments.expected(self, "'on' or 'off'")),
            (on, _) => Ok(on),
        };
        let body = self.body("autoescape", tag);
        Ok(StatementKind::Autoescape { on: on?, body })
    }

    fn cycle_tag(&mut self, arguments: &mut Arguments<'_>) -> Read<StatementKind> {
        let mut values = vec![self.expression(arguments)?];
        while !arguments.is_done() && arguments.peek() != Some(TokenKind::Keyword(Keyword::As)) {
            values.push(self.expression(arguments)?);
        }
        if !arguments.eat_keyword(Keyword::As) {
            return Ok(StatementKind::Cycle { values, name: None, silent: false });
        }
        let name = arguments.expect_name(self, "a name")?;
        Ok(StatementKind::Cycle { values, name: Some(name), silent: arguments.eat_word("silent") })
    }

    fn template_tag(&mut self, arguments: &mut Arguments<'_>) -> Read<StatementKind> {
        let name = arguments.expect_name(self, "one of the words of 'templatetag'")?;
        if let Some((_, text)) = TEMPLATE_TAGS.iter().find(|(word, _)| **word == *name.text) {
            return Ok(StatementKind::Constant(text));
        }
        let words = TEMPLATE_TAGS.iter().map(|(word, _)| *word);
        let fault = Diagnostic::error(code::SYNTAX, format!("'templatetag' has no word '{}'", name.text));
        let fault = match nearest(&name.text, words) {
            Some(near) => fault.with_hint(format!("did you mean '{near}'?")),
            None => fault.with_hint("for example openblock, closevariable or opencomment"),
        };
        self.report(fault, name.span);
        Err(super::arguments::Reported)
    }

    fn width_ratio_tag(&mut self, arguments: &mut Arguments<'_>) -> Read<StatementKind> {
        let value = self.expression(arguments)?;
        let max = self.expression(arguments)?;
        let width = self.expression(arguments)?;
        let name = if arguments.eat_keyword(Keyword::As) {
            Some(arguments.expect_name(self, "a name")?)
        } else {
            None
        };
        Ok(StatementKind::WidthRatio { value, max, width, name })
    }

    fn now_tag(&mut self, arguments: &mut Arguments<'_>) -> Read<StatementKind> {
        let layout = arguments.expect_string(self, "a layout in quotes, such as \"2006-01-02\"")?;
        Ok(StatementKind::Now { layout, fake: arguments.eat_word("fake") })
    }

    fn lorem_tag(arguments: &mut Arguments<'_>) -> StatementKind {
        let mut lorem = Lorem { count: 1, method: LoremMethod::Plain, random: false };
        if arguments.peek() == Some(TokenKind::Number) {
            // A number too large to read is beyond every limit as well.
            lorem.count = arguments.text(arguments.span()).parse().unwrap_or(usize::MAX);
            arguments.advance();
        }
        let methods = [("w", LoremMethod::Words), ("p", LoremMethod::Paragraphs), ("b", LoremMethod::Plain)];
        if let Some((_, method)) = methods.into_iter().find(|(word, _)| arguments.eat_word(word)) {
            lorem.method = method;
        }
        lorem.random = arguments.eat_word("random");
        StatementKind::Lorem(lorem)
    }

    fn expressions(&mut self, arguments: &mut Arguments<'_>) -> Read<Vec<Expression>> {
        let mut all = Vec::new();
        while !arguments.is_done() {
            all.push(self.expression(arguments)?);
        }
        Ok(all)
    }
}
