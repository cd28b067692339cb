//! The same workloads in two engines of its kind.

use crate::Tick;
use crate::workload::{Subject, Workload};
use crate::{bonsai, lite};

/// What runs the workload once in behavior-tree-lite, where it has a counterpart.
pub fn lite(workload: &Workload) -> Option<Tick> {
    match &workload.subject {
        Subject::Tick(shape) => lite::tick(shape),
        Subject::TickAfterWrite(_) => None,
        Subject::Load(nodes) => {
            let text = lite::groups(*nodes);
            Some(Box::new(move || drop(lite::load(&text))))
        }
    }
}

/// What runs the workload once in bonsai-bt, where it has a counterpart.
pub fn bonsai(workload: &Workload) -> Option<Tick> {
    match &workload.subject {
        Subject::Tick(shape) => bonsai::tick(shape),
        Subject::TickAfterWrite(_) | Subject::Load(_) => None,
    }
}
