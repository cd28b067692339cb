//! How this machine compares with the one whose figures are known.

use crate::lite;
use crate::measure::measure;
use crate::workload::{Sizes, Subject, Workload, all};

/// The workloads by which machines are compared: one without and one with the board.
const YARDSTICKS: [&str; 2] = ["W1", "W4"];

/// This machine.
pub struct Machine {
    /// How many times as long as there a thing takes here: what behavior-tree-lite takes for the
    /// yardsticks, the geometric mean. BehaviorTree.CPP is not built here; where a peer is
    /// measured with a workload, that peer stands for it, and elsewhere this factor does.
    pub factor: f64,
}

impl Machine {
    pub fn measure() -> Self {
        let workloads = all(Sizes::FULL);
        let factors: Vec<f64> = workloads.iter().filter_map(factor).collect();
        Self { factor: factors.iter().product::<f64>().powf(1.0 / factors.len() as f64) }
    }
}

fn factor(workload: &Workload) -> Option<f64> {
    let (true, Subject::Tick(shape)) = (YARDSTICKS.contains(&workload.id), &workload.subject) else {
        return None;
    };
    let times = measure(&mut [lite::tick(shape)?]);
    Some(times[0].median / workload.units as f64 / workload.known.lite?)
}
