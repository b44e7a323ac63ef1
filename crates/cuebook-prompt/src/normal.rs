//! Text as a reader could take it: the letters that are left when every disguise is off, each with its bytes.
//!
//! It owns the four steps, in whatever order a text nests them: compatibility decomposition (NFKD), case folding,
//! dropping of what cannot be seen, and decoding of character references, however often they are escaped. It refuses
//! to know what the letters spell.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The named references that matter to a marker; none stands for a character that cannot be seen.
const NAMES: [(&str, Option<char>); 10] = [
    ("lt", Some('<')),
    ("amp", Some('&')),
    ("sol", Some('/')),
    ("tab", Some(' ')),
    ("newline", Some(' ')),
    ("nbsp", Some(' ')),
    ("shy", None),
    ("zwj", None),
    ("zwnj", None),
    ("zerowidthspace", None),
];

/// The length of the longest name, in letters.
const MAX_NAME: usize = 14;

/// The most digits, without leading zeros, that a numeric reference to a character can have.
const MAX_DIGITS: usize = 8;

/// One letter, and the bytes it was read from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Letter {
    pub(crate) char: char,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// How many references end here whose `;` has not been seen; each may have one or not.
    unclosed: u8,
}

/// Reads `text` in time linear in its length.
pub(crate) fn letters(text: &str) -> Vec<Letter> {
    let mut reader = Reader { letters: Vec::new() };
    for (start, c) in text.char_indices() {
        fold(c).for_each(|letter| reader.push(letter, start, start + c.len_utf8()));
    }
    reader.letters
}

/// Reduces references at the end of what has been read, as soon as they are complete.
struct Reader {
    letters: Vec<Letter>,
}

impl Reader {
    fn push(&mut self, letter: char, start: usize, end: usize) {
        if letter == ';' && self.close(start, end) {
            return;
        }
        // What begins with `&` may turn out to be one more digit.
        if letter != '&' {
            self.end_number(letter);
        }
        if letter == ';' && self.close(start, end) {
            return;
        }
        self.drop_leading_zero(letter);
        self.letters.push(Letter { char: letter, start, end, unclosed: 0 });
        self.end_name();
    }

    /// Takes a `;` as the end of the last reference; false when none waits for it.
    fn close(&mut self, start: usize, end: usize) -> bool {
        let Some(last) = self.letters.last_mut().filter(|last| last.unclosed > 0) else { return false };
        last.unclosed -= 1;
        if last.end == start {
            last.end = end;
        }
        true
    }

    fn end_number(&mut self, next: char) {
        if let Some((from, radix, decoded)) = self.number()
            && !next.is_digit(radix)
        {
            self.replace(from, Some(decoded));
        }
    }

    /// The numeric reference at the end: where it begins, its radix, and what it stands for.
    fn number(&self) -> Option<(usize, u32, char)> {
        let digits = self.letters.iter().rev().take_while(|one| one.char.is_ascii_hexdigit());
        let digits = digits.take(MAX_DIGITS + 1).count();
        if digits == 0 || digits > MAX_DIGITS {
            return None;
        }
        let (head, tail) = self.letters.split_at(self.letters.len() - digits);
        let (from, radix) = match head {
            [.., and, hash, x] if (and.char, hash.char, x.char) == ('&', '#', 'x') => (head.len() - 3, 16),
            [.., and, hash] if (and.char, hash.char) == ('&', '#') => (head.len() - 2, 10),
            _ => return None,
        };
        let digits: String = tail.iter().map(|one| one.char).collect();
        let decoded = u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32)?;
        Some((from, radix, decoded))
    }

    /// Forgets a zero that `letter` follows as the next digit, so that numbers stay short however they are padded.
    fn drop_leading_zero(&mut self, letter: char) {
        if !letter.is_ascii_hexdigit() {
            return;
        }
        let tail = &self.letters[self.letters.len().saturating_sub(4)..];
        if ends_with(tail, "&#0") || ends_with(tail, "&#x0") {
            self.letters.pop();
        }
    }

    fn end_name(&mut self) {
        let window = self.letters.len().saturating_sub(MAX_NAME + 1);
        let Some(and) = self.letters[window..].iter().rposition(|one| one.char == '&') else { return };
        let from = window + and;
        let name = &self.letters[from + 1..];
        if let Some((_, decoded)) = NAMES.iter().find(|(known, _)| is(name, known)) {
            self.replace(from, *decoded);
        }
    }

    /// Puts what a reference stands for in the place of its letters.
    fn replace(&mut self, from: usize, decoded: Option<char>) {
        let [first, .., last] = self.letters[from..] else { return };
        self.letters.truncate(from);
        for letter in decoded.into_iter().flat_map(fold) {
            self.push(letter, first.start, last.end);
        }
        if let Some(last) = self.letters.last_mut() {
            last.unclosed = last.unclosed.saturating_add(1);
        }
    }
}

fn is(letters: &[Letter], text: &str) -> bool {
    text.chars().eq(letters.iter().map(|one| one.char))
}

fn ends_with(letters: &[Letter], text: &str) -> bool {
    letters.len() >= text.len() && is(&letters[letters.len() - text.len()..], text)
}

/// The letters that one character becomes; none for a character that cannot be seen.
fn fold(c: char) -> impl Iterator<Item = char> {
    c.nfkd().flat_map(char::to_lowercase).filter(|c| !is_invisible(*c))
}

/// Marks and controls that a reader does not see: combining, zero-width, bidirectional, fillers, tags.
fn is_invisible(c: char) -> bool {
    let format = matches!(c,
        '\u{00AD}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{180E}' | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{FEFF}'
        | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}');
    format || is_combining_mark(c) || (c.is_control() && !c.is_whitespace())
}
