//! Strings of JSON, written a stride at a time.
//!
//! It owns that long texts, of which few bytes need escapes, are mostly copied. It refuses to differ from `serde_json` in a
//! single byte.

/// How many bytes are looked at together: as many as a register of the processor holds.
const STRIDE: usize = 32;
const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Writes `text` as a string of JSON.
pub(crate) fn write(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let (plain, other) = rest.split_at(plain_prefix(rest));
        out.extend_from_slice(plain);
        let Some((byte, after)) = other.split_first() else { break };
        write_escape(out, *byte);
        rest = after;
    }
    out.push(b'"');
}

/// Writes the comma before the element at `at` of a list or an object.
pub(crate) fn separate(out: &mut Vec<u8>, at: usize) {
    if at > 0 {
        out.push(b',');
    }
}

/// How many bytes at the start need no escape.
fn plain_prefix(bytes: &[u8]) -> usize {
    let is_plain = |stride: &&[u8]| !stride.iter().fold(false, |any, byte| any | needs_escape(*byte));
    let strides = STRIDE * bytes.chunks_exact(STRIDE).take_while(is_plain).count();
    let rest = &bytes[strides..];
    strides + rest.iter().position(|byte| needs_escape(*byte)).unwrap_or(rest.len())
}

const fn needs_escape(byte: u8) -> bool {
    matches!(byte, 0..=0x1f | b'"' | b'\\')
}

fn write_escape(out: &mut Vec<u8>, byte: u8) {
    let letter = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0c => b'f',
        b'\r' => b'r',
        _ => {
            let digits = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
            out.extend_from_slice(b"\\u00");
            return out.extend_from_slice(&digits);
        }
    };
    out.extend_from_slice(&[b'\\', letter]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        write(&mut out, text);
        String::from_utf8(out).expect("JSON is UTF-8")
    }

    #[test]
    fn every_byte_is_written_as_serde_writes_it() {
        let all: String = (0..=0x7f_u8).map(char::from).chain("é\u{2028}😀".chars()).collect();
        for text in ["", &all, &all.repeat(9), &"plain words ".repeat(40)] {
            assert_eq!(written(text), serde_json::Value::from(text).to_string());
        }
    }

    proptest! {
        #[test]
        fn no_text_is_written_another_way(text in any::<String>(), plain in "[a-z \n\"]{0,99}") {
            for text in [text, plain] {
                prop_assert_eq!(written(&text), serde_json::Value::from(text).to_string());
            }
        }
    }
}
