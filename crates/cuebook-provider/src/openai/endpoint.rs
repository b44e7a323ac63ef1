//! The address of an endpoint: where requests go, and how it may be shown.
//!
//! It owns the reading of `base_url`. It refuses to show what may be secret in it: user, password and query.

use std::net::IpAddr;

use reqwest::Url;

const PATH: [&str; 2] = ["chat", "completions"];

/// Where chat completions are asked for.
pub(super) struct Endpoint {
    url: Url,
    shown: String,
}

impl Endpoint {
    /// Reads `base_url`; the error says what is wrong without repeating a password.
    pub(super) fn parse(base_url: &str) -> Result<Self, String> {
        let base = Url::parse(base_url.trim()).map_err(|error| problem(&error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(problem(&format!("its scheme is '{}'", base.scheme())));
        }
        let shown = shown(&base);
        if let Some(right) = shown.strip_suffix("/chat/completions") {
            return Err(format!("base_url ends in /chat/completions, which is added to it; write {right}"));
        }
        let mut url = base;
        url.set_fragment(None);
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(PATH);
        }
        Ok(Self { url, shown })
    }

    /// The address requests go to.
    pub(super) fn url(&self) -> Url {
        self.url.clone()
    }

    /// The base address without user, password and query.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    pub(super) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Whether the address is this machine by its own word, without asking a name server.
    pub(super) fn is_loopback(&self) -> bool {
        let host = self.url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        let named = host == "localhost" || host.ends_with(".localhost");
        named || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

fn problem(what: &str) -> String {
    format!("base_url must be an http or https address such as http://localhost:11434/v1, but {what}")
}

fn shown(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let host = url.host_str().unwrap_or_default();
    format!("{}://{host}{port}{}", url.scheme(), url.path().trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(base_url: &str, url: &str, shown: &str) {
        let endpoint = Endpoint::parse(base_url).expect(base_url);
        assert_eq!((endpoint.url().as_str(), endpoint.shown()), (url, shown));
    }

    #[test]
    fn appends_the_path_and_hides_what_may_be_secret() {
        check("http://h:1/v1", "http://h:1/v1/chat/completions", "http://h:1/v1");
        check(" https://h/v1/ ", "https://h/v1/chat/completions", "https://h/v1");
        check("http://h", "http://h/chat/completions", "http://h");
        check("http://u:p@h/v1#x", "http://u:p@h/v1/chat/completions", "http://h/v1");
        check("https://h/d?key=k", "https://h/d/chat/completions?key=k", "https://h/d");
        check("http://[::1]:8080", "http://[::1]:8080/chat/completions", "http://[::1]:8080");
    }

    #[track_caller]
    fn check_loopback(base_url: &str, expect: bool) {
        assert_eq!(Endpoint::parse(base_url).expect(base_url).is_loopback(), expect, "{base_url}");
    }

    #[test]
    fn knows_this_machine() {
        check_loopback("http://localhost:11434/v1", true);
        check_loopback("http://models.localhost", true);
        check_loopback("http://127.0.0.2", true);
        check_loopback("http://[::1]", true);
        check_loopback("http://localhost.example", false);
        check_loopback("http://10.0.0.1", false);
    }
}
