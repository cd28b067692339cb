//! How many cases every fuzz loop and property of the repository tries.

use proptest::test_runner::Config;

/// `HELVE_FUZZ=100000` tries that many; nobody waits for more than `short` without asking.
pub fn config(short: u32) -> Config {
    let cases = std::env::var("HELVE_FUZZ").ok().and_then(|cases| cases.parse().ok()).unwrap_or(short);
    Config { cases, max_global_rejects: u32::MAX, failure_persistence: None, ..Config::default() }
}
