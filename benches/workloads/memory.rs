//! Memory of a load: a process of its own for each, because the most that was ever resident
//! cannot be taken back.

use std::io::{self, Write};
use std::process::Command;

use crate::process::resident;
use crate::table::{Goal, Row};
use crate::{engine, lite, xml};

/// How large the tree is.
const NODES: usize = 100_000;

/// What a load took, in bytes.
struct Taken {
    peak: f64,
    kept: f64,
}

/// Measures the rows of memory. Bytes are the same on every machine, so nothing is implied.
pub fn rows() -> io::Result<[Row; 2]> {
    let (ours, lite) = (ask("helve")?, ask("lite")?);
    let nodes = NODES as f64;
    Ok([
        Row {
            id: "W7m",
            what: "peak of loading 100,000 nodes",
            unit: "MB",
            helve: ours.peak / 1e6,
            lite: Some(lite.peak / 1e6),
            bonsai: None,
            cpp: Some(219.0),
            goal: Goal::Gain(4.0, None),
        },
        Row {
            id: "W8",
            what: "tree and one run of it, resident, a node",
            unit: "bytes",
            helve: ours.kept / nodes,
            lite: Some(lite.kept / nodes),
            bonsai: None,
            cpp: Some(1_763.0),
            goal: Goal::Gain(6.0, Some(9.0)),
        },
    ])
}

#[expect(clippy::disallowed_methods, reason = "a measurement of this very program in a fresh process")]
fn ask(peer: &str) -> io::Result<Taken> {
    let output = Command::new(std::env::current_exe()?).args(["load", peer]).output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let mut numbers = said.split_whitespace().map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(peak)), Some(Ok(kept))) => Ok(Taken { peak, kept }),
        _ => Err(io::Error::other(format!("no figures from a load: {said}"))),
    }
}

/// What the fresh process does: loads, and says how much more is resident than before.
pub fn load(out: &mut impl Write, peer: &str) -> io::Result<()> {
    let (before, _) = resident()?;
    let taken = match peer {
        "lite" => {
            let text = lite::groups(NODES);
            let tree = lite::load(&text);
            drop(text);
            after(before, &tree)?
        }
        _ => {
            let xml = xml::file(&xml::groups(NODES));
            let run = engine::run(&xml);
            drop(xml);
            after(before, &run)?
        }
    };
    writeln!(out, "{} {}", taken.peak, taken.kept)
}

/// Asked while `_kept` is still there.
fn after<T>(before: u64, _kept: &T) -> io::Result<Taken> {
    let (now, peak) = resident()?;
    Ok(Taken { peak: peak.saturating_sub(before) as f64, kept: now.saturating_sub(before) as f64 })
}
