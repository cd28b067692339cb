//! The text of a repository map, within its tokens.

use std::fmt::Write as _;

use crate::tools::code::graph::{MapFile, Ranked};
use crate::tools::code::line::clipped;

/// About how many tokens a text is: a quarter of its characters, rounded up. Real tokenizers give
/// less for prose and up to a third more for dense code.
pub fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

/// A text and how much of the repository is in it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct MapText {
    /// The text.
    pub text: String,
    /// How many definitions it shows.
    pub symbols: usize,
    /// How many files it names.
    pub files: usize,
}

/// Draws as many definitions as fit, best first, and if all do, the names of the other files.
/// Even when not a single line fits the text is not empty: it then is a part of a file's name.
pub fn draw(files: &[MapFile], ranked: &[&Ranked<'_>], others: &[&str], tokens_max: usize) -> MapText {
    let fits = |count: usize| tokens(&definitions(files, &ranked[..count]).text) <= tokens_max;
    let count = largest(ranked.len(), fits);
    let mut map = definitions(files, &ranked[..count]);
    if count == ranked.len() {
        fill(&mut map, others, tokens_max);
    }
    if map.text.is_empty() {
        let name = ranked.first().map(|best| &*files[best.file].path).or(others.first().copied());
        map.text = clipped(name.unwrap_or_default(), tokens_max * 4);
        map.files = usize::from(name.is_some());
    }
    map
}

/// The largest count up to `max` that fits; a larger count never fits when a smaller does not.
fn largest(max: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, max);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// Files in the order of their best definition, definitions in the order of their lines.
fn definitions(files: &[MapFile], ranked: &[&Ranked<'_>]) -> MapText {
    let mut groups: Vec<(usize, Vec<&Ranked<'_>>)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for &each in ranked {
        let at = *places.entry(each.file).or_insert_with(|| {
            groups.push((each.file, Vec::new()));
            groups.len() - 1
        });
        groups[at].1.push(each);
    }
    let mut map = MapText { symbols: ranked.len(), files: groups.len(), text: String::new() };
    for (file, mut group) in groups {
        group.sort_by_key(|each| (each.definition.line, each.definition.column));
        write_file(&mut map.text, &files[file].path, &group);
    }
    map
}

/// A file's name and its definitions; members are indented under what they belong to, which gets a
/// line of its own when it is not shown just above.
fn write_file(text: &mut String, path: &str, group: &[&Ranked<'_>]) {
    let _ = writeln!(text, "{path}");
    let mut owner: Option<&str> = None;
    for each in group {
        let definition = each.definition;
        let container = definition.container.as_deref();
        if let Some(container) = container.filter(|&container| owner != Some(container)) {
            let _ = writeln!(text, "      {container}:");
        }
        let indent = if container.is_some() { "    " } else { "" };
        let _ = writeln!(text, "{:>5} {indent}{}", definition.line, definition.signature);
        owner = container.or(Some(&definition.name));
    }
}

fn fill(map: &mut MapText, others: &[&str], tokens_max: usize) {
    let mut room = (tokens_max * 4).saturating_sub(map.text.chars().count());
    for path in others {
        let Some(left) = room.checked_sub(path.chars().count() + 1) else { break };
        let _ = writeln!(map.text, "{path}");
        map.files += 1;
        room = left;
    }
}
