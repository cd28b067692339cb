//! Who is admitted next: agents with so many places each, and those who wait, by priority and age.
//!
//! Each who waits has a *rank*: the count of admissions at its arrival, plus
//! [`SERVICE_AGING_ADMISSIONS`] for each step that its priority is below the highest. The lowest rank
//! is admitted first, and of two the one that came first. A rank never changes, so age needs no clock
//! and no sweep: it is the count of admissions that goes on for those who come later.
//!
//! **Nobody starves.** Once [`overtaken_max`] admissions were made, whoever arrives has a higher rank.
//! Before one who waits go at most those who overtook it and those who were in line already: it is
//! among the first `overtaken_max(priority) + queue_max` who are admitted while its agent has a place
//! free. `tests/service/fairness.rs` holds that.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::limits::{SERVICE_AGING_ADMISSIONS, SERVICE_PRIORITY_MAX};

/// How many admissions after the arrival of one who waits with this priority nobody who arrives is
/// admitted before it any more.
pub fn overtaken_max(priority: u8) -> u64 {
    u64::from(SERVICE_PRIORITY_MAX.saturating_sub(priority)) * SERVICE_AGING_ADMISSIONS
}

/// How many there are of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineBounds {
    /// Places of one agent.
    pub agent_calls_max: usize,
    /// Places of all agents together.
    pub calls_max: usize,
    /// Who may wait, of one agent.
    pub agent_queue_max: usize,
    /// Who may wait, of all agents together.
    pub queue_max: usize,
}

/// The line. It knows no time and wakes nobody.
#[derive(Debug)]
pub struct Line<W> {
    bounds: LineBounds,
    /// The agents who have somebody inside or in line.
    lanes: HashMap<Arc<str>, Lane<W>>,
    inside: usize,
    waiting: usize,
    /// Admissions so far.
    admitted: u64,
    /// Arrivals so far.
    arrived: u64,
}

#[derive(Debug)]
struct Lane<W> {
    inside: usize,
    waiting: BTreeMap<Rank, W>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    merit: u64,
    arrival: u64,
}

/// Where somebody waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    agent: Arc<str>,
    rank: Rank,
}

/// Why nobody more may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueFull {
    /// So many of the agent wait.
    Agent(usize),
    /// So many of all agents wait.
    All(usize),
}

impl<W> Line<W> {
    /// Nobody inside and nobody in line.
    pub fn new(bounds: LineBounds) -> Self {
        Self { bounds, lanes: HashMap::new(), inside: 0, waiting: 0, admitted: 0, arrived: 0 }
    }

    /// How many are inside.
    pub fn inside(&self) -> usize {
        self.inside
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// How many of this agent are inside.
    pub fn inside_of(&self, agent: &str) -> usize {
        self.lanes.get(agent).map_or(0, |lane| lane.inside)
    }

    /// Takes a place for `agent`, when there is one. Whoever could be admitted from the line has been,
    /// so this overtakes nobody.
    pub fn enter(&mut self, agent: &Arc<str>) -> bool {
        if self.inside >= self.bounds.calls_max || self.inside_of(agent) >= self.bounds.agent_calls_max {
            return false;
        }
        self.lane(agent).inside += 1;
        self.count_admission();
        true
    }

    /// Waits in line.
    ///
    /// # Errors
    /// When too many wait already.
    pub fn wait(&mut self, agent: &Arc<str>, priority: u8, who: W) -> Result<Place, QueueFull> {
        let of_agent = self.lanes.get(agent).map_or(0, |lane| lane.waiting.len());
        if of_agent >= self.bounds.agent_queue_max {
            return Err(QueueFull::Agent(of_agent));
        }
        if self.waiting >= self.bounds.queue_max {
            return Err(QueueFull::All(self.waiting));
        }
        self.arrived += 1;
        let rank = Rank { merit: self.admitted + overtaken_max(priority), arrival: self.arrived };
        self.lane(agent).waiting.insert(rank, who);
        self.waiting += 1;
        Ok(Place { agent: agent.clone(), rank })
    }

    /// Leaves the line; `None` for one who was admitted already.
    pub fn leave(&mut self, place: &Place) -> Option<W> {
        let who = self.lanes.get_mut(&place.agent)?.waiting.remove(&place.rank)?;
        self.waiting -= 1;
        self.sweep(&place.agent);
        Some(who)
    }

    /// Gives a place of `agent` back.
    pub fn release(&mut self, agent: &Arc<str>) {
        if let Some(lane) = self.lanes.get_mut(agent).filter(|lane| lane.inside > 0) {
            lane.inside -= 1;
            self.inside -= 1;
            self.sweep(agent);
        }
    }

    /// Admits the next one; `None` while nobody can be.
    pub fn admit(&mut self) -> Option<(Arc<str>, W)> {
        if self.inside >= self.bounds.calls_max || self.waiting == 0 {
            return None;
        }
        let free = self.lanes.iter_mut().filter(|(_, lane)| lane.inside < self.bounds.agent_calls_max);
        let heads = free.filter_map(|(agent, lane)| Some((*lane.waiting.first_key_value()?.0, agent, lane)));
        let (rank, agent, lane) = heads.min_by_key(|(rank, ..)| *rank)?;
        let who = lane.waiting.remove(&rank)?;
        lane.inside += 1;
        let agent = agent.clone();
        self.waiting -= 1;
        self.count_admission();
        Some((agent, who))
    }

    fn lane(&mut self, agent: &Arc<str>) -> &mut Lane<W> {
        self.lanes.entry(agent.clone()).or_insert_with(|| Lane { inside: 0, waiting: BTreeMap::new() })
    }

    fn count_admission(&mut self) {
        self.inside += 1;
        self.admitted += 1;
    }

    /// An agent that has nobody inside and nobody in line is forgotten.
    fn sweep(&mut self, agent: &Arc<str>) {
        if self.lanes.get(agent).is_some_and(|lane| lane.inside == 0 && lane.waiting.is_empty()) {
            self.lanes.remove(agent);
        }
    }
}
