//! Instructions, counted by callgrind.

use std::io;
use std::process::Command;

/// Instructions of one of `runs` runs: this program is told to run so many times, and twice as many, and
/// the difference is the runs without their setup.
///
/// # Errors
/// When valgrind is not there, or the program fails under it.
pub fn instructions(id: &str, runs: u64) -> io::Result<u64> {
    let more = total(id, 2 * runs)?.saturating_sub(total(id, runs)?);
    Ok(more / runs)
}

#[expect(clippy::disallowed_methods, reason = "valgrind is run on this very program")]
fn total(id: &str, runs: u64) -> io::Result<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe()?)
        .args([id, "count", &runs.to_string()])
        .output()
        .map_err(|fault| io::Error::other(format!("valgrind did not start ({fault}); is it installed?")))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let collected = said.lines().find_map(|line| line.split_once("Collected :"));
    match collected.and_then(|(_, number)| number.trim().parse().ok()) {
        Some(number) if output.status.success() => Ok(number),
        _ => Err(io::Error::other(format!("{id} did not run under valgrind:\n{said}"))),
    }
}
