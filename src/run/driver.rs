//! The loop: one closed list of what can wake it.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::task::{Id as TaskId, JoinError, JoinSet};

use crate::call::Call;
use crate::engine::{Command, Engine, Input};
use crate::exec::{BoundedExecutor, Turn};
use crate::id::CallId;
use crate::limits::CONTROL_BACKLOG_MAX;
use crate::moment::{Clock, Moment};
use crate::outcome::{ErrorCategory, Outcome, ToolFailure};
use crate::run::bus::{Bus, RunEvent};
use crate::run::handle::Control;
use crate::run::overheard::Overheard;
use crate::run::report::Collector;
use crate::run::{Observer, RunClock, RunHandle, RunReport};
use crate::tool::CancelToken;

/// Everything that drives one run.
pub(super) struct Driver {
    engine: Engine,
    executor: BoundedExecutor,
    turn: Turn,
    observers: Vec<Box<dyn Observer>>,
    clock: RunClock,
    bus: Bus,
    overheard: Overheard,
    control: mpsc::Receiver<Control>,
    /// Whether somebody still holds the handle.
    is_held: bool,
    calls: JoinSet<Outcome>,
    /// What runs in each task, so that a task that dies still leaves its call an outcome.
    running: HashMap<TaskId, Arc<Call>>,
    tokens: HashMap<CallId, CancelToken>,
    collector: Collector,
}

/// Every reason to wake.
enum Wake {
    Outcome(Outcome),
    Deadline,
    Control(Option<Control>),
}

impl Driver {
    pub fn spawn(
        engine: Engine,
        executor: BoundedExecutor,
        turn: Turn,
        observers: Vec<Box<dyn Observer>>,
    ) -> RunHandle {
        let (sender, control) = mpsc::channel(CONTROL_BACKLOG_MAX);
        let bus = Bus::default();
        let overheard = Overheard::new(bus.clone());
        let driver = Self {
            engine,
            executor: executor.with_notices(Arc::new(overheard.clone())),
            turn,
            observers,
            clock: RunClock::start(),
            bus: bus.clone(),
            overheard,
            control,
            is_held: true,
            calls: JoinSet::new(),
            running: HashMap::new(),
            tokens: HashMap::new(),
            collector: Collector::default(),
        };
        RunHandle { control: sender, bus, driver: tokio::spawn(driver.run()) }
    }

    async fn run(mut self) -> RunReport {
        // What was set before the start comes first, then the first tick.
        self.publish();
        self.handle(Input::Tick);
        while !self.engine.is_finished() {
            let wake = self.wait().await;
            self.handle_wake(wake);
        }
        for observer in &mut self.observers {
            observer.did_end(&self.engine);
        }
        self.bus.end();
        self.collector.report(&self.engine, self.clock.now() - Moment::ZERO)
    }

    async fn wait(&mut self) -> Wake {
        let deadline = self.engine.next_deadline();
        let clock = self.clock;
        tokio::select! {
            // In this order: a command from outside is not starved by a busy tree, nor an outcome
            // by a timer that is always due.
            biased;
            control = self.control.recv(), if self.is_held => Wake::Control(control),
            Some(ended) = self.calls.join_next_with_id() => Wake::Outcome(self.ended(ended)),
            () = sleep(clock, deadline) => Wake::Deadline,
        }
    }

    fn handle_wake(&mut self, wake: Wake) {
        match wake {
            Wake::Outcome(outcome) => {
                self.tokens.remove(&outcome.call_id());
                self.tell_permissions();
                self.handle(Input::Outcome(Arc::new(outcome)));
            }
            Wake::Deadline => self.handle(Input::Deadline),
            Wake::Control(Some(Control::Set { key, value, answer })) => {
                // A write that is refused is no input: it changed nothing.
                let accepted = self.engine.accepts(&key, value.as_ref());
                if accepted.is_ok() {
                    self.handle(Input::Write { key, value });
                }
                let _ = answer.send(accepted);
            }
            Wake::Control(Some(Control::Halt)) => self.handle(Input::Halt),
            // The handle was dropped: nobody waits for the run any more.
            Wake::Control(None) => {
                self.is_held = false;
                self.handle(Input::Halt);
            }
        }
    }

    fn handle(&mut self, input: Input) {
        let now = self.clock.now();
        for observer in &mut self.observers {
            observer.will_handle(now, &input);
        }
        self.engine.handle(now, input);
        self.publish();
        while let Some(command) = self.engine.poll_command() {
            match command {
                Command::Start(call) => self.start(call),
                Command::Stop(call) => {
                    if let Some(token) = self.tokens.get(&call) {
                        token.cancel();
                    }
                }
            }
        }
    }

    /// Tells the observers who was permitted what, ahead of the outcome that it led to.
    fn tell_permissions(&mut self) {
        let now = self.clock.now();
        for (call, notice) in self.overheard.take() {
            for observer in &mut self.observers {
                observer.did_permit(now, call, &notice);
            }
        }
    }

    /// Tells the events to everyone, those who must not miss any first.
    fn publish(&mut self) {
        while let Some(event) = self.engine.poll_event() {
            for observer in &mut self.observers {
                observer.did_happen(&event);
            }
            self.collector.take(&event);
            if self.bus.is_watched() {
                self.bus.send(RunEvent::Engine(Arc::new(event)));
            }
        }
        for observer in &mut self.observers {
            observer.settled();
        }
    }

    fn start(&mut self, call: Arc<Call>) {
        let token = CancelToken::new();
        self.tokens.insert(call.id, token.clone());
        let (executor, turn, started) = (self.executor.clone(), self.turn.clone(), call.clone());
        let task = self.calls.spawn(async move { executor.execute(started, &turn, token).await });
        self.running.insert(task.id(), call);
    }

    /// The outcome of a task that ended. The executor never panics outward; should its task die
    /// all the same, the call still leaves its one outcome.
    fn ended(&mut self, ended: Result<(TaskId, Outcome), JoinError>) -> Outcome {
        match ended {
            Ok((task, outcome)) => {
                self.running.remove(&task);
                outcome
            }
            Err(fault) => {
                let call = self.running.remove(&fault.id());
                let name = call.as_ref().map_or_else(|| "".into(), |call| call.tool.clone());
                Outcome::ToolFailure(ToolFailure {
                    call_id: call.map_or(CallId(0), |call| call.id),
                    tool_name: name,
                    error: format!("the executor's task died: {fault}"),
                    category: ErrorCategory::Runtime,
                    suggestion: None,
                    retryable: false,
                    elapsed_ms: 0,
                })
            }
        }
    }
}

async fn sleep(clock: RunClock, deadline: Option<Moment>) {
    match deadline {
        Some(moment) => clock.sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
