//! Server-sent events, as the WHATWG HTML standard reads them (section 9.2.6, interpreting an event stream).
//!
//! It owns the way from bytes, cut anywhere, to the data of events. It refuses what a one-way call has no use for:
//! event names, ids and retry times are passed over, and an event that no blank line ends is dropped, as the
//! standard has it.

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Reads one event stream.
#[derive(Default)]
pub(super) struct Decoder {
    line: Vec<u8>,
    data: Option<String>,
    after_cr: bool,
    started: bool,
}

impl Decoder {
    /// Takes the next bytes and gives the data of the events that they complete.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        bytes.iter().filter_map(|byte| self.byte(*byte)).collect()
    }

    fn byte(&mut self, byte: u8) -> Option<String> {
        let ends_crlf = byte == b'\n' && self.after_cr;
        self.after_cr = byte == b'\r';
        match byte {
            b'\n' if ends_crlf => None,
            b'\n' | b'\r' => self.end_line(),
            _ => {
                self.line.push(byte);
                None
            }
        }
    }

    fn end_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        let mark = if self.started { &[] } else { BYTE_ORDER_MARK };
        self.started = true;
        let line = line.strip_prefix(mark).unwrap_or(&line);
        if line.is_empty() {
            return self.data.take();
        }
        self.field(&String::from_utf8_lossy(line));
        None
    }

    fn field(&mut self, line: &str) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        if name != "data" {
            return;
        }
        let value = value.strip_prefix(' ').unwrap_or(value);
        match &mut self.data {
            Some(data) => {
                data.push('\n');
                data.push_str(value);
            }
            None => self.data = Some(value.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(stream: &str, expect: &[&str]) {
        assert_eq!(Decoder::default().push(stream.as_bytes()), expect, "{stream:?}");
    }

    #[test]
    fn reads_events() {
        check("data: a\n\ndata: b\n\n", &["a", "b"]);
        check("data: a\r\n\r\ndata: b\r\r", &["a", "b"]);
        check("data: a\ndata:  b\n\n", &["a\n b"]);
        check(": comment\n\nevent: x\nid: 1\nretry: 2\ndata:a\n\n", &["a"]);
        check("data\n\n", &[""]);
        check("data: lost", &[]);
        check("data: lost\n", &[]);
        check("\u{feff}data: a\n\n", &["a"]);
        check("data: a\n\n\u{feff}data: b\n\n", &["a"]);
        check("database: a\n\n", &[]);
        check("data: é\n\n", &["é"]);
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(Decoder::default().push(b"data: \xff\n\n"), ["\u{fffd}"]);
    }

    proptest! {
        #[test]
        fn where_the_bytes_are_cut_does_not_matter(
            lines in prop::collection::vec("(data: ?\\PC{0,6}|:\\PC{0,6}||)(\n|\r|\r\n)", 0..12),
            size in 1_usize..9,
        ) {
            let stream = format!("\u{feff}{}", lines.concat());
            let at_once = Decoder::default().push(stream.as_bytes());
            let mut decoder = Decoder::default();
            let in_pieces: Vec<_> = stream.as_bytes().chunks(size).flat_map(|piece| decoder.push(piece)).collect();
            prop_assert_eq!(at_once, in_pieces);
        }
    }
}
