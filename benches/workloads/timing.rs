//! A workload and its counterparts, timed in turns.

use crate::Tick;
use crate::machine::Machine;
use crate::measure::{Times, measure};
use crate::peer;
use crate::table::{Goal, Row};
use crate::workload::{Known, Workload};

/// Nanoseconds a unit.
pub fn row(workload: &Workload, helve: Tick, machine: &Machine) -> Row {
    let mut ticks = vec![helve];
    let mut place = |tick: Option<Tick>| {
        tick.map(|tick| {
            ticks.push(tick);
            ticks.len() - 1
        })
    };
    let (lite, bonsai) = (place(peer::lite(workload)), place(peer::bonsai(workload)));
    let times = measure(&mut ticks);
    let a_unit = |times: Times| times.median / workload.units as f64;
    let of = |place: Option<usize>| place.map(|place| a_unit(times[place]));
    let Known { cpp, lite: known, goal, stretch } = workload.known;
    let factor = match (of(lite), known) {
        (Some(here), Some(there)) => here / there,
        _ => machine.factor,
    };
    Row {
        id: workload.id,
        what: workload.what,
        unit: "ns",
        helve: a_unit(times[0]),
        lite: of(lite),
        bonsai: of(bonsai),
        cpp: Some(cpp * factor),
        goal: Goal::Gain(goal, stretch),
    }
}
