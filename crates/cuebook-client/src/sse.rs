//! Server-sent events, as the WHATWG HTML standard reads them (section 9.2.6, interpreting an event stream).
//!
//! It owns the way from bytes, cut anywhere, to frames. It refuses frames beyond a size, and drops a frame that no blank
//! line ends, as the standard has it: a connection that breaks in the middle of an event has not delivered it.

/// The most bytes of one frame.
const FRAME_MAX_BYTES: usize = 32 << 20;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// One event of a stream; comments and reconnection times are none.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Whether the frame has an `id` of its own.
    pub(crate) has_id: bool,
    /// The lines of `data`, joined by line feeds.
    pub(crate) data: String,
}

/// A frame with more than the most bytes allowed.
#[derive(Debug)]
pub(crate) struct TooLong;

/// A frame that no blank line has ended yet.
#[derive(Default)]
struct Open {
    has_id: bool,
    data: Option<String>,
}

/// Reads one event stream.
#[derive(Default)]
pub(crate) struct Decoder {
    line: Vec<u8>,
    open: Option<Open>,
    after_cr: bool,
    started: bool,
}

impl Decoder {
    /// Takes the next bytes and gives the frames that they complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Frame>, TooLong> {
        let frames = bytes.iter().filter_map(|byte| self.byte(*byte)).collect();
        let data = self.open.as_ref().and_then(|open| open.data.as_ref()).map_or(0, String::len);
        if self.line.len() + data > FRAME_MAX_BYTES { Err(TooLong) } else { Ok(frames) }
    }

    /// Whether the stream stands between two frames.
    pub(crate) fn is_between_frames(&self) -> bool {
        self.line.is_empty() && self.open.is_none()
    }

    fn byte(&mut self, byte: u8) -> Option<Frame> {
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

    fn end_line(&mut self) -> Option<Frame> {
        let line = std::mem::take(&mut self.line);
        let mark = if self.started { &[] } else { BYTE_ORDER_MARK };
        self.started = true;
        // Lines end at ASCII bytes, so a character is never cut here, however the bytes came.
        let line = String::from_utf8_lossy(line.strip_prefix(mark).unwrap_or(&line)).into_owned();
        if line.is_empty() {
            let open = self.open.take()?;
            return open.data.map(|data| Frame { has_id: open.has_id, data });
        }
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        if !name.is_empty() {
            self.open.get_or_insert_default().field(name, value.strip_prefix(' ').unwrap_or(value));
        }
        None
    }
}

impl Open {
    fn field(&mut self, name: &str, value: &str) {
        match (name, &mut self.data) {
            ("id", _) => self.has_id = true,
            ("data", Some(data)) => {
                data.push('\n');
                data.push_str(value);
            }
            ("data", none) => *none = Some(value.to_owned()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The frames of `stream`, each as its data, with a `#` before those that have an id.
    fn read(decoder: &mut Decoder, stream: &[u8]) -> Vec<String> {
        let frames = decoder.push(stream).expect("short frames");
        frames.iter().map(|frame| format!("{}{}", if frame.has_id { "#" } else { "" }, frame.data)).collect()
    }

    #[track_caller]
    fn check(stream: &str, expect: &[&str]) {
        assert_eq!(read(&mut Decoder::default(), stream.as_bytes()), expect, "{stream:?}");
    }

    #[test]
    fn reads_frames() {
        check("data: a\n\ndata: b\n\n", &["a", "b"]);
        check("data: a\r\n\r\ndata: b\r\r", &["a", "b"]);
        check("data: a\ndata:  b\n\n", &["a\n b"]);
        check("data: a\r\ndata: b\r\n\r\n", &["a\nb"]);
        check("data:\ndata:\n\n", &["\n"]);
        check(": comment\n\nevent: x\nid: 1\nretry: 2\ndata:a\n\ndata: b\n\n", &["#a", "b"]);
        check("id: 1\n\ndata: a\n\n", &["a"]);
        check("data\n\n", &[""]);
        check("data: lost", &[]);
        check("data: lost\n", &[]);
        check("\u{feff}data: a\n\n\u{feff}data: b\n\n", &["a"]);
        check("database: a\n\n", &[]);
        check("data: é\n\n", &["é"]);
    }

    #[track_caller]
    fn check_between(stream: &str, expect: bool) {
        let mut decoder = Decoder::default();
        read(&mut decoder, stream.as_bytes());
        assert_eq!(decoder.is_between_frames(), expect, "{stream:?}");
    }

    #[test]
    fn knows_when_it_stands_in_a_frame() {
        check_between("", true);
        check_between(": alive\n\n", true);
        check_between("data: a\n\n", true);
        check_between("data: a\n", false);
        check_between("da", false);
        check_between("event: x\n", false);
        check_between(": alive\n", true);
    }

    #[test]
    fn frames_without_end_are_refused() {
        let mut decoder = Decoder::default();
        let line = [b"data: ".as_slice(), &vec![b'x'; FRAME_MAX_BYTES / 2], b"\n"].concat();
        assert!(decoder.push(&line).is_ok());
        assert!(decoder.push(&line).is_err());
    }

    proptest! {
        #[test]
        fn where_the_bytes_are_cut_does_not_matter(
            lines in prop::collection::vec("(data: ?\\PC{0,6}|id: 1|:\\PC{0,6}||)(\n|\r|\r\n)", 0..12),
            size in 1_usize..9,
        ) {
            let stream = format!("\u{feff}{}", lines.concat());
            let at_once = read(&mut Decoder::default(), stream.as_bytes());
            let mut decoder = Decoder::default();
            let in_pieces: Vec<_> =
                stream.as_bytes().chunks(size).flat_map(|piece| read(&mut decoder, piece)).collect();
            prop_assert_eq!(at_once, in_pieces);
        }
    }
}
