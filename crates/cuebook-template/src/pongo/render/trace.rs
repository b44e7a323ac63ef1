//! Where each range of a rendered text came from.
//!
//! It owns the source map. A render without one is compiled without these calls: it pays nothing.

use std::ops::Range;

use crate::diagnostic::Location;
use crate::pongo::program::{Places, Site};
use crate::pongo::token::Keyword;
use crate::trust::Trust;

/// A range of a rendered text, and what made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// The file and span that made it: a text, or the expression or tag that put a value there.
    pub location: Location,
    /// The path of the value as written, such as `user.name`; `None` for text and for what a tag made.
    pub name: Option<String>,
    /// The trust of the value; text of a template is trusted.
    pub trust: Trust,
}

/// Is told what is written, or nothing at all.
pub(super) trait Trace {
    /// Whether it wants to be told.
    const ON: bool;

    /// Text of the template, and the first of its parts.
    fn text(&mut self, places: &Places, range: Range<usize>, parts: u32);

    /// A value.
    fn value(&mut self, places: &Places, range: Range<usize>, site: Site, trust: Trust);
}

impl Trace for () {
    const ON: bool = false;

    fn text(&mut self, _: &Places, _: Range<usize>, _: u32) {}

    fn value(&mut self, _: &Places, _: Range<usize>, _: Site, _: Trust) {}
}

impl Trace for Vec<Segment> {
    const ON: bool = true;

    fn text(&mut self, places: &Places, range: Range<usize>, parts: u32) {
        let mut at = range.start;
        for (len, site) in places.parts.get(parts as usize..).unwrap_or_default() {
            if at >= range.end {
                return;
            }
            let end = at + *len as usize;
            if let Some(location) = places.location(*site) {
                self.push(Segment { range: at..end, location, name: None, trust: Trust::Trusted });
            }
            at = end;
        }
    }

    fn value(&mut self, places: &Places, range: Range<usize>, site: Site, trust: Trust) {
        let name = path_of(places.text(site)).map(str::to_owned);
        if let Some(location) = places.location(site) {
            self.push(Segment { range, location, name, trust });
        }
    }
}

/// The path that an expression begins with; a literal or a keyword is none.
fn path_of(expression: &str) -> Option<&str> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let len = expression.bytes().take_while(|byte| is_part(*byte)).count();
    let path = &expression[..len];
    let is_name = path.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    (is_name && Keyword::parse(path).is_none()).then_some(path)
}
