//! What the scripted model says when no rule fits: who it was told to be, and how the request begins.
//!
//! It owns the reading of a prompt as plain sentences. It refuses anything but the prompt as input, so that the
//! same prompt always gives the same digest.

use cuebook_prompt::DispatchText;

const ROLE_CHARS: usize = 80;
const REQUEST_CHARS: usize = 240;
const SENTENCES: usize = 2;

/// The bodies as a rule sees them: system, a blank line, user.
pub(super) fn joined(prompt: DispatchText<'_>) -> String {
    [prompt.system, prompt.user].into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

/// The answer made from the prompt itself.
pub(super) fn digest(prompt: DispatchText<'_>) -> String {
    let role = prompt.system.and_then(role);
    let request = prompt.user.map(request).filter(|text| !text.is_empty());
    match (role, request) {
        (Some(role), Some(request)) => format!("Answering as {role}. The request: {request}"),
        (Some(role), None) => format!("Answering as {role}. There is no request."),
        (None, Some(request)) => format!("The request: {request}"),
        (None, None) => "The prompt is empty.".to_owned(),
    }
}

/// Reads the role off the first line with text: "You are a reviewer." is "a reviewer".
fn role(system: &str) -> Option<String> {
    let decoration = |c: char| c.is_whitespace() || matches!(c, '#' | '*' | '_' | '>');
    let line = system.lines().map(|line| line.trim_matches(decoration)).find(|line| !line.is_empty())?;
    let sentence = sentences(line).next().unwrap_or(line);
    let named =
        ["You are ", "Act as "].iter().find_map(|opening| after(sentence, opening)).unwrap_or(sentence);
    Some(cut(named.trim_end_matches(['.', ':', '!', ',']), ROLE_CHARS)).filter(|role| !role.is_empty())
}

fn after<'a>(text: &'a str, opening: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(opening.len())?;
    head.eq_ignore_ascii_case(opening).then_some(rest)
}

/// The first sentences, and how many words the whole has when they are not all of it.
fn request(user: &str) -> String {
    let plain = user.replace("<UNTRUSTED>", " ").replace("</UNTRUSTED>", " ");
    let words: Vec<_> = plain.split_whitespace().collect();
    let whole = words.join(" ");
    let opening = cut(&sentences(&whole).take(SENTENCES).collect::<Vec<_>>().join(" "), REQUEST_CHARS);
    if opening.len() >= whole.len() { whole } else { format!("{opening} ({} words in all)", words.len()) }
}

/// Splits a line after each full stop, question mark or exclamation mark that a space follows.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let end = rest.match_indices(' ').find(|(at, _)| rest[..*at].ends_with(['.', '?', '!']));
        let (sentence, next) = end.map_or((rest, ""), |(at, _)| (&rest[..at], &rest[at + 1..]));
        rest = next;
        (!sentence.is_empty()).then_some(sentence)
    })
}

/// Cuts at the last space within `limit` characters and marks the cut with `…`.
fn cut(text: &str, limit: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(limit) else { return text.to_owned() };
    let head = &text[..end];
    format!("{}…", head.rsplit_once(' ').map_or(head, |(kept, _)| kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(system: Option<&str>, user: Option<&str>, expect: &str) {
        assert_eq!(digest(DispatchText { system, user }), expect);
    }

    #[test]
    fn names_the_role_and_the_request() {
        check(
            Some("You are a careful reviewer. Be brief."),
            Some("Read the plan."),
            "Answering as a careful reviewer. The request: Read the plan.",
        );
        check(
            Some("\n\n# Release manager\n\nYou ship."),
            None,
            "Answering as Release manager. There is no request.",
        );
        check(Some("act as the editor!"), Some(" "), "Answering as the editor. There is no request.");
        check(None, Some("Why?  Because.\nAnd so."), "The request: Why? Because. (4 words in all)");
        check(None, None, "The prompt is empty.");
        check(Some("***"), None, "The prompt is empty.");
    }

    #[test]
    fn trust_markers_are_no_part_of_a_request() {
        check(None, Some("Sum up: <UNTRUSTED>a b</UNTRUSTED>"), "The request: Sum up: a b");
    }

    #[test]
    fn long_texts_are_cut_on_a_word() {
        let long = "alpha ".repeat(100);
        let expect = format!("The request: {}… (100 words in all)", ["alpha"; 40].join(" "));
        check(None, Some(&long), &expect);
        check(
            Some(&"é".repeat(90)),
            None,
            &format!("Answering as {}…. There is no request.", "é".repeat(80)),
        );
    }
}
