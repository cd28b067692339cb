//! The controls, each as its row in the table of the semantics says.

use helve::status::Status;

use super::Fault;
use super::number::{TOLERANCE, text};
use super::world::World;

type Answer = Result<Status, Fault>;

/// A sequence, or a fallback: the same with Success and Failure changed over.
#[derive(Clone, Copy)]
struct InOrder {
    /// The answer of a child after which the next one is visited.
    goes_on: Status,
    /// Whether a child that was done in one visit costs a tick.
    yields: bool,
    /// Whether the place is kept over the answer that ends it early.
    keeps_place: bool,
}

const SEQUENCE: InOrder = InOrder { goes_on: Status::Success, yields: false, keeps_place: false };
const FALLBACK: InOrder = InOrder { goes_on: Status::Failure, ..SEQUENCE };

impl World {
    pub(super) fn tick_control(&mut self, id: usize) -> Answer {
        match self.kind(id) {
            "Sequence" => self.in_order(id, SEQUENCE),
            "AsyncSequence" => self.in_order(id, InOrder { yields: true, ..SEQUENCE }),
            "SequenceWithMemory" => {
                self.in_order(id, InOrder { yields: true, keeps_place: true, ..SEQUENCE })
            }
            "Fallback" => self.in_order(id, FALLBACK),
            "AsyncFallback" => self.in_order(id, InOrder { yields: true, ..FALLBACK }),
            "ReactiveSequence" => self.reactive(id, Status::Success),
            "ReactiveFallback" => self.reactive(id, Status::Failure),
            "Parallel" => self.parallel(id),
            "ParallelAll" => self.parallel_all(id),
            "IfThenElse" => self.if_then_else(id),
            "WhileDoElse" => self.while_do_else(id),
            "TryCatch" => self.try_catch(id),
            kind if kind.starts_with("Switch") => self.switch(id),
            other => Err(format!("the naive reading has no {other}")),
        }
    }

    /// What a control forgets when it is halted; its children are reset afterwards.
    pub(super) fn forget_control(&mut self, id: usize) -> Result<(), Fault> {
        if self.kind(id) == "TryCatch" {
            self.catch_the_halt(id)?;
        }
        let keeps_place = self.kind(id) == "SequenceWithMemory";
        let memory = self.memory(id);
        if !keeps_place {
            memory.at = 0;
        }
        memory.skipped = 0;
        memory.is_going = false;
        memory.branch = None;
        memory.succeeded.clear();
        memory.failed.clear();
        Ok(())
    }

    /// All done: the children begin anew, and so does the control.
    fn finish(&mut self, id: usize, answer: Status) -> Answer {
        self.reset_children(id)?;
        let memory = self.memory(id);
        (memory.at, memory.skipped, memory.is_going, memory.branch) = (0, 0, false, None);
        memory.succeeded.clear();
        memory.failed.clear();
        Ok(answer)
    }

    fn begin(&mut self, id: usize) {
        if self.status(id) != Status::Running {
            self.memory(id).skipped = 0;
        }
        self.set_status(id, Status::Running);
    }

    fn in_order(&mut self, id: usize, rule: InOrder) -> Answer {
        self.begin(id);
        let children = self.children(id);
        while let Some(&child) = children.get(self.memory(id).at) {
            let was_idle = self.status(child) == Status::Idle;
            match self.visit(child)? {
                Status::Running => return Ok(Status::Running),
                Status::Skipped => {
                    self.memory(id).at += 1;
                    self.memory(id).skipped += 1;
                }
                answer if answer == rule.goes_on => {
                    self.memory(id).at += 1;
                    if rule.yields && was_idle && self.memory(id).at < children.len() {
                        self.is_awake = true;
                        return Ok(Status::Running);
                    }
                }
                answer if rule.keeps_place => {
                    let at = self.memory(id).at;
                    self.reset_all(&children[at..])?;
                    return Ok(answer);
                }
                answer => return self.finish(id, answer),
            }
        }
        let all_skipped = self.memory(id).skipped == children.len();
        self.finish(id, if all_skipped { Status::Skipped } else { rule.goes_on })
    }

