//! The text over HTTP: `GET /metrics`, and nothing else.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

use crate::limits::{METRIC_CONNECTION_TIME_MAX, METRIC_CONNECTIONS_MAX};
use crate::service::metric::{self, Metrics};

/// How long to wait when the system gives no connection, for want of descriptors, say.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves metrics until it is dropped: then no connection is open any more.
#[derive(Debug)]
pub struct MetricsServer {
    address: SocketAddr,
    serving: JoinHandle<()>,
}

impl MetricsServer {
    /// Serves `metrics` at this address; port 0 is any free one. It must be called inside of a tokio
    /// runtime with I/O and time.
    ///
    /// # Errors
    /// When the address cannot be had.
    pub async fn bind(address: SocketAddr, metrics: Arc<Metrics>) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self { address, serving: tokio::spawn(serve(listener, metrics)) })
    }

    /// Where it serves.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for MetricsServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// The connections are in a set that ends with this future.
async fn serve(listener: TcpListener, metrics: Arc<Metrics>) {
    let mut open = JoinSet::new();
    loop {
        while open.len() >= METRIC_CONNECTIONS_MAX {
            open.join_next().await;
        }
        while open.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((stream, _)) => drop(open.spawn(converse(stream, metrics.clone()))),
            Err(_) => sleep(ACCEPT_PAUSE).await,
        }
    }
}

/// One request and its answer, in the time that they may take.
async fn converse(stream: TcpStream, metrics: Arc<Metrics>) {
    let answer = service_fn(move |request: Request<Incoming>| {
        let response = respond(request.method(), request.uri().path(), &metrics);
        async move { Ok::<_, Infallible>(response) }
    });
    let connection = http1::Builder::new().keep_alive(false).serve_connection(TokioIo::new(stream), answer);
    // Whoever goes away, or sends something else than HTTP, gets nothing and is owed nothing.
    let _ = timeout(METRIC_CONNECTION_TIME_MAX, connection).await;
}

fn respond(method: &Method, path: &str, metrics: &Metrics) -> Response<Full<Bytes>> {
    if path != "/metrics" {
        return plain(StatusCode::NOT_FOUND, "the metrics are at /metrics\n");
    }
    if !matches!(*method, Method::GET | Method::HEAD) {
        let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "the metrics can only be read\n");
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    let mut response = Response::new(Full::new(metrics.text().into()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(metric::CONTENT_TYPE));
    response
}

fn plain(status: StatusCode, words: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from_static(words.as_bytes())));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}
