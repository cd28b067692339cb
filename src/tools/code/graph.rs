//! Who names whose definitions, and which definitions matter for it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

use crate::tool::{CallContext, ToolError};
use crate::tools::code::grammar::Family;
use crate::tools::code::kind::{ReferenceKind, is_type};
use crate::tools::code::rank::{is_aside, is_exported, is_test};
use crate::tools::code::tags::{Definition, FileTags};

/// The share of rank that follows references; the rest is spread evenly.
const DAMPING: f64 = 0.85;
/// Rounds of the rank. The ranks of repositories settle to three digits in about twenty.
const ROUNDS: usize = 24;
/// A name that more files define than this (`new`, `fmt`, `main`) says nothing about any of them.
/// It also keeps the graph sparse.
const DEFINERS_MAX: usize = 16;

/// A parsed file.
pub struct MapFile {
    /// The path relative to the root.
    pub path: Arc<str>,
    /// The languages that share its names.
    pub family: Family,
    /// Its tags.
    pub tags: Arc<FileTags>,
}

/// A definition and how much it matters.
pub struct Ranked<'a> {
    /// Index of the file.
    pub file: usize,
    /// The definition.
    pub definition: &'a Definition,
    /// Its part of the rank that goes round in the graph.
    pub rank: f64,
}

/// The edge that one name makes from a file that uses it to a file that defines it.
struct Use<'a> {
    name: &'a str,
    weight: f64,
}

type References<'a> = DiGraph<(), Use<'a>>;
type Definers<'a> = HashMap<(Family, &'a str), Vec<usize>>;

/// All definitions that belong on a map, those that matter most first.
///
/// Files are ranked by who refers to them (as in PageRank), then each file's rank flows along its
/// references once more, to the definitions. petgraph's own `page_rank` was not taken: it knows no
/// weights and takes time quadratic in the number of files.
///
/// # Errors
/// Cancellation.
pub fn rank<'a>(files: &'a [MapFile], cx: &CallContext) -> Result<Vec<Ranked<'a>>, ToolError> {
    let graph = graph(files, cx)?;
    let flow = Flow::new(&graph);
    let ranks = flow.settle(cx)?;
    let mut shares: HashMap<(usize, &str), f64> = HashMap::new();
    for edge in graph.edge_references() {
        let share = flow.along(edge.source(), edge.weight(), &ranks);
        *shares.entry((edge.target().index(), edge.weight().name)).or_default() += share;
    }
    let mut ranked: Vec<_> =
        files.iter().enumerate().flat_map(|(at, file)| definitions(at, file, &shares)).collect();
    ranked.sort_by(|a, b| {
        let place = |each: &Ranked<'_>| (each.file, each.definition.line, each.definition.column);
        b.rank.total_cmp(&a.rank).then_with(|| place(a).cmp(&place(b)))
    });
    Ok(ranked)
}

/// Whether a definition may be on a map at all.
pub fn is_mapped(definition: &Definition) -> bool {
    !matches!(definition.kind, "field" | "variant" | "module")
        && !definition.is_declaration
        && !is_test(definition)
}

/// The definitions of a file with their ranks. Namesakes in one file share what their name got.
fn definitions<'a>(
    at: usize,
    file: &'a MapFile,
    shares: &HashMap<(usize, &str), f64>,
) -> impl Iterator<Item = Ranked<'a>> {
    let mut namesakes: HashMap<&str, f64> = HashMap::new();
    for definition in file.tags.definitions.iter().filter(|definition| is_mapped(definition)) {
        *namesakes.entry(&definition.name).or_default() += 1.0;
    }
    let aside = if is_aside(&file.path) { 0.1 } else { 1.0 };
    let ranked = file.tags.definitions.iter().filter(|definition| is_mapped(definition)).map(|definition| {
        let name = &*definition.name;
        let share =
            shares.get(&(at, name)).copied().unwrap_or(1e-9) / namesakes.get(name).copied().unwrap_or(1.0);
        Ranked { file: at, definition, rank: share * aside * merit(definition) }
    });
    ranked.collect::<Vec<_>>().into_iter()
}

