//! Which tree uses which: circles, and trees that nothing uses.

use std::sync::Arc;

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::Dfs;

/// One use of a tree in another, by their places in the list of definitions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub user: usize,
    pub used: usize,
    /// Place of the SubTree element in the user's list of nodes.
    pub node: usize,
}

/// The graph of uses.
pub(super) struct SubtreeGraph {
    graph: DiGraph<(), usize>,
}

impl SubtreeGraph {
    pub fn new(trees: usize, uses: &[Use]) -> Self {
        let mut graph = DiGraph::with_capacity(trees, uses.len());
        for _ in 0..trees {
            graph.add_node(());
        }
        for it in uses {
            graph.add_edge(NodeIndex::new(it.user), NodeIndex::new(it.used), it.node);
        }
        Self { graph }
    }

    /// Whether each tree is used by `main`, directly or not; `main` itself is.
    pub fn used_from(&self, main: usize) -> Vec<bool> {
        let mut used = vec![false; self.graph.node_count()];
        let mut walk = Dfs::new(&self.graph, NodeIndex::new(main));
        while let Some(tree) = walk.next(&self.graph) {
            used[tree.index()] = true;
        }
        used
    }

    /// Every circle, once and by the place of its first tree: the uses that close it, in order.
    /// Strongly connected trees are one knot, and one circle through a knot is enough to name it.
    pub fn circles(&self) -> Vec<Vec<Use>> {
        let mut knots = tarjan_scc(&self.graph);
        knots.retain(|knot| knot.len() > 1 || self.graph.contains_edge(knot[0], knot[0]));
        knots.iter_mut().for_each(|knot| knot.sort_unstable());
        knots.sort_unstable();
        knots.iter().filter_map(|knot| self.circle_from(knot[0], knot)).collect()
    }

    /// The shortest way from `start` back to itself inside its knot, breadth first.
    fn circle_from(&self, start: NodeIndex, knot: &[NodeIndex]) -> Option<Vec<Use>> {
        let mut came: Vec<Option<Use>> = vec![None; self.graph.node_count()];
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(user) = queue.pop_front() {
            let mut uses: Vec<_> = self.graph.edges(user).collect();
            uses.reverse();
            for edge in uses {
                let used = petgraph::visit::EdgeRef::target(&edge);
                let step = Use { user: user.index(), used: used.index(), node: *edge.weight() };
                if used == start {
                    return Some(way_back(step, start.index(), &came));
                }
                if knot.binary_search(&used).is_ok() && came[used.index()].is_none() {
                    came[used.index()] = Some(step);
                    queue.push_back(used);
                }
            }
        }
        None
    }
}

fn way_back(last: Use, start: usize, came: &[Option<Use>]) -> Vec<Use> {
    let mut way = vec![last];
    let mut at = last.user;
    while at != start {
        let Some(step) = came[at] else { break };
        way.push(step);
        at = step.user;
    }
    way.reverse();
    way
}

/// `A -> B -> A`
pub(super) fn circle_text(circle: &[Use], ids: &[Arc<str>]) -> String {
    let mut names: Vec<&str> = circle.iter().map(|step| &*ids[step.user]).collect();
    names.extend(circle.last().map(|step| &*ids[step.used]));
    names.join(" -> ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(uses: &[(usize, usize)], circles: &[&str], used: &[bool]) {
        let ids: Vec<Arc<str>> = ["A", "B", "C", "D"].map(Arc::from).to_vec();
        let uses: Vec<_> = uses.iter().map(|&(user, used)| Use { user, used, node: 0 }).collect();
        let graph = SubtreeGraph::new(4, &uses);
        let texts: Vec<_> = graph.circles().iter().map(|circle| circle_text(circle, &ids)).collect();
        assert_eq!(texts, circles);
        assert_eq!(graph.used_from(0), used);
    }

    #[test]
    fn circles_are_named_and_unused_trees_found() {
        check(&[(0, 1), (0, 1), (1, 2)], &[], &[true, true, true, false]);
        check(&[(0, 0)], &["A -> A"], &[true, false, false, false]);
        check(&[(0, 1), (1, 2), (2, 1)], &["B -> C -> B"], &[true, true, true, false]);
        check(
            &[(0, 1), (1, 0), (2, 3), (3, 2)],
            &["A -> B -> A", "C -> D -> C"],
            &[true, true, false, false],
        );
    }
}
