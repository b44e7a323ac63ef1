//! The connections of a server: so many at once, each with a bound on the time in which the head of a request arrives.
//!
//! It owns their number and their end when the server drains. It refuses to look into requests.

use std::io::{Error, ErrorKind};
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::state::App;

/// How long a system that has no more connections to give is left alone.
const PAUSE: Duration = Duration::from_secs(1);

/// Accepts connections until `stop` is done, and comes back when all of them have ended.
pub(super) async fn serve(app: &App, router: &Router, listener: TcpListener, stop: impl Future<Output = ()>) {
    let mut connections = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        let has_room = connections.len() < app.options.max_connections;
        tokio::select! {
            () = &mut stop => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept(), if has_room => match accepted {
                Ok((stream, _)) => drop(connections.spawn(connection(app.clone(), router.clone(), stream))),
                Err(error) => bear(&error).await,
            },
        }
    }
    while connections.join_next().await.is_some() {}
}

/// Answers the requests of one connection; once the server drains, the one under way and no other.
async fn connection(app: App, router: Router, stream: TcpStream) {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(app.options.header_timeout);
    let mut connection =
        pin!(builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router)));
    tokio::select! {
        // What breaks a connection is the matter of whoever is at its other end.
        _ = connection.as_mut() => return,
        () = app.draining.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Goes on after a connection that could not be had: at once when its other end has gone, else after a pause.
async fn bear(error: &Error) {
    let has_gone = matches!(
        error.kind(),
        ErrorKind::ConnectionRefused | ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset
    );
    if !has_gone {
        tracing::error!(%error, "no connection can be accepted");
        tokio::time::sleep(PAUSE).await;
    }
}
