//! The loop: one closed list of what can wake it.

use std::sync::Arc;

use tokio::sync::mpsc;

use crate::engine::{Command, Engine, Input, Told};
use crate::exec::{BoundedExecutor, Turn};
use crate::limits::CONTROL_BACKLOG_MAX;
use crate::moment::{Clock, Moment};
use crate::run::bus::{Bus, RunEvent};
use crate::run::calls::Calls;
use crate::run::handle::Control;
use crate::run::overheard::Overheard;
use crate::run::report::Collector;
use crate::run::{Observer, RunClock, RunHandle, RunReport};

/// Everything that drives one run.
pub(super) struct Driver {
    engine: Engine,
    observers: Vec<Box<dyn Observer>>,
    clock: RunClock,
    bus: Bus,
    overheard: Overheard,
    control: mpsc::Receiver<Control>,
    /// Whether somebody still holds the handle.
    is_held: bool,
    calls: Calls,
    collector: Collector,
}

/// Every reason to wake.
enum Wake {
    Outcomes(Input),
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
        let calls = Calls::new(executor.with_notices(Arc::new(overheard.clone())), turn);
        let driver = Self {
            engine,
            observers,
            clock: RunClock::start(),
            bus: bus.clone(),
            overheard,
            control,
            is_held: true,
            calls,
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
            // Tools that never wait would keep the thread for as long as the tree calls them.
            tokio::task::consume_budget().await;
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
            Some(came) = self.calls.next() => Wake::Outcomes(came),
            () = sleep(clock, deadline) => Wake::Deadline,
        }
    }

    fn handle_wake(&mut self, wake: Wake) {
        match wake {
            Wake::Outcomes(came) => {
                self.tell_permissions();
                self.handle(came);
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
        // Most of what happens is visits, and for nobody they would only be collected and dropped.
        let is_watched = !self.observers.is_empty() || self.bus.is_watched();
        self.engine.tell(if is_watched { Told::All } else { Told::Reported });
        self.engine.handle(now, input);
        self.publish();
        while let Some(command) = self.engine.poll_command() {
            match command {
                Command::Start(call) => self.calls.start(call),
                Command::Stop(call) => self.calls.stop(call),
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
}

async fn sleep(clock: RunClock, deadline: Option<Moment>) {
    match deadline {
        Some(moment) => clock.sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
