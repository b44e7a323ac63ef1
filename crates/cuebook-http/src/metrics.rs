//! Numbers for operators, in the Prometheus text format.

use std::sync::atomic::AtomicU64;

use cuebook_host::Host;
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
    pub(crate) streams: Gauge,
    runs_in_flight: Gauge,
    write_queue: Gauge,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("cuebook");
        let requests = Family::default();
        let runs_created: Counter<u64, AtomicU64> = Counter::default();
        let (streams, runs_in_flight, write_queue) = (Gauge::default(), Gauge::default(), Gauge::default());
        registry.register("http_requests", "Requests answered, by route and status", requests.clone());
        registry.register("runs_created", "Runs that were started over HTTP", runs_created.clone());
        registry.register("event_streams", "Event streams that are open", streams.clone());
        let help = "Runs that have something under way; those that only wait do not count";
        registry.register("runs_in_flight", help, runs_in_flight.clone());
        registry.register("write_queue", "Writes that wait for the store", write_queue.clone());
        Self { registry, requests, runs_created, streams, runs_in_flight, write_queue }
    }

    /// Counts an answered request.
    pub(crate) fn answered(&self, route: &str, status: u16) {
        self.requests.get_or_create(&[("route", route.to_owned()), ("status", status.to_string())]).inc();
    }

    /// All metrics as text, with how much `host` has to do at this moment.
    pub(crate) fn text(&self, host: &Host) -> String {
        let gauge = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.runs_in_flight.set(gauge(host.runs_in_flight()));
        self.write_queue.set(gauge(host.write_queue().waiting));
        let mut text = String::new();
        // Writing into a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
