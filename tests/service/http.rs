//! The metrics over HTTP, read by a client that others wrote, and by no client at all.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Arc;

use helve::limits::METRIC_CONNECTIONS_MAX;
use helve::service::metric::{CONTENT_TYPE, Metrics, MetricsServer};

async fn server() -> MetricsServer {
    MetricsServer::bind("127.0.0.1:0".parse().unwrap(), Arc::new(Metrics::new())).await.unwrap()
}

/// The status, the type and the body of a page.
fn get(address: SocketAddr, path: &str) -> (u16, String, String) {
    let agent = ureq::Agent::config_builder().http_status_as_error(false).build().new_agent();
    let mut response = agent.get(format!("http://{address}{path}")).call().expect("an answer");
    let kind = response.headers()["content-type"].to_str().expect("a text").to_owned();
    (response.status().as_u16(), kind, response.body_mut().read_to_string().expect("a text"))
}

async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap()
}

#[tokio::test]
async fn c13_metrics_are_read_over_http() {
    let server = server().await;
    let address = server.address();
    assert!(address.ip().is_loopback());
    let (status, kind, text) = off_thread(move || get(address, "/metrics")).await;
    assert_eq!((status, &*kind), (200, CONTENT_TYPE));
    assert!(text.contains("helve_calls_in_flight 0\n") && text.ends_with("# EOF\n"), "{text}");
    assert_eq!(off_thread(move || get(address, "/metrics?name=x").0).await, 200);
    assert_eq!(off_thread(move || get(address, "/").0).await, 404);
    let posted = off_thread(move || {
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().new_agent();
        agent.post(format!("http://{address}/metrics")).send_empty().unwrap().status().as_u16()
    });
    assert_eq!(posted.await, 405);
    drop(server);
    let refused = off_thread(move || {
        // The listener goes with its task, which the runtime lets go of in its own time.
        while TcpStream::connect(address).is_ok() {
            std::thread::yield_now();
        }
    });
    refused.await;
}

#[tokio::test]
async fn c13_bad_requests_and_idle_connections_harm_nobody() {
    let server = server().await;
    let address = server.address();
    let answered = off_thread(move || {
        for bad in [&b"\0\xff\xfe no http \r\n\r\n"[..], b"GET /metrics HTTP/9.9\r\n\r\n", b""] {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(bad).unwrap();
            stream.shutdown(std::net::Shutdown::Write).unwrap();
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            assert!(!answer.starts_with(b"HTTP/1.1 200"), "{bad:?}");
        }
        let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(1 << 20));
        let _ = TcpStream::connect(address).unwrap().write_all(long.as_bytes());
        // All but one of the connections say nothing; the last one is answered all the same.
        let idle: Vec<_> =
            (1..METRIC_CONNECTIONS_MAX).map(|_| TcpStream::connect(address).unwrap()).collect();
        let answered = get(address, "/metrics").0;
        drop(idle);
        answered
    });
    assert_eq!(answered.await, 200);
}

/// Whether a process has its own way of being interrupted by now.
fn catches_interrupts(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught =
        caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).expect("a mask of signals");
    caught & (1 << (rustix::process::Signal::INT.as_raw() - 1)) != 0
}

/// A run whose tree waits for ever, and which is to serve metrics at `address`.
#[expect(clippy::disallowed_methods, reason = "the test is about the process itself")]
fn helve(folder: &std::path::Path, address: &str) -> Command {
    let tree = "<root BTCPP_format=\"4\"><BehaviorTree ID=\"Wait\"><Sequence>\
        <vault_list folder=\"notes\"/><Sleep msec=\"600000\"/></Sequence></BehaviorTree></root>";
    std::fs::write(folder.join("wait.xml"), tree).unwrap();
    std::fs::create_dir_all(folder.join("vault/notes")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_helve"));
    command.current_dir(folder).args(["run", "wait.xml", "--vault", "vault", "--json", "--metrics", address]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn c13_a_run_serves_its_metrics_while_it_lasts_and_prints_nothing_more() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = helve(folder.path(), "0").spawn().unwrap();
    let mut lines = BufReader::new(run.stderr.take().unwrap()).lines();
    let said =
        lines.find_map(|line| line.unwrap().strip_prefix("metrics: http://").map(str::to_owned)).unwrap();
    let address: SocketAddr = said.strip_suffix("/metrics").unwrap().parse().unwrap();
    assert!(address.ip().is_loopback());
    // The first call ends soon; the text is read until it has, and until the loop of the run knows.
    let is_counted = |text: &str| {
        let counts =
            |line: &str| line.starts_with("helve_calls_total{tool=\"vault_list\"") && line.ends_with(" 1");
        text.lines().any(counts) && text.contains("helve_calls_in_flight 0\n")
    };
    assert!((0..100_000).any(|_| is_counted(&get(address, "/metrics").2)), "the call is counted");
    let pid = rustix::process::Pid::from_child(&run);
    while !catches_interrupts(run.id()) {
        std::thread::yield_now();
    }
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{:?}", output.status);
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("one JSON object and nothing else");
    assert!(report.is_object());
    assert!(TcpStream::connect(address).is_err(), "they end with the run");
}

#[test]
fn c13_an_address_that_is_taken_is_told_before_the_run_begins() {
    let folder = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let mut command = helve(folder.path(), &address);
    let output = command.args(["--record", "run.helve"]).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(told.contains("E0451") && told.contains("in use") && told.contains("port 0"), "{told}");
    assert!(output.stdout.is_empty() && !folder.path().join("run.helve").exists(), "nothing has begun");
}
