//! From the text of a file to its tags: one parse, one query, one walk.
//!
//! The crate `tree-sitter-tags` was not taken for this: it keeps the syntax tree to itself, so that
//! the names that no query captures would cost a second parse, and it can be stopped only by a flag
//! that somebody else must watch the time for.

use std::collections::HashMap;

use tree_sitter::{
    Node, ParseOptions, Parser, Point, QueryCursor, QueryCursorOptions, QueryMatch, Range, StreamingIterator,
    Tree,
};

use crate::limits::{CODE_MACRO_DEPTH_MAX, CODE_QUERY_MATCHES_MAX};
use crate::tools::code::budget::Budget;
use crate::tools::code::container::{Container, container_of};
use crate::tools::code::doc;
use crate::tools::code::grammar::{Grammar, Part, Role, Tagger};
use crate::tools::code::kind::{ReferenceKind, Refined, refine, weight};
use crate::tools::code::line::Columns;
use crate::tools::code::tags::{Definition, FileTags, Occurrence};

/// What one thread parses with.
pub struct Worker {
    parser: Parser,
    cursor: QueryCursor,
}

impl Worker {
    /// A parser and a cursor, for any grammar.
    pub fn new() -> Self {
        let mut cursor = QueryCursor::new();
        cursor.set_match_limit(CODE_QUERY_MATCHES_MAX);
        Self { parser: Parser::new(), cursor }
    }

    /// The tags of a file; `None` when the budget was spent before the end.
    pub fn extract(&mut self, grammar: Grammar, source: &[u8], budget: &Budget<'_>) -> Option<FileTags> {
        let mut found = Found::new(grammar, source);
        let mut pending = vec![Region::default()];
        while let Some(region) = pending.pop() {
            let tree = self.parse(found.tagger, source, region.range, budget)?;
            found.query(&mut self.cursor, &tree, &region, budget)?;
            found.walk(&tree, &region, &mut pending, budget)?;
        }
        Some(found.finish())
    }

    fn parse(
        &mut self,
        tagger: &Tagger,
        source: &[u8],
        range: Option<Range>,
        budget: &Budget<'_>,
    ) -> Option<Tree> {
        self.parser.set_language(&tagger.language).ok()?;
        self.parser.set_included_ranges(range.as_slice()).ok()?;
        self.parser.reset();
        let mut read = |at: usize, _: Point| source.get(at..).unwrap_or_default();
        let mut progress = |_: &tree_sitter::ParseState| budget.flow();
        let options = ParseOptions::new().progress_callback(&mut progress);
        self.parser.parse_with_options(&mut read, None, Some(options))
    }
}

/// A part of a file that is parsed by itself: all of it, or the items in a Rust macro such as
/// `cfg_rt! { pub struct JoinHandle; }`, which the grammar sees as loose tokens.
#[derive(Default)]
struct Region {
    range: Option<Range>,
    depth: usize,
    container: Option<Container>,
}

/// What was found so far, by the offset of the name.
struct Found<'s> {
    grammar: Grammar,
    tagger: &'static Tagger,
    source: &'s [u8],
    definitions: HashMap<usize, (Definition, Point)>,
    references: HashMap<usize, ReferenceKind>,
    places: Vec<Place<'s>>,
}

/// A name as the walk meets it.
struct Place<'s> {
    name: &'s str,
    start: usize,
    point: Point,
    kind: ReferenceKind,
}

impl<'s> Found<'s> {
    fn new(grammar: Grammar, source: &'s [u8]) -> Self {
        let tagger = grammar.tagger();
        Self {
            grammar,
            tagger,
            source,
            definitions: HashMap::new(),
            references: HashMap::new(),
            places: Vec::new(),
        }
    }

    /// Runs the tag query over a tree.
    fn query(
        &mut self,
        cursor: &mut QueryCursor,
        tree: &Tree,
        region: &Region,
        budget: &Budget<'_>,
    ) -> Option<()> {
        let mut progress = |_: &tree_sitter::QueryCursorState| budget.flow();
        let options = QueryCursorOptions::new().progress_callback(&mut progress);
        let tagger = self.tagger;
        let mut matches = cursor.matches_with_options(&tagger.query, tree.root_node(), self.source, options);
        while let Some(found) = matches.next() {
            self.take(found, region);
        }
        (!budget.is_spent()).then_some(())
    }

    fn take(&mut self, found: &QueryMatch<'_, '_>, region: &Region) {
        let role = |index: u32| self.tagger.roles.get(index as usize).copied().unwrap_or(Role::Other);
        let mut name = None;
        let mut tag = None;
        for capture in found.captures() {
            match role(capture.index) {
                Role::Name => name = Some(capture.node),
                Role::Definition(_) | Role::Reference(_) => tag = Some((role(capture.index), capture.node)),
                Role::Other => {}
            }
        }
        let Some((name, (role, node))) = name.zip(tag) else { return };
        match role {
            // What is in a macro may be no Rust at all: only what parses counts.
            Role::Definition(_) if region.depth > 0 && node.has_error() => {}
            Role::Definition(word) => {
                if let Some(refined) = refine(word, node) {
                    self.define(name, &refined, region);
                }
            }
            Role::Reference(word) => {
                self.references.entry(name.start_byte()).or_insert_with(|| ReferenceKind::of_capture(word));
            }
            Role::Name | Role::Other => {}
        }
    }