    fn reactive(&mut self, id: usize, goes_on: Status) -> Answer {
        self.set_status(id, Status::Running);
        let mut all_skipped = true;
        for child in self.children(id) {
            let answer = self.visit(child)?;
            all_skipped &= answer == Status::Skipped;
            match answer {
                Status::Running => {
                    let others: Vec<_> =
                        self.children(id).into_iter().filter(|&other| other != child).collect();
                    self.reset_all(&others)?;
                    return Ok(Status::Running);
                }
                Status::Skipped => self.reset(child)?,
                answer if answer == goes_on => {}
                answer => return self.finish(id, answer),
            }
        }
        self.finish(id, if all_skipped { Status::Skipped } else { goes_on })
    }

    /// A threshold below zero counts from the number of children.
    fn threshold(&self, id: usize, port: &str, default: i64) -> Result<(i64, bool), Fault> {
        let count = self.nodes[id].children.len() as i64;
        let given = self.int_or(id, port, default)?;
        let threshold = if given < 0 { (count + given + 1).max(0) } else { given };
        match threshold > count {
            true => Err(format!("{port} is above the number of children")),
            false => Ok((threshold, given < 0)),
        }
    }

    fn parallel(&mut self, id: usize) -> Answer {
        let (needed, counts_skips) = self.threshold(id, "success_count", -1)?;
        let (limit, _) = self.threshold(id, "failure_count", 1)?;
        self.set_status(id, Status::Running);
        let children = self.children(id);
        let (count, mut skipped) = (children.len() as i64, 0);
        for (place, child) in children.into_iter().enumerate() {
            skipped += i64::from(self.visit_once(id, place, child)? == Some(Status::Skipped));
            let memory = self.memory(id);
            let (succeeded, failed) = (memory.succeeded.len() as i64, memory.failed.len() as i64);
            if succeeded >= needed || (counts_skips && succeeded + skipped >= needed) {
                return self.finish(id, Status::Success);
            }
            if count - failed < needed || failed == limit {
                return self.finish(id, Status::Failure);
            }
        }
        Ok(if skipped == count { Status::Skipped } else { Status::Running })
    }

    /// Visits a child of a parallel that is not done yet, and notes whether it is now.
    fn visit_once(&mut self, id: usize, place: usize, child: usize) -> Result<Option<Status>, Fault> {
        let memory = self.memory(id);
        if memory.succeeded.contains(&place) || memory.failed.contains(&place) {
            return Ok(None);
        }
        let answer = self.visit(child)?;
        match answer {
            Status::Success => self.memory(id).succeeded.insert(place),
            Status::Failure => self.memory(id).failed.insert(place),
            _ => false,
        };
        Ok(Some(answer))
    }

    fn parallel_all(&mut self, id: usize) -> Answer {
        let (limit, _) = self.threshold(id, "max_failures", 1)?;
        self.set_status(id, Status::Running);
        let children = self.children(id);
        let count = children.len();
        let mut skipped = 0;
        for (place, child) in children.into_iter().enumerate() {
            skipped += usize::from(self.visit_once(id, place, child)? == Some(Status::Skipped));
        }
        let memory = self.memory(id);
        let (succeeded, failed) = (memory.succeeded.len(), memory.failed.len());
        if skipped == count {
            return Ok(Status::Skipped);
        }
        if succeeded + failed + skipped < count {
            return Ok(Status::Running);
        }
        self.finish(id, if failed as i64 >= limit { Status::Failure } else { Status::Success })
    }

    fn if_then_else(&mut self, id: usize) -> Answer {
        let children = self.children(id);
        self.set_status(id, Status::Running);
        if self.memory(id).at == 0 {
            let answer = self.visit(children[0])?;
            self.memory(id).at = match answer {
                Status::Success => 1,
                Status::Failure if children.len() == 3 => 2,
                Status::Running | Status::Failure => return Ok(answer),
                _ => return Err("the condition of an IfThenElse was skipped".to_owned()),
            };
        }
        let branch = children[self.memory(id).at];
        match self.visit(branch)? {
            Status::Running => Ok(Status::Running),
            answer => self.finish(id, answer),
        }
    }

