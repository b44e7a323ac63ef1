//! A server that stops: streams end, new ones are over at once, and what is asked is still answered.

use futures_util::StreamExt as _;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::{Call, Live, OURS, TestHost};

#[tokio::test]
async fn open_streams_end_and_new_ones_end_at_once() {
    let host = TestHost::new();
    let run = host.start("conformance-cancellable", &json!({})).await;
    let events = host.until_type(&run, "node.started").await;
    let path = format!("/v1/runs/{run}/events?streamMode=debug");
    let mut open = host.stream(Call::get(&path)).await;
    for expect in &events {
        assert_eq!(open.next().await.unwrap().data, *expect);
    }
    host.app.drain();
    assert_eq!(open.next().await, None);
    let mut late = host.stream(Call::get(&path)).await;
    let mut shown = Vec::new();
    while let Some(frame) = late.next().await {
        shown.push(frame.data);
    }
    assert_eq!(shown, events);
    let poll = format!("/v1/runs/{run}/events/poll?lastSequence={}", events.len() - 1);
    assert_eq!(host.get(&poll).await.gives(200), json!({ "events": [], "isComplete": false }));
}

/// A request on a connection of its own, without waiting for an answer.
async fn ask(live: &Live, path: &str) -> TcpStream {
    let mut socket = TcpStream::connect(live.address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {OURS}\r\n\r\n");
    socket.write_all(request.as_bytes()).await.unwrap();
    socket
}

/// Reads from `socket` until `text` has come.
async fn read_until(socket: &mut TcpStream, text: &str) -> String {
    let mut read = Vec::new();
    while !String::from_utf8_lossy(&read).contains(text) {
        let mut part = [0; 4096];
        let count = socket.read(&mut part).await.unwrap();
        assert!(count > 0, "it ended before {text:?}: {}", String::from_utf8_lossy(&read));
        read.extend(&part[..count]);
    }
    String::from_utf8(read).unwrap()
}

#[tokio::test]
async fn a_server_ends_with_streams_open() {
    let host = TestHost::builder().on_disk().open();
    let live = host.listen().await;
    let run = host.start("conformance-cancellable", &json!({})).await;
    let mut socket = ask(&live, &format!("/v1/runs/{run}/events")).await;
    let head = read_until(&mut socket, "event: run.started").await;
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    let address = live.address;
    live.stop().await;
    let mut rest = String::new();
    socket.read_to_string(&mut rest).await.unwrap();
    assert!(rest.ends_with("0\r\n\r\n"), "the stream was cut off: {rest:?}");
    assert!(TcpStream::connect(address).await.is_err(), "it takes no more connections");
}

#[tokio::test]
async fn an_idle_connection_holds_nothing_up() {
    let host = TestHost::new();
    let live = host.listen().await;
    let mut socket = ask(&live, "/healthz").await;
    read_until(&mut socket, "\"ok\"").await;
    live.stop().await;
    let mut rest = Vec::new();
    assert_eq!(socket.read_to_end(&mut rest).await.unwrap(), 0);
}

#[tokio::test]
async fn an_address_that_is_taken_is_named() {
    let host = TestHost::new();
    let live = host.listen().await;
    let stop = std::future::pending::<()>();
    let failed = cuebook_http::serve(host.app.clone(), live.address, |_| (), stop).await;
    assert!(failed.unwrap_err().to_string().contains(&live.address.to_string()));
    let mut events = live.client().runs().events(
        &cuebook_host::wire::RunId::new(host.start("conformance-noop", &json!({})).await),
        cuebook_client::EventsOptions::default(),
    );
    assert!(events.next().await.unwrap().is_ok(), "the first server is as it was");
}