/// How much a definition tells about a repository, by what it is.
fn merit(definition: &Definition) -> f64 {
    let kind = match definition.kind {
        kind if is_type(kind) => 2.0,
        "function" | "macro" => 1.0,
        "method" => 0.7,
        _ => 0.4,
    };
    kind * if is_exported(definition) { 1.5 } else { 1.0 }
}

fn graph<'a>(files: &'a [MapFile], cx: &CallContext) -> Result<References<'a>, ToolError> {
    let definers = definers(files);
    let mut graph = References::new();
    let nodes: Vec<_> = files.iter().map(|_| graph.add_node(())).collect();
    for (at, file) in files.iter().enumerate() {
        cx.check()?;
        for (name, count) in uses(&file.tags) {
            let Some(targets) = definers.get(&(file.family, name)) else { continue };
            // A file that defines the name itself means its own.
            if targets.len() > DEFINERS_MAX || targets.contains(&at) {
                continue;
            }
            let weight = weight(name, count, targets.len()) * if is_aside(&file.path) { 0.2 } else { 1.0 };
            for &target in targets {
                graph.add_edge(nodes[at], nodes[target], Use { name, weight });
            }
        }
    }
    Ok(graph)
}

/// The files that define each name, without repetition.
fn definers(files: &[MapFile]) -> Definers<'_> {
    let mut definers = Definers::new();
    for (at, file) in files.iter().enumerate() {
        for definition in file.tags.definitions.iter().filter(|definition| is_mapped(definition)) {
            let known = definers.entry((file.family, &*definition.name)).or_default();
            if known.last() != Some(&at) {
                known.push(at);
            }
        }
    }
    definers
}

/// How often a file uses each name, in the order of the names.
fn uses(tags: &FileTags) -> BTreeMap<&str, f64> {
    let mut uses = BTreeMap::new();
    for place in tags.occurrences.iter().filter(|place| place.kind != ReferenceKind::Definition) {
        if let Some(name) = tags.names.get(place.name as usize) {
            *uses.entry(&**name).or_default() += 1.0;
        }
    }
    uses
}

/// What a reference is worth. The hundredth use in one file says little more than the tenth, a
/// name with several definers says less of each, and a short or private one may mean anything.
fn weight(name: &str, count: f64, definers: usize) -> f64 {
    let definers = u32::try_from(definers).map_or(1.0, f64::from);
    let telling = match name.len() {
        0..=3 => 0.2,
        4..=7 => 1.0,
        _ => 1.5,
    };
    let private = if name.starts_with('_') { 0.2 } else { 1.0 };
    count.sqrt() * telling * private / (definers * definers)
}

/// The rank that goes round in a graph.
struct Flow<'g, 'a> {
    graph: &'g References<'a>,
    /// The sum of the weights of the edges out of each node.
    out: Vec<f64>,
}

impl<'g, 'a> Flow<'g, 'a> {
    fn new(graph: &'g References<'a>) -> Self {
        let mut out = vec![0.0; graph.node_count()];
        for edge in graph.edge_references() {
            out[edge.source().index()] += edge.weight().weight;
        }
        Self { graph, out }
    }

    /// What goes along one edge when the files have these ranks.
    fn along(&self, source: NodeIndex, edge: &Use<'_>, ranks: &[f64]) -> f64 {
        ranks[source.index()] * edge.weight / self.out[source.index()]
    }

    /// The ranks after [`ROUNDS`] rounds. What reaches a file without references goes to all.
    fn settle(&self, cx: &CallContext) -> Result<Vec<f64>, ToolError> {
        let count = self.graph.node_count();
        let nodes = u32::try_from(count).map_or(1.0, f64::from);
        let mut ranks = vec![1.0 / nodes; count];
        for _ in 0..ROUNDS {
            cx.check()?;
            let lost: f64 =
                ranks.iter().zip(&self.out).filter(|&(_, &out)| out == 0.0).map(|(rank, _)| rank).sum();
            let mut next = vec![(1.0 - DAMPING + DAMPING * lost) / nodes; count];
            for edge in self.graph.edge_references() {
                next[edge.target().index()] += DAMPING * self.along(edge.source(), edge.weight(), &ranks);
            }
            ranks = next;
        }
        Ok(ranks)
    }
}