    fn while_do_else(&mut self, id: usize) -> Answer {
        let children = self.children(id);
        self.set_status(id, Status::Running);
        let (chosen, other) = match self.visit(children[0])? {
            Status::Running => return Ok(Status::Running),
            Status::Success => (Some(children[1]), children.get(2)),
            Status::Failure => (children.get(2).copied(), Some(&children[1])),
            _ => return Err("the condition of a WhileDoElse was skipped".to_owned()),
        };
        if let Some(&other) = other {
            self.reset(other)?;
        }
        match chosen.map_or(Ok(Status::Failure), |chosen| self.visit(chosen))? {
            Status::Running => Ok(Status::Running),
            answer => self.finish(id, answer),
        }
    }

    fn switch(&mut self, id: usize) -> Answer {
        let children = self.children(id);
        let chosen = self.chosen_case(id, children.len() - 1);
        if let Some(running) = self.memory(id).branch
            && running != chosen
        {
            self.reset(children[running])?;
        }
        let answer = self.visit(children[chosen])?;
        self.memory(id).branch = (answer == Status::Running).then_some(chosen);
        if answer.is_completed() { self.finish(id, answer) } else { Ok(answer) }
    }

    /// The first case that the variable equals, or the default behind them.
    fn chosen_case(&self, id: usize, cases: usize) -> usize {
        let Some(variable) = self.input(id, "variable") else { return cases };
        let is_equal = |at: &usize| {
            let case = self.input(id, &format!("case_{}", at + 1));
            case.is_some_and(|case| self.is_same_text(&text(&variable), &text(&case)))
        };
        (0..cases).find(is_equal).unwrap_or(cases)
    }

    fn is_same_text(&self, left: &str, right: &str) -> bool {
        let real = |text: &str| match self.enums.get(text) {
            Some(number) => Some(*number as f64),
            None => text.parse::<f64>().ok(),
        };
        let close = |left: f64, right: f64| (left - right).abs() <= TOLERANCE;
        left == right || real(left).zip(real(right)).is_some_and(|(left, right)| close(left, right))
    }

    fn try_catch(&mut self, id: usize) -> Answer {
        self.begin(id);
        let mut tried = self.children(id);
        let catch = tried.pop().ok_or("a TryCatch without children")?;
        while !self.memory(id).is_going {
            let Some(&child) = tried.get(self.memory(id).at) else {
                let all_skipped = self.memory(id).skipped == tried.len();
                return self.finish(id, if all_skipped { Status::Skipped } else { Status::Success });
            };
            match self.visit(child)? {
                Status::Running => return Ok(Status::Running),
                Status::Failure => {
                    self.reset_all(&tried)?;
                    self.memory(id).is_going = true;
                }
                answer => {
                    self.memory(id).at += 1;
                    self.memory(id).skipped += usize::from(answer == Status::Skipped);
                }
            }
        }
        match self.visit(catch)? {
            Status::Running => Ok(Status::Running),
            _ => self.finish(id, Status::Failure),
        }
    }

    /// A TryCatch that is halted while it tries may clean up: one visit of its last child.
    fn catch_the_halt(&mut self, id: usize) -> Result<(), Fault> {
        let is_trying = self.status(id) == Status::Running && !self.memory(id).is_going;
        if !is_trying || !self.flag_or(id, "catch_on_halt", false)? {
            return Ok(());
        }
        let mut tried = self.children(id);
        let catch = tried.pop().ok_or("a TryCatch without children")?;
        self.reset_all(&tried)?;
        // What this visit halts is told at its own end.
        let halts = std::mem::take(&mut self.halts);
        let answer = self.visit(catch);
        self.halts = halts;
        self.keep(answer.map(drop))?;
        self.reset(catch)
    }
}
