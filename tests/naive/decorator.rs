//! The decorators, each as its row in the table of the semantics says.

use helve::status::Status;
use helve::value::{Type, Value};

use super::Fault;
use super::board::converted;
use super::number::truth;
use super::port::pointer;
use super::world::World;

type Answer = Result<Status, Fault>;

impl World {
    pub(super) fn tick_decorator(&mut self, id: usize) -> Answer {
        let child = self.nodes[id].children[0];
        match self.kind(id) {
            "Inverter" => self.mapped(id, child, |answer| match answer {
                Status::Success => Status::Failure,
                _ => Status::Success,
            }),
            "ForceSuccess" => self.mapped(id, child, |_| Status::Success),
            "ForceFailure" => self.mapped(id, child, |_| Status::Failure),
            "SubTree" => self.mapped(id, child, |answer| answer),
            "RetryUntilSuccessful" => self.again_while(id, child, Status::Failure, "num_attempts"),
            "Repeat" => self.again_while(id, child, Status::Success, "num_cycles"),
            "KeepRunningUntilFailure" => self.keep_running(id, child),
            "RunOnce" => self.run_once(id, child),
            "Timeout" => self.timeout(id, child),
            "Delay" => self.delay(id, child),
            "Precondition" => self.precondition(id, child),
            "SkipUnlessUpdated" => self.if_updated(id, child, Status::Skipped),
            "WaitValueUpdate" => self.if_updated(id, child, Status::Running),
            kind if kind.starts_with("Loop") => self.next_of_queue(id, child),
            other => Err(format!("the naive reading has no {other}")),
        }
    }

    /// What a decorator forgets when it is halted; its child is reset afterwards.
    pub(super) fn forget_decorator(&mut self, id: usize) {
        let memory = self.memory(id);
        memory.count = 0;
        memory.is_going = false;
        memory.until = None;
    }

    /// The child's answer, changed once it is done.
    fn mapped(&mut self, id: usize, child: usize, change: fn(Status) -> Status) -> Answer {
        self.set_status(id, Status::Running);
        let answer = self.visit(child)?;
        if !answer.is_completed() {
            return Ok(answer);
        }
        self.reset(child)?;
        Ok(change(answer))
    }

    /// Visits the child again as long as it answers `again` and the bound allows.
    fn again_while(&mut self, id: usize, child: usize, again: Status, bound: &str) -> Answer {
        let mut most = self.int(id, bound)?;
        self.set_status(id, Status::Running);
        while most == -1 || self.memory(id).count < most {
            let was_idle = self.status(child) == Status::Idle;
            let answer = self.visit(child)?;
            if answer == Status::Skipped {
                // So that it can be skipped again; the count is kept.
                self.reset(child)?;
            }
            if !answer.is_completed() {
                return Ok(answer);
            }
            if answer != again {
                self.memory(id).count = 0;
                self.reset(child)?;
                return Ok(answer);
            }
            self.memory(id).count += 1;
            most = self.int(id, bound)?;
            self.reset(child)?;
            if was_idle && (most == -1 || self.memory(id).count < most) {
                self.is_awake = true;
                return Ok(Status::Running);
            }
        }
        self.memory(id).count = 0;
        Ok(again)
    }

    fn keep_running(&mut self, id: usize, child: usize) -> Answer {
        self.set_status(id, Status::Running);
        let answer = self.visit(child)?;
        if answer.is_completed() {
            self.reset(child)?;
        }
        Ok(if answer == Status::Failure { answer } else { Status::Running })
    }

    fn run_once(&mut self, id: usize, child: usize) -> Answer {
        let skips = self.flag_or(id, "then_skip", true)?;
        if let Some(answered) = self.memory(id).answered {
            return Ok(if skips { Status::Skipped } else { answered });
        }
        self.set_status(id, Status::Running);
        let answer = self.visit(child)?;
        if answer.is_completed() {
            self.memory(id).answered = Some(answer);
            self.reset(child)?;
        }
        Ok(answer)
    }

