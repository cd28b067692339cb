//! The line, played by hand: whoever waits is admitted within the bound, whatever the others do.

use std::collections::HashMap;
use std::sync::Arc;

use helve::service::line::{Line, LineBounds, Place, overtaken_max};
use proptest::prelude::*;

const AGENTS: usize = 3;
const BOUNDS: LineBounds = LineBounds { agent_calls_max: 2, calls_max: 4, agent_queue_max: 6, queue_max: 12 };

#[derive(Clone, Debug)]
enum Move {
    Arrive { agent: usize, priority: u8 },
    End { agent: usize },
    GiveUp { whom: usize },
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let arrive = (0..AGENTS, 1..=10_u8).prop_map(|(agent, priority)| Move::Arrive { agent, priority });
    // A flood: arrivals outnumber endings, and most of them are urgent.
    let flood = (0..AGENTS).prop_map(|agent| Move::Arrive { agent, priority: 10 });
    let end = (0..AGENTS).prop_map(|agent| Move::End { agent });
    let give_up = (0..20_usize).prop_map(|whom| Move::GiveUp { whom });
    prop::collection::vec(prop_oneof![3 => arrive, 4 => flood, 6 => end, 1 => give_up], 1..600)
}

/// One who waits, and how many were admitted since, while its own agent had a place free.
struct Waiter {
    agent: usize,
    priority: u8,
    passed: u64,
    place: Place,
}

#[derive(Default)]
struct Hall {
    inside: [usize; AGENTS],
    waiting: HashMap<u64, Waiter>,
    longest: u64,
}

impl Hall {
    /// Somebody was admitted: whoever could have been instead was passed.
    fn admitted(&mut self) {
        for waiter in self.waiting.values_mut().filter(|it| self.inside[it.agent] < BOUNDS.agent_calls_max) {
            waiter.passed += 1;
            self.longest = self.longest.max(waiter.passed);
            let bound = overtaken_max(waiter.priority) + BOUNDS.queue_max as u64;
            assert!(
                waiter.passed <= bound,
                "priority {} was passed {} times",
                waiter.priority,
                waiter.passed
            );
        }
    }
}

fn play(moves: &[Move]) -> Hall {
    let names: Vec<Arc<str>> = (0..AGENTS).map(|agent| format!("agent-{agent}").into()).collect();
    let (mut line, mut hall, mut next) = (Line::new(BOUNDS), Hall::default(), 0_u64);
    for step in moves {
        match *step {
            Move::Arrive { agent, priority } => {
                next += 1;
                if line.enter(&names[agent]) {
                    hall.admitted();
                    hall.inside[agent] += 1;
                } else if let Ok(place) = line.wait(&names[agent], priority, next) {
                    hall.waiting.insert(next, Waiter { agent, priority, passed: 0, place });
                }
            }
            Move::End { agent } if hall.inside[agent] > 0 => {
                line.release(&names[agent]);
                hall.inside[agent] -= 1;
            }
            Move::GiveUp { whom } => {
                let mut all: Vec<u64> = hall.waiting.keys().copied().collect();
                all.sort_unstable();
                if let Some(who) = all.get(whom) {
                    let waiter = hall.waiting.remove(who).unwrap();
                    assert_eq!(line.leave(&waiter.place), Some(*who));
                    assert_eq!(line.leave(&waiter.place), None);
                }
            }
            Move::End { .. } => {}
        }
        while let Some((agent, who)) = line.admit() {
            let waiter = hall.waiting.remove(&who).expect("who is admitted was waiting");
            assert_eq!(agent, names[waiter.agent]);
            hall.admitted();
            hall.inside[waiter.agent] += 1;
        }
        let inside: usize = hall.inside.iter().sum();
        assert_eq!((line.inside(), line.waiting()), (inside, hall.waiting.len()));
        assert!(inside <= BOUNDS.calls_max && hall.waiting.len() <= BOUNDS.queue_max);
        assert!(hall.inside.iter().all(|&inside| inside <= BOUNDS.agent_calls_max));
        for waiter in hall.waiting.values() {
            let is_free = inside < BOUNDS.calls_max && hall.inside[waiter.agent] < BOUNDS.agent_calls_max;
            assert!(!is_free, "nobody waits before a free place");
        }
    }
    hall
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn c05_nobody_is_passed_more_often_than_the_bound_says(moves in moves()) {
        play(&moves);
    }
}

#[test]
fn c05_a_flood_of_the_highest_comes_near_the_bound_and_not_above() {
    let arrive = |priority| Move::Arrive { agent: 0, priority };
    let mut moves = vec![arrive(10), arrive(10), arrive(1)];
    for _ in 0..200 {
        moves.extend([arrive(10), arrive(10), Move::End { agent: 0 }]);
    }
    let hall = play(&moves);
    assert!(hall.longest <= overtaken_max(1) + BOUNDS.queue_max as u64);
    assert!(!hall.waiting.values().any(|waiter| waiter.priority == 1), "it has been admitted");
}
