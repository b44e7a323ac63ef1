//! The YAML between fences at the head of a file, and the text below it.
//!
//! It owns where the one ends and the other begins, and that both keep their lines. It refuses to read the YAML.

use std::sync::Arc;

use cuebook_template::Source;

const FENCE: &str = "---";

/// The head of a file, and what stands below; `None` for a file without a head.
pub(crate) fn split(source: &Source) -> Option<(Source, Source)> {
    let text: &str = source.text();
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut at = start;
    let mut lines = text[start..].split_inclusive('\n').map(|line| {
        let from = at;
        at += line.len();
        (from, at, line.trim_end())
    });
    let (_, head_start, _) = lines.next().filter(|(_, _, line)| *line == FENCE)?;
    let (head_end, rest, _) = lines.find(|(_, _, line)| *line == FENCE)?;
    let body = rest + (text[rest..].len() - text[rest..].trim_start_matches(['\r', '\n']).len());
    Some((part(source, head_start, head_end), part(source, body, text.len())))
}

/// The bytes from `start` to `end` as a text of the same name that keeps its lines.
fn part(source: &Source, start: usize, end: usize) -> Source {
    let text: Arc<str> = source.text()[start..end].into();
    let part = Source::new(Arc::clone(source.name()), text).from_line(source.position(start).line);
    match source.layer() {
        Some(layer) => part.in_layer(layer),
        None => part,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Option<(&str, &str, usize)>) {
        let found = split(&Source::new("units/a.md", text));
        let found =
            found.as_ref().map(|(head, body)| (&**head.text(), &**body.text(), body.position(0).line));
        assert_eq!(found, expect, "{text:?}");
    }

    #[test]
    fn head_and_body_keep_their_lines() {
        check("---\na: 1\n---\n\n\nbody\n", Some(("a: 1\n", "body\n", 6)));
        check("\u{feff}---\r\na: 1\r\n---\r\nbody", Some(("a: 1\r\n", "body", 4)));
        check("---\n---\n", Some(("", "", 3)));
        check("body\n---\na\n---\n", None);
        check("---\na: 1\n", None);
        check("", None);
    }
}
