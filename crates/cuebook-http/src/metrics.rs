//! Numbers for operators, in the Prometheus text format.

use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// The labels of answered requests: the route as the table writes it, and the status.
type RequestLabels = [(&'static str, String); 2];

/// The metrics of one server.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    pub(crate) runs_created: Counter,
    pub(crate) streams: Gauge<i64, std::sync::atomic::AtomicI64>,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("cuebook");
        let requests = Family::default();
        let runs_created: Counter<u64, AtomicU64> = Counter::default();
        let streams = Gauge::default();
        registry.register("http_requests", "Requests answered, by route and status", requests.clone());
        registry.register("runs_created", "Runs that were started over HTTP", runs_created.clone());
        registry.register("event_streams", "Event streams that are open", streams.clone());
        Self { registry, requests, runs_created, streams }
    }

    /// Counts an answered request.
    pub(crate) fn answered(&self, route: &str, status: u16) {
        self.requests.get_or_create(&[("route", route.to_owned()), ("status", status.to_string())]).inc();
    }

    /// All metrics as text.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        // Writing into a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

/// A stream that is counted for as long as it lives.
pub(crate) struct OpenStream(crate::state::App);

impl OpenStream {
    pub(crate) fn new(app: &crate::state::App) -> Self {
        app.metrics.streams.inc();
        Self(app.clone())
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.metrics.streams.dec();
    }
}
