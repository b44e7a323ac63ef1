//! The listening server: ready, serving, draining.

mod connections;

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpListener;

use crate::routes::router;
use crate::state::App;

/// How long requests under way may take once the server drains.
const GRACE: Duration = Duration::from_secs(10);

/// Why a server cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address cannot be had.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// The system does not tell where it listens.
    #[error("the address cannot be had: {0}")]
    Address(#[from] std::io::Error),
}

/// Serves `app` on `address` until `stop` is done, then drains: streams end, requests under way have ten seconds.
///
/// `ready` is called with the address once connections are accepted; then runs that were under way before are taken up, and what is
/// kept no longer is removed.
///
/// # Errors
///
/// When the address cannot be had.
pub async fn serve(
    app: App,
    address: SocketAddr,
    ready: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), ServeError> {
    let listener =
        TcpListener::bind(address).await.map_err(|source| ServeError::Listen { address, source })?;
    ready(listener.local_addr()?);
    app.host.take_up_runs();
    app.host.keep_tidy();
    let draining = app.clone();
    let stopped = async move {
        stop.await;
        draining.drain();
    };
    let router = router(app.clone());
    let serving = connections::serve(&app, &router, listener, stopped);
    let grace = async {
        app.draining.cancelled().await;
        tokio::time::sleep(GRACE).await;
    };
    tokio::select! {
        () = serving => Ok(()),
        () = grace => Ok(()),
    }
}
