//! End tags, and which element a wrong one was meant for.

use quick_xml::Reader;
use quick_xml::events::Event;

use super::arena::NONE;
use super::fault::tag::{self, Stray};
use super::growth::Growth;
use super::letters::{name_end, skip, skip_blanks};
use super::start_tag::Tag;
use crate::limits::XML_LOOK_AHEAD_TAGS_MAX;
use crate::text::Span;

/// The most open elements that a message names.
const NAMED_ELEMENTS_MAX: usize = 3;

/// Reads the end tag at `start` and closes what it closes.
pub(super) fn read(growth: &mut Growth<'_>, start: usize) -> Tag {
    let bytes = growth.bytes();
    let name = Span::new(start + 2, name_end(bytes, start + 2));
    if name.is_empty() {
        let open = growth.open_elements().next().map(|open| growth.arena.name(open));
        growth.faults.fatal(|source| tag::nameless_end(source, start, open));
    }
    let rest = skip_blanks(bytes, name.range().end);
    let end = skip(bytes, rest, |byte| byte != b'>' && byte != b'<');
    let head = Span::new(start, name.range().end);
    let after = match bytes.get(end) {
        None => {
            let what = format!("the end tag of `{}`", growth.slice(name));
            growth.faults.fatal(|source| tag::truncated_inside(source, head, &what, ">"));
            return Tag::Last;
        }
        Some(b'<') => {
            growth.faults.fatal(|source| tag::unclosed(source, head, end));
            end
        }
        Some(_) => end + 1,
    };
    if !name.is_empty() && end > rest && after > end {
        growth.faults.error(|source| tag::end_tag_junk(source, name, Span::new(rest, end)));
    }
    let tag = EndTag { name, span: Span::new(start, after) };
    if name.is_empty() {
        close_any(growth, tag)
    } else {
        close(growth, tag)
    }
    Tag::EndsAt(after)
}

/// An end tag.
#[derive(Clone, Copy)]
struct EndTag {
    name: Span,
    span: Span,
}

/// A tag without a name most likely closes the innermost element.
fn close_any(growth: &mut Growth<'_>, tag: EndTag) {
    if growth.current != NONE {
        growth.close(tag.span.range().end);
    }
}

fn close(growth: &mut Growth<'_>, tag: EndTag) {
    let name = growth.slice(tag.name);
    if growth.current == NONE {
        growth.faults.fatal(|source| tag::stray(source, tag.span, tag.name, Stray::Outside));
    } else if growth.name(growth.current) == name {
        growth.close(tag.span.range().end);
    } else {
        let between = growth.open_elements().position(|open| growth.name(open) == name);
        match between {
            Some(between) => close_outer(growth, tag, between),
            None => close_unknown(growth, tag),
        }
    }
}

/// The tag has the name of an element that is open, with `between` others inside it. Those were
/// forgotten; or this is a slip of the pen for the innermost, if its own parent's end tag is next.
fn close_outer(growth: &mut Growth<'_>, tag: EndTag, between: usize) {
    if between == 1 && is_slip(growth, tag) {
        return close_wrong(growth, tag);
    }
    let sure: Vec<_> =
        growth.open_elements().take(between).filter(|&open| !is_doubtful(growth, open)).collect();
    if !sure.is_empty() {
        let (named, count) = (names(growth, &sure), sure.len());
        growth.faults.fatal(|source| tag::never_closed(source, &named, count, tag.name));
    }
    (0..between).for_each(|_| growth.close(tag.span.range().start));
    growth.close(tag.span.range().end);
}

/// Whether the tag, which has the name of the element around the innermost one, was meant for the
/// innermost: the element around has its own end tag still to come.
fn is_slip(growth: &Growth<'_>, tag: EndTag) -> bool {
    let name = growth.slice(tag.name);
    let is_next = next_end_tag(growth.text, tag.span.range().end) == Some(name);
    let around = growth.open_elements().nth(2);
    is_next && around.is_none_or(|around| growth.name(around) != name) && !is_doubtful(growth, growth.current)
}

/// The names of the first few elements, for a message.
fn names(growth: &Growth<'_>, elements: &[u32]) -> Vec<Span> {
    elements.iter().take(NAMED_ELEMENTS_MAX).map(|&element| growth.arena.name(element)).collect()
}

/// The tag has the name of no open element: it is one too many if the innermost element has its own
/// end tag still to come, and a slip of the pen otherwise.
fn close_unknown(growth: &mut Growth<'_>, tag: EndTag) {
    if let Some(start) = closed_itself(growth, tag) {
        growth.faults.fatal(|source| tag::stray(source, tag.span, tag.name, Stray::ClosedItself(start)));
    } else if next_end_tag(growth.text, tag.span.range().end) == Some(growth.name(growth.current)) {
        let open = growth.arena.name(growth.current);
        growth.faults.fatal(|source| tag::stray(source, tag.span, tag.name, Stray::Inside(open)));
    } else {
        close_wrong(growth, tag);
    }
}

fn close_wrong(growth: &mut Growth<'_>, tag: EndTag) {
    let open = growth.arena.name(growth.current);
    growth.faults.fatal(|source| tag::wrong_name(source, open, tag.name));
    growth.close(tag.span.range().end);
}

/// The start tag of the last element, if it has the tag's name and closed itself.
fn closed_itself(growth: &Growth<'_>, tag: EndTag) -> Option<Span> {
    let last = growth.arena.elements.last()?;
    let is_named = growth.slice(Span { start: last.start + 1, end: last.name_end }) == growth.slice(tag.name);
    let is_it = is_named && last.parent == growth.current && last.end == last.tag_end;
    is_it.then_some(Span { start: last.start, end: last.end })
}

fn is_doubtful(growth: &Growth<'_>, id: u32) -> bool {
    growth.doubtful.binary_search(&id).is_ok()
}

/// The name of the next end tag from `at` on that does not close an element begun after `at`; `None`
/// when it is too far away or the text between is broken.
fn next_end_tag(text: &str, at: usize) -> Option<&str> {
    let mut reader = Reader::from_str(&text[at..]);
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_unmatched_ends = true;
    reader.config_mut().allow_dangling_amp = true;
    let (mut depth, mut tags) = (0_usize, 0_usize);
    while tags < XML_LOOK_AHEAD_TAGS_MAX {
        match reader.read_event().ok()? {
            Event::Eof => return None,
            Event::Start(_) => depth += 1,
            Event::End(_) if depth > 0 => depth -= 1,
            Event::End(_) => {
                let end = at + usize::try_from(reader.buffer_position()).ok()?;
                let start = text[..end].rfind("</")? + 2;
                return Some(&text[start..name_end(text.as_bytes(), start)]);
            }
            Event::Empty(_) => {}
            _ => continue,
        }
        tags += 1;
    }
    None
}

/// Reports the elements that the end of the text leaves open.
pub(super) fn end_of_text(growth: &mut Growth<'_>) {
    let sure: Vec<_> = growth.open_elements().filter(|&open| !is_doubtful(growth, open)).collect();
    if !sure.is_empty() {
        let (named, count) = (names(growth, &sure), sure.len());
        growth.faults.fatal(|source| tag::truncated(source, &named, count));
    }
}