    fn timeout(&mut self, id: usize, child: usize) -> Answer {
        let bound = self.int(id, "msec")? as u64;
        if std::mem::take(&mut self.memory(id).is_going) {
            return Ok(Status::Failure);
        }
        self.set_status(id, Status::Running);
        if self.memory(id).until.is_none() && bound > 0 {
            self.memory(id).until = Some(self.now + bound);
        }
        let answer = self.visit(child)?;
        if answer != Status::Running {
            // After a skip too: the time begins anew with the next visit.
            self.memory(id).until = None;
        }
        if answer.is_completed() {
            self.reset(child)?;
        }
        Ok(answer)
    }

    /// The time of a Timeout is over.
    pub(super) fn time_out(&mut self, id: usize) -> Result<(), Fault> {
        let child = self.nodes[id].children[0];
        self.memory(id).until = None;
        if self.status(child) == Status::Running {
            self.memory(id).is_going = true;
            self.is_awake = true;
            self.reset(child)?;
        }
        Ok(())
    }

    fn delay(&mut self, id: usize, child: usize) -> Answer {
        let bound = self.int(id, "delay_msec")? as u64;
        self.set_status(id, Status::Running);
        let Some(until) = self.memory(id).until else {
            self.memory(id).until = Some(self.now + bound);
            return Ok(Status::Running);
        };
        if self.now < until {
            return Ok(Status::Running);
        }
        let answer = self.visit(child)?;
        if answer.is_completed() {
            self.memory(id).until = None;
            self.reset(child)?;
        }
        Ok(answer)
    }

    fn precondition(&mut self, id: usize, child: usize) -> Answer {
        let script = self.text(id, "if")?;
        let otherwise = self.status_or(id, "else", Status::Failure)?;
        if !self.memory(id).is_going {
            let value = self.script(id, &script)?.ok_or("a condition without a value")?;
            if !truth(&value)? {
                return Ok(otherwise);
            }
        }
        self.memory(id).is_going = true;
        let answer = self.visit(child)?;
        if answer.is_completed() {
            self.memory(id).is_going = false;
            self.reset(child)?;
        }
        Ok(answer)
    }

    /// Gives the child the next item; the queue is read anew at every start.
    fn next_of_queue(&mut self, id: usize, child: usize) -> Answer {
        let ty = match self.kind(id) {
            "LoopInt" => Type::Int,
            "LoopDouble" => Type::Real,
            "LoopBool" => Type::Bool,
            _ => Type::Text,
        };
        if self.status(id) == Status::Idle {
            let Some(Value::Text(queue)) = self.input(id, "queue") else {
                return Err("a queue that is no text".to_owned());
            };
            let items = queue.rsplit(';').filter(|item| !item.is_empty());
            self.memory(id).queue =
                items.map(|item| converted(Value::text(item), ty)).collect::<Result<_, _>>()?;
            self.memory(id).is_going = false;
        }
        if !self.memory(id).is_going {
            let Some(item) = self.memory(id).queue.pop() else {
                return self.status_or(id, "if_empty", Status::Success);
            };
            self.output(id, "value", ty, item)?;
        }
        self.set_status(id, Status::Running);
        let answer = self.visit(child)?;
        self.memory(id).is_going = answer == Status::Running;
        if answer.is_completed() {
            self.reset(child)?;
        }
        Ok(if answer == Status::Failure { answer } else { Status::Running })
    }

    /// Visits the child when its key was written since this node last looked.
    fn if_updated(&mut self, id: usize, child: usize, otherwise: Status) -> Answer {
        if !self.memory(id).is_going && !self.was_updated(id) {
            return Ok(otherwise);
        }
        let answer = self.visit(child)?;
        self.memory(id).is_going = answer == Status::Running;
        Ok(answer)
    }

    /// Whether the key of the port `entry`, `{k}` or `k`, was written since this node last asked.
    pub(super) fn was_updated(&mut self, id: usize) -> bool {
        let Some(attribute) = self.attribute(id, "entry") else { return false };
        let key = pointer("entry", &attribute).unwrap_or(attribute);
        let Some(entry) = self.board.entry(self.nodes[id].scope, &key) else { return false };
        let seq = entry.seq;
        std::mem::replace(&mut self.memory(id).seen, seq) != seq
    }
}
