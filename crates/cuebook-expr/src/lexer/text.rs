//! String literals and their escapes.
//!
//! Owns `\\ \" \' \n \t \r \uXXXX`; a character beyond U+FFFF may be written as a surrogate pair, as in JSON
//! (RFC 8259, section 7). A string ends on the line where it began.

use serde_json::Value;

use super::Lexer;
use crate::caret::printable;
use crate::token::TokenKind;

const ESCAPES: &str = r#"the escapes are \\ \" \' \n \t \r and \uXXXX"#;

impl Lexer<'_, '_> {
    /// Reads the string that begins here with `quote`.
    pub(super) fn text(&mut self, quote: char) -> TokenKind {
        let start = self.at;
        self.at += quote.len_utf8();
        let mut text = String::new();
        loop {
            text.push_str(
                self.take_while(|character| !matches!(character, '\\' | '\r' | '\n') && character != quote),
            );
            match self.peek() {
                Some('\\') => text.extend(self.escape()),
                Some(character) if character == quote => break,
                _ => {
                    let hint = format!("end it with `{quote}` on the same line");
                    return self.report_from(start, "string is not closed".to_owned(), Some(&hint));
                }
            }
        }
        self.at += quote.len_utf8();
        TokenKind::Literal(Value::String(text))
    }

    /// Reads one escape; reports it and gives nothing when there is no such escape.
    fn escape(&mut self) -> Option<char> {
        let start = self.at;
        self.at += 1;
        let letter = self.peek()?;
        if matches!(letter, '\r' | '\n') {
            return None;
        }
        self.at += letter.len_utf8();
        let meant = match letter {
            '\\' | '"' | '\'' => Some(letter),
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            'u' => self.code_point(),
            _ => None,
        };
        if meant.is_none() {
            let message = format!("unknown escape `{}`", printable(&self.source[start..self.at]));
            self.report_from(start, message, Some(ESCAPES));
        }
        meant
    }

    /// Reads the digits after `\u`, and a second escape when the first is the head of a surrogate pair.
    fn code_point(&mut self) -> Option<char> {
        let first = self.four_digits()?;
        if !(0xD800..0xDC00).contains(&first) {
            return char::from_u32(first);
        }
        self.at += self.rest().strip_prefix("\\u").map(|_| 2)?;
        let second = self.four_digits().filter(|second| (0xDC00..0xE000).contains(second))?;
        char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00))
    }

    fn four_digits(&mut self) -> Option<u32> {
        let digits =
            self.rest().get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }
}
