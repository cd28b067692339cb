//! bonsai-bt.

use std::collections::HashMap;

use bonsai_bt::{Action, ActionArgs, BT, Behavior, Event, RUNNING, Select, Sequence, Status, UpdateArgs};

use crate::Tick;
use crate::shape::Shape;

/// What its one callback is told to do.
#[derive(Clone, Debug)]
enum Deed {
    Succ,
    Fail,
    Run,
    Inc(String, String),
    Copy(String, String),
}

/// What stands on its board.
#[derive(Clone, Debug)]
enum Datum {
    Int(i64),
    Text(String),
}

type Board = HashMap<String, Datum>;

/// The tree with its initial state. One that has ended must be reset before the next tick. `None`
/// when the shape has a leaf that this peer has no counterpart of.
pub fn tick(shape: &Shape) -> Option<Tick> {
    let board =
        HashMap::from([("k0".to_owned(), Datum::Int(0)), ("s0".to_owned(), Datum::Text("x".repeat(10_000)))]);
    let mut tree = BT::new(behavior(shape)?, board);
    let event: Event = UpdateArgs { dt: 0.0 }.into();
    Some(Box::new(move || {
        if tree.is_finished() {
            tree.reset_bt();
        }
        let answer = tree.tick(&event, &mut perform);
        assert!(answer.is_some_and(|(status, _)| status != Status::Failure));
    }))
}

/// Waits for all timers at once, asking as often as it can; answers how long that took.
pub fn poll_timers(count: usize, seconds: f64, elapsed: impl Fn() -> f64) -> f64 {
    let timers = vec![Behavior::<Deed>::Wait(seconds); count];
    let mut tree = BT::new(Behavior::WhenAll(timers), Board::new());
    let mut before = 0.0;
    loop {
        let now = elapsed();
        let event: Event = UpdateArgs { dt: now - before }.into();
        before = now;
        match tree.tick(&event, &mut perform) {
            Some((Status::Running, _)) => {}
            _ => return elapsed(),
        }
    }
}

fn perform(args: ActionArgs<'_, Event, Deed>, board: &mut Board) -> (Status, f64) {
    let (to, datum) = match args.action {
        Deed::Succ => return (Status::Success, args.dt),
        Deed::Fail => return (Status::Failure, args.dt),
        Deed::Run => return RUNNING,
        Deed::Inc(from, to) => match board.get(from) {
            Some(Datum::Int(int)) => (to, Datum::Int(int + 1)),
            _ => return (Status::Failure, args.dt),
        },
        Deed::Copy(from, to) => match board.get(from) {
            Some(Datum::Text(text)) => (to, Datum::Text(text.clone())),
            _ => return (Status::Failure, args.dt),
        },
    };
    match board.get_mut(to) {
        Some(value) => *value = datum,
        None => drop(board.insert(to.clone(), datum)),
    }
    (Status::Success, args.dt)
}

fn behavior(shape: &Shape) -> Option<Behavior<Deed>> {
    let all = |children: &[Shape]| children.iter().map(behavior).collect::<Option<Vec<_>>>();
    Some(match shape {
        Shape::Sequence(children) => Sequence(all(children)?),
        Shape::Fallback(children) => Select(all(children)?),
        Shape::ReactiveSequence(children) => Sequence(all(children)?).memory(false),
        Shape::Succ | Shape::Cond => Action(Deed::Succ),
        Shape::Fail => Action(Deed::Fail),
        Shape::Run => Action(Deed::Run),
        Shape::Inc(from, to) => Action(Deed::Inc(format!("k{from}"), format!("k{to}"))),
        Shape::CopyText(n) => Action(Deed::Copy(format!("s{n}"), format!("s{}", n + 1))),
        _ => return None,
    })
}
