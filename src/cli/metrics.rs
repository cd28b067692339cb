//! `helve run --metrics ADDR`

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use crate::cli::out::Out;
use crate::diag::{Code, Diagnostic};
use crate::service::metric::{Metrics, MetricsServer};
use crate::text::system_words;

/// The address that somebody typed. A port alone is on this machine only: to be seen from elsewhere,
/// the metrics must be given an address that says so.
pub(super) fn address(typed: &str) -> Result<SocketAddr, Diagnostic> {
    let local = |port: &str| Some(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port.parse().ok()?));
    let port_alone = typed.strip_prefix("localhost:").or_else(|| typed.strip_prefix(':')).unwrap_or(typed);
    local(port_alone).or_else(|| typed.parse().ok()).ok_or_else(|| {
        Diagnostic::new(Code::E0451, format!("`--metrics {typed}` is no address"))
            .help("Give a port (`9464`), or an address with a port (`127.0.0.1:9464`).")
    })
}

/// The metrics of a run, served until this is dropped.
pub(super) struct Meter {
    pub metrics: Arc<Metrics>,
    _server: MetricsServer,
}

impl Meter {
    /// Serves metrics at the address that was typed, when one was, and says where.
    pub async fn start(typed: Option<&str>, out: &mut Out) -> Result<Option<Self>, Diagnostic> {
        let Some(typed) = typed else { return Ok(None) };
        let metrics = Arc::new(Metrics::new());
        let server = serve(typed, &metrics).await?;
        out.note(format!("metrics: http://{}/metrics", server.address()));
        Ok(Some(Self { metrics, _server: server }))
    }
}

async fn serve(typed: &str, metrics: &Arc<Metrics>) -> Result<MetricsServer, Diagnostic> {
    let wanted = address(typed)?;
    MetricsServer::bind(wanted, metrics.clone()).await.map_err(|fault| {
        Diagnostic::new(Code::E0451, format!("the metrics cannot be served at {wanted}"))
            .note(system_words(&fault))
            .help("Give another address, or port 0 for any port that is free.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(typed: &str, expected: Option<&str>) {
        assert_eq!(address(typed).ok().map(|it| it.to_string()).as_deref(), expected, "{typed}");
    }

    #[test]
    fn c13_a_port_alone_is_on_this_machine_only() {
        check("9464", Some("127.0.0.1:9464"));
        check(":9464", Some("127.0.0.1:9464"));
        check("localhost:0", Some("127.0.0.1:0"));
        check("0.0.0.0:9464", Some("0.0.0.0:9464"));
        check("[::1]:9464", Some("[::1]:9464"));
        for wrong in ["", "nowhere", "nowhere:80", "127.0.0.1", "70000", "-1", "127.0.0.1:70000", ":"] {
            check(wrong, None);
        }
    }
}
