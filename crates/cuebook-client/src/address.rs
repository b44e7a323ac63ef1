//! Owns addresses: the base a client was given, and paths filled with ids.
//!
//! It refuses bases that carry secrets, and ids that would change which resource an address names.

use std::net::IpAddr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Url;

/// Everything but the unreserved characters of RFC 3986, section 2.3.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Where a host is.
#[derive(Clone, Debug)]
pub(crate) struct Base(Url);

impl Base {
    /// Reads a base address; every problem found, none repeating what may be secret in it.
    pub(crate) fn parse(given: &str) -> Result<Self, Vec<String>> {
        let url = Url::parse(given.trim()).map_err(|error| vec![form(&error.to_string())])?;
        let has_user = !url.username().is_empty() || url.password().is_some();
        let checks = [
            (!matches!(url.scheme(), "http" | "https"), form(&format!("its scheme is `{}`", url.scheme()))),
            (has_user, "base_url has a user or password in it; pass the key as the client's key".to_owned()),
            (url.query().is_some(), "base_url has a query; write it without".to_owned()),
            (url.fragment().is_some(), "base_url has a fragment; write it without".to_owned()),
            (
                ends_in_version(&url),
                "base_url ends in /v1, which is added to it; write it without".to_owned(),
            ),
        ];
        let problems: Vec<String> =
            checks.into_iter().filter_map(|(wrong, text)| wrong.then_some(text)).collect();
        if problems.is_empty() { Ok(Self(url)) } else { Err(problems) }
    }

    /// The address of `path`, which begins with a slash.
    pub(crate) fn join(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        let joined = format!("{}{path}", url.path().trim_end_matches('/'));
        url.set_path(&joined);
        url
    }

    pub(crate) fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Whether the address is this machine by its own word, without asking a name server.
    pub(crate) fn is_loopback(&self) -> bool {
        let host = self.0.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let named = host == "localhost" || host.ends_with(".localhost");
        named || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

fn form(but: &str) -> String {
    format!("base_url must be an http or https address such as https://host.example, but {but}")
}

fn ends_in_version(url: &Url) -> bool {
    url.path().trim_end_matches('/').ends_with("/v1")
}

/// Puts `ids` into the places of `template`, in order; every problem found.
pub(crate) fn fill(template: &str, ids: &[String]) -> Result<String, Vec<String>> {
    let mut path = String::new();
    let mut problems = Vec::new();
    let mut rest = template;
    for id in ids {
        let Some((before, name, after)) = next_place(rest) else { break };
        path.push_str(before);
        match segment(name, id) {
            Ok(segment) => path.push_str(&segment),
            Err(problem) => problems.push(problem),
        }
        rest = after;
    }
    path.push_str(rest);
    if problems.is_empty() { Ok(path) } else { Err(problems) }
}

/// Splits `template` at its first `{name}`.
fn next_place(template: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = template.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
}

/// One path segment that stands for `id` (RFC 3986, section 3.3).
fn segment(name: &str, id: &str) -> Result<String, String> {
    match id {
        "" => Err(format!("{name} is empty; an id has at least one character")),
        // Dot segments are resolved away even when they are percent-encoded.
        "." | ".." => Err(format!("{name} is `{id}`, which no address can carry")),
        _ => Ok(utf8_percent_encode(id, RESERVED).to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_join(base: &str, expect: &str) {
        assert_eq!(Base::parse(base).expect(base).join("/v1/runs/a%2Fb:fork").as_str(), expect);
    }

    #[test]
    fn paths_are_appended_to_the_base() {
        check_join("http://h:1", "http://h:1/v1/runs/a%2Fb:fork");
        check_join(" https://h/ ", "https://h/v1/runs/a%2Fb:fork");
        check_join("https://h/under/this//", "https://h/under/this/v1/runs/a%2Fb:fork");
    }

    #[track_caller]
    fn check_refused(base: &str, expect: &[&str]) {
        let problems = Base::parse(base).expect_err(base);
        assert_eq!(problems.len(), expect.len(), "{problems:?}");
        for (problem, expect) in problems.iter().zip(expect) {
            assert!(problem.contains(expect) && !problem.contains("canary"), "{problem}");
        }
    }

    #[test]
    fn every_problem_of_a_base_is_named() {
        check_refused("host.example", &["relative URL without a base"]);
        check_refused("ftp://h", &["scheme is `ftp`"]);
        check_refused(
            "http://ann:canary@h?key=canary#canary",
            &["user or password", "a query", "a fragment"],
        );
        check_refused("http://h/v1/", &["ends in /v1"]);
    }

    #[track_caller]
    fn check_fill(template: &str, ids: &[&str], expect: Result<&str, &[&str]>) {
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        let filled = fill(template, &ids);
        let problems: Result<&str, Vec<&str>> = match &filled {
            Ok(path) => Ok(path),
            Err(problems) => Err(problems.iter().map(String::as_str).collect()),
        };
        assert_eq!(problems, expect.map_err(<[&str]>::to_vec));
    }

    #[test]
    fn ids_fill_their_places() {
        check_fill("/v1/runs", &[], Ok("/v1/runs"));
        check_fill("/v1/runs/{runId}:fork", &["a-._~1"], Ok("/v1/runs/a-._~1:fork"));
        check_fill(
            "/r/{runId}/i/{nodeId}",
            &["a/../b:c?d#e", "ü %"],
            Ok("/r/a%2F..%2Fb%3Ac%3Fd%23e/i/%C3%BC%20%25"),
        );
        check_fill("/r/{runId}", &["{x}"], Ok("/r/%7Bx%7D"));
        check_fill(
            "/r/{runId}/i/{nodeId}",
            &["", ".."],
            Err(&[
                "runId is empty; an id has at least one character",
                "nodeId is `..`, which no address can carry",
            ]),
        );
    }

    #[track_caller]
    fn check_loopback(base: &str, expect: bool) {
        assert_eq!(Base::parse(base).expect(base).is_loopback(), expect, "{base}");
    }

    #[test]
    fn knows_this_machine() {
        check_loopback("http://localhost:8080", true);
        check_loopback("http://[::1]", true);
        check_loopback("http://127.0.0.2", true);
        check_loopback("https://host.example", false);
    }
}
