//! Connections: those that send no whole request are closed, and those over the bound wait.

use std::io::ErrorKind;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::TestHost;

const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n";

/// Asks on a connection that stays open, and reads the beginning of the answer.
async fn ask(socket: &mut TcpStream) -> String {
    socket.write_all(REQUEST).await.unwrap();
    let mut answer = [0; 4096];
    let count = socket.read(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer[..count]).into_owned()
}

#[tokio::test]
async fn a_connection_that_sends_no_whole_head_is_closed() {
    let host = TestHost::builder().header_timeout(Duration::from_secs(1)).open();
    let live = host.listen().await;
    for part in [&b""[..], b"GET /healthz HTTP/1.1\r\n"] {
        let mut socket = TcpStream::connect(live.address).await.unwrap();
        socket.write_all(part).await.unwrap();
        let mut rest = Vec::new();
        // It ends; some systems say so with a reset.
        let _ = socket.read_to_end(&mut rest).await;
        assert!(!String::from_utf8_lossy(&rest).contains("200 OK"));
    }
    let mut socket = TcpStream::connect(live.address).await.unwrap();
    assert!(ask(&mut socket).await.starts_with("HTTP/1.1 200 OK"));
    live.stop().await;
}

#[tokio::test]
async fn a_connection_over_the_bound_waits_until_another_ends() {
    let host = TestHost::builder().config("[limits]\nmax_connections = 1\n").open();
    let live = host.listen().await;
    let mut first = TcpStream::connect(live.address).await.unwrap();
    assert!(ask(&mut first).await.starts_with("HTTP/1.1 200 OK"));
    let mut second = TcpStream::connect(live.address).await.unwrap();
    second.write_all(REQUEST).await.unwrap();
    assert!(ask(&mut first).await.starts_with("HTTP/1.1 200 OK"));
    assert_eq!(second.try_read(&mut [0; 64]).unwrap_err().kind(), ErrorKind::WouldBlock);
    drop(first);
    let mut answer = [0; 64];
    let count = second.read(&mut answer).await.unwrap();
    assert!(answer[..count].starts_with(b"HTTP/1.1 200 OK"));
    live.stop().await;
}
