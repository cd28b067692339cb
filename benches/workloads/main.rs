//! What the engine costs: this one and two of its kind on the same trees, in one run.
//!
//! ```text
//! cargo bench --bench workloads                            the table, as `-- all`; --json for programs
//! cargo bench --bench workloads -- W4 time --trees DIR     one workload of this engine, trees from files
//! cargo bench --bench workloads -- W4 count N              runs it N times and nothing else
//! cargo bench --bench workloads -- write DIR               the trees as files
//! cargo bench --bench workloads -- instructions            the gate of instruction counts; wants valgrind
//! cargo bench --bench workloads -- scale                   a million nodes, 100,000 levels, 10,000 runs
//! ```
//!
//! The peers are driven as their own documentation has it; where one must be reset before it can be
//! ticked again, that is counted, because whoever ticks it must do it too. benches/README.md says
//! how to read the table.

use std::io::{self, Write};
use std::path::PathBuf;

mod bonsai;
mod callgrind;
mod engine;
mod instructions;
mod leaf;
mod lite;
mod machine;
mod measure;
mod memory;
mod peer;
mod process;
mod scale;
mod shape;
mod table;
mod timing;
mod waiting;
mod workload;
mod xml;

use machine::Machine;
use scale::Scale;
use table::Table;
use waiting::Crowd;
use workload::{Sizes, Workload};

/// What runs a workload once.
type Tick = Box<dyn FnMut()>;

/// What was asked for.
struct Request {
    words: Vec<String>,
    trees: Option<PathBuf>,
    is_json: bool,
    is_test: bool,
}

fn main() -> io::Result<()> {
    let request = Request::read(std::env::args().skip(1));
    let words: Vec<&str> = request.words.iter().map(String::as_str).collect();
    match words[..] {
        [] | ["all"] if request.is_test => request.try_all(),
        [] | ["all"] => request.table(None),
        ["write", folder] => write_trees(folder.into()),
        ["instructions"] => instructions::check(&mut io::stdout().lock()),
        ["scale"] => scale::print(&mut io::stdout().lock(), Scale::FULL),
        // What the measurement of memory asks of a fresh process.
        ["load", peer] => memory::load(&mut io::stdout().lock(), peer),
        [id, "time"] => request.time(id),
        [id, "count", times] => request.count(id, times),
        [id] => request.table(Some(id)),
        _ => Err(unknown(&words.join(" "))),
    }
}

impl Request {
    fn read(mut arguments: impl Iterator<Item = String>) -> Self {
        let mut request = Self { words: Vec::new(), trees: None, is_json: false, is_test: false };
        while let Some(argument) = arguments.next() {
            match &*argument {
                "--trees" => request.trees = arguments.next().map(PathBuf::from),
                "--json" => request.is_json = true,
                "--test" => request.is_test = true,
                // Cargo says this to every benchmark.
                "--bench" => {}
                _ => request.words.push(argument),
            }
        }
        request
    }

    fn tick(&self, workload: &Workload) -> io::Result<Tick> {
        Ok(workload.tick(workload.xml(self.trees.as_deref())?))
    }

    /// The table of one workload, or of all.
    fn table(&self, id: Option<&str>) -> io::Result<()> {
        let machine = Machine::measure();
        let mut table = Table::begin(io::stdout().lock(), self.is_json)?;
        if let Some(id) = id.filter(|id| id.starts_with("W9")) {
            for row in waiting::rows(Crowd::FULL, &machine, id) {
                table.add(&row?)?;
            }
            return Ok(());
        }
        for workload in id.map_or_else(|| Ok(workload::all(Sizes::FULL)), named)? {
            table.add(&timing::row(&workload, self.tick(&workload)?, &machine))?;
        }
        if id.is_some() {
            return Ok(());
        }
        for row in memory::rows()? {
            table.add(&row)?;
        }
        for row in waiting::rows(Crowd::FULL, &machine, "W9") {
            table.add(&row?)?;
        }
        Ok(())
    }

    fn time(&self, id: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        for workload in named(id)? {
            let times = measure::measure(&mut [self.tick(&workload)?])[0];
            let (median, min, max) = (times.median, times.min, times.max);
            writeln!(
                out,
                "{} median_ns={median:.0} min_ns={min:.0} max_ns={max:.0} units={}",
                workload.id, workload.units
            )?;
        }
        Ok(())
    }

    fn count(&self, id: &str, times: &str) -> io::Result<()> {
        let times: u64 = times.parse().map_err(|_| unknown(times))?;
        if waiting::count(id, times)? {
            return Ok(());
        }
        for workload in named(id)? {
            let mut tick = self.tick(&workload)?;
            (0..times).for_each(|_| tick());
        }
        Ok(())
    }

    /// Everything once, small: what a test can do.
    fn try_all(&self) -> io::Result<()> {
        for workload in workload::all(Sizes::SMALL) {
            let ticks = [Some(self.tick(&workload)?), peer::lite(&workload), peer::bonsai(&workload)];
            ticks.into_iter().flatten().for_each(|mut tick| (0..3).for_each(|_| tick()));
        }
        let waited = waiting::rows(Crowd::SMALL, &Machine { factor: 1.0 }, "W9").take(6);
        waited.collect::<io::Result<Vec<_>>>()?;
        scale::print(&mut io::sink(), Scale::SMALL)
    }
}

fn write_trees(folder: PathBuf) -> io::Result<()> {
    std::fs::create_dir_all(&folder)?;
    for workload in workload::all(Sizes::FULL) {
        std::fs::write(folder.join(workload.file_name()), workload.xml(None)?)?;
    }
    Ok(())
}

fn named(id: &str) -> io::Result<Vec<Workload>> {
    let mut workloads = workload::all(Sizes::FULL);
    workloads.retain(|workload| is_named(workload, id));
    if workloads.is_empty() { Err(unknown(id)) } else { Ok(workloads) }
}

/// `W7` names all sizes of it.
fn is_named(workload: &Workload, id: &str) -> bool {
    workload.id == id || (id == "W7" && workload.id.starts_with("W7-"))
}

fn unknown(what: &str) -> io::Error {
    io::Error::other(format!("`{what}` is no request; the top of benches/workloads/main.rs lists them"))
}
