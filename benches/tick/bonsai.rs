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
}

/// The tree with its initial state. One that has ended must be reset before the next tick.
pub fn build(shape: &Shape) -> Tick {
    let board = HashMap::from([("k0".to_owned(), 0_i64)]);
    let mut tree = BT::new(behavior(shape), board);
    let event: Event = UpdateArgs { dt: 0.0 }.into();
    Box::new(move || {
        if tree.is_finished() {
            tree.reset_bt();
        }
        let answer = tree.tick(&event, &mut perform);
        assert!(answer.is_some_and(|(status, _)| status != Status::Failure));
    })
}

fn perform(args: ActionArgs<'_, Event, Deed>, board: &mut HashMap<String, i64>) -> (Status, f64) {
    match args.action {
        Deed::Succ => (Status::Success, args.dt),
        Deed::Fail => (Status::Failure, args.dt),
        Deed::Run => RUNNING,
        Deed::Inc(from, to) => {
            let Some(&int) = board.get(from) else { return (Status::Failure, args.dt) };
            match board.get_mut(to) {
                Some(value) => *value = int + 1,
                None => drop(board.insert(to.clone(), int + 1)),
            }
            (Status::Success, args.dt)
        }
    }
}

fn behavior(shape: &Shape) -> Behavior<Deed> {
    let all = |children: &[Shape]| children.iter().map(behavior).collect();
    match shape {
        Shape::Sequence(children) => Sequence(all(children)),
        Shape::Fallback(children) => Select(all(children)),
        Shape::ReactiveSequence(children) => Sequence(all(children)).memory(false),
        Shape::Succ | Shape::Cond => Action(Deed::Succ),
        Shape::Fail => Action(Deed::Fail),
        Shape::Run => Action(Deed::Run),
        Shape::Inc(n) => Action(Deed::Inc(format!("k{n}"), format!("k{}", n + 1))),
    }
}