    fn define(&mut self, name: Node<'_>, refined: &Refined<'_>, region: &Region) {
        let known = self.definitions.get(&name.start_byte());
        if known.is_some_and(|(known, _)| weight(known.kind) >= weight(refined.kind)) {
            return;
        }
        // Rust's `const _` has no name that anyone could use.
        let Some(text) = text(name, self.source).filter(|&name| name != "_") else { return };
        let node = refined.node;
        let definition = Definition {
            name: text.into(),
            kind: refined.kind,
            start: offset(node.start_byte()),
            end: offset(node.end_byte()),
            line: offset(name.start_position().row).saturating_add(1),
            column: 1,
            signature: doc::signature(node, text, self.source).into(),
            doc: doc::doc(self.grammar, node, self.source).map(Into::into),
            container: container_of(node, self.source).or_else(|| region.container.clone()),
            is_declaration: refined.is_declaration,
        };
        self.definitions.insert(name.start_byte(), (definition, name.start_position()));
    }

    /// Walks over every node of a tree, without recursion, and takes the names.
    fn walk(
        &mut self,
        tree: &Tree,
        region: &Region,
        pending: &mut Vec<Region>,
        budget: &Budget<'_>,
    ) -> Option<()> {
        let mut cursor = tree.walk();
        let mut import_end = 0;
        let mut steps = 0_u32;
        loop {
            let node = cursor.node();
            let part = self.tagger.part(node.kind_id());
            let nested = (part == Part::Macro).then(|| self.items_in(node, region)).flatten();
            let enters = nested.is_none();
            match part {
                Part::Import => import_end = import_end.max(node.end_byte()),
                Part::Identifier if node.child_count() == 0 => self.place(node, import_end),
                _ => pending.extend(nested),
            }
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(4_096) && budget.is_spent() {
                return None;
            }
            if enters && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Some(());
                }
            }
        }
    }

    fn place(&mut self, node: Node<'_>, import_end: usize) {
        let start = node.start_byte();
        let Some(name) = text(node, self.source).filter(|name| !name.is_empty()) else { return };
        let kind = if self.definitions.contains_key(&start) {
            ReferenceKind::Definition
        } else if start < import_end {
            ReferenceKind::Import
        } else {
            let captured = self.references.get(&start).copied();
            captured.unwrap_or_else(|| ReferenceKind::of_node(node.kind()))
        };
        self.places.push(Place { name, start, point: node.start_position(), kind });
    }

    /// The inside of a macro call that stands where items stand and has braces.
    fn items_in(&self, call: Node<'_>, region: &Region) -> Option<Region> {
        let mut parent = call.parent()?;
        if parent.kind() == "expression_statement" {
            parent = parent.parent()?;
        }
        let last = call.child_count().checked_sub(1)?;
        let body = call.child(last).filter(|body| body.kind() == "token_tree")?;
        let (start, end) = (body.start_byte(), body.end_byte());
        let is_item = matches!(parent.kind(), "source_file" | "declaration_list");
        let is_braced = self.source.get(start) == Some(&b'{') && end > start + 2;
        if !is_item || !is_braced || region.depth >= CODE_MACRO_DEPTH_MAX {
            return None;
        }
        let (first, last) = (body.start_position(), body.end_position());
        let range = Range {
            start_byte: start + 1,
            end_byte: end - 1,
            start_point: Point { row: first.row, column: first.column + 1 },
            end_point: Point { row: last.row, column: last.column.saturating_sub(1) },
        };
        let container = container_of(call, self.source).or_else(|| region.container.clone());
        Some(Region { range: Some(range), depth: region.depth + 1, container })
    }

    fn finish(mut self) -> FileTags {
        self.places.sort_unstable_by_key(|place| place.start);
        let mut columns = Columns::new(self.source);
        let mut tags = FileTags::default();
        let mut names = HashMap::new();
        for place in &self.places {
            let name = *names.entry(place.name).or_insert_with(|| {
                tags.names.push(place.name.into());
                offset(tags.names.len() - 1)
            });
            tags.occurrences.push(Occurrence {
                name,
                start: offset(place.start),
                line: offset(place.point.row).saturating_add(1),
                column: columns.column(place.start - place.point.column, place.start),
                kind: place.kind,
            });
        }
        tags.definitions = in_order(self.definitions, self.source);
        tags
    }
}

fn in_order(found: HashMap<usize, (Definition, Point)>, source: &[u8]) -> Vec<Definition> {
    let mut columns = Columns::new(source);
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_unstable_by_key(|&(start, _)| start);
    let placed = found.into_iter().map(|(start, (mut definition, point))| {
        definition.column = columns.column(start - point.column, start);
        definition
    });
    placed.collect()
}

fn text<'s>(node: Node<'_>, source: &'s [u8]) -> Option<&'s str> {
    std::str::from_utf8(source.get(node.byte_range())?).ok()
}

/// Files are bounded by [`CODE_FILE_BYTES_MAX`](crate::limits::CODE_FILE_BYTES_MAX), so places fit.
fn offset(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
